"""What users call: `ssdsim`, or `python -m experiments` in a clone, and its verbs."""

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, TypeVar

_PACKAGE = Path(__file__).resolve().parents[1]
# a clone has `conf/` beside the package, and a wheel within
PROJECT = _PACKAGE if (_PACKAGE / "conf").is_dir() else _PACKAGE.parent
"""Where `conf/` and `traces/` lie: in the clone, or, from a wheel, within the installed package."""

_STARTED = Path(sys.argv[0]).resolve()
COMMAND = "python -m experiments" if _STARTED == PROJECT / "experiments" / "__main__.py" else "ssdsim"
"""What the command is called, as it was started."""


class Parser(ArgumentParser):
    """Parses the arguments of a verb; where a shell asks for completions of its command line, it answers, and ends."""

    def parse_args(self, *given: Any, **named: Any) -> Any:
        """Return the arguments; end with a sentence if there are others."""
        self.complete()
        return super().parse_args(*given, **named)

    def parse_known_intermixed_args(self, *given: Any, **named: Any) -> Any:
        """Return the arguments, options among them, and those that are unknown."""
        self.complete()
        return super().parse_known_intermixed_args(*given, **named)

    def complete(self) -> None:
        """Answer the shell if it asks."""
        if "_ARGCOMPLETE" in os.environ:
            from .completion import answer

            answer(self)


AnyParser = TypeVar("AnyParser", bound=ArgumentParser)


def describe(made: AnyParser, name: str, told: str | None) -> AnyParser:
    """Return the parser of a verb with what `told` says: the first paragraph above the arguments, others below."""
    made.prog = f"{COMMAND} {name}"
    made.description, _, remarks = (told or "").partition("\n\n")
    made.epilog = remarks.replace("`", "")
    return made


def parser(name: str, told: str | None) -> ArgumentParser:
    """Return the parser of a verb, which the docstring of its module describes."""
    return describe(Parser(), name, told)
