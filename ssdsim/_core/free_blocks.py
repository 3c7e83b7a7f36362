# cython: noexcept
"""The free blocks of each unit, in the order in which they are taken."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import final

import numpy as np

from ssdsim._core.columns import Int64s


@final
class FreeBlocks:
    """Heaps of free blocks: those with the fewest erases go first, as far as `put` is told of these.

    Of equals the one that has been free for longest does or, if `by_address`, the first one behind that taken last,
    round and round.
    """

    heaps: list[list[tuple[int, int]]]  # by unit: turns and blocks
    next_address: Int64s  # by unit: where the turn of addresses stands, times round the unit included

    def __init__(self, units: int, blocks_per_unit: int, by_address: bool) -> None:
        self.heaps = [[] for _ in range(units)]
        self.next_address = np.zeros(units, np.int64)  # type: ignore[assignment]
        self.blocks_per_unit = blocks_per_unit
        self.by_address = by_address
        self.worn: int = 1 << 40  # turns that an erase counts for, more than there are
        self.released = 0

    def count(self, unit: int) -> int:
        """Return the number of free blocks of `unit`."""
        heap: list[tuple[int, int]] = self.heaps[unit]
        return len(heap)

    def take(self, unit: int) -> int:
        """Take the first free block of `unit` and return its number, or -1 if there is none."""
        if self.count(unit) == 0:
            return -1
        turn: int
        block: int
        turn, block = heappop(self.heaps[unit])
        self.next_address[unit] = turn % self.worn + 1
        return block

    def put(self, aligned: int, erases: int) -> None:
        """Add a block that has become free."""
        unit: int = aligned // self.blocks_per_unit
        turn: int = self.released
        if self.by_address:  # the first turn of this address that is still to come
            turn = (aligned - self.next_address[unit]) % self.blocks_per_unit
            turn += self.next_address[unit] + (self.blocks_per_unit if turn < 0 else 0)
        heappush(self.heaps[unit], (turn + erases * self.worn, aligned))
        self.released += 1
