# cython: infer_types=True
"""A write buffer in the controller's DRAM, between the device queue and the translation layer, and its search."""

from __future__ import annotations

from collections import deque
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim._core.either_kernel import set_timer
from ssdsim.buffer.evictions import EvictingBuffer, charge
from ssdsim.buffer.pages import BufferedPages
from ssdsim.buffer.replacement import Entry
from ssdsim.config import SimulationConfig
from ssdsim.controller.delays import Delay, Dram
from ssdsim.flash.counters import FlashCounters
from ssdsim.ftl.writes import WritePath
from ssdsim.host.request import Bits, Request, RequestPool
from ssdsim.stage import Stage


@final
class WriteBuffer(EvictingBuffer):
    """Takes pages that were written into `pages`, from where they are sent to flash.

    A write is complete when all of its pages are here. Pages that find no slot wait in order of arrival; a later write
    of the same page stands in line behind them, a trim or flush that comes while some wait does, too, and so does every
    write after it. Or, as in SSDSim, on which SPD builds (5.1), pages have their slots only until they are sent
    (`frees_early`): then a write takes what it needs, and is complete when what it had to evict for that is in flash.

    A write with FUA, or with `writes_through` any, is complete when its own pages are in flash, to which they are sent
    as soon as they have slots. All that takes no time, but for moving data in `dram`, if that is given.
    """

    page_bytes: int
    waiting: deque[tuple[Request, int, Bits]]  # (request, LPA, touched) without a slot; LPA -1: a trim or a flush
    writes_through: bool
    in_line: dict[int, int]  # by LPA: how many of those are of it, if any
    # Pages:
    write_hits: int
    write_misses: int
    read_hits: int
    read_misses: int

    def __init__(
        self,
        pages: BufferedPages,
        layer: Stage,
        order: WritePath,
        dram: Dram | None,
        config: SimulationConfig,
    ) -> None:
        self.env = self.counters = None
        self.pages = pages
        self.page_bytes = pages.page_bytes
        self.layer = layer
        self.order = order
        wanted, hardware = config.buffer, config.hardware
        self.row = hardware.planes_per_die if config.ftl.unit == "die" else 1
        is_lazy = wanted.write_back == "when_full"
        self.pages_in_flight = 0 if is_lazy else wanted.pages_in_flight or 2 * hardware.dies
        self.dram = dram
        self.pool = RequestPool()
        self.queue_length = 0
        self.writes_through = wanted.write_through
        self.waiting = deque()
        self.in_line = {}
        self.barriers = 0
        self.write_hits = self.write_misses = self.read_hits = self.read_misses = 0

    def connect(self, env: Any, counters: FlashCounters) -> None:
        """Receive the clock, and what learns of the end of each eviction (`ssdsim.flash.counters`)."""
        self.env = env
        self.counters = counters
        if self.pages.used:  # a loss of power has left something in it
            env.timeout(0).callbacks.append(self.make_room)

    def make_room(self, event: Any) -> None:
        """Evict pages for those that wait, or as many as are to be in flight."""
        self.evict_for(len(self.waiting))

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits for room, if anything does."""
        return [f"{len(self.waiting)} parts of requests wait for the write buffer"] if self.waiting else []

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

    # Writing.

    def write(self, request: Request) -> None:
        """Put the pages of `request` into the buffer, or in line for it."""
        first = request.offset_bytes // self.page_bytes
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        request.remaining = last - first + 2  # one more, so that it cannot complete before all are started
        placed = size = 0
        through: list[Entry] = []
        for lpa in range(first, last + 1):
            touched = request.touched(lpa, self.page_bytes)
            # What is older of that page, or to be done before all else, must be done before.
            stands_in_line: bool = self.barriers > 0 or (len(self.in_line) > 0 and lpa in self.in_line)
            entry = None if stands_in_line else self.take_in(request, lpa, touched)
            if entry is not None:
                request.remaining -= 1
                placed += 1
                size += request.bytes_of(lpa, self.page_bytes)
                if self.writes_through or request.fua:
                    through.append(entry)
            else:
                self.waiting.append((request, lpa, touched))
                self.in_line[lpa] = self.in_line.get(lpa, 0) + 1
        moves: bool = self.dram is not None and placed > 0
        if moves:
            self.dram.move(request, placed, size)
        if through:
            self.send_through(through, request)
        self.evict_for(len(self.waiting))
        if not moves:
            request.part_done()

    @cfunc
    def take_in(self, request: Request, host_lpa: int, touched: Bits) -> Entry:
        """Write a page to the buffer and return its entry, or None if it has no slot and none was made for it."""
        pages = self.pages
        lpa = pages.renamed(host_lpa) if pages.stripe else host_lpa
        entry: Entry = pages.entries.get(lpa)
        is_hit: bool = entry is not None and not entry.evicting
        if is_hit:
            self.write_hits += 1
            request.buffer_pages += 1
            if entry.maker != request.id:
                entry.maker = -1
            entry.touched = entry.touched | touched
        else:
            if pages.used >= pages.capacity and not pages.frees_early:
                return None
            while pages.used >= pages.capacity:  # at the cost of this write
                if not self.evict(False, request):
                    self.evict(True, request)
            self.write_misses += 1
            older: Entry = pages.entries.get(lpa)  # on its way to flash
            entry = Entry(lpa, touched)
            if older is None:
                entry.maker = request.id
            else:
                entry.data = older.data
        entry.stream = request.stream
        entry.access_latency = request.access_latency
        if request.data is not None:
            entry.data = pages.data.over(request.data.get(host_lpa), entry.data)
        if is_hit:
            pages.replacement.touch(entry)
        else:
            pages.keep(entry)
        return entry

    def completed(self, request: Request) -> None:
        """Free the slot of a page that is in flash now, or count a part of a read as done."""
        about = request.about
        request.about = request.group = request.data = None
        if request.op == READ:
            charge(about, request)
        else:
            self.written(about, request)
            self.advance()
        self.pool.give_back(request)

    def advance(self) -> None:
        """Take in what waits, in order, as far as there are slots."""
        request: Request
        while self.waiting:
            request, lpa, touched = self.waiting[0]
            if lpa < 0:
                self.waiting.popleft()
                self.barriers -= 1
                self.pass_on(request)
                continue
            entry = self.take_in(request, lpa, touched)
            if entry is None:
                break
            self.waiting.popleft()
            if self.writes_through or request.fua:
                self.send_through([entry], request)
            left = self.in_line.pop(lpa) - 1
            if left:
                self.in_line[lpa] = left
            if self.dram is None:
                request.part_done()
            else:
                self.dram.move(request, 1, request.bytes_of(lpa, self.page_bytes))
        self.evict_for(len(self.waiting))

    # Before the run, and a loss of power.

    def start_with(self, lpas: list[int]) -> None:
        """Hold pages, oldest first, as if they had been written whole, with the data that they have, as far as fits."""
        pages = self.pages
        for host_lpa in lpas[max(len(lpas) - pages.capacity, 0) :]:
            entry: Entry = Entry(pages.renamed(host_lpa), pages.whole_page)
            if pages.data is not None:
                entry.data = self.layer.newest(entry.lpa)
            pages.keep(entry)

    def acknowledged(self, outstanding: set[int]) -> list[int]:
        """Return the pages that are not in flash yet of which the host may have been told that they are written.

        It has not been told of requests with the numbers in `outstanding`.
        """
        if self.writes_through:
            return []
        return [entry.lpa for entry in self.pages.entries.values() if entry.maker not in outstanding]

    # Reading, trimming and flushing.

    def read(self, request: Request) -> None:
        """Serve the pages that are in the buffer, and read the rest from flash."""
        first = request.offset_bytes // self.page_bytes
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        if request.data is not None:  # data from flash does not take the place of this
            for lpa in range(first, last + 1):
                entry: Entry = self.pages.entries.get(lpa)
                if entry is not None:
                    request.data[lpa] = entry.data
        hits = 0
        for lpa in range(first, last + 1):
            hits += self.pages.holds(request, lpa)
        misses = last - first + 1 - hits
        request.buffer_pages = hits
        self.read_hits += hits
        self.read_misses += misses
        if not hits and not self.pages.stripe:
            self.layer.submit(request)
            return
        request.remaining = misses + 1
        size = request.size_bytes
        for lpa in range(first, last + 1):
            if not misses or (hits and self.pages.holds(request, lpa)):
                continue
            part: Request = self.pool.take()
            part.owner = self
            part.op = READ
            part.about = request
            part.queue_length = self.queue_length
            part.id = request.id
            part.stream = request.stream
            part.data = request.data
            part.size_bytes = request.bytes_of(lpa, self.page_bytes)
            size -= part.size_bytes
            start = max(request.offset_bytes - lpa * self.page_bytes, 0)
            part.offset_bytes = self.pages.renamed(lpa) * self.page_bytes + start
            self.layer.submit(part)
        if self.dram is None or not hits:
            request.part_done()
        else:
            self.dram.move(request, hits, size)

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds, wherever that is (`ssdsim.flash.data`)."""
        entry: Entry = self.pages.entries.get(lpa)
        below = self.layer.newest(lpa)
        return below if entry is None else self.pages.data.over(entry.data, below)

    def pass_on(self, request: Request) -> None:
        """Forget trimmed pages, or evict all pages for a flush, and leave the rest to the translation layer."""
        if request.op == TRIM and self.pages.stripe:
            request.owner.completed(request)
            return
        if request.op == TRIM:
            self.pages.forget(request)
        while request.op == FLUSH and self.pages.unsent() > 0:
            self.evict(True)
        self.layer.submit(request)


