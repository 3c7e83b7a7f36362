# cython: infer_types=True
"""How a collection goes on: from its first read to its last erase, one step after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import COPYBACK, ERASE, PROGRAM, READ
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.padding import WordlinePadding
from ssdsim.ftl.page_type.specifier import PageTypeSpecifier
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.reclaim.mover import PageMover, give_up, is_current, kind_of, moved_to
from ssdsim.ftl.rows import RowWritePath
from ssdsim.host.request import WriteGroup

if TYPE_CHECKING:
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig


class CollectionMover(PageMover):
    """Takes collections from their first read to their last erase, and tells the reclaimer when one is `over`.

    Up to `moves_in_flight` valid pages are read and programmed at a time (the copy buffer); where they go is up to the
    subclass (`single_moves`, `row_moves`). One that holds back pages read, to place them together, keeps them in the
    collection; one that does not can leave them where they are, and so stop at any time (`can_stop`). `role` is what it
    needs the frontier to be (`WriteFrontier.roles`), if anything. A page that the host rewrites while it is being moved
    is left where the host put it. The victims are erased when all their pages have been programmed elsewhere.

    Each step follows from the completion of the one before, so that it stands in the die's queue before the die takes
    its next command. A collection in the background waits for the host to be `quiet`: a command that has been started
    is finished, and nothing else is. Where there is a `pace`, it may hold a collection before any page, and the erases.
    """

    role = ""

    config: GarbageCollectionConfig
    planes_per_chip: int
    moves_in_flight: int
    fewest_moves: int  # that are in flight at a time, of a collection that can be stopped
    can_stop: bool
    quiet: bool  # the host
    padding: WordlinePadding | None  # None where pages are programmed one by one
    rows: RowWritePath  # the host's pages that are written along with moved ones

    def __init__(
        self,
        reclaimer: Reclaimer,
        mapping: PageMapping,
        frontier: WriteFrontier,
        page_types: PageTypeSpecifier | None,
        config: GarbageCollectionConfig,
        hardware: HardwareConfig,
        victims_at_once: int,
    ) -> None:
        PageMover.__init__(self, reclaimer, mapping, frontier, page_types)
        self.config = config
        self.planes_per_chip = hardware.dies_per_chip * hardware.planes_per_die
        self.fewest_moves = 1
        if hardware.pages_programmed > 1:  # a wordline of each kind can be filled at once
            self.fewest_moves = self.kinds * hardware.pages_open(self.blocks.span, frontier.by_rows)
        two_programs = 2 * hardware.pages_programmed * victims_at_once if victims_at_once > 1 else 1  # a plane
        self.moves_in_flight = max(config.moves_in_flight, two_programs, self.fewest_moves)
        self.can_stop = self.quiet = False
        self.padding = self.rows = None

    # Where pages go: up to the subclass.

    @cfunc
    def begin(self, collection: Collection) -> None:
        """React when a collection begins: its victims have been chosen."""

    @cfunc
    def takes_controller(self, collection: Collection) -> bool:
        """Return whether pages of a collection that has begun go through the controller, as a rule."""
        return True

    @cfunc
    def start(self, collection: Collection) -> bool:
        """Issue the reads of the next page or row and return whether there was one."""
        page = self.read(collection)
        if page:
            self.scheduler.submit(page)
        return page != 0

    @cfunc
    def arrived(self, collection: Collection, page: int) -> None:
        """Take over a page that has been read: have it placed now, or later along with others."""
        raise NotImplementedError

    @cfunc
    def dropped(self, collection: Collection, page: int) -> None:
        """React when a page was rewritten by the host while it was read, and need not be moved."""

    @cfunc
    def no_more(self, collection: Collection) -> None:
        """Place the pages that are held back, as nothing more can be read before."""

    @cfunc
    def move_now(self, plane: int, ppa: int, collection: Collection) -> int:
        """Move a page of `plane` where no time passes, and return its new PPA."""
        return self.move(ppa, plane, kind_of(self, ppa))

    @cfunc
    def moved_now(self, collection: Collection) -> None:
        """React when all pages of a collection have been moved where no time passes."""

    @cfunc
    def takes(self, collection: Collection, group: WriteGroup) -> bool:
        """Return whether the host's `group` of pages is taken over, to be written in rows with moved ones."""
        return False

    @cfunc
    def complete(self, collection: Collection, group: WriteGroup) -> None:
        """Take over the host's pages that this asked for, to complete a row."""
        raise NotImplementedError

    # What it does with them.

    @cfunc
    def read(self, collection: Collection) -> int:
        """Return the read of the next valid page of the victims, to be submitted, or 0."""
        ppa = collection.take_next()
        if ppa < 0:
            return 0
        collection.reading += 1
        lpa = self.blocks.spare.get(ppa)
        transaction = self.take(collection, READ, lpa, ppa)
        self.transactions.before[transaction] = ppa
        self.mapping.expect(lpa)
        return transaction

    @cfunc
    def current(self, collection: Collection, pages: list[int]) -> list[int]:
        """Return the `pages` read that the host has not rewritten since, and give up the others."""
        found: list[int] = []
        page: int
        for page in pages:
            if is_current(self, page):
                found.append(page)
            else:
                give_up(self, collection, page)
        return found

    @cfunc
    def kind_of_read(self, page: int) -> int:
        """Return the kind of blocks that a page that was read is moved to."""
        return kind_of(self, self.transactions.ppa[page])

    def plane_of_read(self, page: int) -> int:
        """Return the plane that a page was read from."""
        return self.transactions.plane[page]

    @cfunc
    def place(self, collection: Collection, page: int, plane: int, kind: int) -> None:
        """Program a page that was read to its new place, in `plane` if the frontier heeds it."""
        collection.placed += 1
        self.program(page, plane, kind)
        self.reclaimer.update_urgency(collection)

    @cfunc
    def pad(self, collection: Collection, kind: int) -> None:
        """Program a page that holds nothing, to complete a row."""
        ppa = self.frontier.allocate(collection.plane, kind, -1, 0)
        self.blocks.invalidate(ppa)
        self.reclaimer.padded_pages += 1
        if self.scheduler is None:
            self.reclaimer.instant.program(self.reclaimer.source, ppa)
            return
        collection.placed += 1
        self.scheduler.submit(self.take(collection, PROGRAM, -1, ppa))
        self.reclaimer.update_urgency(collection)

    @cfunc
    def copy_back(self, collection: Collection, kind: int) -> None:
        """Issue the copy-back of the next valid page of the victims to a page of its plane.

        It is mapped there from now on; until it is programmed, its data is read where it is copied from.
        """
        transactions = self.transactions
        ppa = collection.take_next()
        collection.placed += 1
        target = self.copy(ppa, kind)
        transaction = self.take(collection, COPYBACK, self.blocks.spare.get(ppa), target)
        transactions.before[transaction] = ppa
        self.reclaimer.copies[target] = ppa
        self.scheduler.submit(transaction)
        self.reclaimer.update_urgency(collection)

    @cfunc
    def copy(self, old_ppa: int, kind: int) -> int:
        """Give the data at `old_ppa` a new page of its plane that it can be copied back to, and return it."""
        lpa = self.blocks.spare.get(old_ppa)
        plane = self.blocks.plane_of(self.blocks.block_of(old_ppa))
        ppa = self.frontier.copies.allocate(plane, kind, lpa, old_ppa % self.blocks.pages_per_block)
        moved_to(self, lpa, old_ppa, ppa)
        self.reclaimer.copies_back += 1
        return ppa

    # From step to step.

    @cfunc
    def resume(self, collection: Collection) -> None:
        """Go on with a collection if anything can be begun, and pad its last wordlines, which nothing more comes to."""
        if not (collection.all_read and collection.moving and (collection.reading or self.can_stop)):
            self.proceed(collection)
        padding = self.padding
        if padding is not None and (collection.placed or padding.overdue) and collection.is_placed():
            padding.complete_moved(self.owner, collection.index)

    @cfunc
    def proceed(self, collection: Collection) -> None:
        """Go on with a collection: with its moves, unless it is stopped, then the erases, and then it is over."""
        if not collection.erasing:
            self.go_on(collection)
            if collection.moving or is_stopped(self, collection) or is_held(self, collection):
                return
            collection.background = False  # nothing is left to be stopped
            collection.erasing = True
            for place in range(collection.victim_count):
                self.erase(collection, collection.victims[place])
        if not collection.moving:
            self.reclaimer.over(collection)

    @cfunc
    def go_on(self, collection: Collection) -> None:
        """Read on, as far as the copy buffer goes; place the pages held back if nothing more can come before.

        That is at the end, and when the copy buffer is full of it; as some of it may turn out to have been rewritten,
        there may be room to read on then.
        """
        while not (is_stopped(self, collection) or is_held(self, collection)):
            move_limit = self.fewest_moves if collection.background and self.can_stop else self.moves_in_flight
            while collection.moving < move_limit and not collection.all_read and self.begin_moves(collection):
                pass
            if collection.reading:
                return
            over = collection.all_read or collection.next_page() < 0
            if not over and (is_held(self, collection) or self.is_moving(collection)):
                return
            self.no_more(collection)
            if over:
                return

    @cfunc
    def is_moving(self, collection: Collection) -> bool:
        """Return whether pages of a collection are about to be programmed, and do not all wait for those held back."""
        placed = collection.placed
        if placed and self.padding is not None:
            return placed > self.padding.pages_waiting(self.owner, collection.index)
        return placed > 0

    @cfunc
    def begin_moves(self, collection: Collection) -> bool:
        """Begin to move the next page or row, if it may be; return whether there is another one to be tried."""
        pace = self.reclaimer.pace
        if pace is None:
            return self.start(collection)
        before = collection.moving
        if pace.holds(collection) or not self.start(collection):
            return False
        pace.moved(collection, collection.moving - before)
        return True

    def done(self, transaction: int) -> None:
        """Go on with a collection, whose page has been read or programmed, or its victim erased."""
        transactions = self.transactions
        collection = cast(Collection, self.reclaimer.tasks[transactions.task[transaction]])
        op = transactions.op[transaction]
        if op == READ:
            collection.reading -= 1
            # where a wordline is programmed as a whole, other reads are under way, too
            if self.can_stop and self.padding is None and is_stopped(self, collection):
                collection.put_back(transactions.ppa[transaction])
            elif is_current(self, transaction):
                self.arrived(collection, transaction)
                transaction = 0
            else:
                self.dropped(collection, transaction)
        elif op != ERASE:
            collection.placed -= 1
            if op == COPYBACK:
                del self.reclaimer.copies[transactions.ppa[transaction]]
        if transaction:
            give_up(self, collection, transaction)
        self.resume(collection)
        self.reclaimer.step_done(collection.number)

    # The same without flash timing.

    @cfunc
    def run_now(self, collection: Collection) -> None:
        """Move the pages of the victims and erase these, at once."""
        self.expect_moves(collection)
        reclaimer = self.reclaimer
        plane = collection.plane
        ppa = collection.take_next()
        while ppa >= 0:
            if collection.width > 1:
                plane = self.blocks.plane_of(self.blocks.block_of(ppa))
            reclaimer.instant.move(reclaimer.source, ppa, self.move_now(plane, ppa, collection))
            ppa = collection.take_next()
        self.moved_now(collection)
        for place in range(collection.victim_count):
            reclaimer.instant.erase(reclaimer.source, collection.victims[place])
            reclaimer.victims.pop(collection.victims[place])

    @cfunc
    def expect_moves(self, collection: Collection) -> None:
        """Tell the mapping which logical pages the moving of the victims will ask for."""
        for place in range(collection.victim_count):
            block = collection.victims[place]
            page = self.blocks.next_valid(block, 0)
            while page >= 0:
                self.mapping.expect(self.blocks.spare.get(block * self.blocks.pages_per_block + page))
                page = self.blocks.next_valid(block, page + 1)


@inline
def is_stopped(mover: CollectionMover, collection: Collection) -> bool:
    """Return whether a collection waits for the host to be quiet, and none of its writes waits for that."""
    return collection.background and not mover.quiet and not mover.reclaimer.is_awaited(collection.number)


@inline
def is_held(mover: CollectionMover, collection: Collection) -> bool:
    """Return whether a collection waits for its pace to let it go on."""
    return mover.reclaimer.pace is not None and mover.reclaimer.pace.holds(collection)
