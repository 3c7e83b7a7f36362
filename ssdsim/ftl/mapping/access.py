# cython: infer_types=True
"""What the reads and writes of the host ask of a mapping that is not whole in controller memory."""

from __future__ import annotations

from ssdsim._core.calls import cfunc
from ssdsim.flash.port import Transactions, TransactionSchedulingUnit
from ssdsim.ftl.mapping.table_pages import TableCounts, TablePages
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.stage import TransactionOwner


class MapAccess(TransactionOwner):
    """Brings from flash what it takes to know where a logical page lies, before that is read, written or trimmed.

    `knows` is asked first. Where it says no, `fetch` follows at once, and hands the transaction back to its owner
    (`translated`) when all is at hand. A write or trim then calls `map`, and `settle` when its old page is invalid.
    """

    pages: TablePages
    counts: TableCounts
    collector: Reclaimer
    scheduler: TransactionSchedulingUnit
    transactions: Transactions

    def __init__(self, pages: TablePages) -> None:
        self.pages = pages
        self.counts = pages.counts
        self.collector = pages.collector
        self.scheduler = pages.scheduler
        self.transactions = pages.transactions
        pages.owner = self.transactions.add_owner(self)

    def what_waits(self) -> list[str]:
        """Return a phrase for each kind of thing that waits."""
        waiting = len(self.pages.without_room)
        return [f"{waiting} pages of the mapping table wait for room"] if waiting else []

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
