"""The page of all commands, of what each prints for `--help`."""

import contextlib
import importlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ssdsim.command.cli import VERBS
from ssdsim.command.cli import main as front

PROJECT = Path(__file__).parents[2]
WIDTH = "110"
HEAD = """\
# Commands

pip installs `ssdsim`; `python -m ssdsim`, `python -m experiment` and `python -m experiments` are the same command in
any folder. A folder of one of these names in the current one comes before it.

What each command prints for `--help`:"""


def commands() -> str:
    """Return the page."""
    shown = {"ssdsim": _help(front), **{f"ssdsim {verb}": _help(front, verb) for verb in VERBS}}
    shown |= {f"python -m {module}": _help(_main_of(module)) for module in modules()}
    return "\n\n".join([HEAD, *(f"## {name}\n\n```text\n{text}\n```" for name, text in shown.items())])


def modules() -> Iterator[str]:
    """Yield the modules of the experiments that can be run."""
    folder = PROJECT / "experiments"
    for path in sorted(folder.rglob("*.py"), key=lambda path: (path.name != "__main__.py", path)):
        module = ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__main__")
        is_run = 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
        if is_run and module != "experiments":
            yield module


def _main_of(module: str) -> Callable[[], Any]:
    found = importlib.import_module(module)
    return importlib.import_module(f"{module}.__main__").main if hasattr(found, "__path__") else found.main


def _help(main: Callable[[], Any], *words: str) -> str:
    """Return what a command prints for `--help`."""
    out = io.StringIO()
    asked_as = patch.object(sys, "argv", ["", *words, "--help"]), patch.dict(os.environ, COLUMNS=WIDTH)
    with asked_as[0], asked_as[1], contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main()
    return out.getvalue().strip()
