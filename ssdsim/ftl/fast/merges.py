# cython: infer_types=True
"""The merges of FAST: which comes next, and how log blocks are emptied into data blocks and reclaimed."""

from __future__ import annotations

from array import array
from typing import Any, Final

from ssdsim._core.blocks import FULL
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import MERGE, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim.config import SimulationConfig
from ssdsim.flash.port import Contents, InstantFlash, TransactionSchedulingUnit
from ssdsim.ftl.fast.log_blocks import MERGED, LogFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.reclaim.interface import Collection, Reclaimer

NOTHING: Final = -1  # no page is to be moved: the log block just has to be erased
SWITCH_MERGE: Final = 0
PARTIAL_MERGE: Final = 1
FULL_MERGE: Final = 2
MERGES = ("switch", "partial", "full")
"""Kinds of merge: the sequential log block becomes the data block as it is, or completed; or a fresh block does."""


class Merge(Collection):
    """The merges of one unit, one logical block at a time: row by row, in the order of the logical block."""

    merger: Merger
    log: LogFrontier
    kind: int
    logical: int  # the logical block that is merged
    emptied: int  # the log block that is to be emptied, or -1
    reached: int  # pages of the logical block that have been seen to, in rows
    filled: int  # pages of the target that have been handed out, in rows
    needed: bool  # the oldest random log block is to be merged, as a write has found no room
    pages: dict[int, int]  # by offset, pages that have been read, or 0 while that is under way

    def __init__(self, merger: Merger, number: int) -> None:
        Collection.__init__(self, merger, number)
        self.merger = merger
        self.log = merger.log
        self.kind = NOTHING
        self.logical = self.reached = self.filled = 0
        self.emptied = -1
        self.needed = False
        self.pages = {}

    def done(self, transaction: int) -> None:
        """Continue when a page has been read, which is kept until its row is whole, programmed or erased."""
        if self.transactions.op[transaction] == READ:
            index = self.log.index_of(self.transactions.lpa[transaction])
            self.pages[index % self.log.unit_pages] = transaction
        else:
            self.give_up(transaction)
        self.resume()

    @cfunc
    def resume(self) -> None:
        """Move the pages, reading as far ahead as the copy buffer goes; then erase what is left, and it is over."""
        if not self.erasing:
            moved = True
            while moved:
                while self.moving < self.merger.moves_in_flight and self.reached < self.log.unit_pages:
                    self.read_row()
                moved = self.place_row()
            if self.moving:
                return
            self.erasing = True
            self.merger.settle(self)
        if not self.moving:
            self.merger.over(self)

    @cfunc
    def row_from(self, first: int) -> range:
        """Return the offsets from `first` to the end of its row."""
        return range(first, (first // self.log.span + 1) * self.log.span)

    @cfunc
    def read_row(self) -> None:
        """Issue the reads of the next row."""
        for offset in self.row_from(self.reached):
            ppa = self.page_to_move(offset)
            if ppa >= 0:
                self.pages[offset] = 0
                self.scheduler.submit(self.take(READ, self.blocks.spare.get(ppa), ppa))
            self.reached = offset + 1

    def page_to_move(self, offset: int) -> int:
        """Return where the page at `offset` of the logical block lies, or -1 if there is none to be moved.

        One on its way to flash stays where it goes, and so does one in a sequential log block that is not emptied.
        """
        lpa = self.log.lpa_at(self.number, self.logical * self.log.unit_pages + offset)
        ppa = -1 if lpa < 0 else self.merger.mapping.table.get(lpa)
        if ppa < 0 or not self.blocks.is_programmed(ppa):
            return -1
        aligned = self.blocks.aligned_of(self.blocks.block_of(ppa))
        return -1 if aligned == self.log.sequential[self.number] and aligned != self.emptied else ppa

    @cfunc
    def place_row(self) -> bool:
        """Program the next row if all of its pages have been read, and return whether it was."""
        pages: dict[int, int] = self.pages
        row = self.row_from(self.filled)
        if self.reached < row.stop or [offset for offset in row if offset in pages and not pages[offset]]:
            return False
        for offset in row:
            transaction: int = pages.pop(offset, 0)
            ppa = self.transactions.ppa[transaction]
            if transaction and self.blocks.is_valid(ppa):
                self.transactions.op[transaction] = PROGRAM
                self.transactions.ppa[transaction] = self.move(ppa, self.transactions.plane[transaction], MERGED)
                self.scheduler.submit(transaction)
                continue
            self.log.pass_over(self.log.target[self.number])
            if transaction:
                self.give_up(transaction)
        self.filled = row.stop
        return True

    @cfunc
    def run_now(self) -> None:
        """Move the pages and erase what is left, where no time passes."""
        for offset in range(self.filled, self.log.unit_pages):
            ppa = self.page_to_move(offset)
            if ppa < 0:
                self.log.pass_over(self.log.target[self.number])
            else:
                self.merger.instant.move(MERGE, ppa, self.move(ppa, self.plane, MERGED))
        self.merger.settle(self)


class Merger(Reclaimer):
    """Merges log blocks by way of the controller (Lee et al., 2007).

    A closed sequential log block of which all pages written are still valid becomes the data block: as it is if it is
    full (switch merge), else once the other pages of the logical block have been copied behind them (partial merge).
    Else, and for each logical block in the oldest random log block when a write finds no room, a fresh block does (full
    merge). A write that needs a merge waits, and so do those that come to the unit meanwhile.
    """

    log: LogFrontier
    moves_in_flight: int
    merges: Int64s  # by kind

    def __init__(
        self,
        log: LogFrontier,
        mapping: PageMapping,
        below: tuple[TransactionSchedulingUnit, InstantFlash, Contents | None],
        config: SimulationConfig,
    ) -> None:
        Reclaimer.__init__(self, MERGE, log.span, mapping, log, None, below, config)
        self.log = log
        self.may_hold = True
        self.moves_in_flight = max(config.ftl.gc.moves_in_flight, 2 * self.width if self.width > 1 else 1)
        self.merges = array("q", [0] * len(MERGES))
        self.units = self.every_collection = [Merge(self, number) for number in range(self.blocks.units)]

    # When.

    def consider(self, plane: int) -> None:
        """Call for the merges of `plane` if there are any to do; asked when a write to it is placed."""
        merge: Merge = self.units[plane // self.width]
        if self.scheduler.env is None:
            self.collect_now(merge)
            return
        self.update_urgency(merge, -1)
        if merge.idle and (self.log.closed[merge.number] or self.must_empty(merge)):
            self.call(merge)

    @cfunc
    def write_done(self, plane: int) -> None:
        """Begin the merges of `plane` at once if there are any to do, as a write there is done."""
        merge: Merge = self.units[plane // self.width]
        self.update_urgency(merge, -1)
        self.collect(merge)

    @cfunc
    def must_empty(self, merge: Merge) -> bool:
        """Return whether the oldest random log block is to be merged now."""
        return merge.needed and self.blocks.all_in(self.log.random[merge.number][0], FULL)

    @cfunc
    def must_wait(self, plane: int, lpa: int) -> bool:
        """Return whether a write of `lpa` waits for merges to be over, and call for them if it is their cause."""
        merge: Merge = self.units[plane // self.width]
        if not merge.idle:
            return True
        waits = self.log.waits_for_merge(merge.number, lpa)
        if waits and self.scheduler.env is not None:
            self.call(merge)
        return waits

    @cfunc
    def stand_in(self, plane: int) -> int:
        """Merge the oldest random log block, as a write finds no room; return `plane` if it has some then, else -1."""
        self.units[plane // self.width].needed = True
        self.consider(plane)
        return plane if self.scheduler.env is None and self.log.has_room(plane) else -1

    @cfunc
    def update_urgency(self, merge: Any, level: int) -> None:
        """Put merges before all of the host's work while its writes find no room, and else behind it."""
        urgent = not self.log.has_room(merge.plane)
        if urgent != merge.urgent:
            merge.set_urgency(urgent, urgent)

    # Which.

    @cfunc
    def begin(self, merge: Any) -> bool:
        """Take up the next merge and return whether there was one."""
        if self.log.closed[merge.number] and self.begin_sequential(merge):
            return True
        return self.must_empty(merge) and self.begin_random(merge)

    @cfunc
    def begin_sequential(self, merge: Merge) -> bool:
        """Take up the merge of the sequential log block, unless programs are on their way to it."""
        unit, number, aligned = merge.number, self.log.logical[merge.number], self.log.sequential[merge.number]
        written = self.blocks.written_in(aligned)
        is_whole: bool = self.blocks.valid_in(aligned) == written
        is_partial: bool = is_whole and written < self.log.unit_pages
        if not self.may_merge(unit, number) or not (is_partial or self.log.is_completed(aligned)):
            return False
        kind = (PARTIAL_MERGE if is_partial else SWITCH_MERGE) if is_whole else FULL_MERGE
        self.start(merge, kind, number, -1 if is_whole else aligned, aligned if is_whole else self.log.take_free(unit))
        self.count(aligned, kind)
        return True

    @cfunc
    def begin_random(self, merge: Merge) -> bool:
        """Take up the merge of the first logical block that has a valid page in the oldest random log block."""
        unit: int = merge.number
        aligned: int = self.log.random[unit][0]
        lpa = self.first_valid(aligned)
        number = 0 if lpa < 0 else self.log.index_of(lpa) // self.log.unit_pages
        if lpa >= 0 and not self.may_merge(unit, number):
            return False
        if self.blocks.member(aligned, 0) not in self.victims:
            self.count(aligned, FULL_MERGE)
        target = -1 if lpa < 0 else self.log.take_free(unit)
        self.start(merge, NOTHING if lpa < 0 else FULL_MERGE, number, aligned, target)
        return True

    @cfunc
    def may_merge(self, unit: int, number: int) -> bool:
        """Return whether all programs to the data block of a logical block have been done; no more go there."""
        aligned = self.log.data_block(unit, number)
        return aligned < 0 or self.log.is_completed(aligned)

    @cfunc
    def first_valid(self, aligned: int) -> int:
        """Return the logical page of a valid page of an (aligned) block, or -1 if it has none."""
        for block in self.blocks.members_of(aligned):
            page = self.blocks.next_valid(block, 0)
            if page >= 0:
                return self.blocks.spare.get(block * self.blocks.pages_per_block + page)
        return -1

    @cfunc
    def count(self, aligned: int, kind: int) -> None:
        """Count a log block as collected, and its pages if they are to be moved."""
        self.collections += 1
        if kind == FULL_MERGE:
            self.victim_pages += self.log.unit_pages
            self.victim_valid += self.blocks.valid_in(aligned)
            for block in self.blocks.members_of(aligned):
                self.victims[block] = self.blocks.valid(block)

    @cfunc
    def start(self, merge: Merge, kind: int, number: int, source: int, target: int) -> None:
        """Record a merge of logical block `number` into `target`, of which part may have been filled."""
        merge.kind = kind
        merge.logical = number
        merge.emptied = source
        self.log.target[merge.number] = target
        merge.reached = merge.filled = self.log.unit_pages if target < 0 else self.blocks.written_in(target)

    # From one merge to the next.

    @cfunc
    def settle(self, merge: Merge) -> None:
        """Make the target the data block, and erase the blocks that are of no more use."""
        unit = merge.number
        if merge.kind != NOTHING:
            before = self.log.adopt(unit, merge.logical, self.log.target[unit])
            self.merges[merge.kind] += 1
            self.log.target[unit] = -1
            if before >= 0:
                self.give_up(merge, before)
            if merge.kind != FULL_MERGE:
                self.log.end_sequential(unit)
        if merge.emptied >= 0 and self.blocks.valid_in(merge.emptied) == 0:
            self.give_up(merge, merge.emptied)
        else:
            merge.emptied = -1

    @cfunc
    def give_up(self, merge: Merge, aligned: int) -> None:
        """Erase an (aligned) block."""
        self.blocks.collect(aligned)
        merge.erase(self.blocks.members_of(aligned))

    @cfunc
    def over(self, merge: Merge) -> None:
        """End a merge and begin the next; after the last the host goes on, whose writes may make another due."""
        self.finish(merge)
        self.collect(merge)
        if merge.idle:
            self.listener.space_freed(merge.number)
            self.collect(merge)

    @cfunc
    def finish(self, merge: Any) -> None:
        """Record that the log block that was emptied is free again."""
        if merge.emptied >= 0 and merge.emptied == self.log.sequential[merge.number]:
            self.log.end_sequential(merge.number)
        elif merge.emptied >= 0:
            self.log.random[merge.number].pop(0)
            merge.needed = False
        merge.emptied = -1
        Reclaimer.finish(self, merge)
