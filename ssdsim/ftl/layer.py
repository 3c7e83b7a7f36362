# cython: infer_types=True
"""The flash translation layer: requests become transactions, in an order that the host may rely on."""

from __future__ import annotations

from collections import deque
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, HOST, PROGRAM, READ, TRIM, WRITE
from ssdsim._core.inlined import now
from ssdsim.flash.port import Transactions
from ssdsim.ftl.admission import Admission
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.mapping.translation import TranslationPages
from ssdsim.ftl.padding import WordlinePadding
from ssdsim.ftl.partial import PartialPages
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.rest import RestReads
from ssdsim.ftl.room import WriteRoom
from ssdsim.ftl.rows import RowWrites
from ssdsim.ftl.writes import PageWrites
from ssdsim.host.request import Request, WriteGroup
from ssdsim.stage import Stage, WriteOwner, part_done


@final
class WriteOrder(WriteOwner):
    """Keeps the order of writes and trims of one page, on their way from the mapping to the flash.

    A write is given its page, and mapped, when it is admitted, if it can be. Before, it may have to wait for its
    mapping, for the rest of its page to be read, for others of its row, or for room. While a logical page has such a
    write that is not yet placed, later writes and trims of that page stand in line behind it (`unplaced`), so that the
    newest data wins. A page that is not yet programmed is read from controller memory. Those in line behind one that is
    placed before its rest is read (`RestReads`) still wait for that.
    """

    transactions: Transactions
    owner: int  # of the transactions
    translation: TranslationPages | None
    rows: RowWrites | None  # None where pages are written one by one
    unplaced: dict[int, deque[int]]  # by LPA with a write not yet placed: what stands in line behind it

    def __init__(
        self, admission: Admission, reads: ReadPath, room: WriteRoom, writes: PageWrites, rows: RowWrites | None
    ) -> None:
        self.transactions = reads.transactions
        self.owner = self.transactions.add_owner(self)
        self.translation = reads.translation
        self.admission = admission
        self.reads = reads
        self.rest = RestReads(self.owner, reads, room, writes)
        self.room = room
        self.writes = writes
        self.rows = rows
        self.unplaced = {}

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
        if not (self.unplaced and self.stands_in_line(transaction)):
            self.begin_write(transaction)

    def stands_in_line(self, transaction: int) -> bool:
        """Put `transaction` in line if an earlier write of its page is not yet placed, and return whether it is."""
        line = self.unplaced.get(self.transactions.lpa[transaction])
        if line is None:
            return False
        line.append(transaction)
        return True

    @cfunc
    def would_wait(self, lpa: int) -> bool:
        """Return whether a write of `lpa` would wait: for an earlier one that is not yet placed, or for its mapping."""
        return lpa in self.unplaced or not self.reads.mapping.holds(lpa)

    @cfunc
    def begin_write(self, transaction: int) -> bool:
        """Go on with a write whose turn it is once its mapping is at hand; return whether it was placed at once."""
        lpa = self.transactions.lpa[transaction]
        if self.translation is None or self.translation.knows(lpa):
            return self.begin_mapped(transaction)
        if self.rest.is_wanted(transaction):
            self.unplaced.setdefault(lpa, deque())
        else:
            self.park(transaction)
        self.translation.fetch(transaction)
        return False

    @cfunc
    def park(self, transaction: int) -> None:
        """Keep a write, whole in controller memory, until it can be placed."""
        self.unplaced.setdefault(self.transactions.lpa[transaction], deque())
        self.reads.hold(transaction)

    @cfunc
    def translated(self, transaction: int) -> None:
        """Go on with a write or trim, now that the mapping of its logical page is at hand."""
        lpa = self.transactions.lpa[transaction]
        if self.transactions.op[transaction] == TRIM:
            self.end_trim(transaction)
            self.write_placed(lpa)
            return
        if not self.rest.is_wanted(transaction):
            self.reads.let_go(lpa)
        if self.begin_mapped(transaction):
            self.write_placed(lpa)

    @cfunc
    def begin_mapped(self, transaction: int) -> bool:
        """Place a write, or read the rest of its page first; return whether it was placed at once."""
        if self.rest.is_wanted(transaction) and self.rest.read(transaction):
            self.unplaced.setdefault(self.transactions.lpa[transaction], deque())
            return False
        if self.reads.data is not None:
            self.rest.complete_data(transaction)
        return self.place(transaction)

    def place(self, transaction: int) -> bool:
        """Give a write its page if there is room, or let it wait; return whether it was placed on its own."""
        if self.transactions.group[transaction] is not None:
            self.park(transaction)
            self.rows.gather(transaction)
            return False
        plane = self.room.plane_for(self.transactions.lpa[transaction], self.transactions.stream[transaction])
        target = self.room.find(transaction, plane)
        if target >= 0:
            self.writes.place_alone(transaction, target)
            return True
        self.transactions.queued_ns[transaction] = now(self.reads.scheduler.env)
        self.park(transaction)
        self.room.wait(transaction, plane)
        return False

    def space_freed(self, unit: int) -> None:
        """Place the writes that have waited for room in `unit`; pages of the mapping table come first."""
        if self.translation is not None:
            self.translation.space_freed(unit)
        self.room.space_freed(unit)

    @cfunc
    def write_placed(self, lpa: int) -> None:
        """Go on with what stands in line behind a write of `lpa` that has now been placed."""
        transaction: int
        line = self.unplaced.pop(lpa)
        while line:
            transaction = line.popleft()
            if self.transactions.op[transaction] == TRIM:
                self.end_trim(transaction)
            elif not self.begin_write(transaction) and lpa in self.unplaced:  # else it was placed along with others
                self.unplaced[lpa] = line
                return

    # Trimming.

    def trim(self, request: Request, lpa: int) -> None:
        """Forget `lpa`, after the writes of it that came before."""
        version = self.admission.number()
        stands_in_line: bool = lpa in self.unplaced
        if not stands_in_line and (self.translation is None or self.translation.knows(lpa)):
            self.writes.unmap(lpa, version)
            part_done(request)
            return
        transaction = self.transactions.take(HOST, self.owner, lpa)
        self.transactions.request[transaction] = request
        self.transactions.op[transaction] = TRIM
        self.transactions.version[transaction] = version
        self.reads.hide(lpa, version)
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
        self.reads.show(lpa, version)
        self.writes.unmap(lpa, version)
        self.transactions.give_back(transaction)
        part_done(request)

    # What comes back from the flash.

    @cfunc
    def transferred(self, transaction: int) -> None:
        """Complete a write whose data is on the chip."""
        request: Request = self.transactions.request[transaction]
        if request is None or request.fua:
            return
        self.writes.acknowledge(transaction)
        part_done(self.transactions.hand_over(transaction))

    def done(self, transaction: int) -> None:
        """Complete a page write, or go on with one whose rest has been read."""
        transactions = self.transactions
        if transactions.op[transaction] == READ:
            if transactions.rest[transaction]:
                self.write_placed(self.rest.end_part(transaction))
            elif self.place(transaction):
                self.write_placed(transactions.lpa[transaction])
            return
        self.writes.programmed(transaction)
        if transactions.request[transaction] is not None:
            part_done(transactions.hand_over(transaction))
        self.admission.programmed(transactions.version[transaction])
        transactions.give_back(transaction)


