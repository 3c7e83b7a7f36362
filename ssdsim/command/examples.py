"""Policies that `new` copies where ssdsim's own cannot be: those work on numbers, and a user's on views."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from ssdsim.policies import READ, WRITE, BusArbiter, Die, Queue, SchedulingPolicy, Transaction
from ssdsim.workload import Chunk, Generator


class ReadsFirst(SchedulingPolicy):
    """The oldest read that may start, else the oldest write; erases are among the writes."""

    def choose(self, reads: Queue, writes: Queue) -> Transaction | None:
        """Return a transaction that may start, or None; nothing may be taken out of a queue."""
        return self.first(reads) or self.first(writes)


class FirstAskedFirst(BusArbiter):
    """Gives the bus to the die that asked first."""

    def __init__(self) -> None:
        """Take no options: a bus has none."""
        self.asking: deque[Die] = deque()

    def ask(self, die: Die) -> None:
        """Remember that `die` wants the bus: to move data out if it has a transaction, else to start a command."""
        self.asking.append(die)

    def choose(self) -> Die | None:
        """Return a die that asked and was not chosen since, or None if none does."""
        return self.asking.popleft() if self.asking else None


class WritesAndReads(Generator):
    """Writes the device page by page; each write is followed by a read of a random page."""

    def __init__(self, count: int = 20_000, queue_depth: int = 8) -> None:
        """Take `workload.options`."""
        self.requests = self.count = count
        self.queue_depth = queue_depth

    def chunks(self) -> Iterator[Chunk]:
        """Yield all requests in order, thousands at a time, the same in every pass."""
        random = np.random.default_rng(self.seed)
        pages = self.capacity_bytes // self.page_bytes
        for first in range(0, self.count, 10_000):
            number = np.arange(first, min(first + 10_000, self.count))
            is_write = number % 2 == 0
            page = np.where(is_write, number // 2 % pages, random.integers(pages, size=len(number)))
            yield Chunk(
                arrival_ns=np.zeros(len(number), np.int64),  # with a queue depth: the pause before each request
                op=np.where(is_write, WRITE, READ).astype(np.uint8),
                offset_bytes=page * self.page_bytes,
                size_bytes=np.full(len(number), self.page_bytes, np.int64),
            )
