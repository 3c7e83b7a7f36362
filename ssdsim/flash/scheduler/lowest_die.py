# cython: infer_types=True
"""The order of writes of SSDSim, which commands a chip at a time."""

from __future__ import annotations

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim.flash.dies import Dies
from ssdsim.flash.scheduler.policy import ReadPriority


class LowestDieFirst(ReadPriority):
    """Reads first, oldest first; then the oldest write or erase of the lowest die of the chip (SSDSim).

    Where dies are commanded each by itself that is `ReadPriority`. It visits all writes that wait for a chip.
    """

    planes_per_die: int

    def bind(self, blocks: Blocks, dies: Dies) -> None:
        """Receive the state of the flash blocks and of the dies."""
        ReadPriority.bind(self, blocks, dies)
        self.planes_per_die = self.device.hardware.planes_per_die

    def choose(self, reads: int, writes: int) -> int:
        """Return the oldest read, or else the oldest write or erase of the lowest die."""
        read = self.first(reads)
        return read if read else self.first_of_lowest_die(writes)

    @cfunc
    def first_of_lowest_die(self, queue: int) -> int:
        """Return the oldest transaction that may start of those of `queue` for the lowest die, or 0."""
        chosen = 0
        lowest_die = 0
        transaction = self.queues.head[queue]
        while transaction:
            die = self.transactions.plane[transaction] // self.planes_per_die
            if (not chosen or die < lowest_die) and self.may_start(transaction):
                chosen = transaction
                lowest_die = die
            transaction = self.transactions.next[transaction]
        return chosen
