# cython: infer_types=True
"""The causes that the response time of a request is divided into, and the account that a request has of them."""

from __future__ import annotations

from array import array
from typing import Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s

CAUSES = (
    *("array", "transfer", "dram", "link", "processor", "own_reads", "own_writes", "other_reads", "other_writes"),
    *("collection", "mapping", "backup", "bus", "room", "order", "interrupt"),
)
"""What a response time is divided into, in the order of `Waits.causes`. The first five are the request's own
work, to which waits for link and processor belong."""

ARRAY: Final = 0  # the places of accounts, which tell the streams apart by their numbers
TRANSFER: Final = 1
DRAM: Final = 2
LINK: Final = 3
PROCESSOR: Final = 4
HELD: Final = 5  # from here on, what transactions wait for
COLLECTION: Final = 5
MAPPED: Final = 6
BACKED_UP: Final = 7
BUS: Final = 8
ROOM: Final = 9
ORDER: Final = 10
STREAMS: Final = 11  # from here on, reads and writes of each stream

INTERRUPT: Final = 15  # the place in `CAUSES` of the wait for one that is coalesced (`ssdsim.host.nvme`)
HOSTS: Final = 4  # of `CAUSES`: reads and writes of the request's own stream, and of others


@final
class Waits:
    """What one request has waited for, by cause in nanoseconds, where that is recorded (`ssdsim.flash.blame`).

    `queue` is of the time before it was admitted, `device` of that since: of the part that was done last, until the
    request is complete. `causes` is of both, as they are told.
    """

    queue: Int64s
    device: Int64s
    causes: Int64s

    def __init__(self, accounts: Any) -> None:
        self.queue = array("q", bytes(8 * accounts))
        self.device = array("q", bytes(8 * accounts))
        self.causes = array("q", bytes(8 * len(CAUSES)))

    @cfunc
    def clear(self) -> None:
        """Forget the part that was done last."""
        for cause in range(HELD, len(self.device)):
            self.device[cause] = 0

    @cfunc
    def take_over(self, rows: Int64s, first: int) -> None:
        """Have waited in the device for what `rows` have from `first` on."""
        for cause in range(HELD, len(self.device)):
            self.device[cause] = rows[first + cause]
