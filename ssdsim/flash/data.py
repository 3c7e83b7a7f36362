# cython: infer_types=True
"""The data itself, on its way through the device and in the cells, where integrity is checked: a word a sector."""

from __future__ import annotations

from collections.abc import Iterable
from operator import xor
from typing import Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import COPIES
from ssdsim.flash.transactions import Transactions
from ssdsim.host.request import SECTOR

UNIT: Final = 65536
"""Words that stand for whole pages are multiples of this; no page has so many sectors."""

EMPTY: Final = 0
"""The image of a page that holds no data: every sector of it reads as 0."""

Word = int
"""The content of a sector (`ssdsim.check.words`): more bits than a C integer has."""

Image = Word | tuple[Word | None, ...] | None
"""What a page holds: a word for each sector, None for one that is not there.

A page of which all sectors come from one write is written down as the word of its first sector, a multiple of `UNIT`:
the others are the numbers that follow. None is a page of which nothing is there, such as one that was never programmed.
"""


def sectors_of(page_bytes: int) -> int:
    """Return the sectors of a page, of which the last may be a part of one."""
    return -(-page_bytes // SECTOR)


@final
class PageData:
    """What the cells hold, by physical page, and what the programs on their way to them bring.

    An image is handed over from request to buffer, transaction and cell, and back; nothing here or on that way looks up
    what ought to be in a page. `reads_unprogrammed` says that a page is read from flash before it is programmed, as in
    other simulators: it gives what its program brings.
    """

    cells: list[Image]  # by PPA
    pending: dict[int, Image]  # by PPA, of programs on their way
    whole: dict[int, int]  # by word of a whole page: how many cells hold it
    parts: dict[int, int]  # the same by word of a sector, of pages that are mixed

    observes = ("queued", "sensed", "programmed")
    empty = EMPTY

    def __init__(self, pages: int, sectors: int, reads_unprogrammed: bool) -> None:
        self.sectors = sectors
        self.reads_unprogrammed = reads_unprogrammed
        self.cells = [None] * pages
        self.pending = {}
        self.whole = {}
        self.parts = {}

    # Images.

    def split(self, image: Image) -> tuple[int | None, ...]:
        """Return the word of each sector."""
        if isinstance(image, tuple):
            return image
        # 0 and None are the same in all sectors
        return tuple(range(image, image + self.sectors)) if image else (image,) * self.sectors

    def join(self, sectors: Iterable[int | None]) -> Image:
        """Return the image that has these sectors."""
        words = tuple(sectors)
        first = words[0]
        # only then `split` gives the same words
        return first if (not first or first % UNIT == 0) and words == self.split(first) else words

    def over(self, upper: Image, lower: Image) -> Image:
        """Return `upper`, and what is not there of it from `lower`."""
        if upper is None:
            return lower
        return upper if isinstance(upper, int) else self.blend(upper, lower)

    def blend(self, upper: tuple[int | None, ...], lower: Image) -> Image:
        """Return the image of the sectors of `upper`, or of `lower` where they are not there."""
        return self.join(b if a is None else a for a, b in zip(upper, self.split(lower), strict=True))

    def parity(self, images: Iterable[Image]) -> Image:
        """Return the XOR of some images; what is not there counts as 0."""
        total: Iterable[int] = (0,) * self.sectors
        for image in images:  # XOR with 0 changes nothing: a page without data is none of the parity
            total = map(xor, total, (word or 0 for word in self.split(image)))
        return self.join(total)

    # Controller memory.

    def queued(self, transactions: Transactions, number: int) -> None:
        """Record a program that has been issued: until it is done, its data is read from controller memory."""
        self.pending[transactions.ppa[number]] = transactions.data[number]

    def at(self, ppa: int) -> Image:
        """Return the content of page `ppa`, programmed or about to be."""
        return self.pending[ppa] if self.pending and ppa in self.pending else self.cells[ppa]

    # The cells.

    def sensed(self, transactions: Transactions, number: int) -> None:
        """Read into a transaction what is not there of its data yet."""
        transactions.data[number] = self.over(transactions.data[number], self.sense(transactions.ppa[number]))

    def programmed(self, transactions: Transactions, number: int) -> None:
        """Store in a page what its program brings, or what the page that is copied back to it holds."""
        ppa = transactions.ppa[number]
        if COPIES >> transactions.op[number] & 1:
            # within the chip: its data never passes through the controller
            self.put(ppa, self.cells[transactions.before[number]])
        else:
            self.pending.pop(ppa, None)
            self.put(ppa, transactions.data[number])

    def sense(self, ppa: int) -> Image:
        """Return the content that a read of page `ppa` finds."""
        return self.at(ppa) if self.reads_unprogrammed else self.cells[ppa]

    def put(self, ppa: int, image: Image) -> None:
        """Store `image` in page `ppa`."""
        self.wipe(ppa)
        if image is not None:
            self.cells[ppa] = image
            self.count(image, 1)

    def wipe(self, ppa: int) -> None:
        """Mark page `ppa` as unreadable."""
        image: Image = self.cells[ppa]
        if image is not None:
            self.cells[ppa] = None
            self.count(image, -1)

    @cfunc
    def count(self, image: Image, change: int) -> None:
        """Count the cells that hold an image, by the word of the page, or of each sector where these are mixed."""
        if isinstance(image, int):
            self.add(self.whole, image, change)
            return
        for word in image or ():
            if word:  # None and 0 are no words of a write
                self.add(self.parts, word, change)

    @cfunc
    def add(self, counts: dict[Word, int], word: Word, change: int) -> None:
        """Add `change` to the count of `word`; one of 0 has no entry."""
        count: int = counts.get(word, 0) + change
        if count:
            counts[word] = count
        else:
            del counts[word]

    def has_page(self, word: Word) -> bool:
        """Return whether any cells of the device hold the whole page whose first sector is `word`."""
        return word in self.whole

    def has_sector(self, word: Word) -> bool:
        """Return whether any cells of the device hold the sector `word`."""
        return word in self.parts or word - word % UNIT in self.whole
