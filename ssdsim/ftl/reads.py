# cython: infer_types=True
"""The way of a read through the translation layer, up to its completion."""

from __future__ import annotations

from functools import partial
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, READ
from ssdsim._core.either_kernel import call_later
from ssdsim._core.table import IndexTable
from ssdsim.config import SimulationConfig
from ssdsim.flash.port import Contents, PageData, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.ftl.partial import PartialPages
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.host.request import Request
from ssdsim.stage import TransactionOwner


@final
class ReadPath(TransactionOwner):
    """Answers reads from flash, from controller memory, or along with another read of the same page.

    Writes put here what is newer than flash: those that are whole `in_memory` and not yet placed, and the newest of the
    `trims` that stand in line, before which nothing is read any more.
    """

    table: IndexTable  # where each logical page lies
    translation: MapAccess | None
    collector: Reclaimer  # which knows where pages lie that are being copied
    partial: PartialPages
    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    owner: int  # of the transactions
    contents: Contents | None  # where integrity is checked or power may be lost
    data: PageData | None  # of all pages, where integrity is checked
    coalesced_ns: int  # after which a coalesced read is answered; -1: there are none
    reading: dict[int, int]  # by PPA: the newest read issued, where reads are coalesced
    in_memory: dict[int, int]  # by LPA: the write, whole in controller memory, that is not yet placed
    trims: dict[int, int]  # by LPA: the version of the newest trim that stands in line

    def __init__(self, translation: MapAccess | None, collector: Reclaimer, config: SimulationConfig) -> None:
        self.scheduler = collector.scheduler
        self.transactions = collector.transactions
        self.owner = self.transactions.add_owner(self)
        self.table = collector.mapping.table
        self.translation = translation
        self.partial = PartialPages(config)
        self.collector = collector
        self.contents = collector.contents
        self.data = None if self.contents is None else self.contents.data
        coalesced_us = config.flash.coalesced_read_us
        self.coalesced_ns = -1 if coalesced_us is None else round(coalesced_us * 1000)
        self.reading = {}
        self.in_memory = {}
        self.trims = {}
        self.memory_reads = self.unmapped_reads = self.coalesced_reads = 0

    # Reading.

    def read(self, request: Request, lpa: int, size: int) -> None:
        """Read `size` bytes of `lpa`, once its mapping is at hand."""
        if self.trims and lpa in self.trims:
            self.unmapped_reads += 1
            if request.data is not None:
                self.give_data(request, lpa, self.data.empty)
            request.part_done()
        elif self.in_memory and lpa in self.in_memory:
            self.memory_reads += 1
            self.answer(request, lpa)
        else:
            transactions = self.transactions
            transaction = transactions.take(HOST, self.owner, READ, lpa, -1, size)
            transactions.request[transaction] = request
            transactions.stream[transaction] = request.stream
            if self.translation is None or self.translation.knows(lpa, False):
                self.read_mapped(transaction, request, lpa)
            else:
                self.translation.fetch(transaction)

    def read_mapped(self, transaction: int, request: Request, lpa: int) -> None:
        """Read `lpa`, whose mapping is at hand, for `request`, from flash if that is where the data is."""
        transactions = self.transactions
        mapped: int = self.table.get(lpa)
        ppa = -1 if mapped < 0 else self.collector.source_of(mapped)
        if ppa >= 0 and (self.coalesced_ns < 0 or not self.joins(request, lpa, ppa)):
            transactions.ppa[transaction] = ppa
            if self.partial.reads_stored:
                transactions.bytes[transaction] = self.partial.bytes_read(lpa)
            if self.coalesced_ns >= 0:
                transactions.data_start_ns[transaction] = -1
                self.reading[ppa] = transaction
            self.scheduler.submit(transaction)
            return
        transactions.give_back(transaction)
        if ppa < 0:
            self.unmapped_reads += mapped < 0
            self.memory_reads += mapped >= 0
            self.answer(request, lpa)

    def answer(self, request: Request, lpa: int) -> None:
        """Count a part of a read as done that needs no flash."""
        if request.data is not None:
            self.give_data(request, lpa, self.newest(lpa))
        request.part_done()

    def joins(self, request: Request, lpa: int, ppa: int) -> bool:
        """Answer a read along with another whose data is not on its way yet, and return whether there is one."""
        other: int = self.reading.get(ppa, 0)
        if not other or self.transactions.data_start_ns[other] >= 0:
            return False
        self.coalesced_reads += 1
        if request.data is not None:
            self.give_data(request, lpa, self.data.sense(ppa))
        call_later(self.scheduler.env, self.coalesced_ns, partial(self.joined, request))
        return True

    def joined(self, request: Request, event: Any) -> None:
        """Count a coalesced read as done."""
        request.part_done()

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds, wherever that is; it takes no time, and changes nothing."""
        ppa = self.table.get(lpa)
        ppa = self.collector.copies.get(ppa, ppa)
        placed = self.data.empty if ppa < 0 else self.data.at(ppa)
        waiting: int = self.in_memory.get(lpa, 0)
        return self.data.over(self.transactions.data[waiting], placed) if waiting else placed

    def give_data(self, request: Request, lpa: int, image: Any) -> None:
        """Answer a read of `lpa` with `image`, but for what the write buffer has answered."""
        request.data[lpa] = self.data.over(request.data.get(lpa), image)

    @cfunc
    def translated(self, transaction: int) -> None:
        """Do a read, now that the mapping of its logical page is at hand."""
        request: Request = self.transactions.request[transaction]
        request.needed_no_flash(self.transactions.mapping_ns[transaction], 0)
        self.read_mapped(transaction, request, self.transactions.lpa[transaction])

    def done(self, transaction: int) -> None:
        """Answer a read with what was found in flash."""
        transactions = self.transactions
        if self.coalesced_ns >= 0 and self.reading.get(transactions.ppa[transaction]) == transaction:
            del self.reading[transactions.ppa[transaction]]
        request = transactions.hand_over(transaction)
        if request.data is not None:
            self.give_data(request, transactions.lpa[transaction], transactions.data[transaction])
        request.part_done()
        transactions.give_back(transaction)
