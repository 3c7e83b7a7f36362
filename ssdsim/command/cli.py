"""The command line: a verb, whose module is loaded only then, and its arguments; without a verb they are a run's."""

import sys
from collections.abc import Sequence
from importlib import import_module

from ssdsim import __version__
from ssdsim.errors import ConfigError, nearest

from . import COMMAND, failures

VERBS = {
    "run": ("experiment:run", "one experiment; the word may be left out"),
    "sweep": ("experiment:sweep", "every combination of the values listed"),
    "compare": ("compare", "systems side by side under the same seeds, with intervals"),
    "search": ("search", "the best values, as Optuna finds them"),
    "report": ("pages:report", "a page of HTML about a run, a sweep or a comparison"),
    "timeline": ("pages:timeline", "what each bus, die and plane did when, for Perfetto"),
    "player": ("player", "a window of a run as a page that plays it"),
    "serve": ("serve", "a simulated drive as a network block device, for fio, qemu or nbdcopy"),
    "new": ("new", "begin a policy or a stack of your own, with its test"),
    "build": ("build", "compile a policy of your own, which then costs what a built-in one does"),
    "trace": ("trace", "how a trace is read: its format, and its first requests"),
    "presets": ("help", "groups, presets, policies and keys; what each means"),
    "fields": ("fields", "what is in the results: units, meanings, where they are null"),
    "papers": ("studies:papers", "a paper's experiments, its claims beside our numbers"),
    "agreement": ("studies:agreement", "response times beside those of MQSim and SSDSim"),
    "bench": ("studies:bench", "how fast the simulator is on this machine"),
}
"""The verbs, each with its module, the function there if it is not `main`, and what comes of it."""

OPTIONS = {"-h": "presets", "--help": "presets", "--fields": "fields"}
"""Options that stand for a verb; without a topic, help is about all of them."""

EXAMPLES = f"""\
Examples
  {COMMAND}
  {COMMAND} hardware=tlc_128g workload.path=prxy_0.csv.xz ftl/gc=cost_benefit host.queue_depth=32 seed=7
  {COMMAND} workload=synthetic workload.rate_iops=5000 workload.read_share=0.7 record=requests
  {COMMAND} sweep ftl/gc=greedy,rga,fifo hydra.run.dir=results/victims
  {COMMAND} timing=off workload=synthetic workload.requests=1000000 workload.read_share=0"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command of the arguments and return the exit status: 0, 1 (failed), 2 (wrong input), 128 + a signal."""
    return failures.guarded(lambda: _main(list(sys.argv[1:] if argv is None else argv)))


def _main(argv: list[str]) -> int:
    if argv == ["--version"]:
        print(f"ssdsim {__version__}")
        return 0
    verb, words = _verb(argv)
    if not verb:
        print(overview())
        return 0
    module, _, function = VERBS[verb][0].partition(":")
    return int(getattr(import_module(f".{module}", __package__), function or "main")(words))


def _verb(argv: list[str]) -> tuple[str, list[str]]:
    """Return the verb that a command line asks for, none if it wants the overview, and the arguments of the verb."""
    first = argv[0] if argv else ""
    if first in VERBS:
        return first, argv[1:]
    if first.isidentifier():
        raise ConfigError(
            f"{first}: is no command, and an override is written key=value{nearest(first, VERBS)}; "
            f"there are {', '.join(VERBS)}."
        )
    for option, verb in OPTIONS.items():
        if option in argv:
            words = [word for word in argv[argv.index(option) + 1 :] if not word.startswith("-")]
            return ("" if verb == "presets" and not words else verb), words
    return "run", argv


def overview() -> str:
    """Return the page of all verbs."""
    return "\n".join(
        [
            "Simulate an SSD under a workload; results go to a new folder in results/.",
            "",
            f"usage: {COMMAND} [KEY=VALUE | GROUP=CHOICE ...]    simulate",
            f"       {COMMAND} VERB ...",
            f"       {COMMAND} VERB --help                       the arguments of a verb",
            f"       {COMMAND} --help KEY | GROUP | GROUP=CHOICE what a key or preset means, as presets does",
            f"       {COMMAND} --version",
            "",
            *(f"  {verb:13} {told}" for verb, (_, told) in VERBS.items()),
            "",
            EXAMPLES,
            "",
            "`python -m ssdsim` is the same command, and in a clone `python -m experiments`.",
        ]
    )
