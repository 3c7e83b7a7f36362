# cython: noexcept
"""A bit for each page of each block."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ssdsim._core.bits import lowest_bit
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Uint64s


@final
class Bitmap:
    """A set of pages."""

    words: int  # of a block
    bits: Uint64s

    def __init__(self, blocks: int, pages: int) -> None:
        self.words = (pages + 63) // 64
        memory: Any = np.zeros(blocks * self.words, np.uint64)
        self.bits = memory

    @cfunc
    def has(self, block: int, page: int) -> bool:
        """Return whether a page is in the set."""
        return self.bits[block * self.words + (page >> 6)] >> (page & 63) & 1 != 0

    @cfunc
    def add(self, block: int, page: int) -> None:
        """Add a page."""
        one: int = 1  # a literal is narrower
        self.bits[block * self.words + (page >> 6)] |= one << (page & 63)

    @cfunc
    def remove(self, block: int, page: int) -> None:
        """Remove a page."""
        one: int = 1
        self.bits[block * self.words + (page >> 6)] &= ~(one << (page & 63))

    def clear(self, block: int) -> None:
        """Remove the pages of a block."""
        for word in range(block * self.words, (block + 1) * self.words):
            self.bits[word] = 0

    @cfunc
    def following(self, block: int, page: int) -> int:
        """Return the first page of `block` from `page` on that is in the set, or -1."""
        first: int = block * self.words
        word: int = page >> 6
        if word >= self.words:
            return -1
        bits = self.bits[first + word] >> (page & 63) << (page & 63)
        while not bits:
            word += 1
            if word == self.words:
                return -1
            bits = self.bits[first + word]
        return (word << 6) + lowest_bit(bits)
