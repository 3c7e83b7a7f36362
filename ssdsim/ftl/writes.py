# cython: infer_types=True
"""How a write is given its page, and what follows: the mapping, the program, collection."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.blocks import COLLECTING, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, PROGRAM
from ssdsim._core.inlined import now
from ssdsim.check.data import PageData
from ssdsim.flash.port import Contents, Transaction, TransactionSchedulingUnit
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
from ssdsim.stage import Stage


@final
class PageWrites(Placer):
    """Gives writes pages of planes that have room, one by one, and has them programmed.

    Shares the mapping with `reads`, and planes, frontier and collector with `room`; `page_types`, or None, says types.

    Is given writes whose turn it is: whole, with their mapping at hand (`ssdsim.ftl.layer`). Owes them a page of the
    type that is specified, a mapping, a program, and that the block of the page they take the place of is not erased
    before they are in flash; owes the collector word of every plane whose data changes, and the layer word of those
    that had to wait for room (`write_placed`).
    """

    env: Any
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
    layer: Stage
    contents: Contents | None  # where integrity is checked or power may be lost
    data: PageData | None  # of all pages, where integrity is checked
    page_bytes: int
    untimed: Transaction  # the write at hand, where no time passes
    specified: int  # page writes with a type specified
    as_specified: int  # page writes that got the type specified
    filled_pages: int  # pages written along with others as they were
    padded_pages: int  # pages written along with others with nothing

    def __init__(self, reads: ReadPath, room: WriteRoom, page_types: PageTypeSpecifier | None) -> None:
        self.env = self.scheduler = self.layer = None
        self.reads = reads
        self.blocks = reads.blocks
        self.mapping = reads.mapping
        self.translation = reads.translation
        self.partial = reads.partial
        self.plane_allocation = room.plane_allocation
        self.keeps_plane = room.keeps_plane
        self.frontier = room.frontier
        self.collector = room.collector
        self.page_types = page_types
        self.hotness = room.frontier.separation.hotness
        self.contents = self.data = None
        self.page_bytes = reads.partial.page_bytes
        self.untimed = Transaction()
        self.specified = self.as_specified = 0
        self.filled_pages = self.padded_pages = 0
        self.host_page_writes = 0

    def bind(self, env: Any, scheduler: TransactionSchedulingUnit, layer: Stage) -> None:
        """Receive the clock, the back end and who asks for writes, before the first timed request."""
        self.env = env
        self.scheduler = scheduler
        self.layer = layer

    def specify(self, request: Request) -> None:
        """Set the page type that the write `request` is to be given; all its pages inherit it."""
        request.slowest_type = -1  # as it may be used again, without a pool
        if self.page_types is not None:
            request.page_type = self.page_types.of_request(request)

    # Placing.

    def page_of(self, waiting: Any) -> int:
        """Return the logical page of a write that waits for room."""
        transaction: Transaction = waiting
        return transaction.lpa

    def place_waiting(self, waiting: Any, plane: int) -> None:
        """Place a write that has waited for room."""
        transaction: Transaction = waiting
        self.reads.let_go(transaction)
        waited_ns: int = now(self.env) - transaction.queued_ns
        transaction.gc_ns += waited_ns
        transaction.urgent_gc_ns += waited_ns
        self.place_alone(transaction, plane)
        self.layer.write_placed(transaction.lpa)

    def dispatch(self, waiting: Any, plane: int) -> None:
        """Place a write that has waited for a die; it might have had room before."""
        transaction: Transaction = waiting
        transaction.line_ns = now(self.env) - transaction.queued_ns
        transaction.queued_ns = now(self.env)
        self.place_waiting(transaction, plane)

    @cfunc
    def place_alone(self, transaction: Transaction, plane: int) -> None:
        """Place a write among data of its own kind."""
        transaction.kind = self.frontier.kind_of(transaction)
        self.place(transaction, plane)

    def place(self, transaction: Transaction, plane: int) -> None:
        """Give a write, whose kind is settled, the next page of `plane`, map it there, and issue its program.

        Collection is called for after that, or before where it `starts_before_write`.
        """
        ppa = self.allocate(transaction, plane)
        if self.contents is not None:
            version = transaction.version if transaction.request is not None else self.reads.held(transaction.lpa)
            self.contents.put(ppa, transaction.lpa, version)
        before = self.map(transaction.lpa, ppa)
        if before >= 0:
            transaction.before = before
            self.blocks.add_reader(self.blocks.block_of(before))
            if self.hotness is not None:
                self.hotness.updated(transaction.lpa, now(self.env))
        if self.collector.starts_before_write:
            self.drop(before, plane)
            self.program(transaction, ppa)
        else:
            self.program(transaction, ppa)
            self.drop(before, plane)

    def map(self, lpa: int, ppa: int) -> int:
        """Map `lpa` to `ppa`, or to nothing if that is -1, and return where it lay before."""
        return self.mapping.update(lpa, ppa) if self.translation is None else self.translation.map(lpa, ppa)

    @cfunc
    def type_wanted(self, transaction: Transaction, plane: int) -> int:
        """Return the type of page wanted for a write in `plane`; a scheme that decides by the page is asked once a row.

        What is written as it is wants none, and keeps what it was told.
        """
        request: Request = transaction.request
        if request is None:
            return transaction.page_type
        wanted = request.page_type
        if wanted < 0:  # BY_PAGE
            wanted = self.frontier.rows.page_type(plane, transaction.kind)
        return self.page_types.of_page(request, plane) if wanted < 0 else wanted

    def allocate(self, transaction: Transaction, plane: int) -> int:
        """Hand out a page of `plane` for a write, whose kind is settled, and return its PPA.

        Raise `SimulationError` if the plane has none left for that kind; `Room` has seen to it that it has.
        """
        request: Request = transaction.request
        wanted = self.type_wanted(transaction, plane)
        transaction.page_type = wanted
        ppa = self.frontier.allocate(plane, transaction)
        if request is None:
            self.filled_pages += 1
            return ppa
        self.host_page_writes += 1
        page_type = self.blocks.given_type
        if page_type > request.slowest_type:
            request.slowest_type = page_type
        if self.page_types is not None:
            self.specified += 1
            transaction.specified_type = wanted
            self.as_specified += page_type == wanted
        return ppa

    def pad(self, transaction: Transaction, plane: int) -> None:
        """Have a page of `plane` programmed with nothing, to complete a row of the host's: of its kind and type."""
        ppa = self.frontier.allocate(plane, transaction)
        self.blocks.invalidate(ppa)
        self.program(transaction, ppa)
        self.padded_pages += 1

    def program(self, transaction: Transaction, ppa: int) -> None:
        """Issue the program of a page."""
        transaction.op = PROGRAM
        transaction.ppa = ppa
        transaction.bytes = self.page_bytes
        if self.partial.matters:
            self.partial.keep(transaction)
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

    def acknowledge(self, transaction: Transaction) -> None:
        """Record that the host is told that a page is written."""
        if self.contents is not None:
            self.contents.acknowledge(transaction.lpa, transaction.version)

    def programmed(self, transaction: Transaction) -> None:
        """Record that a page is in flash."""
        if self.contents is not None and self.contents.get(transaction.ppa) == transaction.version:  # else a fill
            self.contents.make_durable(transaction.lpa, transaction.version)
            self.contents.acknowledge(transaction.lpa, transaction.version)
        if transaction.before >= 0:
            self.release(self.blocks.block_of(transaction.before))
        self.collector.write_done(transaction.plane)

    def release(self, block: int) -> None:
        """Let `block` be erased as far as a write is concerned that took the place of data there."""
        self.blocks.remove_reader(block)
        if self.blocks.state(block) == COLLECTING and self.blocks.may_erase(block):
            self.scheduler.wake_for(block)

    # The same without flash timing.

    @cfunc
    def place_now(self, request: Request, lpa: int, version: int, plane: int) -> None:
        """Write a whole page of `lpa`, a part of `request`, to `plane` at once, and collect as far as wanted."""
        self.untimed.source = HOST
        self.untimed.request = request
        self.untimed.stream = request.stream
        self.untimed.lpa = lpa
        self.untimed.kind = self.frontier.kind_of(self.untimed)
        image = None
        if self.data is not None and request.data is not None:  # before FAST gives the page its own place
            image = self.data.over(request.data.get(lpa), self.reads.newest(lpa))
        ppa = self.allocate(self.untimed, plane)
        if self.contents is not None:
            self.contents.put(ppa, lpa, version)
            self.contents.make_durable(lpa, version)
            self.contents.acknowledge(lpa, version)
        self.collector.instant.program(HOST, ppa, image)
        before = self.mapping.update(lpa, ppa)
        if self.hotness is not None and before >= 0:
            self.hotness.updated(lpa, 0)
        self.drop(before, plane)
