# cython: infer_types=True
"""A page in the write buffer, and what pages leave it together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from ssdsim.host.request import Request

if TYPE_CHECKING:
    from ssdsim.host.request import Bits


class Entry:
    """A logical page that holds data not yet in flash.

    `touched` marks the parts of the page that were written, one bit for each 512 bytes. While it is being evicted it
    stays readable, but a write makes a new entry. `eviction` is the one that it left in, or None. `maker` is the id of
    the request that made it, as long as it is of that alone and of nothing older that is on its way to flash; -1 else.
    `previous` and `next` are its neighbours in the `EntryList` that it stands in.
    """

    touched: Bits  # a bit for each 512 bytes
    data: Any  # of the parts that were written, where integrity is checked; else None
    stream: int  # of the last write
    access_latency: int  # the hint of the last write
    eviction: Eviction
    previous: Entry  # in its list
    next: Entry

    def __init__(self, lpa: int, touched: Bits) -> None:
        self.lpa = lpa
        self.touched = touched
        self.data = self.eviction = None
        self.previous = None
        self.next = None
        self.maker = -1
        self.stream = self.access_latency = 0
        self.evicting = False


class Eviction:
    """Pages that leave the buffer in one go: `left` of them are on their way; `payer` waits for all, unless None."""

    def __init__(self, payer: Request) -> None:
        self.payer = payer
        self.left = 0


@final
class EntryList:
    """Entries, oldest first; any of them can be taken out in O(1)."""

    head: Entry  # the oldest
    tail: Entry  # the youngest

    def __init__(self) -> None:
        self.head = None
        self.tail = None
        self.length = 0

    def append(self, entry: Entry) -> None:
        """Add `entry`, which stands in no list, as the youngest."""
        entry.previous = self.tail
        entry.next = None
        if self.tail is None:
            self.head = entry
        else:
            self.tail.next = entry
        self.tail = entry
        self.length += 1

    def remove(self, entry: Entry) -> None:
        """Take out `entry`, which stands in this list."""
        if entry.previous is None:
            self.head = entry.next
        else:
            entry.previous.next = entry.next
        if entry.next is None:
            self.tail = entry.previous
        else:
            entry.next.previous = entry.previous
        entry.previous = entry.next = None
        self.length -= 1

    def listed(self) -> list[Entry]:
        """Return the entries as a list."""
        found: list[Entry] = []
        entry = self.head
        while entry is not None:
            found.append(entry)
            entry = entry.next
        return found
