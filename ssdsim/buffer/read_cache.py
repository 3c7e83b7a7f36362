# cython: infer_types=True
"""A read cache in the controller's DRAM."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, WRITE
from ssdsim.config import SimulationConfig
from ssdsim.controller.delays import Dram
from ssdsim.flash.data import PageData
from ssdsim.host.request import SECTOR, Bits, Request, RequestOwner
from ssdsim.stage import Stage


@final
class ReadCache(Stage):
    """Answers reads of which it has every sector, and keeps the pages that other reads bring, and writes if asked to.

    The page used longest ago leaves (LRU). A write or trim drops the pages that it touches, here and on their way here,
    as it passes and when it is complete: reads in between may bring what it replaces. Data is moved in `dram`, if that
    is given: an answer waits for it, what is kept holds up others.
    """

    host: RequestOwner  # that is to be told of completions
    pages: OrderedDict[int, tuple[Bits, Any]]  # by LPA: sectors that are here and their data; used longest ago first
    capacity: int  # in pages
    page_bytes: int
    keeps_writes: bool
    data: PageData | None  # of all pages, where integrity is checked
    coming: dict[Request, set[int]]  # by request under way: the pages of it to be kept
    # Pages:
    hits: int
    misses: int

    def __init__(self, inner: Stage, config: SimulationConfig, data: PageData | None, dram: Dram | None) -> None:
        self.inner = inner
        self.host = None
        self.page_bytes = config.hardware.page_bytes
        self.capacity = max(int(config.read_cache.size_mib * 2**20) // self.page_bytes, 1)
        self.keeps_writes = config.read_cache.keeps == "reads_and_writes"
        self.data = data
        self.dram = dram
        self.pages = OrderedDict()
        self.coming = {}
        self.hits = self.misses = 0

    def submit(self, request: Request) -> None:
        """Answer a read, or pass a request on."""
        first = request.offset_bytes // self.page_bytes
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        if request.op == READ:
            self.read(request, first, last)
            return
        if request.op != FLUSH:
            self.forget(first, last)
            self.follow(request, first, last)
        self.inner.submit(request)

    # Reading.

    @cfunc
    def read(self, request: Request, first: int, last: int) -> None:
        """Answer a read if all that it wants is here, else have all of it read."""
        pages = last - first + 1
        for lpa in range(first, last + 1):
            if not self.holds(request, lpa):
                self.misses += pages
                self.follow(request, first, last)
                self.inner.submit(request)
                return
        self.hits += pages
        for lpa in range(first, last + 1):
            self.pages.move_to_end(lpa)
            if request.data is not None:
                request.data[lpa] = self.pages[lpa][1]
        request.remaining = 1
        if self.dram is None:
            request.needed_no_flash(0, 0)
            request.part_done()
        else:
            self.dram.move(request, pages, request.size_bytes)

    @cfunc
    def holds(self, request: Request, lpa: int) -> bool:
        """Return whether all that `request` wants of page `lpa` is here."""
        page = self.pages.get(lpa)
        return page is not None and not request.touched(lpa, self.page_bytes) & ~page[0]

    # Keeping.

    @cfunc
    def follow(self, request: Request, first: int, last: int) -> None:
        """Take the place of the owner of a request that is passed on, whose pages may be kept when it is complete."""
        self.coming[request] = set(range(first, last + 1))
        self.host = request.owner
        request.owner = self

    @cfunc
    def forget(self, first: int, last: int) -> None:
        """Drop pages, and those of them that are on their way."""
        for lpa in range(first, last + 1):
            self.pages.pop(lpa, None)
            for kept in self.coming.values():
                kept.discard(lpa)

    @cfunc
    def keep(self, request: Request, lpa: int) -> None:
        """Keep the sectors that `request` has of a page, in the place of the page used longest ago."""
        touched = request.touched(lpa, self.page_bytes)
        data = None if request.data is None else request.data.get(lpa)
        page = self.pages.pop(lpa, None)
        if page is not None:
            touched = touched | page[0]
            if self.data is not None:
                data = self.data.over(data, page[1])
        elif len(self.pages) >= self.capacity:
            self.pages.popitem(last=False)
        self.pages[lpa] = touched, data
        if self.dram is not None:
            self.dram.occupy(1, touched.bit_count() * SECTOR)

    def completed(self, request: Request) -> None:
        """Keep the pages of a request that nothing has changed meanwhile, and tell its owner."""
        kept = self.coming.pop(request)
        if request.op != READ:
            first = request.offset_bytes // self.page_bytes
            self.forget(first, (request.offset_bytes + request.size_bytes - 1) // self.page_bytes)
        if request.op == READ or (request.op == WRITE and self.keeps_writes):
            lpa: int
            for lpa in sorted(kept):
                self.keep(request, lpa)
        request.owner = self.host
        self.host.completed(request)
