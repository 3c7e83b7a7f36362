# cython: noexcept
"""The free blocks of each unit, in the order in which they are taken."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ssdsim._core.columns import Int32s, Int64s


@final
class FreeBlocks:
    """Heaps of free blocks: those with the fewest erases go first, as far as `put` is told of these.

    Of equals the one that has been free for longest does or, if `by_address`, the first one behind that taken last,
    round and round.
    """

    counts: Int32s  # by unit
    blocks: Int32s  # by unit, a binary heap
    turns: Int64s  # of these, the order: releases, or turns of addresses, after erases where wear counts
    next_address: Int64s  # by unit: where the turn of addresses stands, times round the unit included

    def __init__(self, units: int, blocks_per_unit: int, by_address: bool) -> None:
        places = units * blocks_per_unit
        memory: tuple[Any, ...] = tuple(map(np.zeros, (units, places, places, units), ("i4", "i4", "i8", "i8")))
        self.counts, self.blocks, self.turns, self.next_address = memory
        self.blocks_per_unit = blocks_per_unit
        self.by_address = by_address
        self.worn: int = 1 << 40  # turns that an erase counts for, more than there are
        self.released = self.total = 0

    def take(self, unit: int) -> int:
        """Take the first free block of `unit` and return its number, or -1 if there is none."""
        first: int = unit * self.blocks_per_unit
        size: int = self.counts[unit] - 1
        if size < 0:
            return -1
        self.counts[unit] = size
        self.total -= 1
        block: int = self.blocks[first]
        self.next_address[unit] = self.turns[first] % self.worn + 1
        turn: int = self.turns[first + size]
        hole: int = 0
        while True:
            child: int = 2 * hole + 1
            if child + 1 < size and self.turns[first + child + 1] < self.turns[first + child]:
                child += 1
            if child >= size or turn < self.turns[first + child]:
                break
            self.turns[first + hole] = self.turns[first + child]
            self.blocks[first + hole] = self.blocks[first + child]
            hole = child
        self.blocks[first + hole] = self.blocks[first + size]
        self.turns[first + hole] = turn
        return block

    def put(self, aligned: int, erases: int) -> None:
        """Add a block that has become free."""
        unit: int = aligned // self.blocks_per_unit
        first: int = unit * self.blocks_per_unit
        turn: int = self.released
        if self.by_address:  # the first turn of this address that is still to come
            turn = (aligned - self.next_address[unit]) % self.blocks_per_unit
            turn += self.next_address[unit] + (self.blocks_per_unit if turn < 0 else 0)
        turn += erases * self.worn
        hole: int = self.counts[unit]
        self.released += 1
        self.counts[unit] += 1
        self.total += 1
        while hole:
            parent: int = (hole - 1) // 2
            if self.turns[first + parent] < turn:
                break
            self.turns[first + hole] = self.turns[first + parent]
            self.blocks[first + hole] = self.blocks[first + parent]
            hole = parent
        self.turns[first + hole] = turn
        self.blocks[first + hole] = aligned
