# cython: noexcept
"""Programmed pages: how many of each block the cells hold, and which may be programmed next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import numpy as np

from ssdsim._core.bitmap import Bitmap
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Uint16s
from ssdsim._core.program_order import MOST_TYPES, ProgramOrder


@final
class PageCounts:
    """Counts of pages by block and page type, two bytes a type (six for TLC: PA-SSD, 4.5): always the first of each."""

    order: ProgramOrder
    counts: Uint16s  # by block, then `MOST_TYPES` types

    def __init__(self, blocks: int, order: ProgramOrder) -> None:
        memory: Any = np.zeros(blocks * MOST_TYPES, np.uint16)
        self.order = order
        self.counts = memory

    @cfunc
    def total(self, block: int) -> int:
        """Return the count of a block."""
        first: int = MOST_TYPES * block
        return self.counts[first] + self.counts[first + 1] + self.counts[first + 2] + self.counts[first + 3]

    def of_type(self, block: int, page_type: int) -> int:
        """Return the count of a type."""
        return self.counts[MOST_TYPES * block + page_type]

    def set(self, block: int, page_type: int, count: int) -> None:
        """Set the count of a type."""
        self.counts[MOST_TYPES * block + page_type] = count

    @cfunc
    def add(self, block: int, page_type: int, change: int) -> None:
        """Change the count of a type."""
        self.counts[MOST_TYPES * block + page_type] += change

    @cfunc
    def fill(self, block: int, first_type: int) -> None:
        """Count all pages of the types from one on."""
        for page_type in range(first_type, self.order.types):
            self.counts[MOST_TYPES * block + page_type] = self.order.wordlines

    @cfunc
    def clear(self, block: int) -> None:
        """Count none of a block."""
        for page_type in range(MOST_TYPES):
            self.counts[MOST_TYPES * block + page_type] = 0

    @cfunc
    def allows(self, block: int, page: int) -> bool:
        """Return whether `page` of `block` may come next by the program order."""
        order = self.order
        first: int = MOST_TYPES * block
        if self.counts[first + order.type_at[page]] != order.wordline_at[page]:
            return False
        for each in range(order.types):  # noqa: SIM110
            if self.counts[first + each] < order.needs[page * MOST_TYPES + each]:
                return False
        return True


@final
class Cells:
    """Pages that the flash has programmed; `given` are those handed out, of which they are a part.

    If it `backs_up`, a page waits until the lower pages of its wordline, those of faster types, are backed up:
    programming it endangers them.
    """

    order: ProgramOrder
    given: PageCounts
    programmed: PageCounts
    backed_up: PageCounts  # wordlines whose pages of a type are backed up, or not needed; None if nothing waits for it
    in_any_order: Bitmap  # pages programmed; None where they are in order
    skipped: Bitmap  # pages that were passed over; None where none ever was

    def __init__(self, blocks: int, given: PageCounts, backs_up: bool) -> None:
        nothing: Any = None
        self.order = given.order
        self.blocks = blocks
        self.given = given
        self.programmed = PageCounts(blocks, self.order)
        self.backed_up = PageCounts(blocks, self.order) if backs_up else nothing
        self.in_any_order = Bitmap(blocks, self.order.pages) if self.order.free else nothing
        self.skipped = nothing

    def may_program(self, block: int, page: int) -> bool:
        """Return whether `page` of `block` can be programmed now: by the rule, and without danger to lower pages."""
        if self.in_any_order is not None:
            return True
        if not self.programmed.allows(block, page):
            return False
        if self.backed_up is not None:
            for page_type in range(self.order.type_at[page]):
                if self.backed_up.of_type(block, page_type) <= self.order.wordline_at[page]:
                    return False
        return True

    @cfunc
    def holds(self, block: int, page: int, is_open: bool) -> bool:
        """Return whether a page is programmed, where all of a block that is not open is."""
        if self.in_any_order is not None and is_open:
            return self.in_any_order.has(block, page)
        return self.order.wordline_at[page] < self.programmed.of_type(block, self.order.type_at[page])

    @cfunc
    def program(self, block: int, page: int) -> bool:
        """Program a page, and return whether it was handed out and the rule allows it."""
        page_type: int = self.order.type_at[page]
        wordline: int = self.order.wordline_at[page]
        if wordline >= self.given.of_type(block, page_type):
            return False
        if self.in_any_order is None:
            if not self.programmed.allows(block, page):
                return False
        elif self.in_any_order.has(block, page):
            return False
        else:
            self.in_any_order.add(block, page)
        self.programmed.add(block, page_type, 1)
        if self.skipped is not None:
            self.pass_skipped(block)
        return True

    @cfunc
    def skip(self, block: int, page: int) -> None:
        """Count a page that is never programmed as soon as the pages before it are."""
        if self.skipped is None:
            self.skipped = Bitmap(self.blocks, self.order.pages)
        self.skipped.add(block, page)
        if self.in_any_order is not None:
            self.in_any_order.add(block, page)
            self.programmed.add(block, self.order.type_at[page], 1)
        self.pass_skipped(block)

    @cfunc
    def pass_skipped(self, block: int) -> None:
        """Count skipped pages of `block` whose turn to be programmed it is as programmed."""
        page_type: int = 0
        while self.in_any_order is None and page_type < self.order.types:
            wordline: int = self.programmed.of_type(block, page_type)
            if wordline < self.given.of_type(block, page_type):
                page: int = self.order.page_at[page_type * self.order.wordlines + wordline]
                if self.skipped.has(block, page) and self.programmed.allows(block, page):
                    self.programmed.add(block, page_type, 1)
                    page_type = 0
                    continue
            page_type += 1

    @cfunc
    def erase(self, block: int) -> None:
        """Forget the pages of a block."""
        self.programmed.clear(block)
        if self.backed_up is not None:
            self.backed_up.clear(block)
        if self.in_any_order is not None:
            self.in_any_order.clear(block)
        if self.skipped is not None:
            self.skipped.clear(block)


def first_illegal(order: ProgramOrder, sequence: Iterable[int]) -> int:
    """Return the place of the first page in `sequence` that may not be programmed after those before it, or -1."""
    given = PageCounts(1, order)
    given.fill(0, 0)
    cells = Cells(1, given, False)
    for place, page in enumerate(sequence):
        if not 0 <= page < order.pages or not cells.program(0, page):
            return place
    return -1
