"""LeaFTL: a mapping of learned segments, as a mapping of one's own (`ftl.mapping.scheme=experiments.leaftl.LeaFTL`).

Sun, Li, Huang: LeaFTL: A Learning-Based Flash Translation Layer for Solid-State Drives, ASPLOS 2023. Sections and
equations below are those of that paper. `docs/pages/how_to/mapping.md` shows what it gives.
"""

import struct
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from itertools import pairwise
from math import ceil

from attrs import define, evolve

from ssdsim.buffer.replacement import Entry
from ssdsim.policies import Mapping, Replacement

GROUP = 256
"""Logical pages of a group, so that an offset in it takes a byte (3.2)."""

SEGMENT_BYTES = 8
"""Start 1, length 1, slope 2, intercept 4 (3.2, Fig. 6)."""


ROUNDING = 0.07
"""By how much a slope of 16 bits is off at the other end of a group, at most: 255 * 2**-12, rounded up."""


@define
class Segment:
    """A line through pages of a group: page `origin` + x is number ceil(slope * x + intercept) in writing order."""

    start: int  # the first offset in the group
    end: int  # the last one
    origin: int
    intercept: int
    slope: float
    members: list[int] | None  # offsets of an approximate segment, in order; None where they are one `stride` apart

    @property
    def stride(self) -> int:
        """Return the distance between the offsets of an accurate segment."""
        return round(1 / self.slope)

    def offsets(self) -> list[int]:
        """Return the offsets that the segment speaks for."""
        return list(range(self.start, self.end + 1, self.stride)) if self.members is None else self.members

    def has(self, offset: int) -> bool:
        """Return whether the segment speaks for `offset` (3.4): by its stride, or as the conflict buffer says."""
        if self.members is not None:
            return offset in self.members
        return self.start <= offset <= self.end and (offset - self.start) % self.stride == 0

    def place(self, offset: int) -> int:
        """Return the predicted place of `offset`."""
        if self.members is None:
            return self.intercept + (offset - self.origin) // self.stride
        return ceil(self.slope * (offset - self.origin) + self.intercept)

    def size(self) -> int:
        """Return the bytes of the segment, and of its part of the conflict resolution buffer (3.4)."""
        return SEGMENT_BYTES + (0 if self.members is None else len(self.members) + 1)

    def overlaps(self, other: "Segment") -> bool:
        """Return whether the ranges of two segments overlap."""
        return self.start <= other.end and other.start <= self.end


def half(number: float) -> float:
    """Return the nearest number that 16 bits hold, as a segment has them for its slope."""
    return float(struct.unpack("e", struct.pack("e", number))[0])


def learned(points: list[tuple[int, int]], error: int) -> Iterator[Segment]:
    """Yield segments for points (offset, place) in ascending order: greedily, each as long as one line will do (3.3).

    Three points or more at one stride are an accurate segment, others an approximate one.
    """
    while points:
        count = in_stride(points)
        if count > 2 or count == len(points):
            (start, place), (end, _) = points[0], points[count - 1]
            stride = points[1][0] - start if count > 1 else 1
            yield Segment(start, end, start, place, 1 / stride, None)
        else:
            count, slope = on_line(points, error)
            yield Segment(points[0][0], points[count - 1][0], *points[0], slope, [x for x, _ in points[:count]])
        points = points[count:]


def in_stride(points: list[tuple[int, int]]) -> int:
    """Return how many points, from the first on, are one stride apart and were written one after another."""
    stride = points[min(1, len(points) - 1)][0] - points[0][0]
    for number, ((x0, y0), (x, y)) in enumerate(pairwise(points), start=1):
        if (x - x0, y - y0) != (stride, 1):
            return number
    return len(points)


def on_line(points: list[tuple[int, int]], error: int) -> tuple[int, float]:
    """Return how many points a line from the first one predicts with no greater `error`, and its slope.

    Of all slopes that do, the one in the middle is taken.
    """
    (x0, y0), low, high = points[0], 0.0, 1.0
    for number, (x, y) in enumerate(points[1:], start=1):
        # what `ceil` makes of a value above y - error - 1, and up to y + error
        least = max(low, (y - error - 1 + ROUNDING - y0) / (x - x0))
        greatest = min(high, (y + error - ROUNDING - y0) / (x - x0))
        if least > greatest:
            return number, half((low + high) / 2)
        low, high = least, greatest
    return len(points), half((low + high) / 2)


