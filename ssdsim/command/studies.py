"""The verbs for what shows that the simulator can be trusted: the papers' experiments, agreement, and speed."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc
from pkgutil import iter_modules
from typing import Any

from ssdsim.errors import InputError

from . import COMMAND, PROJECT, failures

EXPERIMENTS = "experiments" if (PROJECT / "experiments" / "validation").is_dir() else "ssdsim.experiments"


def papers(arguments: Sequence[str]) -> int:
    """Repeat the experiments of the paper that is named first; list the papers if none is."""
    names = [module.name for module in iter_modules(_module("papers").__path__)]
    if arguments and arguments[0] in names:
        return int(_module(f"papers.{arguments[0]}").main(arguments[1:]))
    print(f"usage: {COMMAND} papers NAME ...")
    for name in names:
        _, cited, *_ = (getdoc(_module(f"papers.{name}")) or "").split("\n\n")
        print(f"{name:8} {' '.join(cited.split())}")
    return 0


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
