# cython: infer_types=True
"""Kinds of data, which writes share active blocks by, and which data is hot."""

from __future__ import annotations

from array import array
from typing import final

from ssdsim._core.codes import HOST
from ssdsim._core.columns import Int64s, Uint16s
from ssdsim.device_view import Policy


@final
class Hotness:
    """Counts the updates of each logical page, or super page of so many, in windows of `window_ns`, one after another.

    A page is hot if it was updated at least `updates` times in this window or in the one before, which stands in while
    this one is young (SPD, 6.5: an update count within 120 minutes). Of a super page the first page stands for all.
    """

    window: Int64s  # by (super) page: the window of the count
    now: Uint16s  # by (super) page: updates in that window
    before: Uint16s  # by (super) page: updates in the window before it

    def __init__(self, logical_pages: int, super_page: int, window_ns: int, updates: int) -> None:
        count = logical_pages // super_page
        self.super_page = super_page
        self.window_ns = window_ns
        self.updates = updates
        self.window = array("q", bytes(8 * count))
        self.now = array("H", bytes(2 * count))
        self.before = array("H", bytes(2 * count))

    def enter(self, lpa: int, at_ns: int) -> int:
        """Begin the page's count of the window that `at_ns` lies in, if it has not begun; return where the count is."""
        at = lpa // self.super_page
        window = at_ns // self.window_ns
        if window != self.window[at]:
            self.before[at] = self.now[at] if window == self.window[at] + 1 else 0
            self.now[at] = 0
            self.window[at] = window
        return at

    def updated(self, lpa: int, at_ns: int) -> None:
        """Record that the host has rewritten `lpa`."""
        at = self.enter(lpa, at_ns)
        if lpa % self.super_page == 0 and self.now[at] < 65535:
            self.now[at] += 1

    def is_hot(self, lpa: int, at_ns: int) -> bool:
        """Return whether `lpa` is hot."""
        at = self.enter(lpa, at_ns)
        return self.now[at] >= self.updates or self.before[at] >= self.updates


class Separation(Policy):
    """Sorts writes into kinds, numbered from 0, that have active blocks of their own.

    `hosts` are the kinds that the host's data may be of, `moved` those of moved data; some may be in both. `kind_of` is
    asked where there are several, but not about pages of the mapping table. A policy changes nothing but its own state.
    """

    hotness: Hotness | None  # tells hot data from cold, where `heeds_hotness`

    owed = ("kind_of(lpa, source, stream, before) -> a whole number",)
    heeds_hotness = False
    hosts = range(1)
    moved = range(1, 2)

    def kind_of(self, lpa: int, source: int, stream: int, before: int) -> int:
        """Return the kind of the data of logical page `lpa`, which is going to be programmed.

        It is the host's where `source` is HOST (`ssdsim._core.codes`), else data that is moved. `stream` is the number
        of the host's stream, -1 where it is not the host's data; `before` is the page that data is moved from, or -1.
        """
        raise NotImplementedError


class Separate(Separation):
    """The host's data and moved data have active blocks of their own; of no paper, and usual."""

    def kind_of(self, lpa: int, source: int, stream: int, before: int) -> int:
        """Return the one kind that there is."""
        return 0 if source == HOST else self.moved[0]


class Shared(Separate):
    """All data shares active blocks; of no paper, and the simplest there is."""

    moved = range(1)


class HotCold(Separation):
    """Moved data that is hot goes to the host's active blocks, the rest to its own (SPD, 6.5)."""

    heeds_hotness = True
    moved = range(2)

    def kind_of(self, lpa: int, source: int, stream: int, before: int) -> int:
        """Return 0 for what is hot."""
        return not self.hotness.is_hot(lpa, self.device.now_ns)
