# cython: infer_types=True
"""The merges of FAST: when they are done, and how log blocks are emptied into data blocks and reclaimed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import MERGE, READ
from ssdsim.flash.port import TransactionSchedulingUnit
from ssdsim.ftl.fast.choice import MergeChoice
from ssdsim.ftl.fast.log_blocks import MERGED, LogFrontier
from ssdsim.ftl.fast.mapping import FastMapping
from ssdsim.ftl.fast.merge import FULL_MERGE, NOTHING, Merge
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.reclaim.mover import PageMover, give_up, is_current
from ssdsim.ftl.rows import RowWritePath
from ssdsim.stage import WriteOwner

if TYPE_CHECKING:
    from ssdsim._core.blocks import Blocks
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig


class Merger(Reclaimer):
    """Merges by way of the controller, row by row, in the order of the logical block; which is up to `MergeChoice`.

    Of what lies in the target already nothing is moved. All other programmed pages of the logical block are, wherever
    they are, save those in another sequential log block. Up to `moves_in_flight` are read and programmed at a time; a
    page that holds nothing, or that the host has rewritten, is passed over. The old data block is erased at the end,
    and so is a log block left without valid pages.

    Merges go on beside the host's writes, and are urgent while it has no room. Where collection `holds_writes`, they
    come first, as FAST has it: a write that needs a log block to be merged waits for that, and so do those that come to
    the unit meanwhile; no random log block is merged before.

    In the background, while the host is quiet, a merge goes on page after page, and stops at once when the host is
    active again: a command that has been started is finished, and nothing else is. It goes on in the next quiet time,
    or when a merge presses; no write waits for it till then.
    """

    moves_in_flight: int
    block_pages: int

    def __init__(
        self,
        blocks: Blocks,
        mapping: FastMapping,
        frontier: LogFrontier,
        config: GarbageCollectionConfig,
        hardware: HardwareConfig,
    ) -> None:
        Reclaimer.__init__(self, MERGE, blocks, blocks.span, config, hardware)
        self.log = frontier
        self.mapping = mapping
        self.block_pages = mapping.block_pages
        self.moves_in_flight = max(config.moves_in_flight, 2 * self.width if self.width > 1 else 1)
        self.mover = PageMover(self, mapping, frontier, None)
        self.units = [Merge(number, self.width, blocks) for number in range(blocks.units)]
        self.tasks = self.units
        self.choice = MergeChoice(self, mapping, frontier, self.units, config, hardware)

    def bind(self, env: Any, scheduler: TransactionSchedulingUnit, listener: WriteOwner, rows: RowWritePath) -> None:
        """Receive the clock, the back end and whoever waits for space; from here on merges take their time."""
        Reclaimer.bind(self, env, scheduler, listener, rows)
        self.mover.bind(scheduler, self)

    def of(self, plane: int) -> Merge:
        """Return the merges of `plane`."""
        return cast(Merge, self.units[plane // self.width])

    # When.

    def consider(self, plane: int) -> None:
        """Have the merges of `plane` done if there are any to do; asked when a write to it is placed."""
        merge = self.of(plane)
        if self.is_wanted(merge):
            merge.call()

    @cfunc
    def reconsider(self, plane: int) -> None:
        """Do the same."""
        self.consider(plane)

    @cfunc
    def write_done(self, plane: int) -> None:
        """Begin the merges of `plane` at once if there are any to do, as a write there is done."""
        merge = self.of(plane)
        if self.is_wanted(merge):
            self.collect(merge)

    @cfunc
    def is_wanted(self, merge: Merge) -> bool:
        """Return whether merges should begin."""
        if self.scheduler is None:
            self.collect_now(merge)
            return False
        self.update_urgency(merge)
        return self.choice.is_due(merge) if merge.idle else merge.background and self.choice.presses(merge)

    @cfunc
    def must_wait(self, plane: int, lpa: int) -> bool:
        """Return whether a write of `lpa` waits for merges to be over, and call for them if it is their cause."""
        merge = self.of(plane)
        holds = self.holds_writes and self.scheduler is not None
        if holds and merge.merging and not merge.background:
            return True
        if not self.log.takes_over(plane, lpa):
            holds = False
        waits = holds or self.log.waits_for_block(plane, lpa)
        if waits and self.scheduler is not None and merge.idle:
            merge.call()
        return waits

    @cfunc
    def stand_in(self, plane: int) -> int:
        """Have the oldest random log block merged, as a write finds no room; return `plane` if it has been, else -1."""
        merge: Merge = self.of(plane)
        if self.log.is_used_up(merge.number) and (merge.oldest < 0 or merge.leisurely):
            merge.needed = True
        self.consider(plane)
        return plane if self.scheduler is None and self.log.has_room(plane) else -1

    # In the background.

    def host_is_active(self) -> None:
        """Stop the merges in the background."""
        self.choice.quiet = False

    def host_is_quiet(self) -> None:
        """Go on with what was stopped, and begin the merges that there is time for now."""
        self.choice.quiet = True
        merge: Merge
        for merge in self.units:
            if merge.background:
                self.resume(merge)
            elif merge.idle and self.choice.is_due(merge):
                merge.call()

    def is_stopped(self, merge: Merge) -> bool:
        """Return whether a merge waits for the host to be quiet."""
        return merge.background and not self.choice.quiet

    # From one merge to the next.

    def collect(self, merge: Merge) -> None:
        """Begin the next merge, or let the host go on if there is none left; what it places may make another due.

        One in the background does not wait any longer for the host to be quiet if a merge presses.
        """
        if merge.background and self.choice.presses(merge):
            merge.background = False
            self.resume(merge)
            return
        if not merge.idle:
            return
        if self.choice.begin(merge):
            merge.idle = False
            merge.merging = True
            self.resume(merge)
        elif merge.merging:
            merge.merging = False
            self.update_urgency(merge)
            self.listener.space_freed(merge.number)
            self.collect(merge)

    def resume(self, merge: Merge) -> None:
        """Go on with a merge: with its moves, then give the logical block its new data block, erase, and be done."""
        if not merge.erasing:
            self.go_on(merge)
            if merge.moving or self.is_stopped(merge):
                return
            merge.background = False  # nothing is left to be stopped
            merge.erasing = True
            self.settle(merge)
            aligned: int
            for aligned in merge.dead:
                self.erase(merge, aligned)
        if not merge.moving:
            self.over(merge)

    @cfunc
    def update_urgency(self, merge: Any) -> None:
        """Let merges go before all of the host's work while its writes find no room, and else behind it."""
        urgent = not self.log.has_room(merge.plane)
        merge.set_urgency(urgent, urgent)

    # The steps of a merge.

    def go_on(self, merge: Merge) -> None:
        """Read on, as far as the copy buffer goes, and place the rows that have been read."""
        while not self.is_stopped(merge):
            move_limit = 1 if merge.background else self.moves_in_flight
            while merge.moving < move_limit and merge.reached < self.block_pages:
                self.read_row(merge)
            if not self.place_row(merge):
                return

    @cfunc
    def read_row(self, merge: Merge) -> None:
        """Issue the reads of the next row."""
        first = merge.reached
        end = (first // self.width + 1) * self.width
        reads: list[int] = []
        for offset in range(first, end):
            ppa = self.page_to_move(merge, offset)
            if ppa >= 0:
                merge.pages[offset] = 0
                reads.append(self.mover.take(merge, READ, self.blocks.spare.get(ppa), ppa))
        merge.reached = end
        transaction: int
        for transaction in reads:
            self.scheduler.submit(transaction)

    def page_to_move(self, merge: Merge, offset: int) -> int:
        """Return where the page at `offset` of the logical block lies, or -1 if there is none to be moved."""
        lpa = self.mapping.lpa_at(merge.number, merge.logical * self.block_pages + offset)
        ppa = -1 if lpa < 0 else self.mapping.lookup(lpa)
        if ppa < 0 or not self.blocks.is_programmed(ppa):
            return -1
        aligned = self.blocks.aligned_of(self.blocks.block_of(ppa))
        return -1 if aligned != merge.emptied and self.log.is_sequential(merge.number, aligned) else ppa

    @cfunc
    def place_row(self, merge: Merge) -> bool:
        """Program the next row if all of its pages have been read, and return whether it was."""
        first = merge.filled
        end = (first // self.width + 1) * self.width
        pages: dict[int, int] = merge.pages
        if end > merge.reached:
            return False
        for offset in range(first, end):
            if offset in pages and not pages[offset]:
                return False
        for offset in range(first, end):
            transaction: int = pages.pop(offset, 0)
            if transaction and is_current(self.mover, transaction):
                self.mover.program(transaction, self.mover.transactions.plane[transaction], MERGED)
                continue
            self.log.pass_over(self.log.target[merge.number])
            if transaction:
                give_up(self.mover, merge, transaction)
        merge.filled = end
        return True

    def done(self, transaction: int) -> None:
        """Go on with a merge: keep what was read until its row is whole."""
        transactions = self.mover.transactions
        merge: Merge = self.of(transactions.plane[transaction])
        if transactions.op[transaction] == READ:
            merge.pages[self.mapping.index_of(transactions.lpa[transaction]) % self.block_pages] = transaction
            if self.is_stopped(merge):
                self.put_off(merge)
        else:
            give_up(self.mover, merge, transaction)
        self.resume(merge)

    @cfunc
    def put_off(self, merge: Merge) -> None:
        """Leave the row that was being read when the host came back, to be read again, once no read is under way."""
        if 0 in merge.pages.values():
            return
        transaction: int
        for transaction in merge.pages.values():
            give_up(self.mover, merge, transaction)
        merge.pages.clear()
        merge.reached = merge.filled

    def settle(self, merge: Merge) -> None:
        """Make the target the data block, and list the blocks that are of no more use as `dead`."""
        merge.dead = []
        if merge.kind != NOTHING:
            target = self.log.target[merge.number]
            before = self.mapping.adopt(merge.number, merge.logical, target)
            self.mapping.merges[merge.kind] += 1
            self.log.target[merge.number] = -1
            self.log.merged[merge.number] = -1
            if before >= 0:
                merge.dead.append(before)
            if merge.kind != FULL_MERGE:
                self.log.retired[merge.number].pop(0)
        if merge.emptied >= 0 and self.log.valid(merge.emptied) == 0:
            merge.dead.append(merge.emptied)
        else:
            merge.emptied = -1
        aligned: int
        for aligned in merge.dead:
            self.blocks.collect(aligned)

    def erase(self, merge: Merge, aligned: int) -> None:
        """Issue the erase of an (aligned) block."""
        for place in range(self.width):
            self.mover.erase(merge, self.blocks.member(aligned, place))

    @cfunc
    def finish(self, merge: Merge) -> None:
        """Record that what was dead is free again; some of it may be in use again already."""
        if merge.emptied >= 0:
            if merge.emptied == merge.oldest:
                merge.oldest = -1
                merge.needed = False
                self.log.random[merge.number].pop(0)
            else:
                self.log.retired[merge.number].pop(0)
            merge.emptied = -1
        Reclaimer.finish(self, merge)

    # The same without flash timing.

    @cfunc
    def collect_now(self, merge: Merge) -> None:
        """Do all merges that are due, at once."""
        while self.choice.is_due(merge) and self.choice.begin(merge):
            for offset in range(merge.filled, self.block_pages):
                ppa = self.page_to_move(merge, offset)
                if ppa < 0:
                    self.log.pass_over(self.log.target[merge.number])
                else:
                    target = self.mover.move(ppa, merge.plane, MERGED)
                    self.instant.move(self.source, ppa, target)
            self.settle(merge)
            aligned: int
            for aligned in merge.dead:
                for place in range(self.width):
                    self.instant.erase(self.source, self.blocks.member(aligned, place))
                    self.victims.pop(self.blocks.member(aligned, place), None)
            self.finish(merge)
