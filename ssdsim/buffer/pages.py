# cython: infer_types=True
"""The pages that a write buffer holds, and the slots that they take."""

from __future__ import annotations

from typing import final

from ssdsim._core.calls import cfunc
from ssdsim.buffer.replacement import Entry, Replacement
from ssdsim.config import SimulationConfig
from ssdsim.flash.data import PageData
from ssdsim.host.request import BIT, SECTOR, Bits, Request


@final
class BufferedPages:
    """The newest data of pages that are not yet in flash, up to `capacity` of them; `replacement` is told of each.

    A page takes a slot until it has been written to flash; where `frees_early`, until it is sent: it then lies in
    controller memory, beside the `capacity`. Where pages `stripe` apart make a super page, they have other names here
    and below, under which they follow one another (`renamed`); nothing is trimmed then.
    """

    data: PageData | None  # of all pages, where integrity is checked
    page_bytes: int
    capacity: int  # in pages
    super_page: int  # consecutive pages that leave together
    stripe: int  # how far apart the host's pages of a super page are; 0: they are consecutive
    frees_early: bool  # slots are free from eviction on
    whole_page: Bits  # the bits of a page that is known in full
    entries: dict[int, Entry]  # by LPA: the newest data of the page in the buffer
    used: int  # slots taken; after a loss of power there may be more than there are
    leaving: int  # pages on their way to flash, which may have a slot or not

    def __init__(self, replacement: Replacement, config: SimulationConfig, data: PageData | None) -> None:
        self.replacement = replacement
        self.page_bytes = config.hardware.page_bytes
        self.capacity = max(int(config.buffer.size_mib * 2**20) // self.page_bytes, 1)
        self.super_page = config.super_page
        self.stripe = config.super_page_stripe
        self.frees_early = config.buffer.slot_free_when == "evicted"
        self.data = data
        self.whole_page = (BIT << self.page_bytes // SECTOR) - 1
        self.entries = {}
        self.used = self.leaving = 0

    def utilization(self) -> float:
        """Return the share of the slots that are taken."""
        return self.used / float(self.capacity)  # of two C integers the quotient would be one, too

    def unsent(self) -> int:
        """Return how many pages have not been sent to flash yet."""
        return self.used if self.frees_early else self.used - self.leaving

    @cfunc
    def renamed(self, lpa: int) -> int:
        """Return the name of a logical page of the host, under which super pages are of consecutive pages."""
        if not self.stripe:
            return lpa
        place = lpa % (self.stripe * self.super_page)
        return lpa - place + place % self.stripe * self.super_page + place // self.stripe

    def holds(self, request: Request, lpa: int) -> bool:
        """Return whether the buffer has all that `request` wants of page `lpa`."""
        entry: Entry = self.entries.get(self.renamed(lpa))
        return entry is not None and not request.touched(lpa, self.page_bytes) & ~entry.touched

    def keep(self, entry: Entry) -> None:
        """Give `entry` a slot."""
        self.entries[entry.lpa] = entry
        self.used += 1
        self.replacement.insert(entry)

    def forget(self, request: Request) -> None:
        """Drop the pages that `request` trims whole, super pages as such."""
        size = self.super_page * self.page_bytes
        first = (request.offset_bytes + size - 1) // size * self.super_page
        for lpa in range(first, (request.offset_bytes + request.size_bytes) // size * self.super_page):
            entry: Entry = self.entries.pop(lpa, None)
            if entry is not None and not entry.evicting:
                self.replacement.remove(entry)
                self.used -= 1

    def put_back(self, entries: list[Entry]) -> None:
        """Take over the pages that a loss of power left in another buffer."""
        entry: Entry
        for entry in entries:
            entry.evicting = False
            entry.eviction = None
            entry.maker = -1
            self.keep(entry)
