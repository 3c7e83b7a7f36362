"""The verbs for what shows that the simulator can be trusted: the papers' experiments, agreement, and speed."""

import sys
from argparse import REMAINDER
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from ssdsim.errors import InputError

from . import PROJECT, failures, parser

EXPERIMENTS = "experiments" if (PROJECT / "experiments" / "validation").is_dir() else "ssdsim.experiments"


def papers(arguments: Sequence[str]) -> int:
    """Repeat the experiments of a paper, and hold its claims against our numbers.

    A paper's own arguments are told by papers NAME --help.
    """
    names = [module.name for module in iter_modules(_module("papers").__path__)]
    options = parser("papers", papers.__doc__)
    options.add_argument("name", choices=names, help="the paper, by its system")
    options.add_argument("arguments", nargs=REMAINDER, metavar="...", help="of its experiments")
    given = options.parse_args(arguments)
    return int(_module(f"papers.{given.name}").main(given.arguments))


def agreement(arguments: Sequence[str]) -> int:
    """Hold response times against those of MQSim and SSDSim."""
    return failures.guarded(lambda: int(_module("validation.agreement").main(arguments) or 0))


def bench(arguments: Sequence[str]) -> int:
    """Measure the speed of the simulator."""
    return failures.guarded(lambda: int(_module("validation.bench").main(arguments) or 0))


def _module(name: str) -> Any:
    """Return a module of the experiments; raise InputError for one that is not installed."""
    if EXPERIMENTS == "experiments" and str(PROJECT) not in sys.path:
        sys.path.insert(0, str(PROJECT))
    if find_spec(f"{EXPERIMENTS}.{name.partition('.')[0]}") is None:
        raise InputError(
            f"{name.rpartition('.')[2]}: is not installed; it is run in a clone, or in the unpacked sdist."
        )
    return import_module(f"{EXPERIMENTS}.{name}")
