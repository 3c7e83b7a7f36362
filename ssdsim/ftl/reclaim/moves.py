# cython: infer_types=True
"""How the pages of a collection move: each by itself, within its plane or chip, or by copy-back."""

from __future__ import annotations

from array import array
from typing import cast

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import COPYBACK, ERASE, PROGRAM, READ
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from ssdsim.ftl.reclaim.collector import Collector
from ssdsim.ftl.reclaim.interface import Collection


class PageMoves(Collection):
    """Pages go through the controller, each as soon as it has been read; the base of the other ways.

    Valid pages are read and programmed, `moves_in_flight` at a time (the copy buffer), within their plane if the
    frontier heeds planes: in a superblock all dies are kept at work. A page that the host rewrites meanwhile is left
    where the host put it. The victims are erased when all their pages have been programmed elsewhere.
    """

    collector: Collector
    can_stop: bool  # pages read are not held back, and can be left where they are at any time
    reading: int  # of the moves, those whose page is being read

    def __init__(self, collector: Collector, number: int) -> None:
        Collection.__init__(self, collector, number)
        self.collector = collector
        self.can_stop = True
        self.reading = 0

    # What the ways differ in.

    @cfunc
    def begin(self) -> None:
        """List the valid pages of the victims, which have just been chosen: row by row, those of a row one by one."""
        self.pages_to_read = array("q", bytes(8 * self.valid_pages()))
        self.reached = 0
        count = 0
        block: int
        for block in self.victims:
            page = self.blocks.next_valid(block, 0)
            while page >= 0:
                self.pages_to_read[count] = block * self.blocks.pages_per_block + page
                count += 1
                page = self.blocks.next_valid(block, page + 1)
        if len(self.victims) > 1:
            self.pages_to_read = array("q", sorted(self.pages_to_read, key=self.row_of))

    def row_of(self, ppa: int) -> int:
        """Return the row of a page: its number in its block."""
        return ppa % self.blocks.pages_per_block

    @cfunc
    def start(self) -> int:
        """Issue the read of the next page, or those of a row; return it, or the last, or 0 if none was left."""
        ppa = self.next_page()
        if ppa < 0:
            return 0
        self.reached += 1
        self.reading += 1
        page = self.take(READ, self.blocks.spare.get(ppa), ppa)
        self.transactions.before[page] = ppa
        self.scheduler.submit(page)
        return page

    @cfunc
    def arrived(self, page: int) -> None:
        """Place a page that has been read, now or later along with others."""
        self.place(page, self.transactions.plane[page], self.kind_of(self.transactions.ppa[page]))

    @cfunc
    def dropped(self, page: int) -> None:
        """React when a page was rewritten by the host while it was read, and need not be moved."""

    @cfunc
    def no_more(self) -> None:
        """Place the pages that are held back, as nothing more can be read before."""

    # What they do with pages.

    @cfunc
    def kind_of(self, ppa: int) -> int:
        """Return the kind of blocks that the data at `ppa` is moved to; the last kind is for the mapping table."""
        kind = self.collector.moved_kind
        return kind if kind >= 0 else self.frontier.kind_of(self.blocks.spare.get(ppa), self.collector.source, -1, ppa)

    @cfunc
    def current(self, pages: list[int]) -> list[int]:
        """Return the `pages` read that the host has not rewritten since, and give up the others."""
        found: list[int] = []
        page: int
        for page in pages:
            if self.blocks.is_valid(self.transactions.ppa[page]):
                found.append(page)
            else:
                self.give_up(page)
        return found

    @cfunc
    def place(self, page: int, plane: int, kind: int) -> None:
        """Program a page that was read to its new place, in `plane` if the frontier heeds it."""
        self.placed += 1
        self.transactions.op[page] = PROGRAM
        self.transactions.ppa[page] = self.move(self.transactions.ppa[page], plane, kind)
        self.scheduler.submit(page)
        self.collector.update_urgency(self, -1)

    # From step to step.

    @cfunc
    def resume(self) -> None:
        """Take the next steps: the moves, unless the collection is stopped, then the erases, and then it is over."""
        # what can be read has been, and nothing is held back
        waits: bool = (
            self.reached == len(self.pages_to_read) and self.moving > 0 and (self.reading > 0 or self.can_stop)
        )
        if not waits and not self.erasing:
            self.move_pages()
            if not self.moving and not (self.background and self.is_stopped()):
                self.background = False  # nothing is left to be stopped
                self.erase(self.victims)
        if self.erasing and not self.moving:
            self.collector.over(self)
        padding = self.collector.padding
        if padding is not None and (self.placed or padding.overdue) and self.is_placed():
            padding.complete_moved(self.owner)  # nothing more comes to its wordlines

    @cfunc
    def is_stopped(self) -> bool:
        """Return whether a collection in the background waits for the host to be quiet, and no write waits for that.

        A command that has been started is finished, and nothing else is.
        """
        return not (self.collector.quiet or self.urgent) and self.collector.unit.has_room(self.number)

    @cfunc
    def move_pages(self) -> None:
        """Read on, as far as the copy buffer goes; place the pages held back if nothing more can come before.

        That is at the end, and when the copy buffer is full of it; as some of it may turn out to have been rewritten,
        there may be room to read on then.
        """
        collector = self.collector
        while not (self.background and self.is_stopped()):
            move_limit = collector.fewest_moves if self.background and self.can_stop else collector.moves_in_flight
            while self.moving < move_limit and self.start():
                pass
            if self.reading:
                return
            over = self.next_page() < 0
            waiting = 0 if collector.padding is None else len(collector.padding.blocks_of(self.owner))
            if not over and self.placed > waiting:  # pages about to be programmed do not all wait for those held back
                return
            self.no_more()
            if over:
                return

    def done(self, transaction: int) -> None:
        """Take the next steps, as a page has been read or programmed, or a victim erased."""
        transactions = self.transactions
        op = transactions.op[transaction]
        is_kept: bool = False
        if op == READ:
            self.reading -= 1
            # where a wordline is programmed as a whole, other reads are under way, too
            if self.background and self.can_stop and self.collector.padding is None and self.is_stopped():
                self.reached -= 1  # of the places that have been passed, any will do
                self.pages_to_read[self.reached] = transactions.ppa[transaction]
            elif self.blocks.is_valid(transactions.ppa[transaction]):
                is_kept = True
                self.arrived(transaction)
            else:
                self.dropped(transaction)
        elif op != ERASE:
            self.placed -= 1
            if op == COPYBACK:
                del self.collector.copies[transactions.ppa[transaction]]
        if not is_kept:
            self.moving -= 1
            transactions.give_back(transaction)
        self.resume()
        if self.collector.paced_below >= 0:
            self.collector.listener.space_freed(self.number)

    @cfunc
    def pad(self, kind: int) -> None:
        """Program a page that holds nothing, to complete a row."""
        ppa = self.frontier.allocate(self.plane, kind, -1, 0)
        self.blocks.invalidate(ppa)
        self.collector.padded_pages += 1
        if self.scheduler.env is None:
            self.collector.instant.program(self.collector.source, ppa)
            return
        self.placed += 1
        self.scheduler.submit(self.take(PROGRAM, -1, ppa))
        self.collector.update_urgency(self, -1)

    @cfunc
    def complete_rows(self) -> None:
        """Pad the rows begun, so that write points stay equal."""
        for kind in range(self.frontier.kinds + 1):  # the last for the mapping table
            while self.frontier.row_place(self.number, kind):
                self.pad(kind)

    # The same without flash timing.

    @cfunc
    def run_now(self) -> None:
        """Move the pages of the victims and erase these, at once."""
        collector = self.collector
        for place in range(len(self.pages_to_read)):  # whose entries are fetched from memory meanwhile
            collector.mapping.table.prefetch(self.blocks.spare.get(self.pages_to_read[place]))
        for place in range(len(self.pages_to_read)):
            ppa = self.pages_to_read[place]
            if self.blocks.is_valid(ppa):  # else a page of the mapping table, written anew as others moved
                plane = self.blocks.plane_of(self.blocks.block_of(ppa))
                collector.instant.move(collector.source, ppa, self.move(ppa, plane, self.kind_of(ppa)))
        if self.frontier.by_rows:
            self.complete_rows()
        self.erase(self.victims)


