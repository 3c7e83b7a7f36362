"""The page of all commands, of what each prints for `--help`."""

import contextlib
import importlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

PROJECT = Path(__file__).parents[2]
WIDTH = "110"
CALLED_BY_OTHERS = ("experiments.counted_runs",)
"""Run by other commands, not by a user."""


def commands() -> str:
    """Return the page."""
    head = "# Commands\n\nWhat each command prints for `--help`."
    return "\n\n".join([head, *(f"## python -m {each}\n\n```text\n{_help(each)}\n```" for each in names())])


def names() -> Iterator[str]:
    """Yield the modules that can be run, the main one first."""
    folder = PROJECT / "experiments"
    main_first = sorted(
        folder.rglob("*.py"), key=lambda path: (path.parent != folder, path.name != "__main__.py", path)
    )
    for path in main_first:
        module = ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__main__")
        if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8") and module not in CALLED_BY_OTHERS:
            yield module


def _help(module: str) -> str:
    """Return what a module prints, run as a command."""
    found = importlib.import_module(module)
    if hasattr(found, "__path__"):
        found = importlib.import_module(f"{module}.__main__")
    out = io.StringIO()
    asked = [f"python -m {module}", "--help"]
    asked_as = patch.object(sys, "argv", asked), patch.dict(os.environ, COLUMNS=WIDTH)
    with asked_as[0], asked_as[1], contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        found.main()
    return out.getvalue().strip()
