# cython: infer_types=True
"""How pages leave the write buffer for flash."""

from __future__ import annotations

from typing import Any

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import WRITE
from ssdsim._core.either_kernel import now
from ssdsim.buffer.pages import BufferedPages
from ssdsim.buffer.replacement import Entry, Eviction
from ssdsim.controller.delays import Dram
from ssdsim.flash.counters import FlashCounters
from ssdsim.ftl.writes import WritePath
from ssdsim.host.request import SECTOR, Request, RequestPool, WriteGroup
from ssdsim.stage import Stage


@cfunc
def charge(parent: Request, request: Request) -> None:
    """Count `request` as a part of the host's `parent`, which takes over what it measured."""
    parent.bus_ns = request.bus_ns
    parent.array_ns = request.array_ns
    parent.gc_ns = request.gc_ns + parent.held_ns
    parent.urgent_gc_ns = request.urgent_gc_ns + parent.held_ns
    parent.mapping_ns = request.mapping_ns
    parent.buffer_ns = 0
    parent.part_done()


class EvictingBuffer(Stage):
    """The part of a `WriteBuffer` that sends pages to flash: those that the replacement names, when a slot is needed.

    Pages leave one by one, or where the translation layer writes by the row, `row` pages of a die together; super pages
    leave whole. A row that its die has too few pages for is left to be padded only where nothing else would make room.
    """

    env: Any
    counters: FlashCounters
    pages: BufferedPages
    layer: Stage
    order: WritePath
    row: int  # pages of a die that leave together
    pages_in_flight: int  # kept on their way to flash as long as there are any; 0: they go when room is needed
    dram: Dram | None
    pool: RequestPool
    queue_length: int  # of the host's request that came last

    @cfunc
    def evict_for(self, waiting: int) -> None:
        """Evict pages for so many that wait, or as many as are to be in flight, counting in those that are leaving."""
        pages = self.pages
        while pages.used > pages.capacity:  # a loss of power found pages on their way
            self.evict(True)
        wanted = self.pages_in_flight if self.pages_in_flight else waiting
        while pages.leaving < wanted and pages.unsent() > 0 and self.evict(pages.leaving == 0 and waiting > 0):
            pass

    @cfunc
    def send_through(self, entries: list[Entry], payer: Request) -> None:
        """Send pages that have just been written to flash, rows of a die together; `payer` waits for all of them."""
        by_die: dict[int, list[Entry]] = {}
        for entry in entries:
            if entry.evicting:  # along with a neighbour, or for the room of another page: `payer` waits for it already
                continue
            self.pages.replacement.remove(entry)
            if self.row > 1:
                by_die.setdefault(self.pages.replacement.die_of(entry.lpa), []).append(entry)
            else:
                self.send_all([entry], payer, -1)
        for of_die in by_die.values():
            for first in range(0, len(of_die), self.row):
                self.send_all(of_die[first : first + self.row], payer, -1)

    @cfunc
    def evict(self, force: bool, payer: Request | None = None) -> bool:
        """Send the pages whose turn it is to flash; return whether there were any, as there are with `force`.

        The host's write `payer`, if there is one, is not complete before they are in flash.
        """
        entries: list[Entry] = self.pages.replacement.victims(self.row, force)
        if entries:
            self.send_all(entries, payer, -1)
        return len(entries) > 0

    @cfunc
    def send_all(self, entries: list[Entry], payer: Request | None, collection: int) -> None:
        """Send pages that have left their lists to flash: as a super page or a row where these are written.

        The row is one of `collection`'s, or of their own if that is -1.
        """
        eviction = Eviction(payer) if collection < 0 else None
        if payer is not None:
            payer.remaining += 1
        if self.pages.super_page > 1:
            self.send_super_page(entries[0], eviction)
            return
        group: WriteGroup = None
        if self.row > 1:
            group = WriteGroup(len(entries))
            group.collection = collection
        for entry in entries:
            self.send(entry, group, eviction)

    @cfunc
    def send_super_page(self, entry: Entry, eviction: Eviction) -> None:
        """Write the super page of `entry`, which has left its list, to flash: what is here, and the rest as it is."""
        size = self.pages.super_page
        group = WriteGroup(size)
        first = entry.lpa // size * size
        for lpa in range(first, first + size):
            other: Entry = self.pages.entries.get(lpa)
            if other is None or other.evicting:
                self.order.write(None, lpa, 0, group)
                continue
            if other is not entry:
                self.pages.replacement.remove(other)
            self.send(other, group, eviction)

    def complete_row(self, die: int, page_limit: int) -> bool:
        """Evict up to `page_limit` pages of `die` for a row that is being collected; return whether there are any.

        A page that would have to wait stays: it might be for that very collection.
        """
        replacement = self.pages.replacement
        if not replacement.knows_dies:
            return False
        pages: list[Entry] = replacement.of_die(die)
        entries: list[Entry] = [entry for entry in pages if not self.order.would_wait(entry.lpa)][:page_limit]
        for entry in entries:
            replacement.remove(entry)
        if entries:
            self.send_all(entries, None, die)
        return len(entries) > 0

    @cfunc
    def send(self, entry: Entry, group: WriteGroup, eviction: Eviction) -> None:
        """Write a page to flash, the whole of it or the parts that are known, along with `group` if there is one."""
        pages = self.pages
        entry.evicting = True
        pages.leaving += 1
        if pages.frees_early:
            pages.used -= 1
        entry.eviction = eviction
        if eviction is not None:
            eviction.left += 1
        request: Request = self.pool.take()
        request.owner = self
        request.op = WRITE
        request.about = entry
        request.queue_length = self.queue_length
        request.id = entry.maker
        request.group = group
        request.fua = eviction is not None and eviction.payer is not None and eviction.payer.fua
        request.stream = entry.stream
        request.access_latency = entry.access_latency
        request.offset_bytes = entry.lpa * pages.page_bytes
        is_whole: bool = entry.touched == pages.whole_page
        request.size_bytes = pages.page_bytes if is_whole else entry.touched.bit_count() * SECTOR
        if entry.data is not None:
            request.data = {entry.lpa: entry.data}
        if self.dram is not None:
            self.dram.occupy(1, request.size_bytes)
        self.layer.submit(request)

    @cfunc
    def written(self, entry: Entry, request: Request) -> None:
        """Forget a page that `request` has written to flash; the last one of an eviction completes that."""
        pages = self.pages
        pages.leaving -= 1
        if not pages.frees_early:
            pages.used -= 1
        if pages.entries.get(entry.lpa) is entry:  # else it was written again since
            del pages.entries[entry.lpa]
        eviction = entry.eviction
        if eviction is None:
            return
        eviction.left -= 1
        if eviction.left == 0:
            if self.counters is not None:
                self.counters.eviction_done(now(self.env))
            if eviction.payer is not None:
                charge(eviction.payer, request)
