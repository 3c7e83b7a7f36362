# cython: infer_types=True
"""Which data is hot: what was updated often within a window of time."""

from __future__ import annotations

from array import array
from typing import final

from ssdsim._core.columns import Int64s, Uint16s


@final
class Hotness:
    """Counts the updates of each logical page, or super page of so many, in windows of `window_ns`, one after another.

    A page is hot if it was updated at least `updates` times in this window or in the one before, which stands in while
    this one is young (SPD, 6.5: an update count within 120 minutes). A super page is always written whole, so the
    update of its first page stands for it.
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
