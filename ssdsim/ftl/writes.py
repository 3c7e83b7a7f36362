# cython: infer_types=True
"""The way of a write through the translation layer: its turn, its page, its program, and what follows."""

from __future__ import annotations

from collections import deque
from typing import Any

from ssdsim._core.blocks import COLLECTING
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, PROGRAM, READ, TRIM
from ssdsim._core.inlined import now
from ssdsim.errors import SimulationError
from ssdsim.flash.port import PageData
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.separation import Hotness
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.partial import PartialPages
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.waiting import WaitingWrites
from ssdsim.host.request import Request, WriteGroup


class WritePath(WaitingWrites):
    """Takes page writes from their admission to the flash, in the order that the host may rely on.

    A write is given its page, and mapped, as it is admitted, if it can be. Before, it may have to wait for its mapping,
    for the rest of its page to be read, for others of its row (`RowWritePath`), or for room or a free die.
    """

    evictions: Any  # from the write buffer, where rows are written and there is one (`ssdsim.buffer.evictions`)
    page_bytes: int
    partial: PartialPages
    page_types: PageTypeSpecifier | None  # None where page types are not specified
    hotness: Hotness | None  # None where hot and cold data are not told apart
    data: PageData | None  # of all pages, where integrity is checked
    activity: Reclaimer | None  # is told of page writes, where collection waits for idle time
    # Pages written:
    host_page_writes: int
    specified: int  # with a type specified
    as_specified: int  # of those, with that type
    filled_pages: int  # along with others, as they were
    padded_pages: int  # along with others, with nothing

    def __init__(
        self,
        reads: ReadPath,
        page_types: PageTypeSpecifier | None,
        plane_allocation: PlaneAllocation,
        frontier: WriteFrontier,
    ) -> None:
        WaitingWrites.__init__(self, reads, plane_allocation, frontier)
        self.evictions = self.activity = None
        self.partial = reads.partial
        self.page_bytes = reads.partial.page_bytes
        self.page_types = page_types
        self.hotness = frontier.separation.hotness
        self.data = reads.data
        self.host_page_writes = self.specified = self.as_specified = self.filled_pages = self.padded_pages = 0

    # Its turn.

    def write(self, request: Request, lpa: int, size: int, group: WriteGroup) -> None:
        """Write `size` bytes of `lpa` for `request`, along with the rest of `group` if there is one.

        Without a request the page is written as it is, and 0 bytes are new: all that is stored of it is read first.
        """
        transactions = self.transactions
        transaction = transactions.take(HOST, self.owner, PROGRAM, lpa, -1, size)
        transactions.request[transaction] = request
        if group is not None:
            transactions.group[transaction] = group
        self.version += 1
        self.writes_in_flight += 1
        if self.activity is not None:
            self.activity.began()
        transactions.version[transaction] = self.version
        if request is None:
            transactions.request_number[transaction] = -2
        else:
            transactions.request_number[transaction] = request.id
            transactions.stream[transaction] = request.stream
            if request.data is not None:
                transactions.data[transaction] = request.data.get(lpa)
        if self.unplaced and lpa in self.unplaced:
            self.unplaced[lpa].append(transaction)
        else:
            self.begin(transaction, False)

    @cfunc
    def begin(self, transaction: int, is_mapped: bool) -> bool:
        """Place a write once its mapping and the rest of its page are at hand; return whether that is at once."""
        lpa = self.transactions.lpa[transaction]
        needs_rest: bool = self.transactions.bytes[transaction] < self.page_bytes and (
            self.partial.read_modify_write or self.transactions.request[transaction] is None
        )
        if self.translation is not None and not is_mapped and not self.translation.knows(lpa, True):
            if needs_rest:
                self.unplaced.setdefault(lpa, deque())
            else:
                self.park(transaction)
            self.translation.fetch(transaction)
            return False
        if needs_rest and self.read_rest(transaction):
            self.unplaced.setdefault(lpa, deque())
            return False
        if self.data is not None and (needs_rest or not self.partial.read_modify_write):
            # the old data of its page that controller memory holds; a padded write has none
            image = self.transactions.data[transaction]
            self.transactions.data[transaction] = self.data.over(image, self.reads.newest(lpa))
        return self.place(transaction)

    @cfunc
    def park(self, transaction: int) -> None:
        """Keep a write, whole in controller memory, where reads find it, until it can be placed."""
        lpa = self.transactions.lpa[transaction]
        self.unplaced.setdefault(lpa, deque())
        self.reads.in_memory[lpa] = transaction

    @cfunc
    def translated(self, transaction: int) -> None:
        """Place a write, or do a trim, now that the mapping of its logical page is at hand."""
        lpa = self.transactions.lpa[transaction]
        if self.transactions.op[transaction] == TRIM:
            self.end_trim(transaction)
            self.write_placed(lpa)
            return
        self.reads.in_memory.pop(lpa, None)
        if self.begin(transaction, True):
            self.write_placed(lpa)

    @cfunc
    def write_placed(self, lpa: int) -> None:
        """Begin the writes and trims that stand in line behind a write of `lpa` that has now been placed."""
        transaction: int
        line = self.unplaced.pop(lpa)
        while line:
            transaction = line.popleft()
            if self.transactions.op[transaction] == TRIM:
                self.end_trim(transaction)
            elif not self.begin(transaction, False) and lpa in self.unplaced:  # else it was placed along with others
                self.unplaced[lpa] = line
                return

    # The rest of a page that is written in part. The write's own transaction reads it, before it is the program.

    @cfunc
    def read_rest(self, transaction: int) -> bool:
        """Read the rest of a write's page, if there is any in flash, and return whether there is.

        With `partial.on_arrival` the write is given its page and its place in the queue first, if there is room, and
        the read is a transaction of its own (`Transactions.rest`). Until that is over the page is read from where it
        was, and those in line behind the write still wait.
        """
        transactions = self.transactions
        lpa = transactions.lpa[transaction]
        request: Request = transactions.request[transaction]
        ppa = self.table.get(lpa)
        ppa = self.collector.source_of(ppa) if ppa >= 0 else -1
        size = self.partial.rest_of(lpa, transactions.bytes[transaction], request) if ppa >= 0 else 0
        if not size:
            return False
        rest, target = transaction, -1
        if self.partial.on_arrival and transactions.group[transaction] is None:
            target = self.target_of(lpa, transactions.stream[transaction])
        if target >= 0:
            rest = transactions.take(HOST, self.owner, READ, lpa, ppa, size)
            transactions.request[rest] = request
            transactions.stream[rest] = transactions.stream[transaction]
            transactions.rest[rest] = transaction
            transactions.rest[transaction] = rest
        transactions.op[rest] = READ
        transactions.ppa[rest] = ppa
        transactions.bytes[rest] = size
        self.scheduler.submit(rest)
        if target >= 0:
            self.give_page(transaction, target, -1)
            self.collector.copies[transactions.ppa[transaction]] = ppa
        return True

    @cfunc
    def end_rest(self, rest: int) -> None:
        """Start the write whose rest has been read, and those that stand in line behind it."""
        transactions = self.transactions
        transaction = transactions.rest[rest]
        transactions.rest[transaction] = transactions.rest[rest] = 0
        del self.collector.copies[transactions.ppa[transaction]]
        if self.data is not None:
            transactions.data[transaction] = self.data.over(transactions.data[transaction], transactions.data[rest])
            self.data.queued(transactions, transaction)
        transactions.give_back(rest)
        self.scheduler.wake_for(transactions.block[transaction])
        self.write_placed(transactions.lpa[transaction])

    # Its plane and page.

    @cfunc
    def place(self, transaction: int) -> bool:
        """Give a write its page if there is room, else queue it for room; return whether it was placed at once."""
        lpa, stream = self.transactions.lpa[transaction], self.transactions.stream[transaction]
        self.allocated = -1
        target = -1 if self.has_lines and self.line_for(lpa, stream) else self.target_of(lpa, stream)
        if target >= 0:
            self.give_page(transaction, target, -1)
            return True
        self.transactions.queued_ns[transaction] = now(self.scheduler.env)
        self.park(transaction)
        self.wait_for_room(transaction)
        return False

    @cfunc
    def target_of(self, lpa: int, stream: int) -> int:
        """Return the plane that a write can go to now, if none waits there, or -1; note that which it is allocated."""
        self.allocated = self.plane_for(lpa, stream)
        if self.allocated < 0 or self.waiting[self.allocated // self.span]:
            return -1
        return self.plane_with_room(self.allocated, lpa)

    @cfunc
    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane that the plane allocation names; raise `SimulationError` if there is no such plane."""
        plane = self.plane_allocation.plane_for(lpa, stream)
        if plane >= self.blocks.planes:
            raise SimulationError(f"the plane allocation chose plane {plane} of {self.blocks.planes}.")
        return plane

    @cfunc
    def plane_with_room(self, plane: int, lpa: int) -> int:
        """Return `plane` if it has room for `lpa`, or one that is collected with it and may stand in, or -1."""
        if not self.frontier.has_room(plane):
            return self.collector.stand_in(plane)
        return -1 if self.collector.may_hold and self.collector.must_wait(plane, lpa) else plane

    @cfunc
    def place_first(self, line: deque[int], plane: int) -> None:
        """Place the first writes of a line, as far as it goes: in `plane`, or where they are allocated (-1)."""
        transaction: int
        while line:
            transaction = line[0]
            lpa, stream = self.page_of(transaction), self.transactions.stream[transaction]
            target = self.plane_with_room(plane, lpa) if plane >= 0 else self.target_of(lpa, stream)
            if target < 0:
                return
            line.popleft()
            self.place_waiting(transaction, target)

    @cfunc
    def place_waiting(self, transaction: int, plane: int) -> None:
        """Place a write that has waited in `plane`, which has room by now."""
        transactions = self.transactions
        lpa = transactions.lpa[transaction]
        del self.reads.in_memory[lpa]
        waited_ns: int = now(self.scheduler.env) - transactions.queued_ns[transaction]
        if self.has_lines:  # it might have had room before
            transactions.line_ns[transaction] = waited_ns
        else:
            transactions.gc_ns[transaction] += waited_ns
            transactions.urgent_gc_ns[transaction] += waited_ns
        self.give_page(transaction, plane, -1)
        self.write_placed(lpa)

    @cfunc
    def give_page(self, transaction: int, plane: int, kind: int) -> None:
        """Give a write the next page of `plane` for the `kind` of its row (-1: of its data), and issue its program."""
        transactions = self.transactions
        lpa = transactions.lpa[transaction]
        if kind < 0:
            kind = self.frontier.host_kind
        if kind < 0:
            kind = self.frontier.kind_of(lpa, HOST, transactions.stream[transaction], -1)
        request: Request = transactions.request[transaction]
        if request is None:
            ppa = self.frontier.allocate(plane, kind, lpa, transactions.page_type[transaction])
            self.filled_pages += 1
        else:
            wanted = request.page_type if request.page_type >= 0 else self.type_by_page(request, kind, plane)
            ppa = self.hand_out(request, plane, kind, lpa, wanted)
            if self.page_types is not None:
                transactions.specified_type[transaction] = wanted
        transactions.kind[transaction] = kind
        before = self.table.swap(lpa, ppa)
        if self.contents is not None:
            version = transactions.version[transaction]
            if request is None:
                version = self.contents.unmapped[lpa] if before < 0 else self.contents.get(before)
            self.contents.put(ppa, version)
        if before >= 0:
            transactions.before[transaction] = before
            self.blocks.add_reader(self.blocks.block_of(before))
            if self.hotness is not None:
                self.hotness.updated(lpa, now(self.scheduler.env))
        transactions.op[transaction] = PROGRAM
        transactions.ppa[transaction] = ppa
        size = transactions.bytes[transaction]
        transactions.bytes[transaction] = self.page_bytes
        if self.partial.matters:
            transactions.bytes[transaction] = self.partial.keep(request, lpa, size, before)
        # A page may wait for others of its wordline, which a collection may have padded: then that is begun later.
        collects_first: bool = self.collector.starts_before_write and self.scheduler.wordlines is None
        if not collects_first:
            self.scheduler.submit(transaction)
        if self.translation is not None:
            self.translation.changed(lpa, ppa, True)
        if before >= 0:
            self.drop(before, self.keeps_plane)
        self.collector.writer = transaction
        self.collector.consider(plane)
        self.collector.writer = -1
        if collects_first:
            self.scheduler.submit(transaction)

    @cfunc
    def type_by_page(self, request: Request, kind: int, plane: int) -> int:
        """Return the type wanted for a page in `plane`; a scheme that decides by the page is asked once a row."""
        wanted = self.frontier.row_type(plane // self.span, kind)
        return self.page_types.of_page(request, plane) if wanted < 0 else wanted

    @cfunc
    def hand_out(self, request: Request, plane: int, kind: int, lpa: int, wanted: int) -> int:
        """Hand out a page for a write of `request`, if possible of the type `wanted`, and count it."""
        ppa = self.frontier.allocate(plane, kind, lpa, wanted)
        self.host_page_writes += 1
        request.slowest_type = max(request.slowest_type, self.blocks.given_type)
        if self.page_types is not None:
            self.specified += 1
            self.as_specified += self.blocks.given_type == wanted
        return ppa

    def write_now(self, request: Request, lpa: int) -> None:
        """Write a whole page of `lpa`, a part of `request`, without flash timing, and collect as far as wanted."""
        if self.translation is not None:
            self.translation.knows(lpa, True)
        plane = self.target_of(lpa, request.stream)
        if plane < 0:  # what a fill left free may have gone to pages of the mapping table
            self.ask_for_room()
            was_named: bool = self.allocated >= 0
            plane = self.plane_with_room(self.allocated, lpa) if was_named else self.target_of(lpa, request.stream)
        if plane < 0:
            raise SimulationError(f"logical page {lpa}: no plane that it may go to has room, nor anything to collect.")
        self.version += 1
        image = None
        if self.data is not None and request.data is not None:
            image = self.data.over(request.data.get(lpa), self.reads.newest(lpa))
        kind = self.frontier.kind_of(lpa, HOST, request.stream, -1)
        wanted = request.page_type if request.page_type >= 0 else self.type_by_page(request, kind, plane)
        ppa = self.hand_out(request, plane, kind, lpa, wanted)
        if self.contents is not None:
            self.contents.put(ppa, self.version)
            self.contents.make_durable(lpa, self.version)
            self.contents.acknowledge(lpa, self.version)
        self.collector.instant.program(HOST, ppa, image)
        before = self.table.swap(lpa, ppa)
        if self.translation is not None:
            self.translation.changed(lpa, ppa, True)
        if before >= 0:
            if self.hotness is not None:
                self.hotness.updated(lpa, 0)
            self.drop(before, self.keeps_plane)
        self.collector.consider(plane)

    # What comes back from the flash.

    @cfunc
    def transferred(self, transaction: int) -> None:
        """Complete a write whose data is on the chip."""
        request: Request = self.transactions.request[transaction]
        if request is None or request.fua:
            return
        if self.contents is not None:
            self.contents.acknowledge(self.transactions.lpa[transaction], self.transactions.version[transaction])
        self.transactions.hand_over(transaction).part_done()

    def done(self, transaction: int) -> None:
        """Complete a page write, or place one whose rest has been read."""
        transactions = self.transactions
        if transactions.op[transaction] == READ:
            if transactions.rest[transaction]:
                self.end_rest(transaction)
            elif self.place(transaction):
                self.write_placed(transactions.lpa[transaction])
            return
        lpa, version = transactions.lpa[transaction], transactions.version[transaction]
        if self.contents is not None and self.contents.get(transactions.ppa[transaction]) == version:  # else a fill
            self.contents.make_durable(lpa, version)
            self.contents.acknowledge(lpa, version)
        if transactions.before[transaction] >= 0:  # as far as this write is concerned its old block may be erased
            block = self.blocks.block_of(transactions.before[transaction])
            self.blocks.remove_reader(block)
            if self.blocks.state(block) == COLLECTING and self.blocks.may_erase(block):
                self.scheduler.wake_for(block)
        self.collector.write_done(transactions.plane[transaction])
        if self.collector.holds_cause and self.collector.holds_back(transaction):
            transactions.before[transaction] = -1
            return
        if transactions.request[transaction] is not None:
            transactions.hand_over(transaction).part_done()
        self.writes_in_flight -= 1
        if self.activity is not None:
            self.activity.ended()
        if self.flushes:
            self.count_for_flushes(version)
        transactions.give_back(transaction)
