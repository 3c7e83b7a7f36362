# cython: infer_types=True
"""How fast a collection goes on: page by page, when the host lets it, or so many pages for each that is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from ssdsim._core.calls import cfunc
from ssdsim.ftl.reclaim.collection import Collection

if TYPE_CHECKING:
    from ssdsim.config import GarbageCollectionConfig


@final
class Pace:
    """Holds collections before their next page as long as they are not urgent.

    While the host has something under way that collections pause for, all of them are held, before their erases, too:
    the semi-preemptive collector of Lee et al. (A semi-preemptive garbage collector for solid state drives, ISPASS
    2011), whose points of preemption lie between the moves of two pages. With `moves_per_write`, one is held when it
    has moved so many pages for each that has been written to its unit since it began: Choudhuri and Givargis
    (Deterministic service guarantees for NAND flash using partial block cleaning, CODES+ISSS 2008) bound the time of a
    write that way.

    A move that has begun is completed. What is held goes on at the end of the instant in which the reason is over.
    """

    pauses_for: str | None  # "reads" or "requests" of the host, or None
    moves_per_write: float  # 0: as many as there are
    paused: bool  # the host has such work under way
    held: list[Collection]
    credit: list[float]  # by unit: pages that may be moved

    def __init__(self, config: GarbageCollectionConfig, units: int) -> None:
        self.pauses_for = config.pauses_for
        self.moves_per_write = config.moves_per_write or 0.0
        self.paused = False
        self.held = []
        self.credit = [self.moves_per_write] * units

    @cfunc
    def holds(self, collection: Collection) -> bool:
        """Return whether `collection` is not to go on now; if so, it is remembered."""
        if collection.urgent or not (self.paused or self.is_spent(collection)):
            return False
        if not collection.paused:
            collection.paused = True
            self.held.append(collection)
        return True

    @cfunc
    def is_spent(self, collection: Collection) -> bool:
        """Return whether `collection` has another page to move, and none that it may."""
        return self.moves_per_write > 0 and self.credit[collection.number] < 1 and collection.next_page() >= 0

    @cfunc
    def moved(self, collection: Collection, pages: int) -> None:
        """Charge pages that are being moved."""
        if self.moves_per_write > 0:
            self.credit[collection.number] -= pages

    @cfunc
    def page_written(self, collection: Collection) -> None:
        """Let the collection of the unit that a page was written to go on; without one, a single page counts."""
        if self.moves_per_write > 0:
            credit: float = self.credit[collection.number] + self.moves_per_write
            self.credit[collection.number] = min(credit, self.moves_per_write) if collection.idle else credit
            if self.held:
                self.go_on(collection.number)

    @cfunc
    def go_on(self, number: int) -> None:
        """Have the collections of unit `number` that are held go on at the end of this instant, or all if it is -1."""
        collection: Collection
        still_held: list[Collection] = []
        for collection in self.held:
            if number < 0 or collection.number == number:
                collection.paused = False
                collection.call()
            else:
                still_held.append(collection)
        self.held = still_held

    # What is under way (`ssdsim.ftl.reclaim.idle`).

    def host_is_active(self) -> None:
        """Pause."""
        self.paused = True

    def host_is_quiet(self) -> None:
        """Have everything go on that is held."""
        self.paused = False
        self.go_on(-1)
