"""Where the sections of a report write their tables and pictures."""

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from ssdsim.report.markdown import Row, table, write_csv


@attrs.frozen
class Output:
    """The folder that tables and pictures go to, and what draws the pictures, if anything does."""

    folder: Path
    figures: ModuleType | None

    def csv(self, name: str, rows: Sequence[Row]) -> None:
        """Write `name.csv`."""
        write_csv(self.folder / f"{name}.csv", rows)

    def table(self, name: str, rows: Sequence[Row], *below: Iterable[Any]) -> str:
        """Write `name.csv`, and return the same in Markdown, with further rows `below`."""
        self.csv(name, rows)
        return table(rows, *below)

    def picture(self, name: str, *given: Any, drawer: str = "") -> str:
        """Draw `name.png` by the function `drawer`, or the one of that name, and return the line that shows it."""
        if self.figures is None:
            return ""
        getattr(self.figures, drawer or name)(*given, self.folder / f"{name}.png")
        return f"![{name}]({name}.png)\n\n"


def output(folder: Path, package: str) -> Output:
    """Return the output into `folder`, drawn by the `figures` of `package`; without matplotlib nothing is, as told."""
    if importlib.util.find_spec("matplotlib") is None:
        print("No pictures are drawn, as matplotlib is not installed.", file=sys.stderr)
        return Output(folder, None)
    return Output(folder, importlib.import_module(".figures", package))
