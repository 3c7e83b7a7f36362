# cython: infer_types=True
"""How a collection goes on: the reads, programs and erases of its pages and blocks, one step after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import COPYBACK, ERASE, PROGRAM, READ
from ssdsim.flash.port import Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.padding import WordlinePadding
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.reclaim.interface import Collection, Reclaimer
from ssdsim.ftl.rows import RowWritePath
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner

if TYPE_CHECKING:
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig


class PageMover(TransactionOwner):
    """Programs pages and erases blocks for a reclaimer, and counts the pages moved.

    A page that was read is a transaction, with the page that it is moved from as its `ppa`.
    """

    reclaimer: Reclaimer
    blocks: Blocks
    frontier: WriteFrontier  # where moved pages go
    page_types: PageTypeSpecifier | None  # of moved data; None where types are not specified
    kinds: int  # of pages that are written to blocks of their own, those of the mapping table last
    scheduler: TransactionSchedulingUnit  # None until there is a clock
    transactions: Transactions
    owner: int  # of the transactions

    def __init__(
        self,
        reclaimer: Reclaimer,
        mapping: PageMapping,
        frontier: WriteFrontier,
        page_types: PageTypeSpecifier | None,
    ) -> None:
        self.reclaimer = reclaimer
        self.blocks = reclaimer.blocks
        self.mapping = mapping
        self.frontier = frontier.behind
        self.page_types = page_types
        self.kinds = frontier.kinds + 1
        self.scheduler = self.transactions = None
        self.owner = 0

    def bind(self, scheduler: TransactionSchedulingUnit, owner: TransactionOwner) -> None:
        """Receive the back end, and the owner to be told when a transaction is done."""
        self.scheduler = scheduler
        self.transactions = scheduler.transactions
        self.owner = self.transactions.add_owner(owner)

    # What is issued.

    @cfunc
    def take(self, collection: Collection, op: int, lpa: int, ppa: int) -> int:
        """Return a transaction of `collection`, to be submitted."""
        transactions = self.transactions
        transaction = transactions.take(self.reclaimer.source, self.owner, lpa)
        transactions.task[transaction] = collection.index
        transactions.op[transaction] = op
        transactions.ppa[transaction] = ppa
        transactions.bytes[transaction] = self.reclaimer.page_bytes
        collection.moving += 1
        return transaction

    @cfunc
    def program(self, page: int, plane: int, kind: int) -> None:
        """Issue the program of a page that was read, to its new place."""
        transactions = self.transactions
        transactions.op[page] = PROGRAM
        transactions.ppa[page] = self.move(transactions.ppa[page], plane, kind)
        self.scheduler.submit(page)

    @cfunc
    def erase(self, collection: Collection, block: int) -> None:
        """Issue the erase of a block."""
        transaction = self.take(collection, ERASE, -1, block * self.blocks.pages_per_block)
        self.transactions.valid_pages[transaction] = self.reclaimer.victims.pop(block, -1)
        self.scheduler.submit(transaction)

    # Which pages are handed out.

    @cfunc
    def move(self, old_ppa: int, plane: int, kind: int) -> int:
        """Give the data at `old_ppa` a new page, in `plane` if the frontier heeds it, and return it.

        Page-type schemes are asked once a row.
        """
        lpa = self.blocks.spare.get(old_ppa)
        page_type = 0
        if self.page_types is not None:
            page_type = self.frontier.row_type(plane // self.blocks.span, kind)
            if page_type < 0:
                page_type = self.page_types.of_moved_data(plane)
        ppa = self.frontier.allocate(plane, kind, lpa, page_type)
        moved_to(self, lpa, old_ppa, ppa)
        return ppa


# Functions, as these are asked for each page, and cost no call so.


@inline
def kind_of(mover: PageMover, ppa: int) -> int:
    """Return the kind of blocks that the data at `ppa` is moved to; the last kind is for the mapping table."""
    return mover.frontier.kind_of(mover.blocks.spare.get(ppa), mover.reclaimer.source, -1, ppa)


@inline
def is_current(mover: PageMover, page: int) -> bool:
    """Return whether a page that was read still holds current data."""
    return mover.blocks.is_valid(mover.transactions.ppa[page])


@inline
def give_up(mover: PageMover, collection: Collection, transaction: int) -> None:
    """Forget a move or an erase that is done or needless; the collection goes on after that."""
    collection.moving -= 1
    mover.transactions.give_back(transaction)


@inline
def moved_to(mover: PageMover, lpa: int, old_ppa: int, ppa: int) -> None:
    """Record that `lpa` has page `ppa` in place of `old_ppa`."""
    mover.mapping.update(lpa, ppa)
    mover.blocks.invalidate(old_ppa)
    mover.reclaimer.page_moves += 1
    if mover.reclaimer.contents is not None:
        mover.reclaimer.contents.put(ppa, lpa, mover.reclaimer.contents.get(old_ppa))


class CollectionMover(PageMover):
    """Takes collections from their first read to their last erase, and tells the reclaimer when one is `over`.

    Up to `moves_in_flight` valid pages are read and programmed at a time (the copy buffer); where they go is up to the
    subclass (`single_moves`, `row_moves`). One that holds back pages read, to place them together, keeps them in the
    collection; one that does not can leave them where they are, and so stop at any time (`can_stop`). `role` is what it
    needs the frontier to be (`WriteFrontier.roles`), if anything. A page that the host rewrites while it is being moved
    is left where the host put it. The victims are erased when all their pages have been programmed elsewhere.

    Each step follows from the completion of the one before, so that it stands in the die's queue before the die takes
    its next command. A collection in the background waits for the host to be `quiet`: a command that has been started
    is finished, and nothing else is.
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
            if collection.moving or is_stopped(self, collection):
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
        while not is_stopped(self, collection):
            move_limit = self.fewest_moves if collection.background and self.can_stop else self.moves_in_flight
            while collection.moving < move_limit and not collection.all_read and self.start(collection):
                pass
            if collection.reading:
                return
            over = collection.all_read or collection.next_page() < 0
            if not over and self.is_moving(collection):
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
