"""Streams that have planes for themselves, held against each program (`integrity=on`)."""

from collections.abc import Sequence
from typing import Any

from ssdsim._core.codes import GC, HOST
from ssdsim.errors import SimulationError


class OwnPlanes:
    """Holds streams to their planes: `owners` has, by plane, the streams that have it for themselves.

    What the host writes goes to planes of its stream, but for as many pages as the plane `allocation` has sent away
    for want of room. What collection moves stays with the same streams.
    """

    observes = ("programmed",)

    def __init__(self, allocation: Any, owners: Sequence[tuple[int, ...]]):
        self.allocation, self.owners, self.strays = allocation, owners, 0

    def programmed(self, transactions: Any, number: int) -> None:
        """Raise `SimulationError` for a page that is not where it belongs."""
        plane, stream = transactions.plane[number], transactions.stream[number]
        source, before = transactions.source[number], transactions.before[number]
        if source == HOST and stream >= 0 and stream not in self.owners[plane]:
            self.strays += 1
            if self.strays > self.allocation.strays:
                raise SimulationError(
                    f"integrity: logical page {transactions.lpa[number]} of stream {stream} was written to plane "
                    f"{plane}, which is not its own, and its own planes are not full."
                )
        if source == GC and before >= 0:
            pages = self.allocation.blocks.pages // len(self.owners)
            if self.owners[before // pages] != self.owners[plane]:
                raise SimulationError(
                    f"integrity: collection moved logical page {transactions.lpa[number]} from plane "
                    f"{before // pages} to plane {plane}, which is of other streams."
                )
