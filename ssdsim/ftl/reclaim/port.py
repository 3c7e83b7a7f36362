# cython: infer_types=True
"""What moves are given of the device: pages to be read, placed, padded and copied, and no more."""

from __future__ import annotations

from typing import final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import COPYBACK, ERASE, PROGRAM, READ
from ssdsim.flash.port import Transaction, TransactionPool, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.page_type.specifier import PageTypeSpecifier
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.reclaim.task import Task
from ssdsim.ftl.reclaim.urgency import Urgency
from ssdsim.stage import Stage


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
    write: Transaction  # see `as_write`
    scheduler: TransactionSchedulingUnit
    pool: TransactionPool
    owner: Stage  # of the transactions
    rows: Stage  # the host's pages that are written along with moved ones

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
        self.write = Transaction()
        self.write.source = reclaimer.source
        self.scheduler = self.pool = self.owner = self.rows = None

    def bind(self, scheduler: TransactionSchedulingUnit, pool: TransactionPool, owner: Stage, rows: Stage) -> None:
        """Receive the back end, who is told when a transaction is done, and the host's rows."""
        self.scheduler = scheduler
        self.pool = pool
        self.owner = owner
        self.rows = rows

    # What a page is.

    def kind_of(self, write: Transaction) -> int:
        """Return the kind of the frontier's blocks that a page goes to; the last kind is for the mapping table."""
        return self.frontier.kind_of(write)

    @cfunc
    def as_write(self, ppa: int) -> Transaction:
        """Return a write of what lies at `ppa`, to ask about or where no time passes; it is good until the next."""
        self.write.lpa = self.blocks.spare.get(ppa)
        self.write.ppa = self.write.before = ppa
        return self.write

    @cfunc
    def is_current(self, page: Transaction) -> bool:
        """Return whether a page that was read is still where its data is."""
        return self.mapping.lookup(page.lpa) == page.ppa

    def current(self, task: Task, pages: list[Transaction]) -> list[Transaction]:
        """Return the `pages` read that the host has not rewritten since, and give up the others."""
        found: list[Transaction] = []
        page: Transaction
        for page in pages:
            if self.is_current(page):
                found.append(page)
            else:
                self.give_up(task, page)
        return found

    @cfunc
    def give_up(self, task: Task, transaction: Transaction) -> None:
        """Be done with a move or an erase; the task goes on after that."""
        task.moving -= 1
        self.pool.give_back(transaction)

    # What is issued.

    def take(self, task: Task, op: int, lpa: int, ppa: int) -> Transaction:
        """Return a transaction of `task`, to be submitted."""
        transaction: Transaction = self.pool.take(self.reclaimer.source, self.owner, lpa)
        transaction.task = task
        transaction.op = op
        transaction.ppa = ppa
        transaction.bytes = self.reclaimer.page_bytes
        task.moving += 1
        return transaction

    def read(self, collection: Collection, position: int) -> Transaction:
        """Return the read of the valid page at `position` of the victims, to be submitted."""
        ppa = collection.ppa_at(position)
        collection.read_to(position)
        collection.reading += 1
        transaction: Transaction = self.take(collection, READ, self.blocks.spare.get(ppa), ppa)
        transaction.before = ppa
        self.mapping.expect(transaction.lpa)
        return transaction

    def submit(self, transaction: Transaction) -> None:
        """Issue a transaction that was taken."""
        self.scheduler.submit(transaction)

    def place(self, collection: Collection, page: Transaction, plane: int, kind: int) -> None:
        """Program a page that was read to its new place, in `plane` if the frontier heeds it."""
        page.op = PROGRAM
        collection.placed += 1
        page.ppa = self.move(page, plane, kind)
        self.scheduler.submit(page)
        self.urgency.update(collection)

    def pad(self, collection: Collection, plane: int, kind: int) -> None:
        """Program a page that holds nothing, to complete a row."""
        transaction: Transaction = self.take(collection, PROGRAM, -1, -1)
        transaction.kind = kind
        transaction.ppa = self.frontier.allocate(plane, transaction)
        self.blocks.invalidate(transaction.ppa)
        self.reclaimer.padded_pages += 1
        collection.placed += 1
        self.scheduler.submit(transaction)
        self.urgency.update(collection)

    @cfunc
    def pad_now(self, plane: int, kind: int) -> None:
        """Write a page that holds nothing, as `pad` does, where no time passes."""
        write: Transaction = self.write
        write.lpa = -1
        write.kind = kind
        ppa = self.frontier.allocate(plane, write)
        self.blocks.invalidate(ppa)
        self.reclaimer.padded_pages += 1
        self.reclaimer.instant.program(self.reclaimer.source, ppa)

    def copy_back(self, collection: Collection, position: int, kind: int) -> None:
        """Issue the copy-back of the valid page at `position` of the victims to a page of its plane.

        It is mapped there from now on; until it is programmed, its data is read where it is copied from.
        """
        ppa = collection.ppa_at(position)
        collection.read_to(position)
        collection.placed += 1
        transaction: Transaction = self.take(collection, COPYBACK, self.blocks.spare.get(ppa), ppa)
        transaction.copied_from = transaction.before = ppa
        transaction.ppa = self.copy(transaction, self.blocks.plane_of(collection.block_at(position)), kind)
        self.reclaimer.copies[transaction.ppa] = ppa
        self.scheduler.submit(transaction)
        self.urgency.update(collection)

    def erase(self, task: Task, block: int) -> None:
        """Issue the erase of a block."""
        transaction: Transaction = self.take(task, ERASE, -1, block * self.blocks.pages_per_block)
        transaction.valid_pages = self.reclaimer.victims.pop(block, -1)
        self.scheduler.submit(transaction)

    # What is handed out.

    def move(self, write: Transaction, plane: int, kind: int) -> int:
        """Give the data of `write` a new page in `plane` and return it; page-type schemes are asked once a row."""
        write.kind = kind
        if self.page_types is not None:
            write.page_type = self.frontier.rows.page_type(plane, kind)
            if write.page_type < 0:
                write.page_type = self.page_types.of_moved_data(plane)
        ppa = self.frontier.allocate(plane, write)
        self.moved_to(write.lpa, write.ppa, ppa)
        return ppa

    def copy(self, write: Transaction, plane: int, kind: int) -> int:
        """Give the data of `write` a new page in `plane` that it can be copied back to, and return it."""
        write.kind = kind
        ppa = self.frontier.copies.allocate(plane, write, write.ppa % self.blocks.pages_per_block)
        self.moved_to(write.lpa, write.ppa, ppa)
        self.reclaimer.copies_back += 1
        return ppa

    def moved_to(self, lpa: int, old_ppa: int, ppa: int) -> None:
        """Record that `lpa` has page `ppa` in place of `old_ppa`."""
        self.mapping.update(lpa, ppa)
        self.blocks.invalidate(old_ppa)
        self.reclaimer.page_moves += 1
        if self.reclaimer.contents is not None:
            self.reclaimer.contents.put(ppa, lpa, self.reclaimer.contents.get(old_ppa))
