# cython: infer_types=True
"""The flash translation layer: requests become transactions, in an order that the host may rely on."""

from __future__ import annotations

from collections import deque
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, HOST, PROGRAM, READ, TRIM, WRITE
from ssdsim._core.inlined import now
from ssdsim.check.data import PageData
from ssdsim.flash.port import Contents, Transaction, TransactionPool, TransactionSchedulingUnit
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
    pool: TransactionPool
    page_bytes: int
    mapping: PageMapping
    translation: TranslationPages | None
    partial: PartialPages
    rows: RowWrites | None  # None where pages are written one by one
    together: int  # logical pages that are always written together
    unplaced: dict[int, deque[Transaction]]  # by LPA with a write not yet placed: what stands in line behind it
    contents: Contents | None  # where integrity is checked or power may be lost
    data: PageData | None  # of all pages, where integrity is checked

    def __init__(
        self, admission: Admission, reads: ReadPath, room: WriteRoom, writes: PageWrites, rows: RowWrites | None
    ) -> None:
        self.env = self.scheduler = self.pool = None
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

    def bind(self, env: Any, scheduler: TransactionSchedulingUnit, pool: TransactionPool) -> None:
        """Receive the clock and the back end, before the first timed request."""
        self.env = env
        self.scheduler = scheduler
        self.pool = pool
        self.reads.bind(env, scheduler, pool)
        self.writes.bind(env, scheduler, self)
        if self.rows is not None:
            self.rows.bind(env, pool, self)

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
        transaction: Transaction = self.pool.take(HOST, self, lpa)
        transaction.request = request
        transaction.group = group
        transaction.op = PROGRAM
        transaction.bytes = size
        transaction.version = self.admission.began()
        if request is None:
            transaction.request_number = -2
        else:
            transaction.request_number = request.id
            transaction.stream = request.stream
            if request.data is not None:
                transaction.data = request.data.get(lpa)
        if not (self.unplaced and self.stands_in_line(transaction)):
            self.begin_write(transaction)

    def fill(self, group: WriteGroup, lpa: int) -> None:
        """Write `lpa` along with `group` as it is: 0 bytes of it are new, so all that is stored of it is read first.

        The page waits where it has no room, as any other write does; no request is told when it is programmed.
        """
        self.write(None, lpa, 0, group)

    def stands_in_line(self, transaction: Transaction) -> bool:
        """Put `transaction` in line if an earlier write of its page is not yet placed, and return whether it is."""
        line = self.unplaced.get(transaction.lpa)
        if line is None:
            return False
        line.append(transaction)
        return True

    @cfunc
    def would_wait(self, lpa: int) -> bool:
        """Return whether a write of `lpa` would wait: for an earlier one that is not yet placed, or for its mapping."""
        return lpa in self.unplaced or not self.mapping.holds(lpa)

    @cfunc
    def begin_write(self, transaction: Transaction) -> bool:
        """Go on with a write whose turn it is once its mapping is at hand; return whether it was placed at once."""
        if self.translation is None or self.translation.knows(transaction.lpa):
            return self.begin_mapped(transaction)
        if self.partial.needs_rest(transaction):
            self.unplaced.setdefault(transaction.lpa, deque())
        else:
            self.park(transaction)
        self.translation.fetch(transaction)
        return False

    @cfunc
    def park(self, transaction: Transaction) -> None:
        """Keep a write, whole in controller memory, until it can be placed."""
        self.unplaced.setdefault(transaction.lpa, deque())
        self.reads.hold(transaction)

    @cfunc
    def translated(self, transaction: Transaction) -> None:
        """Go on with a write or trim, now that the mapping of its logical page is at hand."""
        lpa = transaction.lpa
        if transaction.op == TRIM:
            self.end_trim(transaction)
            self.write_placed(lpa)
            return
        if not self.partial.needs_rest(transaction):
            self.reads.let_go(transaction)
        if self.begin_mapped(transaction):
            self.write_placed(lpa)

    @cfunc
    def begin_mapped(self, transaction: Transaction) -> bool:
        """Place a write, or read the rest of its page first; return whether it was placed at once."""
        if self.partial.needs_rest(transaction):
            ppa = self.mapping.lookup(transaction.lpa)
            if ppa >= 0:
                ppa = self.reads.source_of(ppa)
            rest = self.partial.rest_of(transaction) if ppa >= 0 else 0
            if rest:
                self.unplaced.setdefault(transaction.lpa, deque())
                if self.partial.on_arrival and transaction.group is None and self.place_in_part(transaction, ppa, rest):
                    return False
                transaction.op = READ
                transaction.ppa = ppa
                transaction.bytes = rest
                self.scheduler.submit(transaction)
                return False
        if self.data is not None:
            self.complete_data(transaction)
        return self.place(transaction)

    @cfunc
    def place_in_part(self, transaction: Transaction, ppa: int, size: int) -> bool:
        """Place a write, if there is room, whose rest of `size` bytes is read from `ppa`; return whether there was."""
        plane = self.room.plane_for(transaction.lpa)
        target = self.room.find(transaction, plane)
        if target < 0:
            return False
        rest: Transaction = self.pool.take(HOST, self, transaction.lpa)
        rest.request = transaction.request
        rest.stream = transaction.stream
        rest.op = READ
        rest.ppa = ppa
        rest.bytes = size
        rest.rest = transaction
        transaction.rest = rest
        self.scheduler.submit(rest)
        self.writes.place_alone(transaction, target)
        self.reads.copies[transaction.ppa] = ppa
        return True

    @cfunc
    def end_part(self, rest: Transaction) -> None:
        """Let the write start whose rest has been read, and go on with what stands in line behind it."""
        transaction: Transaction = rest.rest
        transaction.rest = rest.rest = None
        del self.reads.copies[transaction.ppa]
        if self.data is not None:
            transaction.data = self.data.over(transaction.data, rest.data)
            self.data.queued(transaction)
        self.pool.give_back(rest)
        self.scheduler.wake_for(transaction.block)
        self.write_placed(transaction.lpa)

    @cfunc
    def complete_data(self, transaction: Transaction) -> None:
        """Add to a write what is new of a page what is not, from controller memory; a padded one costs no read."""
        if self.partial.needs_rest(transaction) or not self.partial.read_modify_write:
            transaction.data = self.data.over(transaction.data, self.reads.newest(transaction.lpa))

    def place(self, transaction: Transaction) -> bool:
        """Give a write its page if there is room, or let it wait; return whether it was placed on its own."""
        if transaction.group is not None:
            self.park(transaction)
            self.rows.gather(transaction)
            return False
        plane = self.room.plane_for(transaction.lpa)
        target = self.room.find(transaction, plane)
        if target >= 0:
            self.writes.place_alone(transaction, target)
            return True
        transaction.queued_ns = now(self.env)
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
        transaction: Transaction
        line = self.unplaced.pop(lpa)
        while line:
            transaction = line.popleft()
            if transaction.op == TRIM:
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
        transaction: Transaction = self.pool.take(HOST, self, lpa)
        transaction.request = request
        transaction.op = TRIM
        transaction.version = version
        self.reads.hide(lpa, version)
        if stands_in_line:
            self.unplaced[lpa].append(transaction)
        else:
            self.unplaced[lpa] = deque()
            self.translation.fetch(transaction)

    @cfunc
    def end_trim(self, transaction: Transaction) -> None:
        """Do a trim that stood in line, and count it as done."""
        request: Request = transaction.request
        request.mapping_ns = transaction.mapping_ns
        self.reads.show(transaction.lpa, transaction.version)
        self.writes.unmap(transaction.lpa, transaction.version)
        self.pool.give_back(transaction)
        self.part_done(request)

    # What comes back from the flash.

    @cfunc
    def transferred(self, transaction: Transaction) -> None:
        """Complete a write whose data is on the chip."""
        if transaction.request is None:
            return
        self.writes.acknowledge(transaction)
        self.finish_part(transaction)

    def done(self, transaction: Transaction) -> None:
        """Complete a page write, or go on with one whose rest has been read."""
        if transaction.op == READ:
            if transaction.rest is not None:
                self.end_part(transaction)
            elif self.place(transaction):
                self.write_placed(transaction.lpa)
            return
        self.writes.programmed(transaction)
        if transaction.request is not None:
            self.finish_part(transaction)
        self.admission.programmed(transaction.version)
        self.pool.give_back(transaction)

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
