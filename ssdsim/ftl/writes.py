# cython: infer_types=True
"""The way of a write or trim through the translation layer: its turn, its page, its program, and what follows."""

from __future__ import annotations

from collections import deque
from typing import Any

from ssdsim._core.blocks import COLLECTING
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, PROGRAM, READ, TRIM
from ssdsim._core.inlined import now
from ssdsim.ftl.admission import Admission
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.room import WriteRoom
from ssdsim.host.request import Request, WriteGroup
from ssdsim.stage import part_done


class WritePath(WriteRoom):
    """Takes page writes and trims from their admission to the flash, in the order that the host may rely on.

    A write is given its page, and mapped, when it is admitted, if it can be. Before, it may have to wait for its
    mapping, for the rest of its page to be read, for others of its row (`RowWritePath`), or for room. While a logical
    page has such a write that is not yet placed, later writes and trims of that page stand in line behind it
    (`unplaced`), so that the newest data wins. A page that is not yet programmed is read from controller memory.

    The rest of a page that is written in part is read by the write's own transaction, before it is the program. With
    `partial.on_arrival` the write is given its page and its place in the queue first, if there is room, and the read
    has a transaction of its own (`Transactions.rest`): until that is over, the page is read from where it was, and
    those in line behind the write still wait.
    """

    owner: int  # of the transactions
    unplaced: dict[int, deque[int]]  # by LPA with a write not yet placed: what stands in line behind it

    def __init__(
        self,
        admission: Admission,
        reads: ReadPath,
        page_types: PageTypeSpecifier | None,
        plane_allocation: PlaneAllocation,
        frontier: WriteFrontier,
        collector: Reclaimer,
        at_dispatch: bool,
    ) -> None:
        WriteRoom.__init__(self, reads, page_types, plane_allocation, frontier, collector, at_dispatch)
        self.owner = self.transactions.add_owner(self)
        self.admission = admission
        self.unplaced = {}

    # A write whose turn is to come.

    def specify(self, request: Request) -> None:
        """Set the page type that the write `request` is to be given; all its pages inherit it."""
        request.slowest_type = -1  # as it may be used again, without a pool
        if self.page_types is not None:
            request.page_type = self.page_types.of_request(request)

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
        transactions.version[transaction] = self.admission.began()
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
            self.begin(transaction)

    @cfunc
    def would_wait(self, lpa: int) -> bool:
        """Return whether a write of `lpa` would wait: for an earlier one that is not yet placed, or for its mapping."""
        return lpa in self.unplaced or not self.mapping.holds(lpa)

    @cfunc
    def begin(self, transaction: int) -> bool:
        """Place a write whose turn it is once its mapping is at hand; return whether it was placed at once."""
        lpa = self.transactions.lpa[transaction]
        if self.translation is None or self.translation.knows(lpa, True):
            return self.begin_mapped(transaction)
        if self.wants_rest(transaction):
            self.unplaced.setdefault(lpa, deque())
        else:
            self.park(transaction)
        self.translation.fetch(transaction)
        return False

    @cfunc
    def translated(self, transaction: int) -> None:
        """Place a write, or do a trim, now that the mapping of its logical page is at hand."""
        lpa = self.transactions.lpa[transaction]
        if self.transactions.op[transaction] == TRIM:
            self.end_trim(transaction)
            self.write_placed(lpa)
            return
        if not self.wants_rest(transaction):
            del self.reads.in_memory[lpa]
        if self.begin_mapped(transaction):
            self.write_placed(lpa)

    @cfunc
    def begin_mapped(self, transaction: int) -> bool:
        """Place a write, or read the rest of its page first; return whether it was placed at once."""
        is_part: bool = self.transactions.bytes[transaction] < self.partial.page_bytes
        if is_part and self.wants_rest(transaction) and self.read_rest(transaction):
            self.unplaced.setdefault(self.transactions.lpa[transaction], deque())
            return False
        if self.data is not None:
            self.complete_data(transaction)
        return self.place(transaction)

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
            elif not self.begin(transaction) and lpa in self.unplaced:  # else it was placed along with others
                self.unplaced[lpa] = line
                return

    # The rest of a page that is written in part.

    @cfunc
    def wants_rest(self, transaction: int) -> bool:
        """Return whether the rest of a write's page is to be read first, as far as there is any."""
        is_part: bool = self.transactions.bytes[transaction] < self.partial.page_bytes
        return is_part and (self.partial.read_modify_write or self.transactions.request[transaction] is None)

    @cfunc
    def read_rest(self, transaction: int) -> bool:
        """Read the rest of a write's page, if there is any in flash, and return whether there is."""
        transactions = self.transactions
        lpa = transactions.lpa[transaction]
        request: Request = transactions.request[transaction]
        ppa = self.mapping.lookup(lpa)
        if ppa >= 0:
            ppa = self.sources.source_of(ppa)
        size = self.partial.rest_of(lpa, transactions.bytes[transaction], request) if ppa >= 0 else 0
        if not size:
            return False
        is_alone: bool = transactions.group[transaction] is None
        if not (self.partial.on_arrival and is_alone and self.place_before_rest(transaction, ppa, size)):
            transactions.op[transaction] = READ
            transactions.ppa[transaction] = ppa
            transactions.bytes[transaction] = size
            self.scheduler.submit(transaction)
        return True

    @cfunc
    def place_before_rest(self, transaction: int, ppa: int, size: int) -> bool:
        """Place a write, if there is room, whose rest of `size` bytes is read from `ppa`; return whether there was."""
        transactions = self.transactions
        lpa = transactions.lpa[transaction]
        stream = transactions.stream[transaction]
        plane = -1 if self.at_dispatch and self.line_for(lpa, stream) else self.plane_for(lpa, stream)
        target = self.free_plane(plane, lpa)
        if target < 0:
            return False
        rest = transactions.take(HOST, self.owner, lpa)
        transactions.request[rest] = transactions.request[transaction]
        transactions.stream[rest] = stream
        transactions.op[rest] = READ
        transactions.ppa[rest] = ppa
        transactions.bytes[rest] = size
        transactions.rest[rest] = transaction
        transactions.rest[transaction] = rest
        self.scheduler.submit(rest)
        self.give_page(transaction, target, self.frontier.kind_of(lpa, HOST, stream, -1))
        self.sources.copies[transactions.ppa[transaction]] = ppa
        return True

    @cfunc
    def end_rest(self, rest: int) -> None:
        """Let the write start whose rest has been read, and those that stand in line behind it."""
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

    @cfunc
    def complete_data(self, transaction: int) -> None:
        """Add to a write the old data of its page that controller memory holds; a padded write has none."""
        if self.wants_rest(transaction) or not self.partial.read_modify_write:
            old = self.reads.newest(self.transactions.lpa[transaction])
            self.transactions.data[transaction] = self.data.over(self.transactions.data[transaction], old)

    # Placing.

    @cfunc
    def place(self, transaction: int) -> bool:
        """Give a write its page if there is room, or let it wait; return whether it was placed at once."""
        transactions = self.transactions
        lpa, stream = transactions.lpa[transaction], transactions.stream[transaction]
        plane = -1 if self.at_dispatch and self.line_for(lpa, stream) else self.plane_for(lpa, stream)
        target = self.free_plane(plane, lpa)
        if target >= 0:
            self.give_page(transaction, target, self.frontier.kind_of(lpa, HOST, stream, -1))
            return True
        transactions.queued_ns[transaction] = now(self.scheduler.env)
        self.park(transaction)
        self.wait_for_room(transaction, plane)
        return False

    @cfunc
    def page_of(self, waiting: Any) -> int:
        """Return the logical page of a write that waits for room."""
        transaction: int = waiting
        return self.transactions.lpa[transaction]

    @cfunc
    def stream_of(self, waiting: Any) -> int:
        """Return the stream of a write."""
        transaction: int = waiting
        return self.transactions.stream[transaction]

    @cfunc
    def place_waiting(self, waiting: Any, plane: int) -> None:
        """Place a write that has waited for room."""
        transactions = self.transactions
        transaction: int = waiting
        lpa, stream = transactions.lpa[transaction], transactions.stream[transaction]
        del self.reads.in_memory[lpa]
        waited_ns: int = now(self.scheduler.env) - transactions.queued_ns[transaction]
        transactions.gc_ns[transaction] += waited_ns
        transactions.urgent_gc_ns[transaction] += waited_ns
        self.give_page(transaction, plane, self.frontier.kind_of(lpa, HOST, stream, -1))
        self.write_placed(lpa)

    @cfunc
    def dispatch(self, waiting: Any, plane: int) -> None:
        """Place a write that has waited for a die; it might have had room before."""
        transaction: int = waiting
        now_ns: int = now(self.scheduler.env)
        self.transactions.line_ns[transaction] = now_ns - self.transactions.queued_ns[transaction]
        self.transactions.queued_ns[transaction] = now_ns
        self.place_waiting(transaction, plane)

    # Trimming.

    def trim(self, request: Request, lpa: int) -> None:
        """Forget `lpa`, after the writes of it that came before."""
        version = self.admission.number()
        stands_in_line: bool = lpa in self.unplaced
        if not stands_in_line and (self.translation is None or self.translation.knows(lpa, True)):
            self.unmap(lpa, version)
            part_done(request)
            return
        transaction = self.transactions.take(HOST, self.owner, lpa)
        self.transactions.request[transaction] = request
        self.transactions.op[transaction] = TRIM
        self.transactions.version[transaction] = version
        self.reads.trims[lpa] = version
        if stands_in_line:
            self.unplaced[lpa].append(transaction)
        else:
            self.unplaced[lpa] = deque()
            self.translation.fetch(transaction)

    @cfunc
    def end_trim(self, transaction: int) -> None:
        """Do a trim that stood in line, and count it as done."""
        lpa = self.transactions.lpa[transaction]
        version = self.transactions.version[transaction]
        request: Request = self.transactions.request[transaction]
        request.mapping_ns = self.transactions.mapping_ns[transaction]
        if self.reads.trims[lpa] == version:  # else a newer one stands in line
            del self.reads.trims[lpa]
        self.unmap(lpa, version)
        self.transactions.give_back(transaction)
        part_done(request)

    @cfunc
    def unmap(self, lpa: int, version: int) -> None:
        """Do the trim `version` of `lpa`: map it to nothing."""
        before = self.mapping.update(lpa, -1) if self.translation is None else self.translation.map(lpa, -1)
        if before >= 0:
            self.plane_allocation.trimmed(before)
        self.drop(before, -1)
        if self.contents is not None:
            self.contents.unmap(lpa, version)
            self.contents.acknowledge(lpa, version)

    # What comes back from the flash.

    @cfunc
    def transferred(self, transaction: int) -> None:
        """Complete a write whose data is on the chip."""
        request: Request = self.transactions.request[transaction]
        if request is None or request.fua:
            return
        if self.contents is not None:
            self.contents.acknowledge(self.transactions.lpa[transaction], self.transactions.version[transaction])
        part_done(self.transactions.hand_over(transaction))

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
        if transactions.before[transaction] >= 0:
            self.release(self.blocks.block_of(transactions.before[transaction]))
        self.collector.write_done(transactions.plane[transaction])
        if transactions.request[transaction] is not None:
            part_done(transactions.hand_over(transaction))
        self.admission.programmed(version)
        transactions.give_back(transaction)

    @cfunc
    def release(self, block: int) -> None:
        """Let `block` be erased as far as a write is concerned that took the place of data there."""
        self.blocks.remove_reader(block)
        if self.blocks.state(block) == COLLECTING and self.blocks.may_erase(block):
            self.scheduler.wake_for(block)

    # The same without flash timing.

    def write_now(self, request: Request, lpa: int) -> None:
        """Write a whole page of `lpa`, a part of `request`, at once, and collect its plane as far as wanted."""
        if self.translation is not None:
            self.translation.access_now(lpa, True)
        wanted_plane = self.plane_for(lpa, request.stream)
        plane = -1 if wanted_plane < 0 else self.plane_with_room(wanted_plane, lpa)
        if plane < 0:
            plane = self.plane_after_collection(wanted_plane, lpa, request.stream)
        version = self.admission.number()
        kind = self.frontier.kind_of(lpa, HOST, request.stream, -1)
        image = None
        if self.data is not None and request.data is not None:  # before FAST gives the page its own place
            image = self.data.over(request.data.get(lpa), self.reads.newest(lpa))
        wanted = request.page_type
        if wanted < 0:
            wanted = self.type_by_page(request, kind, plane)
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

    def trim_now(self, lpa: int) -> None:
        """Unmap `lpa` at once."""
        if self.translation is not None:
            self.translation.access_now(lpa, True)
        self.unmap(lpa, self.admission.number())
