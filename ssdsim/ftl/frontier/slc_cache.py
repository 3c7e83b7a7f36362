# cython: infer_types=True
"""The SLC cache of each unit: its blocks in SLC mode, when there is room in it, and what is folded next."""

from __future__ import annotations

from array import array
from typing import Any, final

from ssdsim._core.blocks import CACHED, FULL, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s


@final
class SlcCache:
    """Up to `kept_blocks` (aligned) blocks of a unit that are always in SLC mode, and others borrowed for it.

    A block is borrowed only if more than `least_free` are free, so that the cache never calls for collection, and as
    long as the borrowed ones are at most `free_share` of these and the free ones: as data fills the device, the cache
    shrinks. Kept blocks are used first. A block leaves the cache when it has been folded: its valid pages moved by a
    collection, which takes the oldest block of the cache, and erased. Of collections for the sake of free space,
    borrowed blocks are victims like any other, whose pages of the other types are dead; kept ones are none.

    Sources: FlexFS (Lee, Ha, Zhang, Kim and Kim, USENIX ATC 2009), which borrows blocks of free space and moves their
    data on in idle time; Samsung's TurboWrite of 2013, with blocks of its own, and of 2018, with both.
    """

    blocks: Blocks
    reserved: int  # free (aligned) blocks of a unit that are for the collector alone
    kept_blocks: int
    free_share: float
    folds_when_full: bool  # the host's writes wait for that
    least_free: int
    active: Int64s  # by unit: the (aligned) block being filled, or -1
    erased: list[list[int]]  # by unit: kept blocks that hold nothing
    cached: list[list[int]]  # by unit: blocks that hold something, the active one last
    borrowed: Int64s  # by unit: those of them that are not kept
    written_pages: int  # of the host, to the cache
    bypassed_pages: int  # of the host, past it
    folded_blocks: int
    folded_pages: int  # valid ones, when their block was chosen

    def __init__(self, config: Any, blocks: Blocks, reserved: int) -> None:
        self.blocks = blocks
        blocks.has_slc = True
        self.reserved = reserved
        self.kept_blocks = config.blocks or 0
        self.free_share = config.free_share or 0.0
        self.folds_when_full = config.when_full == "fold"
        self.least_free = 0
        self.active = array("q", [-1] * blocks.units)
        self.erased = [[] for _ in range(blocks.units)]
        self.cached = [[] for _ in range(blocks.units)]
        self.borrowed = array("q", [0] * blocks.units)
        self.written_pages = self.bypassed_pages = self.folded_blocks = self.folded_pages = 0

    def has_room(self, unit: int) -> bool:
        """Return whether the cache of `unit` has a page, or a row where rows are whole."""
        return self.active[unit] >= 0 or len(self.erased[unit]) > 0 or self.may_borrow(unit)

    @cfunc
    def may_borrow(self, unit: int) -> bool:
        """Return whether another free block may be in SLC mode."""
        free = self.blocks.free_blocks(unit)
        return free > self.least_free and self.borrowed[unit] + 1 <= self.free_share * (free + self.borrowed[unit])

    def is_short(self, unit: int) -> bool:
        """Return whether writes to `unit` wait for room in the cache: blocks of it are to be folded at once."""
        return self.folds_when_full and len(self.cached[unit]) > 0 and not self.has_room(unit)

    def allocate(self, unit: int, lpa: int) -> int:
        """Hand out the next page for `lpa`, and return its PPA, or -1 if the cache has no room."""
        blocks = self.blocks
        aligned = self.active[unit]
        if aligned < 0:
            if self.erased[unit]:
                aligned = self.erased[unit].pop(0)
            elif self.may_borrow(unit):
                aligned = blocks.take_free(unit)
                blocks.open_slc(aligned, False)
                self.borrowed[unit] += 1
            else:
                self.bypassed_pages += 1
                return -1
            self.active[unit] = aligned
            self.cached[unit].append(aligned)
        block = blocks.next_member(aligned, 0)
        ppa = blocks.hand_out(block, blocks.candidate(block, 0), lpa)
        if not blocks.has_type_left(aligned, 0):
            self.active[unit] = -1
        self.written_pages += 1
        return ppa

    def oldest(self, unit: int) -> int:
        """Return the (aligned) block of the cache that has been there for longest of those that are full, or -1."""
        for aligned in self.cached[unit]:
            full: int = 0
            for place in range(self.blocks.span):
                full += self.blocks.state(self.blocks.member(aligned, place)) in (FULL, CACHED)
            if full == self.blocks.span:
                return aligned
        return -1

    def chosen(self, block: int) -> None:
        """Count a victim, if it is one of the cache."""
        if self.blocks.slc(block):
            self.folded_blocks += 1
            self.folded_pages += self.blocks.valid(block)

    def counts(self) -> dict[str, int]:
        """Return the pages and blocks that have been written and folded so far."""
        names = ("written_pages", "bypassed_pages", "folded_blocks", "folded_pages")
        return {name: getattr(self, name) for name in names}

    def freed(self, block: int) -> None:
        """Forget a victim that has been erased, and take free blocks in the place of kept ones."""
        unit = self.blocks.unit_of(block)
        aligned = self.blocks.aligned_of(block)
        cached: list[int] = self.cached[unit]
        if aligned in cached:
            cached.remove(aligned)
        self.keep(unit)

    def keep(self, unit: int) -> None:
        """Take free blocks for those to be kept, as far as there are any beyond the reserve."""
        borrowed = 0
        for aligned in self.cached[unit]:
            borrowed += self.blocks.slc(self.blocks.member(aligned, 0)) == 1
        self.borrowed[unit] = borrowed
        held: int = len(self.erased[unit]) + len(self.cached[unit]) - borrowed
        while held < self.kept_blocks and self.blocks.free_blocks(unit) > self.reserved:
            aligned = self.blocks.take_free(unit)
            self.blocks.open_slc(aligned, True)
            self.erased[unit].append(aligned)
            held += 1

    def start(self) -> None:
        """Take the blocks to be kept, of a device that is fresh or has booted."""
        for unit in range(self.blocks.units):
            self.keep(unit)

    def recover(self, in_use: list[int]) -> None:
        """Take over blocks that hold something in SLC mode, in the order of their first write, as power is back.

        None of them has a page left: partly written ones have been closed.
        """
        for aligned in in_use:
            if self.blocks.slc(self.blocks.member(aligned, 0)):
                self.cached[aligned // self.blocks.blocks_per_plane].append(aligned)
        self.start()
