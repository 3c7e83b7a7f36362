# cython: infer_types=True
"""The way of a write or trim through the translation layer: its turn, its page, its program, and what follows."""

from __future__ import annotations

from collections import deque
from typing import Any

from ssdsim._core.blocks import COLLECTING, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, PROGRAM, READ, TRIM
from ssdsim._core.inlined import now
from ssdsim._core.table import IndexTable
from ssdsim.errors import SimulationError
from ssdsim.flash.port import Contents, PageData, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.hotness import Hotness
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.partial import PartialPages
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.reclaim.collector import Collector
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.sources import PageSources
from ssdsim.host.request import Request, WriteGroup
from ssdsim.stage import Stage, WriteOwner


class WritePath(WriteOwner):
    """Takes page writes and trims from their admission to the flash, in the order that the host may rely on.

    A write is given its page, and mapped, as it is admitted, if it can be. Before, it may have to wait for its mapping,
    for the rest of its page to be read, for others of its row (`RowWritePath`), or for room or a free die. Meanwhile
    later writes and trims of its logical page stand in line behind it (`unplaced`), so that the newest data wins.
    """

    super_page: int  # logical pages that are always written together
    evictions: Any  # from the write buffer, where rows are written and there is one (`ssdsim.buffer.evictions`)
    owner: int  # of the transactions
    transactions: Transactions
    scheduler: TransactionSchedulingUnit
    blocks: Blocks
    span: int  # planes of a unit
    page_bytes: int
    reads: ReadPath
    mapping: PageMapping
    table: IndexTable | None  # of a mapping that is nothing else
    translation: MapAccess | None  # None where the whole mapping is in controller memory
    partial: PartialPages
    sources: PageSources
    page_types: PageTypeSpecifier | None  # None where page types are not specified
    keeps_plane: bool  # a write has to go to the plane that it was allocated
    allocated: int  # the plane that the write at hand was allocated, or -1
    host_kind: int  # that all data of the host is of, or -1 if the frontier is asked
    hotness: Hotness | None  # None where hot and cold data are not told apart
    contents: Contents | None  # where integrity is checked or power may be lost
    data: PageData | None  # of all pages, where integrity is checked
    activity: Collector | None  # is told of page writes, where collection waits for idle time
    version: int  # of the last page write or trim admitted: they are numbered from 1
    writes_in_flight: int  # page writes admitted and not yet programmed
    flushes: list[tuple[int, Request]]  # those under way: the last version before each, and its request
    unplaced: dict[int, deque[int]]  # by LPA with a write not yet placed: what stands in line behind it
    waiting: list[deque[Any]]  # by unit, and last for any: writes or rows that wait for room
    has_lines: bool  # a write that the plane allocation names no plane for waits in one of the `lines`
    lines: list[deque[Any]]  # by `PlaneAllocation.line_of`: writes or rows that wait for a die
    # Pages written:
    host_page_writes: int
    specified: int  # with a type specified
    as_specified: int  # of those, with that type
    filled_pages: int  # along with others, as they were
    padded_pages: int  # along with others, with nothing

    observes = ("idle",)

    def __init__(
        self,
        reads: ReadPath,
        page_types: PageTypeSpecifier | None,
        plane_allocation: PlaneAllocation,
        frontier: WriteFrontier,
        collector: Reclaimer,
        has_lines: bool,
        super_page: int,
    ) -> None:
        self.super_page = super_page
        self.evictions = None
        self.reads = reads
        self.mapping = reads.mapping
        self.table = self.mapping.table if type(self.mapping) is PageMapping else None
        self.translation = reads.translation
        self.partial = reads.partial
        self.page_bytes = reads.partial.page_bytes
        self.sources = reads.sources
        self.contents = reads.contents
        self.data = reads.data
        self.scheduler = reads.scheduler
        self.transactions = reads.transactions
        self.owner = self.transactions.add_owner(self)
        self.blocks = reads.scheduler.blocks
        self.span = self.blocks.span
        self.page_types = page_types
        self.plane_allocation = plane_allocation
        self.keeps_plane = plane_allocation.keeps_plane
        self.allocated = -1
        self.frontier = frontier
        self.host_kind = frontier.host_kind
        self.hotness = frontier.separation.hotness
        self.collector = collector
        self.activity = None
        self.version = self.writes_in_flight = 0
        self.flushes = []
        self.unplaced = {}
        self.waiting = [deque() for _ in range(self.blocks.units + 1)]
        self.has_lines = has_lines
        self.lines = []
        self.host_page_writes = self.specified = self.as_specified = self.filled_pages = self.padded_pages = 0

    # Its turn.

    def write(self, request: Request, lpa: int, size: int, group: WriteGroup) -> None:
        """Write `size` bytes of `lpa` for `request`, along with the rest of `group` if there is one.

        Without a request the page is written as it is, and 0 bytes are new: all that is stored of it is read first.
        It waits where it has no room, as any other does; no request is told when it is programmed.
        """
        transactions = self.transactions
        transaction = transactions.take(HOST, self.owner, lpa)
        transactions.request[transaction] = request
        if group is not None:
            transactions.group[transaction] = group
        transactions.op[transaction] = PROGRAM
        transactions.bytes[transaction] = size
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
    def would_wait(self, lpa: int) -> bool:
        """Return whether a write of `lpa` would wait: for an earlier one that is not yet placed, or for its mapping."""
        return lpa in self.unplaced or not self.mapping.holds(lpa)

    @cfunc
    def begin(self, transaction: int, is_mapped: bool) -> bool:
        """Place a write whose turn it is, once its mapping and the rest of its page are at hand.

        Return whether it was placed at once.
        """
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
            images = self.transactions.data
            images[transaction] = self.data.over(images[transaction], self.reads.newest(lpa))
        return self.place(transaction)

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
    def park(self, transaction: int) -> None:
        """Keep a write, whole in controller memory, where reads find it, until it can be placed."""
        lpa = self.transactions.lpa[transaction]
        self.unplaced.setdefault(lpa, deque())
        self.reads.in_memory[lpa] = transaction

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
        lpa, stream = transactions.lpa[transaction], transactions.stream[transaction]
        request: Request = transactions.request[transaction]
        ppa = self.mapping.lookup(lpa)
        if ppa >= 0:
            ppa = self.sources.source_of(ppa)
        size = self.partial.rest_of(lpa, transactions.bytes[transaction], request) if ppa >= 0 else 0
        if not size:
            return False
        rest, target = transaction, -1
        if self.partial.on_arrival and transactions.group[transaction] is None:
            target = self.find_plane(lpa, stream)
        if target >= 0:
            rest = transactions.take(HOST, self.owner, lpa)
            transactions.request[rest] = request
            transactions.stream[rest] = stream
            transactions.rest[rest] = transaction
            transactions.rest[transaction] = rest
        transactions.op[rest] = READ
        transactions.ppa[rest] = ppa
        transactions.bytes[rest] = size
        self.scheduler.submit(rest)
        if target >= 0:
            self.give_page(transaction, target, -1)
            self.sources.copies[transactions.ppa[transaction]] = ppa
        return True

    @cfunc
    def end_rest(self, rest: int) -> None:
        """Start the write whose rest has been read, and those that stand in line behind it."""
        transactions = self.transactions
        transaction = transactions.rest[rest]
        transactions.rest[transaction] = transactions.rest[rest] = 0
        del self.sources.copies[transactions.ppa[transaction]]
        if self.data is not None:
            transactions.data[transaction] = self.data.over(transactions.data[transaction], transactions.data[rest])
            self.data.queued(transactions, transaction)
        transactions.give_back(rest)
        self.scheduler.wake_for(transactions.block[transaction])
        self.write_placed(transactions.lpa[transaction])

    # Its plane.

    @cfunc
    def place(self, transaction: int) -> bool:
        """Give a write its page if there is room, else queue it for room; return whether it was placed at once."""
        target = self.find_plane(self.transactions.lpa[transaction], self.transactions.stream[transaction])
        if target >= 0:
            self.give_page(transaction, target, -1)
            return True
        self.transactions.queued_ns[transaction] = now(self.scheduler.env)
        self.park(transaction)
        self.wait_for_room(transaction)
        return False

    @cfunc
    def find_plane(self, lpa: int, stream: int) -> int:
        """Return the plane that a write can go to now, if none before it waits for room there, or -1.

        `allocated` is then the plane that it is allocated, or -1.
        """
        self.allocated = -1
        if not (self.has_lines and self.line_for(lpa, stream)):
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

    # Its page.

    @cfunc
    def give_page(self, transaction: int, plane: int, kind: int) -> None:
        """Give a write the next page of `plane`, map it there, and issue its program.

        It is for the `kind` of its row, or of its own data if that is -1.
        """
        transactions = self.transactions
        lpa = transactions.lpa[transaction]
        if kind < 0:
            kind = self.host_kind
            if kind < 0:
                kind = self.frontier.kind_of(lpa, HOST, transactions.stream[transaction], -1)
        request: Request = transactions.request[transaction]
        version = transactions.version[transaction]
        if request is None:
            ppa = self.frontier.allocate(plane, kind, lpa, transactions.page_type[transaction])
            self.filled_pages += 1
            if self.contents is not None:
                version = self.reads.held(lpa)
        else:
            wanted = request.page_type if request.page_type >= 0 else self.type_by_page(request, kind, plane)
            ppa = self.frontier.allocate(plane, kind, lpa, wanted)
            self.host_page_writes += 1
            request.slowest_type = max(request.slowest_type, self.blocks.given_type)
            if self.page_types is not None:
                transactions.specified_type[transaction] = wanted
                self.specified += 1
                self.as_specified += self.blocks.given_type == wanted
        transactions.kind[transaction] = kind
        if self.contents is not None:
            self.contents.put(ppa, lpa, version)
        before = self.mapping.map(lpa, ppa) if self.table is None else self.table.swap(lpa, ppa)
        if before >= 0:
            transactions.before[transaction] = before
            self.blocks.add_reader(self.blocks.block_of(before))
            if self.hotness is not None:
                self.hotness.updated(lpa, now(self.scheduler.env))
        transactions.op[transaction] = PROGRAM
        transactions.ppa[transaction] = ppa
        transactions.bytes[transaction] = self.page_bytes
        if self.partial.matters:
            transactions.bytes[transaction] = self.partial.keep(request, lpa, before)
        # A page may wait for others of its wordline, which a collection may have padded: then that is begun later.
        collects_first: bool = self.collector.starts_before_write and self.scheduler.wordlines is None
        if not collects_first:
            self.scheduler.submit(transaction)
        if before >= 0 or self.translation is not None:
            self.drop(before, self.keeps_plane)
        self.collector.consider(plane)
        if collects_first:
            self.scheduler.submit(transaction)

    @cfunc
    def type_by_page(self, request: Request, kind: int, plane: int) -> int:
        """Return the type wanted for a page in `plane`; a scheme that decides by the page is asked once a row."""
        wanted = self.frontier.row_type(plane // self.span, kind)
        return self.page_types.of_page(request, plane) if wanted < 0 else wanted

    @cfunc
    def drop(self, ppa: int, stays: bool) -> None:
        """Invalidate the old page `ppa` of a logical page, if it had one.

        Its plane may have to be collected now, unless the new data `stays` there: then that is seen to anyway.
        """
        if self.translation is not None:
            self.translation.settle()
        if ppa >= 0:
            self.blocks.invalidate(ppa)
            if not stays:
                self.collector.consider(self.blocks.plane_of(self.blocks.block_of(ppa)))

    # Waiting for room or for a die.

    @cfunc
    def page_of(self, waiting: Any) -> int:
        """Return the logical page that room is looked for, of a write or row that would be placed now."""
        transaction: int = waiting
        return self.transactions.lpa[transaction]

    @cfunc
    def stream_of(self, waiting: Any) -> int:
        """Return the stream of a write or row, -1 for none."""
        transaction: int = waiting
        return self.transactions.stream[transaction]

    @cfunc
    def place_waiting(self, waiting: Any, plane: int) -> None:
        """Place a write or row that has waited in `plane`, which has room by now."""
        transactions = self.transactions
        transaction: int = waiting
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
    def wait_for_room(self, write: Any) -> None:
        """Queue a write or row for a die, or for room in the plane it is allocated, or in any if another will do."""
        if self.has_lines:
            self.line_for(self.page_of(write), self.stream_of(write)).append(write)
            return
        is_bound = self.allocated >= 0 and self.keeps_plane
        self.waiting[self.allocated // self.span if is_bound else self.blocks.units].append(write)
        self.ask_for_room(self.allocated)

    @cfunc
    def ask_for_room(self, plane: int) -> None:
        """Ask collection for room in `plane`, or in all planes if that is -1."""
        if plane >= 0:
            self.collector.consider(plane)
            return
        for unit in range(self.blocks.units):
            self.collector.consider(unit * self.span)

    def space_freed(self, unit: int) -> None:
        """Place pages of the mapping table that have waited for room in `unit`, and then writes, oldest first."""
        if self.translation is not None:
            self.translation.space_freed(unit)
        plane = unit * self.span
        for line in (self.waiting[unit], self.waiting[self.blocks.units]):
            while line:
                target = self.plane_with_room(plane, self.page_of(line[0]))
                if target < 0:
                    break
                self.place_waiting(line.popleft(), target)
        self.place_lines()

    @cfunc
    def line_for(self, lpa: int, stream: int) -> deque[Any]:
        """Return the line that writes of `stream` for `lpa` wait in for a die."""
        number = self.plane_allocation.line_of(lpa, stream)
        while number >= len(self.lines):
            self.lines.append(deque())
        return self.lines[number]

    def idle(self, die: int) -> None:
        """Look through the lines again, as `die` looks for work."""
        self.place_lines()

    @cfunc
    def place_lines(self) -> None:
        """Place the writes that wait in line for a die, oldest first, as far as it goes."""
        for line in self.lines:
            while line:
                lpa = self.page_of(line[0])
                plane = self.plane_for(lpa, self.stream_of(line[0]))
                target = -1 if plane < 0 else self.plane_with_room(plane, lpa)
                if target < 0:
                    break
                self.place_waiting(line.popleft(), target)

    def what_waits(self) -> list[str]:
        """Return a phrase for each unit that writes wait for, and why they do."""
        blocks, phrases = self.blocks, []
        for unit, queue in enumerate(self.waiting):
            if queue and unit < blocks.units:
                phrases.append(
                    f"{len(queue)} writes wait for room in plane {unit * blocks.span}, which has "
                    f"{blocks.free_blocks(unit)} free blocks and {blocks.dead_pages(unit)} dead pages"
                )
            elif queue:
                phrases.append(f"{len(queue)} writes wait for room in any plane")
        if in_line := sum(map(len, self.lines)):
            phrases.append(f"{in_line} writes wait for a die that is free and has room")
        return phrases

    # Trims and flushes.

    def trim(self, request: Request, lpa: int) -> None:
        """Forget `lpa`, after the writes of it that came before."""
        self.version += 1
        stands_in_line: bool = lpa in self.unplaced
        if not stands_in_line and (self.translation is None or self.translation.knows(lpa, True)):
            self.unmap(lpa, self.version)
            request.part_done()
            return
        transaction = self.transactions.take(HOST, self.owner, lpa)
        self.transactions.request[transaction] = request
        self.transactions.op[transaction] = TRIM
        self.transactions.version[transaction] = self.version
        self.reads.trims[lpa] = self.version
        if stands_in_line:
            self.unplaced[lpa].append(transaction)
        else:
            self.unplaced[lpa] = deque()
            self.translation.fetch(transaction)

    @cfunc
    def end_trim(self, transaction: int) -> None:
        """Unmap the page of a trim that stood in line, and count that as done."""
        lpa = self.transactions.lpa[transaction]
        version = self.transactions.version[transaction]
        request: Request = self.transactions.request[transaction]
        request.mapping_ns = self.transactions.mapping_ns[transaction]
        if self.reads.trims[lpa] == version:  # else a newer one stands in line
            del self.reads.trims[lpa]
        self.unmap(lpa, version)
        self.transactions.give_back(transaction)
        request.part_done()

    @cfunc
    def unmap(self, lpa: int, version: int) -> None:
        """Map `lpa` to nothing, by the trim `version`."""
        before = self.mapping.map(lpa, -1)
        if before >= 0:
            self.plane_allocation.trimmed(before)
        self.drop(before, False)
        if self.contents is not None:
            self.contents.unmap(lpa, version)
            self.contents.acknowledge(lpa, version)

    def flush(self, request: Request) -> None:
        """Complete the flush `request` when every page write admitted before it is programmed."""
        request.remaining = self.writes_in_flight
        if request.remaining:
            self.flushes.append((self.version, request))
        else:
            owner: Stage = request.owner
            owner.completed(request)

    @cfunc
    def count_for_flushes(self, version: int) -> None:
        """Count a page write as done for the flushes that were admitted after it."""
        for flush in list(self.flushes):
            request: Request = flush[1]
            if version <= flush[0]:
                if request.remaining == 1:
                    self.flushes.remove(flush)
                request.part_done()

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
        if transactions.request[transaction] is not None:
            transactions.hand_over(transaction).part_done()
        self.writes_in_flight -= 1
        if self.activity is not None:
            self.activity.ended()
        if self.flushes:
            self.count_for_flushes(version)
        transactions.give_back(transaction)

    # The same without flash timing.

    def write_now(self, request: Request, lpa: int) -> None:
        """Write a whole page of `lpa`, a part of `request`, at once, and collect its plane as far as wanted."""
        if self.translation is not None:
            self.translation.access_now(lpa, True)
        wanted_plane = self.plane_for(lpa, request.stream)
        plane = -1 if wanted_plane < 0 else self.plane_with_room(wanted_plane, lpa)
        if plane < 0:  # what a fill left free may have gone to pages of the mapping table
            self.ask_for_room(wanted_plane)
            wanted_plane = self.plane_for(lpa, request.stream) if wanted_plane < 0 else wanted_plane
            plane = -1 if wanted_plane < 0 else self.plane_with_room(wanted_plane, lpa)
        if plane < 0:
            raise SimulationError(f"logical page {lpa}: no plane that it may go to has room, nor anything to collect.")
        self.version += 1
        kind = self.host_kind if self.host_kind >= 0 else self.frontier.kind_of(lpa, HOST, request.stream, -1)
        image = None
        if self.data is not None and request.data is not None:  # before FAST gives the page its own place
            image = self.data.over(request.data.get(lpa), self.reads.newest(lpa))
        wanted = request.page_type if request.page_type >= 0 else self.type_by_page(request, kind, plane)
        ppa = self.frontier.allocate(plane, kind, lpa, wanted)
        self.host_page_writes += 1
        request.slowest_type = max(request.slowest_type, self.blocks.given_type)
        if self.page_types is not None:
            self.specified += 1
            self.as_specified += self.blocks.given_type == wanted
        if self.contents is not None:
            self.contents.put(ppa, lpa, self.version)
            self.contents.make_durable(lpa, self.version)
            self.contents.acknowledge(lpa, self.version)
        self.collector.instant.program(HOST, ppa, image)
        before = self.mapping.update(lpa, ppa)
        if self.hotness is not None and before >= 0:
            self.hotness.updated(lpa, 0)
        self.drop(before, self.keeps_plane)
        self.collector.consider(plane)

    def trim_now(self, lpa: int) -> None:
        """Unmap `lpa` at once."""
        if self.translation is not None:
            self.translation.access_now(lpa, True)
        self.version += 1
        self.unmap(lpa, self.version)
