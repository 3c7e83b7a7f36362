"""What every workload owes the simulation."""

from collections.abc import Iterator
from typing import Any, Protocol

from ssdsim.workload.chunk import Chunk


class Workload(Protocol):
    """A finite sequence of host requests, generated or read.

    Everything that can be refused (a damaged trace, a size that does not fit the device) is refused on construction
    or, at the latest, while `chunks` runs; a workload keeps no state between two passes.
    """

    @property
    def requests(self) -> int | None:
        """How many requests a pass yields; None if that is not known beforehand."""

    @property
    def queue_depth(self) -> int | None:
        """Requests kept outstanding by closed-loop load; None for open-loop replay at `Chunk.arrival_ns`."""

    def chunks(self) -> Iterator[Chunk]:
        """Start a fresh pass; every pass yields the same requests. No chunk is empty."""

    def describe(self) -> dict[str, Any]:
        """Return what was read, skipped and changed, as JSON-able values."""
