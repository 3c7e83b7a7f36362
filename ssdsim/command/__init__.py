"""What users call: `python -m experiments` in a clone, `ssdsim` where it is installed, and their further commands."""

from argparse import ArgumentParser
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
# a clone has `conf/` beside the package, and a wheel within
PROJECT = _PACKAGE if (_PACKAGE / "conf").is_dir() else _PACKAGE.parent
"""Where `conf/` and `traces/` lie: in the clone, or, from a wheel, within the installed package."""

COMMAND = "ssdsim" if PROJECT == _PACKAGE else "python -m experiments"
"""What the command is called."""


def parser(name: str, told: str | None) -> ArgumentParser:
    """Return the parser of a further command, which the docstring of its module describes."""
    description, _, remarks = (told or "").partition("\n\n")
    return ArgumentParser(prog=f"{COMMAND} {name}", description=description, epilog=remarks.replace("`", ""))
