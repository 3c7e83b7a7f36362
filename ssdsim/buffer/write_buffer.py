# cython: infer_types=True
"""A write buffer in the controller's DRAM, between the device queue and the translation layer."""

from __future__ import annotations

from collections import deque
from typing import Any

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ, TRIM, WRITE
from ssdsim._core.kernel import now
from ssdsim.buffer.dram import Dram
from ssdsim.buffer.entry import Entry, Eviction
from ssdsim.buffer.replacement import Replacement
from ssdsim.flash.counters import FlashCounters
from ssdsim.ftl.layer import WriteOrder
from ssdsim.host.request import BIT, SECTOR, Bits, Request, RequestPool, WriteGroup
from ssdsim.stage import Stage, part_done


class WriteBuffer(Stage):
    """Holds up to `capacity` pages that were written and are not yet in flash.

    A write is complete when all of its pages are in the buffer. A page takes a slot until it has been written to flash,
    which happens when a slot is needed or, with `pages_in_flight`, whenever fewer than so many are on their way there:
    `replacement` says which pages go. Reads of what is in the buffer are answered from it. Pages that find no slot wait
    in order of arrival; a later write of the same page stands in line behind them, a trim or flush that comes while
    some wait does, too, and so does every write after it.

    Or, as in SSDSim, on which SPD builds (5.1), pages have their slots only until they are sent (`frees_early`). Then
    no write waits for a slot: it takes what it needs, and is complete when what it had to evict for that is in flash.
    Pages on their way lie in controller memory, beside the `capacity`, and are read from there.

    Pages leave one by one, or where the translation layer writes by the row, `row` pages of a die together; super pages
    of `super_page` pages leave whole. A row that its die has too few pages for is left to be padded only where nothing
    else would make room. Where pages `stripe` apart make a super page, they have other names here and below, under
    which they follow one another (`renamed`); nothing is trimmed then.

    All that takes no time, but for moving data in `dram` and out of it, if that is given.
    """

    env: Any
    counters: FlashCounters
    layer: Stage
    order: WriteOrder | None  # of writes by the row
    capacity: int  # in pages
    row: int  # pages of a die that leave together
    super_page: int  # consecutive pages that leave together
    stripe: int  # how far apart the host's pages of a super page are; 0: they are consecutive
    pages_in_flight: int  # that are kept on their way to flash; 0: they go when room is needed
    dram: Dram | None
    frees_early: bool  # slots are free from eviction on, and writes pay for what they evict
    whole_page: Bits  # the bits of a page that is known in full
    entries: dict[int, Entry]  # by LPA: the newest data of the page in the buffer
    waiting: deque[tuple[Request, int, Bits]]  # (request, LPA, touched) without a slot; LPA -1: a trim or a flush
    in_line: dict[int, int]  # by LPA: how many of those are of it, if any
    used: int  # slots taken
    leaving: int  # pages on their way to flash, which may have a slot or not
    # Pages:
    write_hits: int
    write_misses: int
    read_hits: int
    read_misses: int

    def __init__(
        self,
        replacement: Replacement,
        capacity: int,
        page_bytes: int,
        row: int,
        super_page: int,
        pages_in_flight: int = 0,
        frees_early: bool = False,
        dram: Dram | None = None,
        stripe: int = 0,
    ) -> None:
        self.env = self.counters = self.layer = self.order = None
        self.replacement = replacement
        self.capacity = capacity
        self.page_bytes = page_bytes
        self.row = row
        self.super_page = super_page
        self.stripe = stripe
        self.pages_in_flight = pages_in_flight
        self.frees_early = frees_early
        self.dram = dram
        self.whole_page = (BIT << page_bytes // SECTOR) - 1
        self.entries = {}
        self.waiting = deque()
        self.in_line = {}
        self.pool = RequestPool()
        self.used = self.leaving = self.barriers = self.queue_length = 0
        self.write_hits = self.write_misses = self.read_hits = self.read_misses = 0

    def bind(self, layer: Stage, order: WriteOrder | None = None) -> None:
        """Receive the translation layer that pages are written to and read from, and its order of writes by the row."""
        self.layer = layer
        self.order = order

    def connect(self, env: Any, counters: FlashCounters) -> None:
        """Receive the clock, and what learns of the end of each eviction (`ssdsim.flash.counters`)."""
        self.env = env
        self.counters = counters
        if self.dram is not None:
            self.dram.bind(env)

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits for room, if anything does."""
        moving = [] if self.dram is None else self.dram.what_waits()
        return [f"{len(self.waiting)} parts of requests wait for the write buffer"] * (len(self.waiting) > 0) + moving

    def is_full(self) -> bool:
        """Return whether no slot is free; after a loss of power more may be taken than there are."""
        return self.used >= self.capacity

    def utilization(self) -> float:
        """Return the share of the slots that are taken."""
        return self.used / float(self.capacity)  # of two C integers the quotient would be one, too

    def unsent(self) -> int:
        """Return how many pages have not been sent to flash yet."""
        return self.used if self.frees_early else self.used - self.leaving

    def submit(self, request: Request) -> None:
        """Take over `request`."""
        self.queue_length = request.queue_length
        if request.op == READ:
            self.read(request)
        elif request.op == WRITE:
            self.write(request)
        elif self.waiting:
            self.barriers += 1
            self.waiting.append((request, -1, 0))
        else:
            self.pass_on(request)

    @cfunc
    def renamed(self, lpa: int) -> int:
        """Return the name of a logical page of the host, under which super pages are of consecutive pages."""
        if not self.stripe:
            return lpa
        place = lpa % (self.stripe * self.super_page)
        return lpa - place + place % self.stripe * self.super_page + place // self.stripe

    # Writing.

    def write(self, request: Request) -> None:
        """Put the pages of `request` into the buffer, or in line for it."""
        first = request.offset_bytes // self.page_bytes
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        request.remaining = last - first + 2  # one more, so that it cannot complete before all are started
        placed = size = 0
        for lpa in range(first, last + 1):
            touched = request.touched(lpa, self.page_bytes)
            name = self.renamed(lpa)
            if not self.stands_in_line(lpa) and (
                self.update(request, name, touched) or self.insert(request, name, touched)
            ):
                request.remaining -= 1
                placed += 1
                size += request.bytes_of(lpa, self.page_bytes)
            else:
                self.waiting.append((request, lpa, touched))
                self.in_line[lpa] = self.in_line.get(lpa, 0) + 1
        if self.dram is not None and placed:
            self.dram.move(request, placed, size)
            self.make_room()
        else:
            self.make_room()
            part_done(request)

    @cfunc
    def stands_in_line(self, lpa: int) -> bool:
        """Return whether a write of `lpa` must not be done yet: for what is older, of that page or to be done first."""
        return self.barriers > 0 or (len(self.in_line) > 0 and lpa in self.in_line)

    @cfunc
    def update(self, request: Request, lpa: int, touched: Bits) -> bool:
        """Write to page `lpa` in the buffer and return whether it is there and stays."""
        entry: Entry = self.entries.get(lpa)
        if entry is None or entry.evicting:
            return False
        entry.touched = entry.touched | touched
        if entry.maker != request.id:
            entry.maker = -1
        if request.data is not None:
            entry.data = self.over(request.data.get(lpa), entry.data)
        entry.stream = request.stream
        entry.access_latency = request.access_latency
        self.replacement.touch(entry)
        self.write_hits += 1
        request.buffer_pages += 1
        return True

    @cfunc
    def insert(self, request: Request, lpa: int, touched: Bits) -> bool:
        """Give page `lpa` a slot and return whether there was one, or one was made for it."""
        if self.used >= self.capacity:
            if not self.frees_early:
                return False
            while self.used >= self.capacity:
                if not self.evict(False, request):
                    self.evict(True, request)
        entry: Entry = Entry(lpa, touched)
        if lpa not in self.entries:
            entry.maker = request.id
        entry.stream = request.stream
        entry.access_latency = request.access_latency
        if request.data is not None:
            self.take_data(entry, request)
        self.entries[lpa] = entry
        self.used += 1
        self.replacement.insert(entry)
        self.write_misses += 1
        return True

    def take_data(self, entry: Entry, request: Request) -> None:
        """Put the data of `request` into a new entry, over the data of an older one that is on its way to flash."""
        older: Entry = self.entries.get(entry.lpa)
        entry.data = self.over(request.data.get(entry.lpa), None if older is None else older.data)

    def over(self, newer: Any, older: Any) -> Any:
        """Return the data of a page, `newer` where it was written and else `older` (`ssdsim.flash.data`)."""
        layer: Any = self.layer  # the translation layer, which has the data of all pages
        return layer.data.over(newer, older)

    def make_room(self) -> None:
        """Evict as many pages as there are waiting, or are to be in flight, counting in those that are leaving."""
        while self.used > self.capacity:  # a loss of power found pages on their way
            self.evict(True)
        wanted = self.pages_in_flight if self.pages_in_flight else len(self.waiting)
        while self.leaving < wanted and self.unsent() > 0 and self.evict(self.leaving == 0 and len(self.waiting) > 0):
            pass

    @cfunc
    def evict(self, force: bool, payer: Request | None = None) -> bool:
        """Send the pages whose turn it is to flash; return whether there were any, as there are with `force`.

        The host's write `payer`, if there is one, is not complete before they are in flash.
        """
        entries: list[Entry] = self.replacement.victims(self.row, force)
        if not entries:
            return False
        eviction = Eviction(payer)
        if payer is not None:
            payer.remaining += 1
        if self.super_page > 1:
            self.send_super_page(entries[0], eviction)
        elif self.row > 1:
            self.send_together(entries, -1, eviction)
        else:
            for entry in entries:
                self.send(entry, None, eviction)
        return True

    @cfunc
    def send_together(self, entries: list[Entry], collection: int, eviction: Eviction) -> None:
        """Write pages to flash in one row: one of `collection`'s, or of their own if that is -1."""
        group: WriteGroup = WriteGroup(len(entries))
        group.collection = collection
        for entry in entries:
            self.send(entry, group, eviction)

    @cfunc
    def send_super_page(self, entry: Entry, eviction: Eviction) -> None:
        """Write the super page of `entry`, which has left its list, to flash: what is here, and the rest as it is."""
        group = WriteGroup(self.super_page)
        first = entry.lpa // self.super_page * self.super_page
        for lpa in range(first, first + self.super_page):
            other: Entry = self.entries.get(lpa)
            if other is None or other.evicting:
                self.order.write(None, lpa, 0, group)
                continue
            if other is not entry:
                self.replacement.remove(other)
            self.send(other, group, eviction)

    def complete_row(self, die: int, page_limit: int) -> bool:
        """Evict up to `page_limit` pages of `die` for a row that is being collected; return whether there are any.

        A page that would have to wait stays: it might be for that very collection.
        """
        if not self.replacement.knows_dies:
            return False
        pages: list[Entry] = self.replacement.of_die(die)
        entries: list[Entry] = [entry for entry in pages if not self.order.would_wait(entry.lpa)][:page_limit]
        for entry in entries:
            self.replacement.remove(entry)
        if entries:
            self.send_together(entries, die, None)
        return len(entries) > 0

    @cfunc
    def send(self, entry: Entry, group: WriteGroup, eviction: Eviction) -> None:
        """Write a page to flash, the whole of it or the parts that are known, along with `group` if there is one."""
        entry.evicting = True
        self.leaving += 1
        if self.frees_early:
            self.used -= 1
        entry.eviction = eviction
        if eviction is not None:
            eviction.left += 1
        request: Request = self.ask(WRITE, entry)
        request.id = entry.maker
        request.group = group
        request.stream = entry.stream
        request.access_latency = entry.access_latency
        request.offset_bytes = entry.lpa * self.page_bytes
        request.size_bytes = self.page_bytes
        if entry.touched != self.whole_page:
            request.size_bytes = entry.touched.bit_count() * SECTOR
        if entry.data is not None:
            request.data = {entry.lpa: entry.data}
        if self.dram is not None:
            self.dram.occupy(1, request.size_bytes)
        self.layer.submit(request)

    def ask(self, op: int, about: Any) -> Request:
        """Return a request of the buffer's own to the translation layer."""
        request: Request = self.pool.take()
        request.owner = self
        request.op = op
        request.about = about
        request.queue_length = self.queue_length
        return request

    def completed(self, request: Request) -> None:
        """Free the slot of a page that is in flash now, or count a part of a read as done."""
        about = request.about
        request.about = request.group = request.data = None
        if request.op == READ:
            self.charge(about, request)
        else:
            self.leaving -= 1
            if not self.frees_early:
                self.used -= 1
            entry: Entry = about
            if self.entries.get(entry.lpa) is entry:
                del self.entries[entry.lpa]
            if entry.eviction is not None:
                self.count(entry.eviction, request)
            self.advance()
        self.pool.give_back(request)

    def count(self, eviction: Eviction, request: Request) -> None:
        """Count a page of `eviction` as done, which `request` was for; the last one completes it."""
        eviction.left -= 1
        if eviction.left == 0:
            if self.counters is not None:
                self.counters.eviction_done(now(self.env))
            if eviction.payer is not None:
                self.charge(eviction.payer, request)

    @cfunc
    def charge(self, parent: Request, request: Request) -> None:
        """Count `request` as a part of the host's `parent`, which takes over what it measured."""
        parent.bus_ns = request.bus_ns
        parent.array_ns = request.array_ns
        parent.gc_ns = request.gc_ns + parent.held_ns
        parent.urgent_gc_ns = request.urgent_gc_ns + parent.held_ns
        parent.mapping_ns = request.mapping_ns
        parent.buffer_ns = 0
        part_done(parent)

    def advance(self) -> None:
        """Go on with what waits, in order."""
        while self.waiting:
            request, lpa, touched = self.waiting[0]
            if lpa < 0:
                self.waiting.popleft()
                self.barriers -= 1
                self.pass_on(request)
            elif self.update(request, self.renamed(lpa), touched) or self.insert(request, self.renamed(lpa), touched):
                self.waiting.popleft()
                left = self.in_line.pop(lpa) - 1
                if left:
                    self.in_line[lpa] = left
                self.page_done(request, lpa)
            else:
                break
        self.make_room()

    @cfunc
    def page_done(self, request: Request, lpa: int) -> None:
        """Count a page of `request` as done that has waited, once its data is in the buffer."""
        if self.dram is None:
            part_done(request)
        else:
            self.dram.move(request, 1, request.bytes_of(lpa, self.page_bytes))

    # Before the run, and a loss of power.

    def start_with(self, lpas: list[int]) -> None:
        """Hold pages, oldest first, as if they had been written whole, with the data that they have, as far as fits."""
        layer: Any = self.layer
        for host_lpa in lpas[max(len(lpas) - self.capacity, 0) :]:
            lpa = self.renamed(host_lpa)
            entry: Entry = Entry(lpa, self.whole_page)
            if layer.data is not None:
                entry.data = layer.newest(lpa)
            self.entries[lpa] = entry
            self.used += 1
            self.replacement.insert(entry)

    def unwritten(self) -> list[Entry]:
        """Return the newest data of every page that is not in flash yet, oldest first."""
        return list(self.entries.values())

    def acknowledged(self) -> list[int]:
        """Return those logical pages of them of which the host may have been told that they are written."""
        unfinished = {request.id for request, lpa, _ in self.waiting if lpa >= 0}
        payers = (entry.eviction.payer for entry in self.entries.values() if entry.eviction is not None)
        unfinished |= {payer.id for payer in payers if payer is not None}
        if self.dram is not None:
            unfinished |= {request.id for request, _ in self.dram.line}
        return [entry.lpa for entry in self.entries.values() if entry.maker not in unfinished]

    def put_back(self, entries: list[Entry]) -> None:
        """Take over what another buffer had `unwritten`."""
        entry: Entry
        for entry in entries:
            entry.evicting = False
            entry.eviction = None
            entry.maker = -1
            self.entries[entry.lpa] = entry
            self.used += 1
            self.replacement.insert(entry)

    # Reading, trimming and flushing.

    def read(self, request: Request) -> None:
        """Serve the pages that are in the buffer, and have the rest read from flash."""
        first = request.offset_bytes // self.page_bytes
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        if request.data is not None:
            self.give_data(request)
        missing: list[int] = [lpa for lpa in range(first, last + 1) if not self.holds(request, lpa)]
        request.buffer_pages = last - first + 1 - len(missing)
        self.read_hits += request.buffer_pages
        self.read_misses += len(missing)
        if len(missing) == last - first + 1 and not self.stripe:
            self.layer.submit(request)
            return
        request.remaining = len(missing) + 1
        size = request.size_bytes
        for lpa in missing:
            part: Request = self.ask(READ, request)
            part.id = request.id
            part.stream = request.stream
            part.data = request.data
            part.offset_bytes = max(request.offset_bytes, lpa * self.page_bytes)
            end: int = min(request.offset_bytes + request.size_bytes, (lpa + 1) * self.page_bytes)
            part.size_bytes = end - part.offset_bytes
            size -= part.size_bytes
            part.offset_bytes += (self.renamed(lpa) - lpa) * self.page_bytes
            self.layer.submit(part)
        if self.dram is None or not request.buffer_pages:
            part_done(request)
        else:
            self.dram.move(request, last - first + 1 - len(missing), size)

    def give_data(self, request: Request) -> None:
        """Answer a read with what is here of its pages; what comes from flash does not take the place of it."""
        for lpa in range(
            request.offset_bytes // self.page_bytes,
            (request.offset_bytes + request.size_bytes - 1) // self.page_bytes + 1,
        ):
            entry: Entry = self.entries.get(lpa)
            if entry is not None:
                request.data[lpa] = entry.data

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds, wherever that is (`ssdsim.flash.data`)."""
        entry: Entry = self.entries.get(lpa)
        below = self.layer.newest(lpa)
        return below if entry is None else self.over(entry.data, below)

    def holds(self, request: Request, lpa: int) -> bool:
        """Return whether the buffer has all that `request` wants of page `lpa`."""
        entry: Entry = self.entries.get(self.renamed(lpa))
        return entry is not None and not request.touched(lpa, self.page_bytes) & ~entry.touched

    def pass_on(self, request: Request) -> None:
        """Forget trimmed pages, or evict all pages for a flush, and leave the rest to the translation layer."""
        if request.op == TRIM and self.stripe:
            request.remaining = 1
            part_done(request)
            return
        if request.op == TRIM:
            self.forget(request)
        else:
            while self.unsent() > 0:
                self.evict(True)
        self.layer.submit(request)

    def forget(self, request: Request) -> None:
        """Drop the pages that `request` trims whole, super pages as such."""
        size = self.super_page * self.page_bytes
        first = (request.offset_bytes + size - 1) // size * self.super_page
        for lpa in range(first, (request.offset_bytes + request.size_bytes) // size * self.super_page):
            entry: Entry = self.entries.pop(lpa, None)
            if entry is not None and not entry.evicting:
                self.replacement.remove(entry)
                self.used -= 1
