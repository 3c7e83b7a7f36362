# cython: infer_types=True
"""Which merge of FAST comes next (Lee et al., 2007)."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim.ftl.fast.log_blocks import LogFrontier
from ssdsim.ftl.fast.mapping import FastMapping
from ssdsim.ftl.fast.merge import FULL_MERGE, NOTHING, PARTIAL_MERGE, SWITCH_MERGE, Merge
from ssdsim.ftl.reclaim.interface import Reclaimer

if TYPE_CHECKING:
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig


class MergeChoice:
    """Chooses one logical block of a unit at a time: sequential log blocks that are retired, then random ones.

    A retired sequential log block of which all pages written are still valid becomes the data block: as it is if it is
    full (switch merge), else once the other pages of the logical block have been copied behind them (partial merge).
    Else, and for every logical block with valid pages in the oldest random log block when the last one has been begun,
    a fresh block does (full merge). Where collection is parallel, the other planes of the die whose log blocks are
    about to run out merge, too.

    While the host is `quiet` and fewer blocks are free than `background`, the oldest random log block is merged as soon
    as it is full: in idle time, one logical block after another, until the host is back or it `presses`.
    """

    blocks: Blocks
    joins: bool  # planes of a die merge along with one another
    block_pages: int  # pages of an (aligned) block
    units_per_die: int
    background: int  # free blocks below which idle time is used
    quiet: bool  # the host

    def __init__(
        self,
        reclaimer: Reclaimer,
        mapping: FastMapping,
        log: LogFrontier,
        merges: list[Merge],
        config: GarbageCollectionConfig,
        hardware: HardwareConfig,
    ) -> None:
        self.reclaimer = reclaimer
        self.blocks = reclaimer.blocks
        self.log = log
        self.mapping = mapping
        self.merges = merges
        self.joins = config.moves == "parallel"
        self.block_pages = mapping.block_pages
        self.units_per_die = hardware.planes_per_die // reclaimer.width
        share = config.background_threshold
        self.background = 0 if share is None else ceil(share * self.blocks.blocks_per_plane)
        self.quiet = False

    def is_due(self, merge: Merge) -> bool:
        """Return whether there may be a merge to do."""
        return len(self.log.retired[merge.number]) > 0 or self.takes_random(merge)

    @cfunc
    def presses(self, merge: Merge) -> bool:
        """Return whether there is one that does not wait for idle time."""
        return len(self.log.retired[merge.number]) > 0 or self.must_empty(merge)

    @cfunc
    def takes_random(self, merge: Merge) -> bool:
        """Return whether the oldest random log block is to be merged now."""
        if self.must_empty(merge):
            return True
        logs: list[int] = self.log.random[merge.number]
        if not self.quiet or not logs or not self.log.is_full(logs[0]):
            return False
        return self.blocks.free_blocks(merge.number) < self.background

    @cfunc
    def must_empty(self, merge: Merge) -> bool:
        """Return whether the oldest random log block is to be merged now, whatever the host does."""
        logs: list[int] = self.log.random[merge.number]
        wanted: bool = merge.needed or merge.invited or (merge.oldest >= 0 and not merge.leisurely)
        if not self.reclaimer.holds_writes:
            wanted = wanted or len(logs) >= self.log.random_blocks
        return wanted and len(logs) > 0 and self.log.is_full(logs[0])

    @cfunc
    def invite_partners(self, merge: Merge) -> None:
        """Have the other planes of the die that have at most one log block left to begin merge their oldest, too."""
        first = merge.number // self.units_per_die * self.units_per_die
        for number in range(first, first + self.units_per_die):
            other: Merge = self.merges[number]
            if other is not merge and other.may_be_called() and other.oldest < 0:
                other.invited = len(self.log.random[number]) >= self.log.random_blocks - 1
                if self.takes_random(other):
                    self.reclaimer.consider(other.plane)

    def begin(self, merge: Merge) -> bool:
        """Take up the next merge and return whether there was one."""
        if self.log.retired[merge.number] and self.begin_sequential(merge):
            return True
        return self.takes_random(merge) and self.begin_random(merge)

    @cfunc
    def begin_sequential(self, merge: Merge) -> bool:
        """Take up the merge of the oldest retired sequential log block, unless programs are on their way to it."""
        number: int
        aligned: int
        aligned, number = self.log.retired[merge.number][0]
        whole: bool = self.log.valid(aligned) == self.log.written(aligned)
        if not self.may_merge(merge, number):
            return False
        if whole and self.log.written(aligned) < self.block_pages:
            self.start(merge, PARTIAL_MERGE, number, -1, aligned)
        else:
            while self.log.written(aligned) < self.block_pages:
                self.log.pass_over(aligned)
            if not self.log.is_full(aligned):
                return False
            if whole:
                self.start(merge, SWITCH_MERGE, number, -1, aligned)
            else:
                self.start(merge, FULL_MERGE, number, aligned, self.log.take_free(merge.number))
        self.take_up(aligned, merge.kind)
        return True

    @cfunc
    def begin_random(self, merge: Merge) -> bool:
        """Take up the merge of the first logical block that has a valid page in the oldest random log block."""
        aligned: int = self.log.random[merge.number][0]
        lpa = self.first_valid(aligned)
        number = 0 if lpa < 0 else self.mapping.index_of(lpa) // self.block_pages
        if lpa >= 0 and not self.may_merge(merge, number):
            return False
        hurries = self.must_empty(merge)
        if merge.oldest < 0:
            merge.oldest = aligned
            self.take_up(aligned, FULL_MERGE)
            if self.joins and hurries and not merge.invited:
                self.invite_partners(merge)
        merge.invited = merge.needed = False
        merge.leisurely = not hurries
        if lpa < 0:
            self.start(merge, NOTHING, number, aligned, -1)
        else:
            self.start(merge, FULL_MERGE, number, aligned, self.log.take_free(merge.number))
        merge.background = merge.leisurely
        return True

    @cfunc
    def may_merge(self, merge: Merge, number: int) -> bool:
        """Return whether all programs to the data block of a logical block have been done; no more go there."""
        aligned = self.mapping.data_block(merge.number, number)
        if aligned < 0:
            return True
        while self.log.written(aligned) < self.block_pages:
            self.log.pass_over(aligned)
        return self.log.is_full(aligned)

    @cfunc
    def first_valid(self, aligned: int) -> int:
        """Return the logical page of a valid page of an (aligned) block, or -1 if it has none."""
        for place in range(self.blocks.span):
            block = self.blocks.member(aligned, place)
            page = self.blocks.next_valid(block, 0)
            if page >= 0:
                return self.blocks.spare.get(block * self.blocks.pages_per_block + page)
        return -1

    def take_up(self, aligned: int, kind: int) -> None:
        """Count a log block as collected, and its pages if they are to be moved."""
        self.reclaimer.collections += 1
        if kind in (SWITCH_MERGE, PARTIAL_MERGE):
            return
        self.reclaimer.victim_pages += self.block_pages
        self.reclaimer.victim_valid += self.log.valid(aligned)
        for place in range(self.blocks.span):
            block = self.blocks.member(aligned, place)
            self.reclaimer.victims[block] = self.blocks.valid(block)

    def start(self, merge: Merge, kind: int, number: int, source: int, target: int) -> None:
        """Record a merge of logical block `number` into `target`, of which part may have been filled."""
        merge.kind = kind
        merge.logical = number
        merge.emptied = source
        self.log.target[merge.number] = target
        self.log.merged[merge.number] = number if kind != NOTHING else -1
        merge.reached = self.block_pages if target < 0 else self.log.written(target)
        merge.filled = merge.reached
