# cython: infer_types=True
"""What the reads and writes of the host ask of a mapping that is not whole in controller memory."""

from __future__ import annotations

from typing import final

from ssdsim._core.calls import cfunc
from ssdsim.stage import TransactionOwner


@final
class TableCounts:
    """Counts of accesses to the mapping table: of its entries, and of its pages in flash."""

    def __init__(self) -> None:
        self.hits = self.misses = self.reads = self.writes = self.padded_pages = 0


class MapAccess(TransactionOwner):
    """Brings from flash what it takes to know where a logical page lies, before that is read, written or trimmed.

    `knows` is asked first. Where it says no, `fetch` follows at once, and hands the transaction back to its owner
    (`translated`) when all is at hand. A write or trim then calls `map`, and `settle` when its old page is invalid.
    """

    counts: TableCounts

    def what_waits(self) -> list[str]:
        """Return a phrase for each kind of thing that waits."""
        return []

    @cfunc
    def knows(self, lpa: int, changes: bool) -> bool:
        """Return whether a read, or what `changes` the mapping, needs nothing from flash first; count the access."""
        raise NotImplementedError

    @cfunc
    def fetch(self, transaction: int) -> None:
        """Read the pages that `transaction` needs, and hand it back to its owner."""
        raise NotImplementedError

    @cfunc
    def map(self, lpa: int, ppa: int) -> int:
        """Map `lpa` to `ppa`, or to nothing if that is -1, for the host, and return where it lay before."""
        raise NotImplementedError

    @cfunc
    def settle(self) -> None:
        """Begin the writes to flash that the last change of the mapping asks for."""

    @cfunc
    def space_freed(self, unit: int) -> None:
        """Go on with the writes that have waited for room, now that a block of `unit` has become free."""

    @cfunc
    def access_now(self, lpa: int, changes: bool) -> None:
        """Do the work of `knows` and `fetch` where no time passes."""
        raise NotImplementedError

    def fill_now(self) -> int:
        """Write the pages of the table after a fill or a loss of power, where no time passes; return their number."""
        raise NotImplementedError
