"""What a stack promises its host, as a model: requests and what ends go in, and nothing else is asked of the device.

Requests are numbered from 1 in the order in which they are sent, and the data of a sector is told by the number of the
request that wrote it (`ssdsim.flash.data`); 0 stands for none.
"""

from typing import NamedTuple

import numpy as np

from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim.check.words import origin_of, word_of
from ssdsim.host.request import SECTOR

IN_FLASH, KEPT, OPEN = "in flash", "kept", "open"
ANSWERED = {
    ("no buffer", "program_end"): IN_FLASH,
    ("no buffer", "transfer_end"): OPEN,
    ("buffer", "program_end"): OPEN,
    ("buffer that writes through", "program_end"): IN_FLASH,
    ("buffer that writes through", "transfer_end"): OPEN,
    ("buffer", "transfer_end"): OPEN,
    ("buffer with capacitor", "program_end"): KEPT,
    ("buffer with capacitor", "transfer_end"): OPEN,
}
"""By write buffer and `flash.write_complete`: what is promised of a write that has been answered.

It is in flash, or it outlasts a loss of power, or that is open until a flush: always, of chips that answer early. With
FUA it is in flash anyway.
"""
FUA_EVERY = 5
"""One in so many requests has FUA, which says something of writes only."""


class Terms(NamedTuple):
    """What is promised of an answered write, and what holds in any stack but those that say otherwise here.

    What is in flash stays, unless `paired_pages_are_lost` with a program of their wordline that is cut short. Pages are
    trimmed `together` or not at all.
    """

    answered: str
    paired_pages_are_lost: bool
    together: int


def terms(config):
    """Return what the stack of `config` promises."""
    buffer = "no buffer" if config.buffer.replacement == "none" else "buffer"
    if buffer == "buffer" and config.buffer.write_through:
        buffer = "buffer that writes through"
    elif buffer == "buffer" and config.power_loss.capacitor:
        buffer = "buffer with capacitor"
    unpaired = config.hardware.page_types == 1 or config.hardware.program_unit == "wordline"
    return Terms(
        answered=ANSWERED[buffer, config.flash.write_complete],
        paired_pages_are_lost=config.ftl.backup == "none" and not unpaired,
        together=config.super_page,
    )


class Promise(NamedTuple):
    """Of a sector: the newest write that is in flash, the newest request that was answered, and the newest trim sent.

    A trim puts an end to what was promised of older writes when it is sent: it leaves no trace in flash, and may be
    undone by a loss of power. Until then nothing older than what was answered is read.
    """

    durable: int
    acknowledged: int
    trimmed: int


