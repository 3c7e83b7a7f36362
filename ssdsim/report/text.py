"""Numbers and tables as texts, for the terminal, for pages and for Markdown."""

import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import Any, Self

NUMBER = re.compile(r"[-+~±]?[\d.].*|-?")
"""A column in which all cells look so is set right."""

GAP = "   "
LEAST_WIDTH = 24
"""Characters that a folded column has at least."""


class Cell(str):
    """A text of a table with what a page adds: a hint for a resting pointer, and a mark (warns, bad, differs)."""

    hint: str
    mark: str

    def __new__(cls, text: str, hint: str = "", mark: str = "") -> Self:
        """Return the text with its hint and mark."""
        made = super().__new__(cls, text)
        made.hint, made.mark = hint, mark
        return made


class TextTable:
    """A table of texts below a header; numbers are given three digits."""

    def __init__(self, *header: str, title: str = "", rows: Iterable[Iterable[Any]] = ()) -> None:
        self.title = title
        self.header = header
        self.rows: list[list[str]] = []
        for row in rows:
            self.add_row(*row)

    def add_row(self, *cells: Any) -> None:
        """Add a row at the end."""
        self.rows.append([cell if isinstance(cell, str) else number(cell) for cell in cells])

    @property
    def of_numbers(self) -> list[bool]:
        """Whether all cells of a column below the header are numbers, for each column; never for the first."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.header)
        return [place > 0 and all(map(NUMBER.fullmatch, column)) for place, column in enumerate(columns)]

    def lines(self, width: int | None = None) -> list[str]:
        """Return the lines, with a rule below the header; to fit `width` the last column is folded between words."""
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        if width is not None:
            others = sum(widths[:-1]) + len(GAP) * len(widths[1:]) + 2  # a space at either end
            widths[-1] = min(widths[-1], max(width - others, LEAST_WIDTH))
        justify = [str.rjust if is_number else str.ljust for is_number in self.of_numbers]
        drawn = []
        for row in (self.header, *self.rows):
            *cells, last = row
            for place, part in enumerate(textwrap.wrap(last, max(widths[-1], 1)) or [""]):
                words = [*(cells if place == 0 else [""] * len(cells)), part]
                told = (set_to(word, room) for set_to, word, room in zip(justify, words, widths, strict=True))
                drawn.append(f" {GAP.join(told)}".rstrip())
            if row is self.header:
                drawn.append(f" {'─' * (sum(widths) + len(GAP) * len(widths[1:]))}")
        return drawn

    def turned(self) -> "TextTable":
        """Return the table with its rows as columns."""
        header, *rows = zip(self.header, *self.rows, strict=True)
        return TextTable(*header, title=self.title, rows=rows)

    def __str__(self) -> str:
        return "\n".join(["", *([self.title] if self.title else []), *self.lines(terminal_width()), ""])

    def markdown(self) -> str:
        """Return the table in Markdown, with all columns but the first set right."""
        rows = [self.header, ["---"] + ["---:"] * (len(self.header) - 1), *self.rows]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with so many digits that count, a dash for None; whole numbers keep all of theirs."""
    if value is None:
        return "-"
    is_whole = isinstance(value, int) or abs(value) >= 10 ** (digits - 1)
    return f"{value:,.0f}" if is_whole else f"{value:.{digits}g}"


def half(low: float | None, high: float | None) -> str:
    """Return half of an interval behind its sign, nothing without one."""
    return "" if low is None or high is None else f" ± {number((high - low) / 2, 2)}"


def terminal_width() -> int | None:
    """Return how many columns the terminal has that is printed to, None where there is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def filled(text: str) -> str:
    """Return a paragraph folded between words to fit the terminal, if there is one."""
    width = terminal_width()
    return textwrap.fill(text, width, break_on_hyphens=False, break_long_words=False) if width else text
