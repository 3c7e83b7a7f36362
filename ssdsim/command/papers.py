"""The experiments of the papers, which a clone has beside the package and a wheel within."""

import sys
from argparse import REMAINDER
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

from . import PACKAGE, PROJECT, parser

EXPERIMENTS = "ssdsim.experiments" if PROJECT == PACKAGE else "experiments"


def main(arguments: Sequence[str]) -> int:
    """Repeat the experiments of a paper, and hold its claims against our numbers.

    A paper's own arguments are told by papers NAME --help.
    """
    if PROJECT != PACKAGE and str(PROJECT) not in sys.path:
        sys.path.insert(0, str(PROJECT))
    names = [module.name for module in iter_modules(import_module(f"{EXPERIMENTS}.papers").__path__)]
    options = parser("papers", main.__doc__)
    options.add_argument("name", choices=names, help="the paper, by its system")
    options.add_argument("arguments", nargs=REMAINDER, metavar="...", help="of its experiments")
    given = options.parse_args(arguments)
    return int(import_module(f"{EXPERIMENTS}.papers.{given.name}").main(given.arguments))
