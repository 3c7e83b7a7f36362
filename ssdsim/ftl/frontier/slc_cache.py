# cython: infer_types=True
"""Any order of pages with an SLC cache in front of it: the host's writes go there first."""

from __future__ import annotations

from array import array
from typing import Any

from ssdsim._core.blocks import CACHED, FULL, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.ftl.frontier.interface import WriteFrontier


class SlcCache(WriteFrontier):
    """Blocks in SLC mode take the host's writes while they have room; `behind`, another order, takes all other data.

    Up to `kept_blocks` (aligned) blocks of a unit are always in SLC mode, and used first. Others are borrowed: only if
    more than `least_free` are free, so that the cache never calls for collection, and at most `free_share` of these and
    the free ones, so that the cache shrinks as data fills the device. The oldest block leaves the cache first, folded:
    its valid pages are moved, and it is erased. Borrowed blocks are victims like any other; kept ones are none.

    The host's data is of kinds of its own, which begin at `first_cached`: those of `behind`, in the same order, as the
    cache may have room or not by the time that a page is allocated. Sources: FlexFS (Lee et al., USENIX ATC 2009),
    which borrows blocks; Samsung's TurboWrite of 2013, with blocks of its own, and of 2018, with both.
    """

    folds_when_full: bool  # the host's writes wait for that
    least_free: int
    active: Int64s  # by unit: the (aligned) block that is being filled, or -1
    erased: list[list[int]]  # by unit: kept blocks that hold nothing
    cached: list[list[int]]  # by unit: blocks that hold something, the active one last
    borrowed: Int64s  # by unit: those of them that are not kept
    written_pages: int  # of the host, to the cache
    bypassed_pages: int  # of the host, past it
    folded_blocks: int
    folded_pages: int  # valid ones, when their block was chosen

    def __init__(self, behind: WriteFrontier, config: Any) -> None:
        self.behind = behind
        self.separation = behind.separation
        self.kept_blocks: int = config.blocks or 0
        self.free_share: float = config.free_share or 0.0
        self.folds_when_full = config.when_full == "fold"

    def active_blocks(self, hardware: HardwareConfig, config: FtlConfig) -> int:
        """Return the blocks that `behind` has, and one of the cache where it borrows blocks."""
        return self.behind.active_blocks(hardware, config) + (self.free_share > 0)

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Start with an empty cache."""
        behind = self.behind
        WriteFrontier.bind(self, blocks, config)
        behind.bind(blocks, config)
        self.behind = behind
        self.cache = self
        self.tables = behind.tables
        blocks.has_slc = True
        self.least_free = 0
        self.active = array("q", [-1] * blocks.units)
        self.erased = [[] for _ in range(blocks.units)]
        self.cached = [[] for _ in range(blocks.units)]
        self.borrowed = array("q", [0] * blocks.units)
        self.written_pages = self.bypassed_pages = self.folded_blocks = self.folded_pages = 0

    # As a frontier.

    def has_room(self, plane: int) -> bool:
        """Return whether the cache has room, or, unless writes wait for that, `behind`."""
        unit = plane if self.span == 1 else plane // self.span
        return self.has_space(unit) or (not self.is_short(unit) and self.behind.has_room(plane))

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out a page of the cache, or one of `behind`."""
        if kind >= self.first_cached:
            ppa = self.next_cached(plane if self.span == 1 else plane // self.span, lpa)
            if ppa >= 0:
                return ppa
            kind -= self.first_cached
        return self.behind.allocate(plane, kind, lpa, page_type)

    def block_for(self, unit: int, kind: int) -> int:
        """Return the block with the row begun for `kind`, that of the cache if it is begun there."""
        if kind < self.first_cached:
            return self.behind.block_for(unit, kind)
        aligned = self.active[unit]
        is_begun: bool = aligned >= 0 and self.blocks.place_in_row(aligned) > 0
        return aligned if is_begun else self.behind.block_for(unit, kind - self.first_cached)

    # The cache.

    @cfunc
    def has_space(self, unit: int) -> bool:
        """Return whether the cache of `unit` has a page, or a row where rows are whole."""
        return self.active[unit] >= 0 or len(self.erased[unit]) > 0 or self.may_borrow(unit)

    @cfunc
    def may_borrow(self, unit: int) -> bool:
        """Return whether another free block may be in SLC mode."""
        free = self.blocks.free_blocks(unit)
        return free > self.least_free and self.borrowed[unit] + 1 <= self.free_share * (free + self.borrowed[unit])

    def is_short(self, unit: int) -> bool:
        """Return whether writes to `unit` wait for room in the cache: blocks of it are to be folded at once."""
        return self.folds_when_full and len(self.cached[unit]) > 0 and not self.has_space(unit)

    @cfunc
    def next_cached(self, unit: int, lpa: int) -> int:
        """Hand out the next page of the cache for `lpa`, and return its PPA, or -1 if it has no room."""
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
        blocks = self.blocks
        for aligned in self.cached[unit]:
            if blocks.all_in(aligned, FULL) or blocks.all_in(aligned, CACHED):
                return aligned
        return -1

    def chosen(self, block: int) -> None:
        """Count a victim, if it is one of the cache."""
        if self.blocks.slc(block):
            self.folded_blocks += 1
            self.folded_pages += self.blocks.valid(block)

    def freed(self, block: int) -> None:
        """Forget a victim that has been erased, and take free blocks in the place of kept ones."""
        unit = self.blocks.unit_of(block)
        aligned = self.blocks.aligned_of(block)
        if aligned in self.cached[unit]:
            self.cached[unit].remove(aligned)
        self.keep(unit)

    @cfunc
    def keep(self, unit: int) -> None:
        """Take free blocks for those to be kept, as far as there are any beyond the reserve."""
        modes = [self.blocks.slc(self.blocks.member(aligned, 0)) for aligned in self.cached[unit]]
        self.borrowed[unit] = modes.count(1)
        while len(self.erased[unit]) + modes.count(2) < self.kept_blocks:
            if self.blocks.free_blocks(unit) <= self.reserved:
                return
            aligned = self.blocks.take_free(unit)
            self.blocks.open_slc(aligned, True)
            self.erased[unit].append(aligned)

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
