"""Files on a linear device behind a page cache: from what a program asks of files to what the device sees."""

import heapq
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

PAGE = 4096
EXTENT = 1 << 20  # unit of allocation on the device
MAX_REQUEST = 512 << 10  # the block layer cuts longer runs of pages
WAKE_NS, EXPIRE_NS = 5_000_000_000, 30_000_000_000  # Linux's flusher, by default
TO_THE_END = 1 << 62


class Request(NamedTuple):
    """One row of a trace; `op` is read, write, trim or flush, and a flush has offset and size 0."""

    arrival_ns: int
    op: str
    offset_bytes: int
    size_bytes: int


@dataclass(eq=False)
class File:
    """A file: size as far as known, device offset of each extent, dirty device pages and since when."""

    size: int = 0
    extents: dict[int, int] = field(default_factory=dict)
    dirty: dict[int, int] = field(default_factory=dict)


class Volume:
    """Linear device with an LRU page cache of `cache_bytes`; `requests` is what the device has seen.

    Dirty pages are written on `flush` and `write_back`, when 30 s old, and before one of them is evicted.
    """

    def __init__(self, cache_bytes: int) -> None:
        self.requests: list[Request] = []
        self._capacity = max(1, cache_bytes // PAGE)
        self._cached: OrderedDict[int, File] = OrderedDict()  # by device page, least recently used first
        self._free: list[int] = []
        self._end = 0
        self._wake_ns = 0

    def advance(self, time_ns: int, files: Iterable[File]) -> None:
        """Write back, at each wake-up of the flusher until `time_ns`, the files with a page dirty for 30 s."""
        self._wake_ns = self._wake_ns or time_ns + WAKE_NS
        while self._wake_ns <= time_ns:
            for file in files:
                if file.dirty and min(file.dirty.values()) <= self._wake_ns - EXPIRE_NS:
                    self.write_back(self._wake_ns, file)
            self._wake_ns += WAKE_NS

    def read(self, time_ns: int, file: File, offset: int, size: int) -> None:
        """Fetch the pages of a range that are not cached."""
        pages = self._pages(file, offset, size)
        self._emit(time_ns, "read", [page for page in pages if page not in self._cached])
        self._keep(time_ns, file, pages)
        file.size = max(file.size, offset + size)

    def write(self, time_ns: int, file: File, offset: int, size: int) -> None:
        """Dirty the pages of a range, fetching first those that keep old bytes."""
        end = offset + size
        if offset % PAGE and offset - offset % PAGE < file.size:
            self.read(time_ns, file, offset - offset % PAGE, 1)
        if end % PAGE and end < file.size:
            self.read(time_ns, file, end, 1)
        pages = self._pages(file, offset, size)
        for page in pages:
            file.dirty.setdefault(page, time_ns)
        self._keep(time_ns, file, pages)
        file.size = max(file.size, end)

    def write_back(self, time_ns: int, file: File, offset: int = 0, size: int = TO_THE_END) -> None:
        """Write the dirty pages of a range, or, without an end, all of them; neighbours go in one request."""
        due = sorted(file.dirty)
        if size != TO_THE_END:
            within = set(self._pages(file, offset, min(size, file.size - offset)))
            due = [page for page in due if page in within]
        self._emit(time_ns, "write", due)
        for page in due:
            del file.dirty[page]

    def flush(self, time_ns: int, files: Iterable[File]) -> None:
        """Write files back, then flush the device."""
        for file in files:
            self.write_back(time_ns, file)
        self.requests.append(Request(time_ns, "flush", 0, 0))

    def discard(self, time_ns: int, file: File, start: int, end: int = TO_THE_END) -> None:
        """Trim the whole pages in [start, end), forget their content and free the extents in the range."""
        start, end, size = -(-start // PAGE) * PAGE, end // PAGE * PAGE, -(-file.size // PAGE) * PAGE
        for number, base in sorted(file.extents.items()):
            first, last = number * EXTENT, (number + 1) * EXTENT
            low, high = base + max(start, first) - first, base + min(end, last, size) - first
            if low < high:
                self.requests.append(Request(time_ns, "trim", low, high - low))
            for page in range(low // PAGE, high // PAGE):
                self._cached.pop(page, None)
                file.dirty.pop(page, None)
            if start <= first and last <= end:
                heapq.heappush(self._free, file.extents.pop(number))

    def resize(self, time_ns: int, file: File, size: int) -> None:
        """Cut a file, freeing what lies beyond, or extend it by a hole."""
        self.discard(time_ns, file, size)
        file.size = size

    def _pages(self, file: File, offset: int, size: int) -> list[int]:
        """Device pages of a range; an extent, the lowest free one, is allocated when first touched."""
        pages = []
        for page in range(offset // PAGE, -(-(offset + size) // PAGE)):
            number, inside = divmod(page * PAGE, EXTENT)
            if number not in file.extents:
                file.extents[number] = self._allocate()
            pages.append((file.extents[number] + inside) // PAGE)
        return pages

    def _allocate(self) -> int:
        if self._free:
            return heapq.heappop(self._free)
        self._end += EXTENT
        return self._end - EXTENT

    def _keep(self, time_ns: int, file: File, pages: list[int]) -> None:
        for page in pages:
            self._cached[page] = file
            self._cached.move_to_end(page)
        while len(self._cached) > self._capacity:
            page, owner = self._cached.popitem(last=False)
            if page in owner.dirty:
                self.write_back(time_ns, owner)

    def _emit(self, time_ns: int, op: str, pages: list[int]) -> None:
        """Record a request for each run of neighbouring pages."""
        start = 0
        for stop in range(1, len(pages) + 1):
            size = (stop - start) * PAGE
            if stop == len(pages) or pages[stop] != pages[stop - 1] + 1 or size == MAX_REQUEST:
                self.requests.append(Request(time_ns, op, pages[start] * PAGE, size))
                start = stop
