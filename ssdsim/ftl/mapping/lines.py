# cython: infer_types=True
"""The lines in which transactions wait for entries of DFTL's mapping table."""

from __future__ import annotations

from typing import final

from ssdsim._core.calls import cfunc
from ssdsim._core.table import IndexTable
from ssdsim.flash.port import Transactions


@final
class Line:
    """The transactions that wait for the entry of `lpa`: a ring, of which the first follows the `last`."""

    lpa: int
    last: int
    next: Line | None  # in a ring of lines, or among those without use

    def __init__(self, number: int) -> None:
        self.number = number
        self.lpa = -1
        self.last = 0
        self.next = None


@cfunc
def appended(line: Line, last: Line | None) -> Line:
    """Return `line` as the last of a ring of lines, after the one that was `last`, if there is one."""
    if last is None:
        line.next = line
    else:
        line.next = last.next
        last.next = line
    return line


@final
class EntryLines:
    """A line for each logical page whose entry is waited for, found by number; lines are used again."""

    lines: list[Line]
    free: Line | None

    def __init__(self, logical_pages: int) -> None:
        self.number_of = IndexTable(logical_pages, logical_pages)
        self.lines = []
        self.free = None
        self.length = 0

    @cfunc
    def has(self, lpa: int) -> bool:
        """Return whether any transaction waits for the entry of `lpa`."""
        return self.number_of.get(lpa) >= 0

    @cfunc
    def join(self, transactions: Transactions, transaction: int) -> Line | None:
        """Have `transaction` wait for the entry of its page, and return the line if it is a new one."""
        lpa = transactions.lpa[transaction]
        number = self.number_of.get(lpa)
        if number >= 0:
            line: Line = self.lines[number]
            transactions.next[transaction] = transactions.next[line.last]
            transactions.next[line.last] = transaction
            line.last = transaction
            return None
        if self.free is None:
            self.free = Line(len(self.lines))
            self.lines.append(self.free)
        line = self.free
        self.free = line.next
        line.next = None
        line.lpa = lpa
        line.last = transactions.next[transaction] = transaction
        self.number_of.set(line.lpa, line.number)
        self.length += 1
        return line

    @cfunc
    def end(self, transactions: Transactions, line: Line) -> int:
        """Give up `line`, and return the first of its transactions; each leads to the next."""
        first = transactions.next[line.last]
        transactions.next[line.last] = 0
        line.last = 0
        self.number_of.set(line.lpa, -1)
        line.next = self.free
        self.free = line
        self.length -= 1
        return first
