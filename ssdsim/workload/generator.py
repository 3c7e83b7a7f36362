"""Generators of the user's own: what a class owes that makes the requests of a stream."""

from collections.abc import Iterator
from typing import Any, ClassVar

from ssdsim.workload.chunk import Chunk


class Generator:
    """Makes requests, as `workload.generator` names it; its constructor takes `workload.options`.

    `bind` is called once, before anything else; whatever is drawn at random is drawn from `seed`, anew in each pass.
    `requests` is how many a pass yields, None if that is not known; with a `queue_depth` so many are kept outstanding,
    without one they come at their arrival times.
    """

    owed: ClassVar[tuple[str, ...]] = ("chunks()",)
    optional: ClassVar[tuple[str, ...]] = ("describe() -> a dictionary",)
    requests: int | None = None
    queue_depth: int | None = None
    capacity_bytes: int
    page_bytes: int
    seed: int

    def bind(self, capacity_bytes: int, page_bytes: int, seed: int) -> None:
        """Receive the bytes that the host sees, those of a page, and the seed of this stream."""
        self.capacity_bytes, self.page_bytes, self.seed = capacity_bytes, page_bytes, seed

    def chunks(self) -> Iterator[Chunk]:
        """Yield the requests of a pass in order, some tens of thousands at a time; no chunk is empty."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Return the facts worth telling in `summary.json`, as JSON-able values."""
        return {}
