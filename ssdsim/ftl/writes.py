# cython: infer_types=True
"""How a write is given its page, and what follows: the mapping, the program, collection."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.blocks import COLLECTING, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, PROGRAM
from ssdsim._core.inlined import now
from ssdsim.flash.port import Contents, PageData, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.hotness import Hotness
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.mapping.translation import TranslationPages
from ssdsim.ftl.page_type.specifier import PageTypeSpecifier
from ssdsim.ftl.partial import PartialPages
from ssdsim.ftl.plane_allocation.interface import PlaneAllocation
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.room import Placer, WriteRoom
from ssdsim.host.request import Request
from ssdsim.stage import WriteOwner


@final
class PageWrites(Placer):
    """Gives writes pages of planes that have room, one by one, and has them programmed.

    Shares the mapping with `reads`, and planes, frontier and collector with `room`; `page_types`, or None, says types.

    Is given writes whose turn it is: whole, with their mapping at hand (`ssdsim.ftl.layer`). Owes them a page of the
    type that is specified, a mapping, a program, and that the block of the page they take the place of is not erased
    before they are in flash; owes the collector word of every plane whose data changes, and the order word of those
    that had to wait for room (`write_placed`).
    """

    blocks: Blocks
    mapping: PageMapping
    translation: TranslationPages | None
    plane_allocation: PlaneAllocation
    keeps_plane: bool  # new data goes where the old is
    frontier: WriteFrontier
    collector: Reclaimer
    page_types: PageTypeSpecifier | None  # None where page types are not specified
    hotness: Hotness | None  # None where hot and cold data are not told apart
    partial: PartialPages
    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    order: WriteOwner
    contents: Contents | None  # where integrity is checked or power may be lost
    data: PageData | None  # of all pages, where integrity is checked
    page_bytes: int
    specified: int  # page writes with a type specified
    as_specified: int  # page writes that got the type specified
    filled_pages: int  # pages written along with others as they were
    padded_pages: int  # pages written along with others with nothing

    def __init__(self, reads: ReadPath, room: WriteRoom, page_types: PageTypeSpecifier | None) -> None:
        self.order = None
        self.reads = reads
        self.scheduler = reads.scheduler
        self.transactions = reads.transactions
        self.blocks = room.blocks
        self.mapping = reads.mapping
        self.translation = reads.translation
        self.partial = reads.partial
        self.plane_allocation = room.plane_allocation
        self.keeps_plane = room.keeps_plane
        self.frontier = room.frontier
        self.collector = room.collector
        self.page_types = page_types
        self.hotness = room.frontier.separation.hotness
        self.contents = reads.contents
        self.data = reads.data
        self.page_bytes = reads.partial.page_bytes
        self.specified = self.as_specified = 0
        self.filled_pages = self.padded_pages = 0
        self.host_page_writes = 0

    def bind(self, order: WriteOwner) -> None:
        """Receive the owner of the writes, which knows this (a circle)."""
        self.order = order

    def specify(self, request: Request) -> None:
        """Set the page type that the write `request` is to be given; all its pages inherit it."""
        request.slowest_type = -1  # as it may be used again, without a pool
        if self.page_types is not None:
            request.page_type = self.page_types.of_request(request)

    # Placing.

    def page_of(self, waiting: Any) -> int:
        """Return the logical page of a write that waits for room."""
        transaction: int = waiting
        return self.transactions.lpa[transaction]

    def stream_of(self, waiting: Any) -> int:
        """Return the stream of a write."""
        transaction: int = waiting
        return self.transactions.stream[transaction]

    def place_waiting(self, waiting: Any, plane: int) -> None:
        """Place a write that has waited for room."""
        transactions = self.transactions
        transaction: int = waiting
        self.reads.let_go(transactions.lpa[transaction])
        waited_ns: int = now(self.scheduler.env) - transactions.queued_ns[transaction]
        transactions.gc_ns[transaction] += waited_ns
        transactions.urgent_gc_ns[transaction] += waited_ns
        self.place_alone(transaction, plane)
        self.order.write_placed(transactions.lpa[transaction])

    def dispatch(self, waiting: Any, plane: int) -> None:
        """Place a write that has waited for a die; it might have had room before."""
        transaction: int = waiting
        now_ns: int = now(self.scheduler.env)
        self.transactions.line_ns[transaction] = now_ns - self.transactions.queued_ns[transaction]
        self.transactions.queued_ns[transaction] = now_ns
        self.place_waiting(transaction, plane)

    @cfunc
    def place_alone(self, transaction: int, plane: int) -> None:
        """Place a write among data of its own kind."""
        self.transactions.kind[transaction] = self.kind_of(transaction)
        self.place(transaction, plane)

    def kind_of(self, transaction: int) -> int:
        """Return the kind of a write's data."""
        transactions = self.transactions
        return self.frontier.kind_of(transactions.lpa[transaction], HOST, transactions.stream[transaction], -1)

    def place(self, transaction: int, plane: int) -> None:
        """Give a write, whose kind is settled, the next page of `plane`, map it there, and issue its program.

        Collection is called for after that, or before where it `starts_before_write`. It never is before where the page
        waits for others of its wordline, as a collection may have these padded.
        """
        transactions = self.transactions
        lpa = transactions.lpa[transaction]
        kind = transactions.kind[transaction]
        request: Request = transactions.request[transaction]
        wanted = self.type_wanted(request, kind, plane) if request is not None else transactions.page_type[transaction]
        ppa = self.frontier.allocate(plane, kind, lpa, wanted)
        if request is None:
            self.filled_pages += 1
        elif self.count_written(request, wanted):
            transactions.specified_type[transaction] = wanted
        if self.contents is not None:
            version = transactions.version[transaction] if request is not None else self.reads.held(lpa)
            self.contents.put(ppa, lpa, version)
        before = self.map(lpa, ppa)
        if before >= 0:
            transactions.before[transaction] = before
            self.blocks.add_reader(self.blocks.block_of(before))
            if self.hotness is not None:
                self.hotness.updated(lpa, now(self.scheduler.env))
        if self.collector.starts_before_write and self.scheduler.wordlines is None:
            self.drop(before, plane)
            self.program(transaction, ppa)
        else:
            self.program(transaction, ppa)
            self.drop(before, plane)

    def map(self, lpa: int, ppa: int) -> int:
        """Map `lpa` to `ppa`, or to nothing if that is -1, and return where it lay before."""
        return self.mapping.update(lpa, ppa) if self.translation is None else self.translation.map(lpa, ppa)

    @cfunc
    def type_wanted(self, request: Request, kind: int, plane: int) -> int:
        """Return the type wanted for a write in `plane`; a scheme that decides by the page is asked once a row."""
        wanted = request.page_type
        if wanted < 0:  # BY_PAGE
            wanted = self.frontier.rows.page_type(plane, kind)
        return self.page_types.of_page(request, plane) if wanted < 0 else wanted

    @cfunc
    def count_written(self, request: Request, wanted: int) -> bool:
        """Count the page that was handed out last, to a write of the host's; return whether its type was specified."""
        self.host_page_writes += 1
        page_type = self.blocks.given_type
        if page_type > request.slowest_type:
            request.slowest_type = page_type
        if self.page_types is None:
            return False
        self.specified += 1
        self.as_specified += page_type == wanted
        return True

    def pad(self, transaction: int, plane: int) -> None:
        """Have a page of `plane` programmed with nothing, to complete a row of the host's: of its kind and type."""
        transactions = self.transactions
        kind = transactions.kind[transaction]
        ppa = self.frontier.allocate(plane, kind, -1, transactions.page_type[transaction])
        self.blocks.invalidate(ppa)
        self.program(transaction, ppa)
        self.padded_pages += 1

    def program(self, transaction: int, ppa: int) -> None:
        """Issue the program of a page."""
        transactions = self.transactions
        transactions.op[transaction] = PROGRAM
        transactions.ppa[transaction] = ppa
        if self.partial.matters:
            request: Request = transactions.request[transaction]
            lpa = transactions.lpa[transaction]
            transactions.bytes[transaction] = self.partial.keep(request, lpa, transactions.before[transaction])
        else:
            transactions.bytes[transaction] = self.page_bytes
        self.scheduler.submit(transaction)

    def drop(self, ppa: int, written_plane: int) -> None:
        """Invalidate the old page `ppa` of a logical page, if it had one, and see whether collection is now wanted.

        `written_plane` is where its new data went, or -1.
        """
        if self.translation is not None:
            self.translation.settle()
        if ppa >= 0:
            self.blocks.invalidate(ppa)
            if written_plane < 0 or not self.keeps_plane:
                self.collector.consider(self.blocks.plane_of(self.blocks.block_of(ppa)))
        if written_plane >= 0:
            self.collector.consider(written_plane)

    def unmap(self, lpa: int, version: int) -> None:
        """Do the trim `version` of `lpa`: map it to nothing."""
        before = self.map(lpa, -1)
        if before >= 0:
            self.plane_allocation.trimmed(before)
        self.drop(before, -1)
        if self.contents is not None:
            self.contents.unmap(lpa, version)
            self.contents.acknowledge(lpa, version)

    # What comes back from the flash.

    def acknowledge(self, transaction: int) -> None:
        """Record that the host is told that a page is written."""
        if self.contents is not None:
            self.contents.acknowledge(self.transactions.lpa[transaction], self.transactions.version[transaction])

    def programmed(self, transaction: int) -> None:
        """Record that a page is in flash."""
        transactions = self.transactions
        if self.contents is not None:
            version = transactions.version[transaction]
            if self.contents.get(transactions.ppa[transaction]) == version:  # else a fill
                self.contents.make_durable(transactions.lpa[transaction], version)
                self.contents.acknowledge(transactions.lpa[transaction], version)
        if transactions.before[transaction] >= 0:
            self.release(self.blocks.block_of(transactions.before[transaction]))
        self.collector.write_done(transactions.plane[transaction])

    def release(self, block: int) -> None:
        """Let `block` be erased as far as a write is concerned that took the place of data there."""
        self.blocks.remove_reader(block)
        if self.blocks.state(block) == COLLECTING and self.blocks.may_erase(block):
            self.scheduler.wake_for(block)

    # The same without flash timing.

    @cfunc
    def place_now(self, request: Request, lpa: int, version: int, plane: int) -> None:
        """Write a whole page of `lpa`, a part of `request`, to `plane` at once, and collect as far as wanted."""
        kind = self.frontier.kind_of(lpa, HOST, request.stream, -1)
        image = None
        if self.data is not None and request.data is not None:  # before FAST gives the page its own place
            image = self.data.over(request.data.get(lpa), self.reads.newest(lpa))
        wanted = self.type_wanted(request, kind, plane)
        ppa = self.frontier.allocate(plane, kind, lpa, wanted)
        self.count_written(request, wanted)
        if self.contents is not None:
            self.contents.put(ppa, lpa, version)
            self.contents.make_durable(lpa, version)
            self.contents.acknowledge(lpa, version)
        self.collector.instant.program(HOST, ppa, image)
        before = self.mapping.update(lpa, ppa)
        if self.hotness is not None and before >= 0:
            self.hotness.updated(lpa, 0)
        self.drop(before, plane)
