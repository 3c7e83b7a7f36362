# cython: infer_types=True
"""A read cache in the controller's DRAM, and the reads ahead of sequential streams that fill it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, WRITE
from ssdsim.buffer.evictions import OwnRequests
from ssdsim.controller.delays import Dram
from ssdsim.flash.data import PageData
from ssdsim.host.request import BIT, SECTOR, Bits, Request
from ssdsim.stage import Stage, part_done

if TYPE_CHECKING:
    from ssdsim.config import SimulationConfig

STREAMS: Final = 32
"""Ends of reads that are remembered: a read that begins at one of them goes on with its stream."""


@final
class CachedPage:
    """What is known of a logical page: `touched` sectors, one bit for each, and their data where that is followed."""

    touched: Bits
    data: Any

    def __init__(self, touched: Bits, data: Any) -> None:
        self.touched = touched
        self.data = data


@final
class Fetch:
    """A page that is being read ahead, and the reads that wait for it."""

    waiting: list[Request]

    def __init__(self, lpa: int) -> None:
        self.lpa = lpa
        self.waiting = []


class ReadCache(Stage):
    """Answers reads of which it has every sector, and keeps the pages that other reads bring, and writes if asked to.

    The page used longest ago leaves (LRU). A write or trim makes it forget the pages that it touches, as it passes and
    when it is complete, since reads in between may bring what it replaces, and keeps what is on its way here out of it:
    nothing here is older than it may be. A read that begins where an earlier one ended has so many pages behind it read
    ahead; a read of a page on its way here waits for it. Data is moved in `dram`, if that is given: an answer waits for
    it, what is kept holds up others.
    """

    host: Any  # the `Stage` to be told of completions
    pages: dict[int, CachedPage]  # by LPA, the page used longest ago first
    capacity: int  # in pages
    page_bytes: int
    logical_pages: int
    whole_page: Bits
    keeps_writes: bool
    pages_ahead: int
    data: PageData | None  # of all pages, where integrity is checked
    coming: dict[Request, set[int]]  # by request under way: the pages of it to be kept
    ahead: dict[int, Fetch]  # by LPA, what is being read ahead and may be kept
    ends: dict[int, int]  # by the byte behind the last of a stream's reads: how many these are
    # Pages:
    hits: int
    misses: int
    fetched: int

    def __init__(self, inner: Stage, config: SimulationConfig, data: PageData | None, dram: Dram | None) -> None:
        self.inner = inner
        self.host = None
        self.page_bytes = config.hardware.page_bytes
        self.logical_pages = config.hardware.logical_pages
        self.capacity = max(int(config.read_cache.size_mib * 2**20) // self.page_bytes, 1)
        self.keeps_writes = config.read_cache.keeps == "reads_and_writes"
        self.pages_ahead = config.read_cache.pages_ahead
        self.whole_page = (BIT << self.page_bytes // SECTOR) - 1
        self.data = data
        self.dram = dram
        self.requests = OwnRequests(self)
        self.pages = {}
        self.coming = {}
        self.ahead = {}
        self.ends = {}
        self.hits = self.misses = self.fetched = 0

    def submit(self, request: Request) -> None:
        """Answer a read, or pass a request on."""
        if request.op == FLUSH:
            self.inner.submit(request)
            return
        first = request.offset_bytes // self.page_bytes
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        if request.op == READ:
            self.read(request, first, last)
            if self.pages_ahead:
                self.read_ahead(request, last + 1)
            return
        self.forget(first, last)
        self.follow(request, first, last)
        self.inner.submit(request)

    # Reading.

    @cfunc
    def read(self, request: Request, first: int, last: int) -> None:
        """Answer a read if all that it wants is here or on its way, else have all of it read."""
        for lpa in range(first, last + 1):
            if lpa not in self.ahead and not self.holds(request, lpa):
                self.misses += last - first + 1
                self.follow(request, first, last)
                self.inner.submit(request)
                return
        self.hits += last - first + 1
        request.remaining = 1
        for lpa in range(first, last + 1):
            if self.holds(request, lpa):
                page: CachedPage = self.pages.pop(lpa)
                self.pages[lpa] = page  # behind all others
                if request.data is not None:
                    request.data[lpa] = page.data
            else:
                fetch: Fetch = self.ahead[lpa]
                fetch.waiting.append(request)
                request.remaining += 1
        self.count_down(request)

    @cfunc
    def holds(self, request: Request, lpa: int) -> bool:
        """Return whether all that `request` wants of page `lpa` is here."""
        page: CachedPage = self.pages.get(lpa)
        return page is not None and not request.touched(lpa, self.page_bytes) & ~page.touched

    @cfunc
    def count_down(self, request: Request) -> None:
        """Count a page of a read as here, and answer it after the last."""
        request.remaining -= 1
        if request.remaining:
            return
        request.remaining = 1
        if self.dram is None:
            request.needed_no_flash(0, 0)
            part_done(request)
            return
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        self.dram.move(request, last - request.offset_bytes // self.page_bytes + 1, request.size_bytes)

    @cfunc
    def read_ahead(self, request: Request, first: int) -> None:
        """Have the pages from `first` on read that are not here, if a read goes on with a stream."""
        length: int = self.ends.pop(request.offset_bytes, 0) + 1
        self.ends[request.offset_bytes + request.size_bytes] = length
        if len(self.ends) > STREAMS:
            del self.ends[next(iter(self.ends))]
        if length < 2:
            return
        for lpa in range(first, min(first + self.pages_ahead, self.logical_pages)):
            if lpa in self.pages or lpa in self.ahead:
                continue
            part: Request = self.requests.take(READ, Fetch(lpa))
            part.id = -1
            part.stream = request.stream
            part.offset_bytes = lpa * self.page_bytes
            part.size_bytes = self.page_bytes
            part.data = None if self.data is None else {}
            self.ahead[lpa] = part.about
            self.fetched += 1
            self.inner.submit(part)

    # Keeping.

    @cfunc
    def follow(self, request: Request, first: int, last: int) -> None:
        """Be told when a request that is passed on is complete, whose pages may be kept then."""
        self.coming[request] = set(range(first, last + 1))
        self.host = request.owner
        request.owner = self

    @cfunc
    def forget(self, first: int, last: int) -> None:
        """Forget pages, and keep nothing of them that is on its way."""
        for lpa in range(first, last + 1):
            self.pages.pop(lpa, None)
            self.ahead.pop(lpa, None)
            for kept in self.coming.values():
                kept.discard(lpa)

    @cfunc
    def keep(self, lpa: int, touched: Bits, data: Any) -> None:
        """Keep some sectors of a page, beside those that are here, in the place of the page used longest ago."""
        page: CachedPage = self.pages.pop(lpa, None)
        if page is not None:
            touched = touched | page.touched
            if self.data is not None:
                data = self.data.over(data, page.data)
        elif len(self.pages) >= self.capacity:
            del self.pages[next(iter(self.pages))]
        self.pages[lpa] = CachedPage(touched, data)
        if self.dram is not None:
            self.dram.occupy(1, touched.bit_count() * SECTOR)

    def completed(self, request: Request) -> None:
        """Keep the pages of a request, and tell its owner or the reads that wait for it."""
        if request.about is not None:
            self.arrived(request)
            return
        kept = self.coming.pop(request)
        if request.op != READ:
            first = request.offset_bytes // self.page_bytes
            self.forget(first, (request.offset_bytes + request.size_bytes - 1) // self.page_bytes)
        if request.op == READ or (request.op == WRITE and self.keeps_writes):
            self.keep_all(request, kept)
        request.owner = self.host
        owner: Stage = self.host
        owner.completed(request)

    @cfunc
    def keep_all(self, request: Request, kept: set[int]) -> None:
        """Keep those pages of a request that nothing has changed meanwhile."""
        lpa: int
        for lpa in sorted(kept):
            data = None if request.data is None else request.data.get(lpa)
            self.keep(lpa, request.touched(lpa, self.page_bytes), data)

    @cfunc
    def arrived(self, part: Request) -> None:
        """Keep a page that was read ahead, unless it was written meanwhile, and answer those that wait for it."""
        fetch: Fetch = part.about
        data = None if part.data is None else part.data.get(fetch.lpa)
        if self.ahead.get(fetch.lpa) is fetch:
            del self.ahead[fetch.lpa]
            self.keep(fetch.lpa, self.whole_page, data)
        part.about = part.data = None
        self.requests.pool.give_back(part)
        for request in fetch.waiting:
            if request.data is not None:
                request.data[fetch.lpa] = data
            self.count_down(request)

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds."""
        return self.inner.newest(lpa)

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits, and why."""
        count = sum([len(fetch.waiting) for fetch in self.ahead.values()])
        return [f"{count} reads wait for pages that are read ahead"] if count else []
