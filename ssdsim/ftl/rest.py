# cython: infer_types=True
"""How the rest of a page comes from flash for a write of a part of it."""

from __future__ import annotations

from typing import final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, READ
from ssdsim.flash.port import Transactions, TransactionSchedulingUnit
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.room import WriteRoom
from ssdsim.ftl.writes import PageWrites
from ssdsim.host.request import Request


@final
class RestReads:
    """Reads for a write of part of a page what the page stores besides, and adds that to the data of the write.

    The write's own transaction is the read before it is the program. With `partial.on_arrival` it is given its page and
    its place in the queue before, if there is room, and the read has a transaction of its own (`Transactions.rest`);
    until that is over, its page is read from where it was.
    """

    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    owner: int  # of the transactions: that of the writes

    def __init__(self, owner: int, reads: ReadPath, room: WriteRoom, writes: PageWrites) -> None:
        self.owner = owner
        self.scheduler = reads.scheduler
        self.transactions = reads.transactions
        self.reads = reads
        self.room = room
        self.writes = writes

    @cfunc
    def is_wanted(self, transaction: int) -> bool:
        """Return whether the rest of a write's page is to be read first, as far as there is any."""
        request: Request = self.transactions.request[transaction]
        return self.reads.partial.needs_rest(self.transactions.bytes[transaction], request)

    @cfunc
    def read(self, transaction: int) -> bool:
        """Read the rest of a write's page, if there is any in flash, and return whether there is."""
        transactions = self.transactions
        lpa = transactions.lpa[transaction]
        request: Request = transactions.request[transaction]
        ppa = self.reads.mapping.lookup(lpa)
        if ppa >= 0:
            ppa = self.reads.sources.source_of(ppa)
        size = self.reads.partial.rest_of(lpa, transactions.bytes[transaction], request) if ppa >= 0 else 0
        if not size:
            return False
        alone: bool = transactions.group[transaction] is None
        if not (self.reads.partial.on_arrival and alone and self.place_in_part(transaction, ppa, size)):
            transactions.op[transaction] = READ
            transactions.ppa[transaction] = ppa
            transactions.bytes[transaction] = size
            self.scheduler.submit(transaction)
        return True

    @cfunc
    def place_in_part(self, transaction: int, ppa: int, size: int) -> bool:
        """Place a write, if there is room, whose rest of `size` bytes is read from `ppa`; return whether there was."""
        lpa = self.transactions.lpa[transaction]
        plane = self.room.plane_for(lpa, self.transactions.stream[transaction])
        target = self.room.find(transaction, plane)
        if target < 0:
            return False
        rest = self.transactions.take(HOST, self.owner, lpa)
        transactions = self.transactions
        transactions.request[rest] = transactions.request[transaction]
        transactions.stream[rest] = transactions.stream[transaction]
        transactions.op[rest] = READ
        transactions.ppa[rest] = ppa
        transactions.bytes[rest] = size
        transactions.rest[rest] = transaction
        transactions.rest[transaction] = rest
        self.scheduler.submit(rest)
        self.writes.place_alone(transaction, target)
        self.reads.sources.copies[transactions.ppa[transaction]] = ppa
        return True

    def end_part(self, rest: int) -> int:
        """Let the write start whose rest has been read, and return its logical page."""
        transactions, data = self.transactions, self.reads.data
        transaction = transactions.rest[rest]
        transactions.rest[transaction] = transactions.rest[rest] = 0
        del self.reads.sources.copies[transactions.ppa[transaction]]
        if data is not None:
            transactions.data[transaction] = data.over(transactions.data[transaction], transactions.data[rest])
            data.queued(transactions, transaction)
        transactions.give_back(rest)
        self.scheduler.wake_for(transactions.block[transaction])
        return transactions.lpa[transaction]

    @cfunc
    def complete_data(self, transaction: int) -> None:
        """Add to a write what is new of a page what is not, from controller memory; a padded one costs no read."""
        if self.is_wanted(transaction) or not self.reads.partial.read_modify_write:
            old = self.reads.newest(self.transactions.lpa[transaction])
            self.transactions.data[transaction] = self.reads.data.over(self.transactions.data[transaction], old)
