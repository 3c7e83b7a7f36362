# cython: infer_types=True
"""When a collection that keeps its channel may start: as the host has no work there."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ
from ssdsim.flash.bus import NO_DIE, BusArbiter
from ssdsim.flash.dies import Dies
from ssdsim.flash.queues import HOST_READS, HOST_WRITES, QUEUES
from ssdsim.flash.scheduler import SchedulingPolicy
from ssdsim.flash.transactions import Transactions


@final
class Deferral:
    """Puts off collections of a channel that are not urgent until the host has no work there.

    Then that of the highest die goes first: in SSDSim, writes start on the lowest first, and who calls last is served
    first. Each die whose collection is put off counts as asking for the bus.
    """

    arbiter: BusArbiter
    dies: Dies
    policy: SchedulingPolicy
    transactions: Transactions
    deferred: list[Any]  # dies whose collection waits for the host

    def __init__(self, arbiter: BusArbiter) -> None:
        self.arbiter = arbiter
        self.dies = arbiter.dies
        self.policy = arbiter.policy
        self.transactions = arbiter.dies.transactions
        self.deferred = []

    @cfunc
    def ask_again(self) -> int:
        """Let the dies ask whose collection was put off; return how many have been woken since and ask anyhow."""
        die: int
        woken = 0
        for die in self.deferred:
            if self.dies.idle[die]:
                self.dies.idle[die] = False
                self.arbiter.ask(die)
            else:
                woken += 1
        self.deferred.clear()
        return woken

    @cfunc
    def puts_off(self, die: int) -> bool:
        """Put off what `die` would start if it is of a collection that is not urgent; return whether it is."""
        if self.dies.transaction[die] or self.dies.urgent_planes[die]:
            return False
        selected = self.policy.select(die)
        if not selected or self.transactions.is_of_host(selected):
            return False
        self.dies.idle[die] = True
        self.deferred.append(die)
        return True

    @cfunc
    def next_to_collect(self) -> int:
        """Return the highest die whose collection was put off, -1 where there is none or the host has work."""
        if not self.deferred or self.host_has_work():
            return NO_DIE
        chosen: int = max(self.deferred)
        self.deferred.remove(chosen)
        self.dies.idle[chosen] = False
        return chosen

    @cfunc
    def host_has_work(self) -> bool:
        """Return whether the host reads from a die of this channel, waits for one at work, or may start on another."""
        dies = self.dies
        for die in range(self.arbiter.first, self.arbiter.end):
            command = dies.transaction[die]
            if not command:
                selected = self.policy.select(die)
                if selected and self.transactions.is_of_host(selected):
                    return True
            elif (
                dies.queues.head[die * QUEUES + HOST_READS]
                or dies.queues.head[die * QUEUES + HOST_WRITES]
                or (dies.gc_since_ns[die] < 0 and self.transactions.op[command] == READ)
            ):
                return True
        return False
