"""Tables in plain text: a library of tables would take as long to load and to draw as a short run."""

import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence

NUMBER = re.compile(r"[-+~±]?[\d.].*|-?")
"""Where all cells of a column look so, they are set right."""

GAP = "   "


class TextTable:
    """A table that fits a terminal as far as cells can be folded between words; elsewhere each row is one line."""

    def __init__(self, *header: str, title: str = "", rows: Iterable[Sequence[str]] = ()) -> None:
        self.title = title
        self.header = header
        self.rows = [*rows]

    def add_row(self, *cells: str) -> None:
        """Add a row at the end."""
        self.rows.append(cells)

    def lines(self, width: int | None = None) -> list[str]:
        """Return the lines, a rule below the first row, all of one length: `width` at most, if words are short enough.

        Without a `width` nothing is folded.
        """
        columns = [*zip(self.header, *self.rows, strict=True)]
        widths = _widths(columns, width)
        justify = [
            str.rjust if place and all(map(NUMBER.fullmatch, column[1:])) else str.ljust
            for place, column in enumerate(columns)
        ]
        drawn = []
        for row in (self.header, *self.rows):
            cells = [_folded(cell, room) for cell, room in zip(row, widths, strict=True)]
            for place in range(max(map(len, cells))):
                words = (cell[place] if place < len(cell) else "" for cell in cells)
                told = (set_to(word, room) for set_to, word, room in zip(justify, words, widths, strict=True))
                drawn.append(f" {GAP.join(told)} ")
            if row is self.header:
                drawn.append(f" {'─' * (len(drawn[0]) - 2)} ")
        return drawn

    def __str__(self) -> str:
        return "\n".join(["", *([self.title] if self.title else []), *self.lines(terminal_width()), ""])


def terminal_width() -> int | None:
    """Return how many columns the terminal has that is printed to, None where there is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def filled(text: str) -> str:
    """Return a paragraph folded between words to fit the terminal, if there is one."""
    width = terminal_width()
    return "\n".join(_wrapped(text, width)) if width else text


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(_joined(line), width, break_on_hyphens=False, break_long_words=False)


def _joined(line: str) -> str:
    """Return a line with a space that cannot be broken behind each ±."""
    return line.replace("± ", "±\N{NO-BREAK SPACE}")


def _widths(columns: list[tuple[str, ...]], width: int | None) -> list[int]:
    """Return the width of each column; the widest are narrowed, down to their longest word, until they fit."""
    widths = [max(len(line) for cell in column for line in _folded(cell)) for column in columns]
    if width is not None:
        least = [
            max((len(word) for cell in column for word in re.split("[ \n]", _joined(cell))), default=0)
            for column in columns
        ]
        room = width - len(GAP) * (len(columns) - 1) - 2  # a space at either end
        while sum(widths) > room and widths != least:
            widest = max((place for place, bound in enumerate(least) if widths[place] > bound), key=widths.__getitem__)
            widths[widest] -= 1
    return widths


def _folded(cell: str, width: int | None = None) -> list[str]:
    """Return the lines of a cell, whose words are as they were."""
    lines = cell.split("\n")
    if width is None or max(map(len, lines)) <= width:
        return lines
    return [part for line in lines for part in _wrapped(line, width) or [""]]