class Promises:
    """What the host may rely on, sector by sector: a `Promise` for each, in columns."""

    def __init__(self, config):
        self.terms = terms(config)
        self.pages = config.hardware.logical_pages
        self.sectors = config.hardware.page_bytes // SECTOR
        self.durable, self.acknowledged, self.trimmed, self.newest = np.zeros((4, self.pages * self.sectors), np.int64)
        self.number = 0
        self.written = {}
        self.known = {}
        self.open = {}

    def of(self, sector):
        """Return the promise for a sector."""
        return Promise(*(int(column[sector]) for column in (self.durable, self.acknowledged, self.trimmed)))

    def parts(self, first, count):
        """Yield the logical pages that some sectors are in, and from which to which of its sectors each is touched."""
        for lpa in range(first // self.sectors, -(-(first + count) // self.sectors)):
            start = lpa * self.sectors
            yield lpa, max(first - start, 0), min(first + count - start, self.sectors)

    # Requests.

    def sent(self, op, first, count):
        """Return the number of a request for some sectors, and what its `data` is to be."""
        self.number += 1
        touched, data, before = slice(first, first + count), None, None
        if op == WRITE:
            self.written[self.number] = range(first, first + count)
            self.newest[touched] = self.number
            data = {lpa: self.image(lpa, *part) for lpa, *part in self.parts(first, count)}
        elif op == READ:
            before, data = self.acknowledged[touched].copy(), {}
        elif op == TRIM:
            size = self.sectors * self.terms.together
            touched = slice(-(-first // size) * size, (first + count) // size * size)
            self.trimmed[touched] = self.number
        elif op == FLUSH:
            before = self.newest.copy()
        self.open[self.number] = (op, touched, before)
        return self.number, data

    def has_fua(self, number):
        """Return whether a request has FUA."""
        return number % FUA_EVERY == 0

    def image(self, lpa, first, end):
        """Return what the newest request writes to some sectors of `lpa`."""
        word = word_of(self.number, lpa)
        if end - first == self.sectors:
            return word
        return tuple(word + sector if first <= sector < end else None for sector in range(self.sectors))

    def answered(self, number, data):
        """Hold the answer to a request to what it promises."""
        op, touched, before = self.open.pop(number)
        if op == READ:
            for lpa, first, end in self.parts(touched.start, touched.stop - touched.start):
                start = lpa * self.sectors
                for sector, found in enumerate(self.numbers(lpa, data.get(lpa), first, end), start + first):
                    floor = int(before[sector - touched.start])
                    is_right = floor <= self.trimmed[sector] if found == 0 else found >= floor
                    assert is_right, f"read: {self.told(sector, found)}, and {floor} had been answered before"
        elif op == FLUSH:
            self.demand("flush", slice(None), before)
        else:
            self.acknowledged[touched] = np.maximum(self.acknowledged[touched], number)
            if op == WRITE and (self.terms.answered == IN_FLASH or self.has_fua(number)):
                self.demand("write", touched, number)

    def demand(self, who, touched, numbers):
        """Hold an answer to the promise that some sectors are in flash as these requests, or newer ones, wrote them."""
        missing = (self.durable[touched] < numbers) & (self.trimmed[touched] < numbers)
        if missing.any():
            sector = int(np.flatnonzero(missing)[0]) + (touched.start or 0)
            raise AssertionError(f"{who}: answered, but {self.told(sector, int(self.durable[sector]))} in flash")

    def told(self, sector, found):
        """Return what is found in a sector, and what had been promised."""
        lpa, place = divmod(sector, self.sectors)
        return f"sector {place} of page {lpa} is of request {found}, with {self.of(sector)}"

    def numbers(self, lpa, image, first=0, end=None):
        """Return the requests that wrote what some sectors of `lpa` hold: they must have written just that."""
        if (lpa, image) in self.known:
            return self.known[lpa, image][first:end]
        whole = image if isinstance(image, tuple) else range(image, image + self.sectors) if image else None
        words = (whole or (image,) * self.sectors)[first:end]
        numbers = [self.number_of(lpa, sector, word) for sector, word in enumerate(words, first)]
        if len(numbers) == self.sectors:
            self.known[lpa, image] = numbers
        return numbers

    def number_of(self, lpa, sector, word):
        """Return the request that wrote `word` to a sector."""
        where = f"sector {sector} of page {lpa}"
        assert word is not None, f"nothing at all: {where}"
        if not word:
            return 0
        number, of_lpa, of_sector = origin_of(word)
        assert (of_lpa, of_sector) == (lpa, sector), f"misplaced: {where} holds sector {of_sector} of page {of_lpa}"
        written = self.written.get(number, ())
        assert lpa * self.sectors + sector in written, f"never written: {where} holds what request {number} never wrote"
        return number

    # What the device does.

    def programmed(self, lpa, image):
        """Record what has been programmed for the host."""
        if image is not None:
            held = self.durable[lpa * self.sectors : (lpa + 1) * self.sectors]
            held[:] = np.maximum(held, self.numbers(lpa, image))

    def power_lost(self, found, in_flash, endangered):
        """Return the logical pages lost from flash, and go on with what is `found`.

        That is images by logical page, as is what of it is `in_flash`. The `endangered` pages share wordlines with what
        was being programmed.
        """
        assert len(found) == self.pages
        held, cells = (
            np.array([number for lpa, image in enumerate(images) for number in self.numbers(lpa, image)])
            for images in (found, in_flash)
        )
        durable = np.where(self.durable > self.trimmed, self.durable, 0)
        kept = np.where(self.acknowledged > self.trimmed, self.acknowledged, 0)
        lost = cells < durable
        for sector in np.flatnonzero(lost | ((held < kept) & (self.terms.answered != OPEN))).tolist():
            excused = self.terms.paired_pages_are_lost and sector // self.sectors in endangered
            assert excused, f"lost: {self.told(sector, int((cells if lost[sector] else held)[sector]))}"
        self.durable[:] = cells
        self.acknowledged[:] = self.newest[:] = held
        self.trimmed[:] = 0
        self.open.clear()
        return {sector // self.sectors for sector in np.flatnonzero(lost).tolist()}
