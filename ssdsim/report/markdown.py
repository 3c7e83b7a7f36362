"""The tables of a report: rows, how numbers are written, Markdown and CSV."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

Row = dict[str, Any]
"""A row of a table, by its columns."""


def number(value: float | None, digits: int = 3) -> str:
    """Return `value` with `digits` significant digits, or a dash for None; whole numbers keep all of theirs."""
    if value is None:
        return "-"
    if isinstance(value, int) or abs(value) >= 10**digits:  # beyond these digits a number is told whole
        return f"{value:,.0f}"
    return f"{float(f'{value:.{digits}g}'):g}"  # without the zeros that a format of fixed length would add


def markdown(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table in Markdown, numbers to three digits and all columns but the first set right."""
    cells = [[cell if isinstance(cell, str) else number(cell) for cell in row] for row in rows]
    lines = [list(header), ["---"] + ["---:"] * (len(header) - 1), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def table(rows: Sequence[Row], *below: Iterable[Any]) -> str:
    """Return `rows`, which have the same keys, as a table in Markdown, with further ones `below`."""
    return markdown(list(rows[0]), [*(row.values() for row in rows), *below])


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write `rows`, which have the same keys, as a CSV file with a header."""
    pyarrow.csv.write_csv(pa.Table.from_pylist(list(rows)), path)