@final
class BufferSearch(Delay):
    """Passes requests to a `WriteBuffer` once it has been searched for their pages, one request after another.

    The search for a page takes `search_ns` for each page that the buffer holds as it begins, hit or miss: a linked list
    is gone through (PCFTL, 3.1). A flush looks for nothing, but does not overtake.
    """

    search_ns: float  # for each page in it
    line: deque[Request]  # requests, the one being searched for first

    def __init__(self, buffer: WriteBuffer, search_ns: float) -> None:
        Delay.__init__(self, buffer)
        self.buffer = buffer
        self.search_ns = search_ns
        self.line = deque()

    def submit(self, request: Request) -> None:
        """Search for the pages of a request after those of all before it."""
        self.line.append(request)
        if len(self.line) == 1:
            self.search()

    @cfunc
    def search(self) -> None:
        """Begin with the request that came first."""
        request: Request = self.line[0]
        pages = request.pages(self.buffer.page_bytes)
        search_ns = int(pages * self.buffer.pages.used * self.search_ns + 0.5)
        set_timer(self.env, search_ns, self.step(request, 0, 0))

    @cfunc
    def take(self, request: Request, number: int, time_ns: int) -> None:
        """Pass on the request that has been searched for, and take the next."""
        self.buffer.submit(self.line.popleft())
        if self.line:
            self.search()

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits, and why."""
        return [f"{len(self.line)} requests wait for the buffer to be searched"] if self.line else []
