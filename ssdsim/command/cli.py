"""The command line: a verb, whose module is loaded only then, and its arguments; without a verb they are a run's."""

import sys
from collections.abc import Sequence
from importlib import import_module

from ssdsim import __version__
from ssdsim.errors import ConfigError, nearest

from . import failures

VERBS = {
    "run": ("experiment:run", "one experiment; the word may be left out"),
    "sweep": ("experiment:sweep", "every combination of the values listed"),
    "compare": ("compare", "systems side by side under the same seeds, with intervals"),
    "search": ("search", "the best values, as Optuna finds them"),
    "report": ("pages:report", "a page of HTML about a run, a sweep or a comparison"),
    "timeline": ("pages:timeline", "what each bus, die and plane did when, for Perfetto"),
    "player": ("player", "a window of a run as a page that plays it"),
    "serve": ("serve", "a simulated drive as a network block device, for fio, qemu or nbdcopy"),
    "new": ("new", "begin a policy of your own as a copy of one of ssdsim's, with its test"),
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
"""Options that stand for a verb; without a topic, help is the overview."""

USAGE = """\
Simulate an SSD under a workload; results go to a new folder in results/.

usage: ssdsim [KEY=VALUE | GROUP=CHOICE ...]    simulate
       ssdsim VERB ...
       ssdsim VERB --help                       the arguments of a verb
       ssdsim --help KEY | GROUP | GROUP=CHOICE what a key or preset means, as presets does
       ssdsim --version
"""

EXAMPLES = """\
Examples
  ssdsim
  ssdsim hardware=tlc_128g workload.path=prxy_0.csv.xz ftl/gc=cost_benefit host.queue_depth=32 seed=7
  ssdsim workload=synthetic workload.rate_iops=5000 workload.read_share=0.7 record=requests
  ssdsim sweep ftl/gc=greedy,rga,fifo hydra.run.dir=results/victims
  ssdsim timing=off workload=synthetic workload.requests=1000000 workload.read_share=0"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command of the arguments and return the exit status: 0, 1 (failed), 2 (wrong input), 128 + a signal."""
    return failures.guarded(lambda: _main(list(sys.argv[1:] if argv is None else argv)))


def _main(argv: list[str]) -> int:
    verb, words = _verb(argv)
    if argv == ["--version"]:
        print(f"ssdsim {__version__}")
    elif not verb:
        print(USAGE, *(f"  {verb:13} {told}" for verb, (_, told) in VERBS.items()), "", EXAMPLES, sep="\n")
    else:
        module, _, function = VERBS[verb][0].partition(":")
        return int(getattr(import_module(f".{module}", __package__), function or "main")(words))
    return 0


def _verb(argv: list[str]) -> tuple[str, list[str]]:
    """Return the verb that a command line asks for, none if it wants the overview, and the arguments of the verb."""
    first = argv[0] if argv else ""
    if first in VERBS:
        return first, argv[1:]
    if first.isidentifier():
        near = nearest(first, VERBS)
        raise ConfigError(f"{first}: is no command, and an override is written key=value{near}; --help lists all.")
    for option, verb in OPTIONS.items():
        if option in argv:
            words = [word for word in argv[argv.index(option) + 1 :] if not word.startswith("-")]
            return ("" if verb == "presets" and not words else verb), words
    return "run", argv
