"""What users call: `ssdsim`, or `python -m experiments` in a clone, and its verbs."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import TypeVar

_PACKAGE = Path(__file__).resolve().parents[1]
# a clone has `conf/` beside the package, and a wheel within
PROJECT = _PACKAGE if (_PACKAGE / "conf").is_dir() else _PACKAGE.parent
"""Where `conf/` and `traces/` lie: in the clone, or, from a wheel, within the installed package."""

_STARTED = Path(sys.argv[0]).resolve()
COMMAND = "python -m experiments" if _STARTED == PROJECT / "experiments" / "__main__.py" else "ssdsim"
"""What the command is called, as it was started."""


AnyParser = TypeVar("AnyParser", bound=ArgumentParser)


def describe(made: AnyParser, name: str, told: str | None) -> AnyParser:
    """Return the parser of a verb with what `told` says: the first paragraph above the arguments, others below."""
    made.prog = f"{COMMAND} {name}"
    made.description, _, remarks = (told or "").partition("\n\n")
    made.epilog = remarks.replace("`", "")
    return made


def parser(name: str, told: str | None) -> ArgumentParser:
    """Return the parser of a verb, which the docstring of its module describes."""
    return describe(ArgumentParser(), name, told)
