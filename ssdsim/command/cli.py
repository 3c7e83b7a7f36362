"""The command line: a verb, whose module is loaded only then, and its arguments; without a verb they are a run's."""

import sys
from collections.abc import Sequence
from importlib import import_module

from ssdsim import __version__
from ssdsim.errors import ConfigError, nearest

from . import failures

VERBS = {
    "run": ("runs", "one experiment; the word may be left out"),
    "sweep": ("runs", "every combination of the values listed"),
    "compare": ("compare", "systems side by side under the same seeds, with intervals"),
    "search": ("search", "the best values, as Optuna finds them"),
    "report": ("pages:report", "a page of HTML about a run, a sweep or a comparison"),
    "timeline": ("pages:timeline", "what each bus, die and plane did when, for Perfetto"),
    "serve": ("serve", "a simulated drive as a network block device, for fio, qemu or nbdcopy"),
    "new": ("policy:new", "begin a policy of your own as a copy of one of ssdsim's, with its test"),
    "build": ("policy:build", "compile a policy of your own, which then costs what a built-in one does"),
    "trace": ("trace", "how a trace is read: its format, and its first requests"),
    "presets": ("help:presets", "groups, presets, policies and keys; what each means"),
    "fields": ("help:fields", "what is in the results: units, meanings, where they are null"),
    "papers": ("runs:papers", "a paper's experiments, its claims beside our numbers"),
}
"""The verbs, each with its module, the function there if it is not `main`, and what comes of it."""

USAGE = """\
Simulate an SSD under a workload; results go to a new folder in results/.

usage: ssdsim [KEY=VALUE | GROUP=CHOICE ...]    simulate
       ssdsim VERB ...
       ssdsim VERB --help                       the arguments of a verb
       ssdsim --help KEY | GROUP | GROUP=CHOICE what a key or preset means, as presets does
       ssdsim --version
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command of the arguments and return the exit status: 0, 1 (failed), 2 (wrong input), 128 + a signal."""
    return failures.guarded(lambda: _main(*(sys.argv[1:] if argv is None else argv)))


def _main(first: str = "run", *rest: str) -> int:
    if first == "--version":
        print(f"ssdsim {__version__}")
        return 0
    if first in ("-h", "--help") and not rest:
        print(USAGE, *(f"  {verb:13} {told}" for verb, (_, told) in VERBS.items()), sep="\n")
        return 0
    if first.isidentifier() and first not in VERBS:
        near = nearest(first, VERBS)
        raise ConfigError(f"{first}: is no command, and an override is written key=value{near}; --help lists all.")
    verb = "presets" if first in ("-h", "--help") else first if first in VERBS else "run"
    words = [first, *rest] if verb == "run" != first else ["-m", *rest] if verb == "sweep" else rest
    module, _, function = VERBS[verb][0].partition(":")
    return int(getattr(import_module(f".{module}", __package__), function or "main")(words))