@final
class FlashTranslationLayer(Stage):
    """Splits requests into pages, whose order of writes and trims `order` keeps.

    Its parts do the rest: `reads` answers reads, `admission` numbers writes and answers flushes, `room` finds the plane
    of a write, `writes` gives it its page; `rows`, or None, has writes wait for others of their row; `translation`, or
    None, brings the mapping of a page from flash; `partial` knows what a page stores that was written in part.
    """

    page_bytes: int
    mapping: PageMapping
    translation: TranslationPages | None
    partial: PartialPages
    rows: RowWrites | None  # None where pages are written one by one
    padding: WordlinePadding | None  # None where they are programmed one by one
    together: int  # logical pages that are always written together

    def __init__(
        self, admission: Admission, reads: ReadPath, room: WriteRoom, writes: PageWrites, rows: RowWrites | None
    ) -> None:
        self.page_bytes = reads.partial.page_bytes
        self.mapping = reads.mapping
        self.translation = reads.translation
        self.partial = reads.partial
        self.admission = admission
        self.reads = reads
        self.room = room
        self.writes = writes
        self.rows = rows
        self.order = WriteOrder(admission, reads, room, writes, rows)
        self.padding = None
        self.together = 1 if rows is None else rows.super_page
        writes.bind(self.order)
        if rows is not None:
            rows.bind(self.order, self.order.owner)
        room.bind(writes if rows is None else rows)

    def submit(self, request: Request) -> None:
        """Split `request` into pages and start them; unaligned ends touch parts of pages."""
        if request.op == FLUSH:
            self.admission.flush(request)
            if self.padding is not None:
                self.padding.flush()
            return
        lpa: int
        first: int = request.offset_bytes // self.page_bytes
        last: int = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        request.remaining = last - first + 2  # one more, so that it cannot complete before all are started
        if request.op == WRITE:
            self.writes.specify(request)
            if self.together > 1 and request.group is None:
                self.write_together(request, first, last)
            else:
                for lpa in range(first, last + 1):
                    self.order.write(request, lpa, request.bytes_of(lpa, self.page_bytes), request.group)
        elif request.op == READ:
            for lpa in range(first, last + 1):
                self.reads.read(request, lpa, request.bytes_of(lpa, self.page_bytes))
        else:
            for lpa in range(first, last + 1):
                self.trim(request, lpa)
        part_done(request)

    def write_together(self, request: Request, first: int, last: int) -> None:
        """Write pages `first` to `last` in super pages, and the rest of these as it is."""
        for number in range(first // self.together, last // self.together + 1):
            group = WriteGroup(self.together)
            for lpa in range(number * self.together, (number + 1) * self.together):
                if first <= lpa <= last:
                    self.order.write(request, lpa, request.bytes_of(lpa, self.page_bytes), group)
                else:
                    self.order.write(None, lpa, 0, group)

    def trim(self, request: Request, lpa: int) -> None:
        """Forget `lpa` if `request` covers the whole of it, and of its super page; a part of that stays as it is."""
        start = lpa // self.together * self.together * self.page_bytes
        end = start + self.together * self.page_bytes
        if start < request.offset_bytes or request.offset_bytes + request.size_bytes < end:
            part_done(request)
        else:
            self.order.trim(request, lpa)

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds, wherever that is; it takes no time, and changes nothing."""
        return self.reads.newest(lpa)

    # The same without flash timing.

    def write_now(self, request: Request, lpa: int) -> None:
        """Write a whole page of `lpa`, a part of `request`, at once, and collect its plane as far as wanted."""
        if self.translation is not None:
            self.translation.access_now(lpa)
        target = self.room.now(lpa, request.stream)
        self.writes.place_now(request, lpa, self.admission.number(), target)

    def read_now(self, request: Request, lpa: int) -> None:
        """Read `lpa`, a part of `request`, at once."""
        self.reads.read_now(request, lpa)

    def trim_now(self, lpa: int) -> None:
        """Unmap `lpa` at once."""
        if self.translation is not None:
            self.translation.access_now(lpa)
        self.writes.unmap(lpa, self.admission.number())
