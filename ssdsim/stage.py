# cython: infer_types=True
"""A stage on the way of a request, as its neighbours see it."""

from __future__ import annotations

from typing import Any

from ssdsim._core.calls import cfunc
from ssdsim.host.request import Request, WriteGroup


class Stage:
    """One stage: the host queue, a write buffer, the translation layer, the garbage collector.

    A stage overrides the calls that reach it and leaves the rest. A request or a transaction names
    as its `owner` the stage to be told when it is done.
    """

    def submit(self, request: Request) -> None:
        """Take over `request`, and tell its owner when it is complete."""
        raise NotImplementedError

    def completed(self, request: Request) -> None:
        """React when a request that this stage owns is complete; it may be used again from here."""
        raise NotImplementedError

    def part_done(self, request: Request) -> None:
        """Count one part of `request` as done, and tell its owner after the last."""
        request.remaining -= 1
        if request.remaining == 0:
            owner: Stage = request.owner
            owner.completed(request)

    @cfunc
    def transferred(self, transaction: int) -> None:
        """React when a program's data has left the bus; called only where that completes a write."""

    def done(self, transaction: int) -> None:
        """React when the die has finished; the transaction may be issued again or given back from here."""
        raise NotImplementedError

    @cfunc
    def translated(self, transaction: int) -> None:
        """Go on with a transaction that waited for the mapping of its logical page, which is at hand now."""
        raise NotImplementedError

    @cfunc
    def source_of(self, ppa: int) -> int:
        """Return where in flash the data of page `ppa` can be read now, or -1 if only controller memory has it."""
        raise NotImplementedError

    @cfunc
    def write_placed(self, lpa: int) -> None:
        """React when the write of `lpa` that others stand in line behind has been given its page."""
        raise NotImplementedError

    def space_freed(self, unit: int) -> None:
        """React when a block of `unit` has become free."""
        raise NotImplementedError

    def ask_for(self, die: int, wanted: int) -> bool:
        """Write up to `wanted` pages of `die` that a row of moved ones has room for, and return whether there are any.

        They come as a group of the collection that asked, maybe before this returns (`Reclaimer.complete`).
        """
        raise NotImplementedError

    def place_beside(self, writes: list[int], plane: int, kind: int) -> None:
        """Place writes that were handed over to be written in one row with moved pages, where that row is."""
        raise NotImplementedError

    def fill(self, group: WriteGroup, lpa: int) -> None:
        """Write `lpa` along with `group` as it is: nothing of it is new."""
        raise NotImplementedError

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds (`ssdsim.flash.data`), wherever it is; takes no time."""
        raise NotImplementedError

    @cfunc
    def would_wait(self, lpa: int) -> bool:
        """Return whether a write of `lpa` would wait: for an earlier one that is not yet placed, or for its mapping."""
        raise NotImplementedError

    def take_back(self, writes: list[int]) -> None:
        """Take over again writes that were handed over for that, and were not needed."""
        raise NotImplementedError
