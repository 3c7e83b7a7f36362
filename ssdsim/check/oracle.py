# cython: infer_types=True
"""The integrity oracle: a host that knows what it wrote, and believes no device."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim._core.columns import Int64s
from ssdsim.check.contract import Contract, Losses
from ssdsim.check.words import origin_of, word_of
from ssdsim.errors import SimulationError
from ssdsim.flash.data import EMPTY, Image, PageData, Word, sectors_of
from ssdsim.host.request import SECTOR, Request

Floor = int | tuple[int, ...]
"""The number of a request for each sector of a page, or one number where they are all the same."""


MIXED: Final = -1
"""The floor in the column where the sectors of a page have floors of their own."""


@final
class OpenRequest:
    """A request under way: its number, and for a read the floors of its pages and what is read."""

    floors: list[Floor]
    answer: dict[int, Image]

    def __init__(self, number: int) -> None:
        self.number = number
        self.floors = []
        self.answer = {}


@final
class IntegrityOracle:
    """Gives every sector that is written a word of its own, and says which words a read may return.

    Requests are numbered in the order of admission, from 1; where the device is filled beforehand, that is 1. The
    newest of the writes and trims of a sector that were complete when a read was admitted is its *floor*. The read
    may return that one, or any with a higher number that has been admitted by the time the read is complete, and
    nothing else: not an older one, not a word of another sector, not what was never written. (This is a regular
    register for each sector, of which the writers take effect in the order of their numbers, as the device
    promises.) A trim is a write of emptiness to the pages that it covers whole, so that a read admitted while it is
    under way returns what a read before it could have, or nothing. A sector never written reads as empty, too; a write
    of part of a sector counts as one of the sector.

    When a flush is complete the cells of the device must hold, for every sector, the newest write admitted before the
    flush or a later one, wherever they hold it; when a write is complete, the same goes for that, with FUA or in a
    stack that promises it. At the end, and when power is back after a loss, every logical page is read and held against
    its floor. What is older than that after a loss of power must be among the pages that the device says it lost, and
    what it says was lost from memory alone must not have been in flash by promise. Where it says that a trim was
    undone, complete or cut short, the page may hold whatever it held before.

    The oracle sees requests, and the words that come back; of the device it asks only whether some cell holds a word.
    """

    sectors: int  # of a page
    open: dict[Request, OpenRequest]  # in the order of admission
    words: list[Image]  # by LPA: what the newest write brings, None if that is a trim or of a part
    floors: Int64s  # by LPA: of the whole page, or `MIXED`
    mixed: dict[int, tuple[int, ...]]  # by LPA: the floor of each sector, where they differ
    durable: dict[int, Floor]
    trimmed: dict[int, int]
    unproven: dict[int, list[tuple[int, int, int]]]  # by LPA: writes that the next flush is to cover

    def __init__(self, logical_pages: int, page_bytes: int, contract: Contract, data: PageData) -> None:
        self.logical_pages = logical_pages
        self.page_bytes = page_bytes
        self.contract = contract
        self.together: int = contract.together
        self.durable_when_complete: bool = contract.durable_when_complete
        self.data = data
        self.sectors = sectors_of(page_bytes)
        self.number = 0
        self.open = {}
        self.words = [None] * logical_pages
        self.floors = array("q", bytes(8 * logical_pages))
        self.mixed = {}
        self.durable = {}
        self.trimmed = {}
        self.unproven = {}
        self.flushes = 0

    # What the host does.

    def filled(self, lpa: int) -> Image:
        """Return the data of `lpa` that the device holds before the first request."""
        self.number = max(self.number, 1)  # a fill counts as request 1, so that the host's first is 2
        self.floors[lpa] = 1
        self.words[lpa] = word_of(1, lpa)
        return self.words[lpa]

    def admitted(self, request: Request, now_ns: int) -> None:
        """Give a request its number, and a write its data."""
        self.number += 1
        asked = OpenRequest(self.number)
        request.data = None
        lpa: int
        if request.op == WRITE:
            data: dict[int, Image] = {}
            for lpa in range(self.first_page(request), self.end_page(request)):
                first, end = self.first_sector(request, lpa), self.end_sector(request, lpa)
                data[lpa] = self.piece(lpa, first, end)
                self.owe(lpa, first, end)
            request.data = data
        elif request.op == READ:
            request.data = asked.answer
            for lpa in range(self.first_page(request), self.end_page(request)):
                asked.floors.append(self.floor_of(lpa))
        elif request.op == TRIM:
            for lpa in self.forgotten(request):
                self.trimmed[lpa] = self.number
                self.words[lpa] = None
                self.durable.pop(lpa, None)  # what is trimmed is owed nothing any more
                self.unproven.pop(lpa, None)
        else:
            self.flushes += 1
        self.open[request] = asked

    def completed(self, request: Request, now_ns: int) -> None:
        """Hold a request to what its completion promises."""
        asked: OpenRequest = self.open.pop(request)
        number: int = asked.number
        page: int = self.first_page(request)
        lpa: int
        if request.op == READ:
            for lpa in range(page, self.end_page(request)):
                image, floor = asked.answer.get(lpa), asked.floors[lpa - page]
                first, end = self.first_sector(request, lpa), self.end_sector(request, lpa)
                if self.fault(lpa, first, end, image, floor) is not None:
                    self.judge(f"request {number}, a read,", now_ns, lpa, first, end, image, floor)
        elif request.op == WRITE:
            for lpa in range(page, self.end_page(request)):
                first, end = self.first_sector(request, lpa), self.end_sector(request, lpa)
                if self.durable_when_complete or request.fua:
                    self.demand("a write", number, now_ns, lpa, first, end, number)
                if request.fua and number > self.trimmed.get(lpa, 0):
                    self.durable[lpa] = self.raised(self.durable.get(lpa, 0), first, end, number)
                # writes complete in any order: a floor only rises
                self.raise_floor(lpa, first, end, number)
        elif request.op == TRIM:
            for lpa in self.forgotten(request):
                self.raise_floor(lpa, 0, self.sectors, number)
        elif request.op == FLUSH:
            self.flushes -= 1
            self.flushed(number, now_ns)
        request.data = None

    @cfunc
    def first_page(self, request: Request) -> int:
        """Return the first logical page that a request touches."""
        return request.offset_bytes // self.page_bytes

    @cfunc
    def end_page(self, request: Request) -> int:
        """Return the logical page after the last that a request touches, if only in part."""
        return (request.offset_bytes + request.size_bytes + self.page_bytes - 1) // self.page_bytes

    @cfunc
    def first_sector(self, request: Request, lpa: int) -> int:
        """Return the first sector of `lpa` that a request touches."""
        return max(request.offset_bytes - lpa * self.page_bytes, 0) // SECTOR

    @cfunc
    def end_sector(self, request: Request, lpa: int) -> int:
        """Return the sector of `lpa` after the last that a request touches; part of one counts as the whole."""
        end = min(request.offset_bytes + request.size_bytes - lpa * self.page_bytes, self.page_bytes)
        return (end + SECTOR - 1) // SECTOR

    def forgotten(self, request: Request) -> range:
        """Return the logical pages that a trim forgets."""
        size = self.page_bytes * self.together
        end = request.offset_bytes + request.size_bytes
        # only pages that are covered whole, of so many `together`
        return range((request.offset_bytes + size - 1) // size * self.together, end // size * self.together)

    @cfunc
    def piece(self, lpa: int, first: int, end: int) -> Image:
        """Return the data of the newest request for some sectors of `lpa`."""
        word: Word = word_of(self.number, lpa)
        if end - first == self.sectors:
            self.words[lpa] = word
            return word
        self.words[lpa] = None
        # None: these sectors stay as they are below
        return tuple([word + sector if first <= sector < end else None for sector in range(self.sectors)])

    # Floors.

    @cfunc
    def floor_of(self, lpa: int) -> Floor:
        """Return the floor of `lpa`."""
        floor = self.floors[lpa]
        return self.mixed[lpa] if floor == MIXED else floor

    @cfunc
    def set_floor(self, lpa: int, floor: Floor) -> None:
        """Set the floor of `lpa`."""
        self.mixed.pop(lpa, None)
        if isinstance(floor, int):
            self.floors[lpa] = floor
        else:
            self.floors[lpa] = MIXED
            self.mixed[lpa] = floor

    @cfunc
    def raise_floor(self, lpa: int, first: int, end: int, number: int) -> None:
        """Raise the floor of some sectors of `lpa` to `number`."""
        floor = self.floors[lpa]
        if floor != MIXED and end - first == self.sectors:
            self.floors[lpa] = max(floor, number)
        else:
            self.set_floor(lpa, self.raised(self.floor_of(lpa), first, end, number))

    def raised(self, floor: Floor, first: int, end: int, number: int) -> Floor:
        """Return `floor` with some of its sectors raised to `number`."""
        if end - first == self.sectors and isinstance(floor, int):
            return max(floor, number)
        floors = list(self.by_sector(floor))
        floors[first:end] = [max(raised_floor, number) for raised_floor in floors[first:end]]
        return floors[0] if len(set(floors)) == 1 else tuple(floors)

    def kept(self, lpa: int, undone: bool) -> Floor:
        """Return the floors of `lpa` after a loss of power: none up to its newest trim, if that is `undone`."""
        floor, trim = self.floor_of(lpa), self.trimmed.get(lpa, 0) if undone else 0
        if isinstance(floor, int):
            return 0 if floor <= trim else floor  # what was written before the trim may be there again
        floors = tuple(0 if floor_number <= trim else floor_number for floor_number in floor)
        return floors if any(floors) else 0

    def by_sector(self, floor: Floor) -> tuple[int, ...]:
        """Return the number for each sector."""
        return floor if isinstance(floor, tuple) else (floor,) * self.sectors

    # Reads.

    def judge(self, who: str, now_ns: int, lpa: int, first: int, end: int, image: Image, floor: Floor) -> None:
        """Raise `SimulationError` unless some sectors of `lpa` were read as they may be."""
        fault = self.fault(lpa, first, end, image, floor)
        if fault is not None:
            sector, what, lowest_floor = fault
            raise SimulationError(
                f"integrity: {who} was given sector {sector} of logical page {lpa} at {now_ns} ns as {what}, but "
                f"{self.allowed(lpa, lowest_floor)} (requests are numbered from 1 in the order of admission)."
            )

    def fault(self, lpa: int, first: int, end: int, image: Image, floor: Floor) -> tuple[int, str, int] | None:
        """Return the first sector that may not be read as it is, how it is, and its floor, or None."""
        if image is not None and image == self.words[lpa]:
            return None  # nothing newer has been admitted
        if isinstance(image, int) and isinstance(floor, int) and self.error(lpa, 0, image, floor) is None:
            return None  # the word of the first sector vouches for the others
        floors, words = self.by_sector(floor), self.data.split(image)
        vouched, previous_floor = None, -1
        for sector in range(first, end):
            word = words[sector]
            if (
                not word or word != vouched or floors[sector] != previous_floor
            ):  # else it is of the same write as the one before
                what = self.error(lpa, sector, word, floors[sector])
                if what is not None:
                    return sector, what, floors[sector]
            vouched, previous_floor = (word or 0) + 1, floors[sector]  # the words of a write follow one another
        return None

    def error(self, lpa: int, sector: int, word: Word | None, floor: int) -> str | None:
        """Return as what a sector must not be read, or None if it may be read as `word`."""
        if word is None:
            return "nothing at all"
        if word == EMPTY:
            # empty since the trim, or never written
            return None if floor <= self.trimmed.get(lpa, 0) or not floor else "empty"
        origin = origin_of(word)
        number, page, place = origin
        is_genuine = 0 < number <= self.number and page < self.logical_pages and place < self.sectors
        if not is_genuine:
            return "data that was never written"
        if (origin.lpa, origin.sector) != (lpa, sector):  # a genuine word, of another place
            return f"sector {origin.sector} of logical page {origin.lpa} (request {origin.number})"
        return None if origin.number >= floor else f"request {origin.number} left it"

    def allowed(self, lpa: int, floor: int) -> str:
        """Return a clause that says which data a sector could have been read as."""
        if not floor:
            return "it was empty, or no request but those under way had written it"
        if floor == self.trimmed.get(lpa):
            return f"request {floor}, a trim, had left it empty, and only newer data was allowed"
        return f"request {floor} had been complete before, and only its data or newer was allowed"

    # Durability.

    def owe(self, lpa: int, first: int, end: int) -> None:
        """Record a write that the next flush is to cover, and forget what nobody will ask for any more."""
        owed = self.unproven.setdefault(lpa, [])
        # While a flush is under way it will ask for all of them.
        if owed and not self.flushes:
            # `open` is in the order of admission
            oldest = next(iter(self.open.values())).number if self.open else self.number
            owed[:] = [write for write in owed if write[0] > oldest or write[1] < first or end < write[2]]
        owed.append((self.number, first, end))

    def demand(self, who: str, request: int, now_ns: int, lpa: int, first: int, end: int, number: int) -> None:
        """Raise `SimulationError` unless the cells hold, of each of some sectors, request `number` or a newer one."""
        word = word_of(number, lpa)
        if self.data.has_page(word) or number < self.trimmed.get(lpa, 0):
            return
        # a newer write in its place is as good
        newer = [write for write in self.unproven.get(lpa, ()) if write[0] > number]
        for sector in range(first, end):
            if self.data.has_sector(word + sector):
                continue
            later = [write[0] for write in newer if write[1] <= sector < write[2]]
            if any(self.data.has_sector(word_of(write_number, lpa) + sector) for write_number in later):
                continue
            raise SimulationError(
                f"integrity: request {request}, {who}, was complete at {now_ns} ns, but no cell of the flash held "
                f"sector {sector} of logical page {lpa} as request {number} or a newer one wrote it (requests are "
                "numbered from 1 in the order of admission)."
            )

    def flushed(self, number: int, now_ns: int) -> None:
        """Hold the flush `number` to what it promises."""
        proven = []
        for lpa, owed in self.unproven.items():
            newest = [0] * self.sectors
            for write_number, first, end in owed:
                if write_number < number:
                    # in the order of admission, so that the newest stays
                    newest[first:end] = [write_number] * (end - first)
            for sector, write_number in enumerate(newest):
                if write_number:
                    self.demand("a flush", number, now_ns, lpa, sector, sector + 1, write_number)
                    self.durable[lpa] = self.raised(self.durable.get(lpa, 0), sector, sector + 1, write_number)
            owed[:] = [write for write in owed if write[0] > number]  # later ones are for the next flush
            if not owed:
                proven.append(lpa)
        for lpa in proven:
            del self.unproven[lpa]

    # Reading everything back.

    def read_back(self, newest: Callable[[int], Image], now_ns: int) -> None:
        """Hold every logical page against its floor, as `newest` reads it."""
        for lpa in range(self.logical_pages):
            self.judge("the read-back", now_ns, lpa, 0, self.sectors, newest(lpa), self.floor_of(lpa))

    def power_lost(self, newest: Callable[[int], Image], losses: Losses, now_ns: int) -> None:
        """Hold every page against its floor and the losses that the device names; expect from now on what is there."""
        limit = self.contract.endangered * losses.programs  # programs cut short, each with the pages of its wordline
        if len(losses.flash) > limit:
            raise SimulationError(
                f"integrity: logical page {min(losses.flash)} and {len(losses.flash) - 1} others in flash are "
                f"lost at {now_ns} ns, but the stack promises that a loss of power takes no more than {limit} of them."
            )
        for lpa in range(self.logical_pages):
            image, floor = newest(lpa), self.floor_of(lpa)
            if self.fault(lpa, 0, self.sectors, image, floor) is not None:
                lowest_floor = self.floor_after_loss(lpa, losses)
                self.durable.pop(lpa, None)
                self.judge("the read-back after the loss of power", now_ns, lpa, 0, self.sectors, image, lowest_floor)
            self.settle(lpa, image)
        self.open.clear()  # requests under way are aborted, and hold to nothing
        self.trimmed.clear()
        self.flushes = 0

    def floor_after_loss(self, lpa: int, losses: Losses) -> Floor:
        """Return the oldest write that `lpa` may hold after a loss of power, for all that the device says it lost."""
        if lpa in losses.flash:
            return 0
        if lpa in losses.memory and not self.contract.durable_when_complete:
            return self.durable.get(lpa, 0)
        return self.kept(lpa, lpa in losses.trims)

    def settle(self, lpa: int, image: Image) -> None:
        """Expect of `lpa` what it holds after a loss of power; what of it is not in flash is still owed to a flush."""
        floors = [origin_of(word).number if word else 0 for word in self.data.split(image)]
        floor = floors[0] if len(set(floors)) == 1 else tuple(floors)
        self.set_floor(lpa, floor)
        if self.unproven.pop(lpa, ()) and floor:
            self.unproven[lpa] = [
                (floor_number, sector, sector + 1) for sector, floor_number in enumerate(floors) if floor_number
            ]
