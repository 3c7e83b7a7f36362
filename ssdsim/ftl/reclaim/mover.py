# cython: infer_types=True
"""What a reclaimer does with pages and blocks: read, program, copy and erase, with the records of each."""

from __future__ import annotations

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import ERASE, PROGRAM
from ssdsim.flash.port import Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.stage import TransactionOwner


class PageMover(TransactionOwner):
    """Programs pages and erases blocks for a reclaimer, and counts the pages moved.

    A page that was read is a transaction, with the page that it is moved from as its `ppa`.
    """

    reclaimer: Reclaimer
    blocks: Blocks
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
        self.frontier = frontier
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
            page_type = self.frontier.rows.page_type(plane, kind)
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
