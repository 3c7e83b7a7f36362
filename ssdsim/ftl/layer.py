# cython: infer_types=True
"""The flash translation layer: requests become transactions, in an order that the host may rely on."""

from __future__ import annotations

from collections import deque
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, HOST, PROGRAM, READ, TRIM, WRITE
from ssdsim._core.inlined import now
from ssdsim.flash.port import Contents, PageData, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.admission import Admission
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.mapping.translation import TranslationPages
from ssdsim.ftl.partial import PartialPages
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.room import WriteRoom
from ssdsim.ftl.rows import RowWrites
from ssdsim.ftl.writes import PageWrites
from ssdsim.host.request import Request, WriteGroup
from ssdsim.stage import Stage


@final
class FlashTranslationLayer(Stage):
    """Splits requests into pages, and keeps the order of writes and trims of one page.

    Its parts do the rest: `reads` answers reads, `admission` numbers writes and answers flushes, `room` finds the plane
    of a write, `writes` gives it its page; `rows`, or None, has writes wait for others of their row; `translation`, or
    None, brings the mapping of a page from flash; `partial` knows what a page stores that was written in part.

    A write is given its page, and mapped, when it is admitted, if it can be. Before, it may have to wait for its
    mapping, for the rest of its page to be read, for others of its row, or for room. While a logical page has such a
    write that is not yet placed, later writes and trims of that page stand in line behind it (`unplaced`), so that the
    newest data wins. A page that is not yet programmed is read from controller memory.

    With `partial.on_arrival` a write of part of a page is given its page and its place in the queue before the rest of
    it is read, if there is room, and is programmed when it is whole. Those in line behind it still wait for that, and
    until then its page is read from where it was.
    """

    env: Any
    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    owner: int  # of the transactions
    page_bytes: int
    mapping: PageMapping
    translation: TranslationPages | None
    partial: PartialPages
    rows: RowWrites | None  # None where pages are written one by one
    together: int  # logical pages that are always written together
    unplaced: dict[int, deque[int]]  # by LPA with a write not yet placed: what stands in line behind it
    contents: Contents | None  # where integrity is checked or power may be lost
    data: PageData | None  # of all pages, where integrity is checked

    def __init__(
        self, admission: Admission, reads: ReadPath, room: WriteRoom, writes: PageWrites, rows: RowWrites | None
    ) -> None:
        self.env = self.scheduler = self.transactions = None
        self.owner = 0
        self.page_bytes = reads.partial.page_bytes
        self.mapping = reads.mapping
        self.translation = reads.translation
        self.partial = reads.partial
        self.admission = admission
        self.reads = reads
        self.room = room
        self.writes = writes
        self.rows = rows
        self.together = 1 if rows is None else rows.super_page
        self.unplaced = {}
        self.contents = self.data = None
        room.bind(writes if rows is None else rows)

    def follow(self, contents: Contents | None, data: PageData | None) -> None:
        """Keep books of what is written, and of the data itself (`ssdsim.flash`), from here on, where given."""
        self.contents = self.reads.contents = self.writes.contents = contents
        self.data = self.reads.data = self.writes.data = data

    def bind(self, env: Any, scheduler: TransactionSchedulingUnit) -> None:
        """Receive the clock and the back end, before the first timed request."""
        self.env = env
        self.scheduler = scheduler
        self.transactions = scheduler.transactions
        self.owner = self.transactions.add_owner(self)
        self.reads.bind(env, scheduler)
        self.writes.bind(env, scheduler, self)
        if self.rows is not None:
            self.rows.bind(env, self.transactions, self, self.owner)

    def submit(self, request: Request) -> None:
        """Split `request` into pages and start them; unaligned ends touch parts of pages."""
        if request.op == FLUSH:
            self.admission.flush(request)
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
                    self.write(request, lpa, request.bytes_of(lpa, self.page_bytes), request.group)
        elif request.op == READ:
            for lpa in range(first, last + 1):
                self.reads.read(request, lpa, request.bytes_of(lpa, self.page_bytes))
        else:
            for lpa in range(first, last + 1):
                self.trim(request, lpa)
        self.part_done(request)

    def write_together(self, request: Request, first: int, last: int) -> None:
        """Write pages `first` to `last` in super pages, and the rest of these as it is."""
        for number in range(first // self.together, last // self.together + 1):
            group = WriteGroup(self.together)
            for lpa in range(number * self.together, (number + 1) * self.together):
                if first <= lpa <= last:
                    self.write(request, lpa, request.bytes_of(lpa, self.page_bytes), group)
                else:
                    self.fill(group, lpa)

    # Writing.

    def write(self, request: Request, lpa: int, size: int, group: WriteGroup) -> None:
        """Write `size` bytes of `lpa` for `request`, along with the rest of `group` if there is one."""
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

    def fill(self, group: WriteGroup, lpa: int) -> None:
        """Write `lpa` along with `group` as it is: 0 bytes of it are new, so all that is stored of it is read first.

        The page waits where it has no room, as any other write does; no request is told when it is programmed.
        """
        self.write(None, lpa, 0, group)

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
        return lpa in self.unplaced or not self.mapping.holds(lpa)

    @cfunc
    def begin_write(self, transaction: int) -> bool:
        """Go on with a write whose turn it is once its mapping is at hand; return whether it was placed at once."""
        lpa = self.transactions.lpa[transaction]
        if self.translation is None or self.translation.knows(lpa):
            return self.begin_mapped(transaction)
        if self.needs_rest(transaction):
            self.unplaced.setdefault(lpa, deque())
        else:
            self.park(transaction)
        self.translation.fetch(transaction)
        return False

    def needs_rest(self, transaction: int) -> bool:
        """Return whether the rest of a write's page is to be read first, as far as there is any."""
        request: Request = self.transactions.request[transaction]
        return self.partial.needs_rest(self.transactions.bytes[transaction], request)

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
        if not self.needs_rest(transaction):
            self.reads.let_go(lpa)
        if self.begin_mapped(transaction):
            self.write_placed(lpa)

    @cfunc
    def begin_mapped(self, transaction: int) -> bool:
        """Place a write, or read the rest of its page first; return whether it was placed at once."""
        if self.needs_rest(transaction):
            transactions = self.transactions
            lpa = transactions.lpa[transaction]
            request: Request = transactions.request[transaction]
            ppa = self.mapping.lookup(lpa)
            if ppa >= 0:
                ppa = self.reads.source_of(ppa)
            rest = self.partial.rest_of(lpa, transactions.bytes[transaction], request) if ppa >= 0 else 0
            if rest:
                self.unplaced.setdefault(lpa, deque())
                alone: bool = transactions.group[transaction] is None
                if self.partial.on_arrival and alone and self.place_in_part(transaction, ppa, rest):
                    return False
                transactions.op[transaction] = READ
                transactions.ppa[transaction] = ppa
                transactions.bytes[transaction] = rest
                self.scheduler.submit(transaction)
                return False
        if self.data is not None:
            self.complete_data(transaction)
        return self.place(transaction)

    @cfunc
    def place_in_part(self, transaction: int, ppa: int, size: int) -> bool:
        """Place a write, if there is room, whose rest of `size` bytes is read from `ppa`; return whether there was."""
        lpa = self.transactions.lpa[transaction]
        plane = self.room.plane_for(lpa)
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
        self.reads.copies[transactions.ppa[transaction]] = ppa
        return True

    @cfunc
    def end_part(self, rest: int) -> None:
        """Let the write start whose rest has been read, and go on with what stands in line behind it."""
        transactions = self.transactions
        transaction = transactions.rest[rest]
        transactions.rest[transaction] = transactions.rest[rest] = 0
        del self.reads.copies[transactions.ppa[transaction]]
        if self.data is not None:
            transactions.data[transaction] = self.data.over(transactions.data[transaction], transactions.data[rest])
            self.data.queued(transactions, transaction)
        transactions.give_back(rest)
        self.scheduler.wake_for(transactions.block[transaction])
        self.write_placed(transactions.lpa[transaction])

    @cfunc
    def complete_data(self, transaction: int) -> None:
        """Add to a write what is new of a page what is not, from controller memory; a padded one costs no read."""
        if self.needs_rest(transaction) or not self.partial.read_modify_write:
            old = self.reads.newest(self.transactions.lpa[transaction])
            self.transactions.data[transaction] = self.data.over(self.transactions.data[transaction], old)

    def place(self, transaction: int) -> bool:
        """Give a write its page if there is room, or let it wait; return whether it was placed on its own."""
        if self.transactions.group[transaction] is not None:
            self.park(transaction)
            self.rows.gather(transaction)
            return False
        plane = self.room.plane_for(self.transactions.lpa[transaction])
        target = self.room.find(transaction, plane)
        if target >= 0:
            self.writes.place_alone(transaction, target)
            return True
        self.transactions.queued_ns[transaction] = now(self.env)
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
        """Forget `lpa` if `request` covers the whole of it, and of its super page; a part of that stays as it is."""
        start = lpa // self.together * self.together * self.page_bytes
        end = start + self.together * self.page_bytes
        if start < request.offset_bytes or request.offset_bytes + request.size_bytes < end:
            self.part_done(request)
            return
        version = self.admission.number()
        stands_in_line: bool = lpa in self.unplaced
        if not stands_in_line and (self.translation is None or self.translation.knows(lpa)):
            self.writes.unmap(lpa, version)
            self.part_done(request)
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
        self.part_done(request)

    # What comes back from the flash.

    @cfunc
    def transferred(self, transaction: int) -> None:
        """Complete a write whose data is on the chip."""
        if self.transactions.request[transaction] is None:
            return
        self.writes.acknowledge(transaction)
        self.part_done(self.transactions.hand_over(transaction))

    def done(self, transaction: int) -> None:
        """Complete a page write, or go on with one whose rest has been read."""
        transactions = self.transactions
        if transactions.op[transaction] == READ:
            if transactions.rest[transaction]:
                self.end_part(transaction)
            elif self.place(transaction):
                self.write_placed(transactions.lpa[transaction])
            return
        self.writes.programmed(transaction)
        if transactions.request[transaction] is not None:
            self.part_done(transactions.hand_over(transaction))
        self.admission.programmed(transactions.version[transaction])
        transactions.give_back(transaction)

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds, wherever that is; it takes no time, and changes nothing."""
        return self.reads.newest(lpa)

    # The same without flash timing.

    def write_now(self, request: Request, lpa: int) -> None:
        """Write a whole page of `lpa`, a part of `request`, at once, and collect its plane as far as wanted."""
        if self.translation is not None:
            self.translation.access_now(lpa)
        target = self.room.now(lpa)
        self.writes.place_now(request, lpa, self.admission.number(), target)

    def read_now(self, request: Request, lpa: int) -> None:
        """Read `lpa`, a part of `request`, at once."""
        self.reads.read_now(request, lpa)

    def trim_now(self, lpa: int) -> None:
        """Unmap `lpa` at once."""
        if self.translation is not None:
            self.translation.access_now(lpa)
        self.writes.unmap(lpa, self.admission.number())