class LeaFTL(Mapping):
    """Keeps learned segments in place of a table, and reads one page more where a segment predicts the wrong one.

    Writes and moved pages are learned `batch` at a time, sorted by logical page (3.3); until then they are in the
    controller's buffer, and known. Segments of a group lie in levels, the newest on top: what a new one overlaps goes
    down a level, without the pages that the new one speaks for (3.5). After `compact_after` pages learned, segments
    that others above them hide are dropped (3.6). A prediction is off by `error` pages at most, and the page read there
    has in its spare area which pages lie around it, so that the second read finds the right one (3.7).

    Places are counted in the order of writing: within a block, or with `superblock=true` (`ftl.unit=superblock`) across
    all planes, channels first. Writes need no look-up, as validity is kept apart from the map.
    """

    def __init__(self, error: int = 0, batch: int = 2048, compact_after: int = 1 << 20, superblock: bool = False):
        self.error, self.batch, self.compact_after, self.superblock = error, batch, compact_after, superblock
        self.recent: dict[int, int] = {}
        self.groups: dict[int, list[list[Segment]]] = {}  # by number: levels, of segments in order
        self.learned = self.guesses = self.wrong_guesses = 0

    # The order of writing.

    def place_of(self, ppa: int) -> int:
        """Return the number of a page in the order of writing."""
        hardware = self.device.hardware
        if not self.superblock:
            return ppa
        block, page = divmod(ppa, hardware.block_pages)
        plane, offset = divmod(block, hardware.physical_blocks)
        die, plane = divmod(plane, hardware.planes_per_die)
        chip, die = divmod(die, hardware.dies_per_chip)
        channel, chip = divmod(chip, hardware.chips_per_channel)
        turn = (plane * hardware.dies_per_chip + die) * hardware.chips_per_channel + chip
        return (offset * hardware.block_pages + page) * hardware.planes + turn * hardware.channels + channel

    def ppa_at(self, place: int) -> int:
        """Return the physical page with a number in the order of writing."""
        hardware = self.device.hardware
        if not self.superblock:
            return place
        row, turn = divmod(place, hardware.planes)
        offset, page = divmod(row, hardware.block_pages)
        turn, channel = divmod(turn, hardware.channels)
        turn, chip = divmod(turn, hardware.chips_per_channel)
        plane, die = divmod(turn, hardware.dies_per_chip)
        chips = channel * hardware.chips_per_channel + chip
        plane += (chips * hardware.dies_per_chip + die) * hardware.planes_per_die
        return (plane * hardware.physical_blocks + offset) * hardware.block_pages + page

    # What the device asks.

    def pages_first(self, lpa: int, ppa: int, changes: bool) -> list[int]:
        """Return the page at a wrong guess, if the guess for a read is wrong."""
        if changes or ppa < 0 or lpa in self.recent:
            return []
        self.guesses += 1
        guess = self.ppa_at(self.predicted(lpa))
        if guess == ppa:
            return []
        self.wrong_guesses += 1
        hardware = self.device.hardware
        return [min(guess, hardware.planes * hardware.physical_blocks * hardware.block_pages - 1)]

    def predicted(self, lpa: int) -> int:
        """Return the place that the topmost segment with `lpa` predicts (3.4)."""
        group, offset = divmod(lpa, GROUP)
        for level in self.groups[group]:
            number = bisect_right(level, offset, key=lambda segment: segment.start) - 1
            if number >= 0 and level[number].has(offset):
                return level[number].place(offset)
        raise KeyError(lpa)

    def update(self, lpa: int, ppa: int) -> None:
        """Keep a page for the next batch, and learn that when it is full."""
        if ppa < 0:
            self.recent.pop(lpa, None)
            return
        self.recent[lpa] = self.place_of(ppa)
        if len(self.recent) >= self.batch:
            self.learn(self.recent)
            self.recent = {}

    def memory_bytes(self) -> int:
        """Return the bytes of all segments, and of the pages not yet learned."""
        segments = sum(segment.size() for levels in self.groups.values() for level in levels for segment in level)
        return segments + SEGMENT_BYTES * len(self.recent)

    def counts(self) -> dict[str, int]:
        """Return how many reads asked for a prediction, and how many of these were wrong."""
        return {"guesses": self.guesses, "wrong_guesses": self.wrong_guesses}

    def restored(self) -> None:
        """Learn the whole table anew, as from the spare areas of all pages (3.8)."""
        self.recent, self.groups = {}, {}
        table = self.table.to_numpy()
        self.learn({int(lpa): self.place_of(int(table[lpa])) for lpa in (table >= 0).nonzero()[0]})

    # Learning.

    def learn(self, places: dict[int, int]) -> None:
        """Learn places by logical page: those of a block, or superblock, by themselves."""
        hardware = self.device.hardware
        run_pages = hardware.block_pages * (hardware.planes if self.superblock else 1)
        runs: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for lpa, place in sorted(places.items()):
            runs.setdefault((lpa // GROUP, place // run_pages), []).append((lpa % GROUP, place))
        for (group, _), points in runs.items():
            for segment in learned(points, self.error):
                insert(self.groups.setdefault(group, []), segment)
        self.learned += len(places)
        if self.learned >= self.compact_after:
            self.learned = 0
            for group, levels in self.groups.items():
                self.groups[group] = compacted(levels)


def insert(levels: list[list[Segment]], segment: Segment) -> None:
    """Put a segment into the top level, and what it overlaps there into the next one down (3.5, Algorithm 1)."""
    spoken_for = set(segment.offsets())
    stay, overlapped, below = [segment], list[Segment](), levels[1] if len(levels) > 1 else []
    for old in levels[0] if levels else []:
        left = without(old, spoken_for) if old.overlaps(segment) else old
        if left is not None:
            (overlapped if left.overlaps(segment) else stay).append(left)
    levels[:1] = [in_order(stay)]
    if any(old.overlaps(lower) for old in overlapped for lower in below):
        levels.insert(1, overlapped)  # so that nothing older has to give way
    elif overlapped:
        levels[1:2] = [in_order([*below, *overlapped])]


def in_order(level: list[Segment]) -> list[Segment]:
    """Return the segments of a level by their start."""
    return sorted(level, key=lambda segment: segment.start)


def without(segment: Segment, spoken_for: set[int]) -> Segment | None:
    """Return a segment that speaks for none of the offsets given at its ends, nor between them if it is approximate.

    Return None if there is no other offset.
    """
    left = [offset for offset in segment.offsets() if offset not in spoken_for]
    if not left:
        return None
    return evolve(segment, start=left[0], end=left[-1], members=None if segment.members is None else left)


def compacted(levels: list[list[Segment]]) -> list[list[Segment]]:
    """Return levels without what others hide, each segment as high as it goes (3.6)."""
    compact: list[list[Segment]] = []
    spoken_for: set[int] = set()
    for level in levels:
        for segment in level:
            left = without(segment, spoken_for)
            if left is None:
                continue
            number = len(compact)
            while number and not any(left.overlaps(above) for above in compact[number - 1]):
                number -= 1
            if number == len(compact):
                compact.append([])
            compact[number] = in_order([*compact[number], left])
        spoken_for |= {offset for segment in level for offset in segment.offsets()}
    return compact


class SortedFlush(Replacement):
    """Evicts dirty pages in ascending order, round and round: the sorted buffer that pages are learned from (3.3)."""

    def __init__(self) -> None:
        self.next_lpa = 0
        self.entries: dict[int, Entry] = {}
        self.lpas: list[int] = []  # in order

    def insert(self, entry: Entry) -> None:
        """Keep a page that has just been written for the first time."""
        self.entries[entry.lpa] = entry
        insort(self.lpas, entry.lpa)

    def touch(self, entry: Entry) -> None:
        """Leave a page that was written once more where it is."""

    def remove(self, entry: Entry) -> None:
        """Forget a page."""
        del self.entries[entry.lpa], self.lpas[bisect_left(self.lpas, entry.lpa)]

    def victims(self, count: int, force: bool) -> list[Entry]:
        """Return the next page in order."""
        number = bisect_left(self.lpas, self.next_lpa) % len(self.lpas)
        self.next_lpa = self.lpas[number] + 1
        entry = self.entries[self.lpas[number]]
        self.remove(entry)
        return [entry]
