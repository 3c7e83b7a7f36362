# cython: infer_types=True
"""What moves are given of the device: pages to be read, placed, padded and copied, and no more."""

from __future__ import annotations

from typing import final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import COPYBACK, ERASE, PROGRAM, READ
from ssdsim.flash.port import Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.page_type.specifier import PageTypeSpecifier
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.reclaim.task import Task
from ssdsim.ftl.reclaim.urgency import Urgency
from ssdsim.ftl.rows import RowWritePath
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner


@final
class MovePort:
    """The hands of a reclaimer: every page that is moved, padded or copied goes through here, and is counted there.

    A page that was read is a transaction, with the page that it is moved from as its `ppa`. The frontier's roles (write
    points, rows) may be asked, and its pages are handed out, by `move`, `copy` and `pad` alone. `rows` is the part of
    the layer that writes the host's pages in rows, for moves that share a row with them.
    """

    reclaimer: Reclaimer  # what is moved, and has what is to be told of it
    blocks: Blocks
    page_types: PageTypeSpecifier | None  # of moved data; None where types are not specified
    kinds: int  # of pages that are written to blocks of their own, those of the mapping table last
    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    owner: int  # of the transactions
    rows: RowWritePath  # the host's pages that are written along with moved ones

    def __init__(
        self,
        reclaimer: Reclaimer,
        mapping: PageMapping,
        frontier: WriteFrontier,
        page_types: PageTypeSpecifier | None,
        urgency: Urgency,
    ) -> None:
        self.reclaimer = reclaimer
        self.blocks = reclaimer.blocks
        self.mapping = mapping
        self.frontier = frontier
        self.page_types = page_types
        self.urgency = urgency
        self.kinds = frontier.kinds + 1
        self.scheduler = self.transactions = self.rows = None
        self.owner = 0

    def bind(self, scheduler: TransactionSchedulingUnit, owner: TransactionOwner, rows: RowWritePath) -> None:
        """Receive the back end, who is told when a transaction is done, and the host's rows."""
        self.scheduler = scheduler
        self.transactions = scheduler.transactions
        self.owner = self.transactions.add_owner(owner)
        self.rows = rows

    # What a page is.

    @inline
    def kind_of(self, ppa: int) -> int:
        """Return the kind of blocks that the data at `ppa` is moved to; the last kind is for the mapping table."""
        return self.frontier.kind_of(self.blocks.spare.get(ppa), self.reclaimer.source, -1, ppa)

    @inline
    def kind_read(self, page: int) -> int:
        """Return the same of a page that was read."""
        transactions = self.transactions
        return self.frontier.kind_of(transactions.lpa[page], self.reclaimer.source, -1, transactions.ppa[page])

    @inline
    def plane_read(self, page: int) -> int:
        """Return the plane that a page was read from."""
        return self.transactions.plane[page]

    def row_of(self, page: int) -> WriteGroup:
        """Return the row that a page was read with, and forget it."""
        group: WriteGroup = self.transactions.group[page]
        self.transactions.group[page] = None
        return group

    @inline
    def is_current(self, page: int) -> bool:
        """Return whether a page that was read still holds current data."""
        return self.blocks.is_valid(self.transactions.ppa[page])

    def current(self, task: Task, pages: list[int]) -> list[int]:
        """Return the `pages` read that the host has not rewritten since, and give up the others."""
        found: list[int] = []
        page: int
        for page in pages:
            if self.is_current(page):
                found.append(page)
            else:
                self.give_up(task, page)
        return found

    @inline
    def give_up(self, task: Task, transaction: int) -> None:
        """Be done with a move or an erase; the task goes on after that."""
        task.moving -= 1
        self.transactions.give_back(transaction)

    # What is issued.

    @cfunc
    def take(self, task: Task, op: int, lpa: int, ppa: int) -> int:
        """Return a transaction of `task`, to be submitted."""
        transactions = self.transactions
        transaction = transactions.take(self.reclaimer.source, self.owner, lpa)
        transactions.task[transaction] = task.index
        transactions.op[transaction] = op
        transactions.ppa[transaction] = ppa
        transactions.bytes[transaction] = self.reclaimer.page_bytes
        task.moving += 1
        return transaction

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

    @inline
    def submit(self, transaction: int) -> None:
        """Issue a transaction that was taken."""
        self.scheduler.submit(transaction)

    def place(self, collection: Collection, page: int, plane: int, kind: int) -> None:
        """Program a page that was read to its new place, in `plane` if the frontier heeds it."""
        collection.placed += 1
        self.program(page, plane, kind)
        self.urgency.update(collection)

    @cfunc
    def program(self, page: int, plane: int, kind: int) -> None:
        """Issue the program of a page that was read."""
        transactions = self.transactions
        transactions.op[page] = PROGRAM
        transactions.ppa[page] = self.give_page(transactions.lpa[page], transactions.ppa[page], plane, kind)
        self.scheduler.submit(page)

    def pad(self, collection: Collection, plane: int, kind: int) -> None:
        """Program a page that holds nothing, to complete a row."""
        transaction = self.take(collection, PROGRAM, -1, self.padding(plane, kind))
        collection.placed += 1
        self.scheduler.submit(transaction)
        self.urgency.update(collection)

    @cfunc
    def pad_now(self, plane: int, kind: int) -> None:
        """Write a page that holds nothing, as `pad` does, where no time passes."""
        self.reclaimer.instant.program(self.reclaimer.source, self.padding(plane, kind))

    def copy_back(self, collection: Collection, kind: int) -> None:
        """Issue the copy-back of the next valid page of the victims to a page of its plane.

        It is mapped there from now on; until it is programmed, its data is read where it is copied from.
        """
        transactions = self.transactions
        ppa = collection.take_next()
        collection.placed += 1
        target = self.copy(ppa, self.blocks.plane_of(self.blocks.block_of(ppa)), kind)
        transaction = self.take(collection, COPYBACK, self.blocks.spare.get(ppa), target)
        transactions.copied_from[transaction] = transactions.before[transaction] = ppa
        self.reclaimer.copies[target] = ppa
        self.scheduler.submit(transaction)
        self.urgency.update(collection)

    def erase(self, task: Task, block: int) -> None:
        """Issue the erase of a block."""
        transaction = self.take(task, ERASE, -1, block * self.blocks.pages_per_block)
        self.transactions.valid_pages[transaction] = self.reclaimer.victims.pop(block, -1)
        self.scheduler.submit(transaction)

    # What is handed out.

    @inline
    def move(self, old_ppa: int, plane: int, kind: int) -> int:
        """Give the data at `old_ppa` a new page in `plane` and return it."""
        return self.give_page(self.blocks.spare.get(old_ppa), old_ppa, plane, kind)

    @cfunc
    def give_page(self, lpa: int, old_ppa: int, plane: int, kind: int) -> int:
        """Give `lpa`, at `old_ppa`, a page in `plane` and return it; page-type schemes are asked once a row."""
        page_type = 0
        if self.page_types is not None:
            page_type = self.frontier.rows.page_type(plane, kind)
            if page_type < 0:
                page_type = self.page_types.of_moved_data(plane)
        ppa = self.frontier.allocate(plane, kind, lpa, page_type)
        self.moved_to(lpa, old_ppa, ppa)
        return ppa

    def copy(self, old_ppa: int, plane: int, kind: int) -> int:
        """Give the data at `old_ppa` a new page in `plane` that it can be copied back to, and return it."""
        lpa = self.blocks.spare.get(old_ppa)
        ppa = self.frontier.copies.allocate(plane, kind, lpa, old_ppa % self.blocks.pages_per_block)
        self.moved_to(lpa, old_ppa, ppa)
        self.reclaimer.copies_back += 1
        return ppa

    def padding(self, plane: int, kind: int) -> int:
        """Return a page of `plane` that is handed out to nothing, to complete a row."""
        ppa = self.frontier.allocate(plane, kind, -1, 0)
        self.blocks.invalidate(ppa)
        self.reclaimer.padded_pages += 1
        return ppa

    @cfunc
    def moved_to(self, lpa: int, old_ppa: int, ppa: int) -> None:
        """Record that `lpa` has page `ppa` in place of `old_ppa`."""
        self.mapping.update(lpa, ppa)
        self.blocks.invalidate(old_ppa)
        self.reclaimer.page_moves += 1
        if self.reclaimer.contents is not None:
            self.reclaimer.contents.put(ppa, lpa, self.reclaimer.contents.get(old_ppa))