class ChipMoves(PageMoves):
    """Every page moves on its own to the chip's active block, which mostly lies in another plane (PCFTL, 3.3).

    Where no plane of the chip has room but its reserve, one of the next chip that has takes the page, and if there is
    none, its own plane, where a victim always fits (`RESERVED_BLOCKS`). So do pages of the mapping table, each plane of
    which has its share.
    """

    @cfunc
    def move(self, ppa: int, plane: int, kind: int) -> int:
        """Give a page of `plane` a new one of the chip's active block, or of another chip's."""
        return PageMoves.move(self, ppa, self.plane_for(plane, kind), kind)

    @cfunc
    def plane_for(self, plane: int, kind: int) -> int:
        """Return the plane of the chip's active block, or of another chip's."""
        if kind == self.frontier.kinds:
            return plane
        points, planes = cast(SequentialFrontier, self.frontier), self.collector.planes_per_chip
        for beyond in range(0, self.blocks.planes, planes):
            found = points.filled_next((plane // planes * planes + beyond) % self.blocks.planes, planes, kind)
            if found >= 0:
                return found
        return plane


class CopyBackMoves(PageMoves):
    """Pages stay in their plane and do not leave the chip (PCFTL's plane-level collection, 3.2 and 3.3).

    Where a page can be copied to is up to the frontier (`CopyTargets`), which may pass over some for that. A collection
    that passes over as many as its victim has dead ones gains nothing, and need never end (3.4, Fig. 8). That is
    foreseen: where more than the share `ftl.gc.copyback_waste` of the dead pages would be wasted, all pages go through
    the controller, to the same plane, and so do single ones that would waste more, as writes have come in between.
    """

    to_waste: int  # pages that copy-backs may still pass over, -1 if none is copied back

    @cfunc
    def begin(self) -> None:
        """Settle how many pages the collection may waste; -1 if it would be too many."""
        PageMoves.begin(self)
        blocks, victim = self.blocks, self.victims[0]
        dead: int = blocks.pages_per_block - blocks.valid(victim)
        allowed: int = min(int(self.collector.gc.copyback_waste * dead + 1e-9), dead - 1) if dead else 0
        copies: list[tuple[int, int]] = [(self.row_of(ppa), self.kind_of(ppa)) for ppa in list(self.pages_to_read)]
        foreseen = self.frontier.copies.foreseen(blocks.plane_of(victim), copies)
        self.to_waste = allowed if foreseen <= allowed else -1

    @cfunc
    def start(self) -> int:
        """Issue the next copy-back, or the next read."""
        ppa = self.next_page()
        target = -1 if ppa < 0 else self.copy_back(ppa, self.kind_of(ppa))
        if target < 0:
            return PageMoves.start(self)
        self.placed += 1
        transaction = self.take(COPYBACK, self.blocks.spare.get(ppa), target)
        self.transactions.before[transaction] = ppa
        self.collector.copies[target] = ppa  # until it is programmed, its data is read where it is copied from
        self.scheduler.submit(transaction)
        self.collector.update_urgency(self, -1)
        return transaction

    @cfunc
    def copy_back(self, ppa: int, kind: int) -> int:
        """Give data a new page of its plane that it can be copied back to, and return it, or -1 for none."""
        copies, page = self.frontier.copies, ppa % self.blocks.pages_per_block
        plane = self.blocks.plane_of(self.blocks.block_of(ppa))
        passed = copies.passed_over(plane, kind, page)
        if passed < 0 or passed > self.to_waste:
            return -1
        self.to_waste -= passed
        lpa = self.blocks.spare.get(ppa)
        target = copies.allocate(plane, kind, lpa, page)
        self.collector.moved_to(lpa, ppa, target)
        self.collector.copies_back += 1
        return target

    @cfunc
    def move(self, ppa: int, plane: int, kind: int) -> int:
        """Give a page a new one: before there is a clock one that it can be copied back to, if there is any."""
        target = self.copy_back(ppa, kind) if self.scheduler.env is None else -1
        return target if target >= 0 else PageMoves.move(self, ppa, plane, kind)
