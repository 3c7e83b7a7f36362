"""The data itself, on its way through the device and in the cells, where integrity is checked: a word a sector."""

from collections.abc import Iterable
from operator import xor
from typing import Any, NamedTuple

from ssdsim._core.codes import COPYBACK

SECTOR = 512
"""Bytes of a sector."""

EMPTY = 0
"""The image of a page that holds no data: every sector of it reads as 0."""

UNIT = 1 << 16
"""Words that stand for whole pages are multiples of this; no page has so many sectors."""

Image = int | tuple[int | None, ...] | None
"""What a page holds: a word for each sector, None for one that is not there.

A page of which all sectors come from one write is written down as the word of its first sector, a multiple of `UNIT`:
the others are the numbers that follow. None is a page of which nothing is there, such as one that was never programmed.
"""


def sectors_of(page_bytes: int) -> int:
    """Return the sectors of a page, of which the last may be a part of one."""
    return -(-page_bytes // SECTOR)


class PageData:
    """What the cells hold, by physical page, and what the programs on their way to them bring.

    An image is handed over from request to buffer, transaction and cell, and back; nothing here or on that way looks up
    what ought to be in a page. `reads_unprogrammed` says that a page is read from flash before it is programmed, as in
    other simulators: it gives what its program brings.
    """

    observes = ("queued", "sensed", "programmed")
    empty = EMPTY

    def __init__(self, sectors: int, reads_unprogrammed: bool):
        self.sectors = sectors
        self.reads_unprogrammed = reads_unprogrammed
        self.cells: dict[int, Image] = {}
        self.pending: dict[int, Image] = {}
        self.whole: dict[int, int] = {}  # by word of a whole page: how many cells hold it
        self.parts: dict[int, int] = {}  # the same by word of a sector, of pages that are mixed

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
        if upper is None or isinstance(upper, int):
            return lower if upper is None else upper
        return self.join(b if a is None else a for a, b in zip(upper, self.split(lower), strict=True))

    def parity(self, images: Iterable[Image]) -> Image:
        """Return the XOR of some images; what is not there counts as 0."""
        total: Iterable[int] = (0,) * self.sectors
        for image in images:  # XOR with 0 changes nothing: a page without data is none of the parity
            total = map(xor, total, (word or 0 for word in self.split(image)))
        return self.join(total)

    # Controller memory.

    def queued(self, transactions: Any, number: int) -> None:
        """Record a program that has been issued: until it is done, its data is read from controller memory."""
        self.pending[transactions.ppa[number]] = transactions.data[number]

    def at(self, ppa: int) -> Image:
        """Return the content of page `ppa`, programmed or about to be."""
        return self.pending[ppa] if ppa in self.pending else self.cells.get(ppa)

    # The cells.

    def sensed(self, transactions: Any, number: int) -> None:
        """Read into a transaction what is not there of its data yet."""
        transactions.data[number] = self.over(transactions.data[number], self.sense(transactions.ppa[number]))

    def programmed(self, transactions: Any, number: int) -> None:
        """Have a page hold what its program brings, or what the page that is copied back to it holds."""
        ppa = transactions.ppa[number]
        if transactions.op[number] == COPYBACK:
            # within the chip: its data never passes through the controller
            self.put(ppa, self.cells.get(transactions.copied_from[number]))
        else:
            self.pending.pop(ppa, None)
            self.put(ppa, transactions.data[number])

    def sense(self, ppa: int) -> Image:
        """Return the content that a read of page `ppa` finds."""
        return self.at(ppa) if self.reads_unprogrammed else self.cells.get(ppa)

    def put(self, ppa: int, image: Image) -> None:
        """Have page `ppa` hold `image` and nothing else."""
        self.wipe(ppa)
        if image is not None:
            self.cells[ppa] = image
            self.count(image, 1)

    def wipe(self, ppa: int) -> None:
        """Have page `ppa` hold nothing that can be read."""
        if ppa in self.cells:
            self.count(self.cells.pop(ppa), -1)

    def count(self, image: Image, change: int) -> None:
        """Count the cells that hold an image, by the word of the page, or of each sector where these are mixed."""
        # of sectors None and 0 are no words of a write
        counts, words = (self.whole, [image]) if isinstance(image, int) else (self.parts, [*filter(None, image or ())])
        for word in words:
            counts[word] = counts.get(word, 0) + change
            if not counts[word]:  # no entry of 0: whether a word is there is whether it has a count
                del counts[word]

    def is_in_flash(self, word: int, whole: bool = False) -> bool:
        """Return whether any cells of the device hold the sector `word`, or the whole page that it begins."""
        return word - word % UNIT in self.whole or (not whole and word in self.parts)


FACTOR = 0xD1342543DE82EF95F1357AEA2E62A9C5 % (1 << 96) | 1
"""An odd number: multiplication by it shuffles numbers of 96 bits, and by its inverse puts them back."""
INVERSE = pow(FACTOR, -1, 1 << 96)
MASK = (1 << 96) - 1
PAGES = 1 << 48


class Origin(NamedTuple):
    """What a word is of: the sector of a logical page that the request with this number wrote."""

    number: int
    lpa: int
    sector: int


def word_of(number: int, lpa: int) -> int:
    """Return the word of the first sector of logical page `lpa` as request `number`, from 1, wrote it.

    Those of the other sectors follow. XORs of several words are words of nothing.
    """
    return ((number * PAGES + lpa) * FACTOR & MASK) * UNIT


def origin_of(word: int) -> Origin:
    """Return the origin of a word other than 0: its write, page and sector."""
    number, lpa = divmod((word // UNIT) * INVERSE & MASK, PAGES)
    return Origin(number, lpa, word % UNIT)
