"""What users call: `ssdsim` and its verbs."""

from argparse import ArgumentParser
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# a clone has `conf/` beside the package, and a wheel within
PROJECT = PACKAGE if (PACKAGE / "conf").is_dir() else PACKAGE.parent
"""Where `conf/` and `traces/` lie: in the clone, or, from a wheel, within the installed package."""


def parser(verb: str, told: str | None, overrides: str = "") -> ArgumentParser:
    """Return the parser of a verb with what `told` says: the first paragraph above the arguments, others below.

    With `overrides`, which say what these are, it takes any number of them.
    """
    description, _, remarks = (told or "").partition("\n\n")
    made = ArgumentParser(prog=f"ssdsim {verb}", description=description, epilog=remarks.replace("`", ""))
    if overrides:
        made.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help=overrides)
    return made
