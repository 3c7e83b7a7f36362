"""The time for which collection holds a die, held against its budget (`integrity=on`)."""

from typing import Any

from ssdsim._core.codes import GC, MERGE, OPERATIONS, READ
from ssdsim.errors import SimulationError
from ssdsim.flash.queues import HOST_READS, HOST_WRITES, QUEUES


class BudgetedTimes:
    """Holds a die that has spent its budget to the host's work, if any may start as it looks for some.

    So while the host waits for a die, commands of collection that are not urgent hold it for less than the budget and
    one command more. The sums are its own. It is for dies that carry out one command at a time.
    """

    observes = ("idle", "done")

    def __init__(self, dies: Any, policy: Any):
        self.dies, self.policy = dies, policy
        self.held_ns = [0] * dies.count
        """By die, since the latest command of the host's that does not pass collection, and before the present one."""
        self.latest_ns = [0] * dies.count
        """By die: the time of its latest command, if that is to be added."""
        self.is_owed = [False] * dies.count
        """By die: its next command is to be of the host's."""
        self.is_between = [True] * dies.count
        """By die: no page of the present command is done."""

    def idle(self, die: int) -> None:
        """Look whether the host has work that a die may start, which is about to look for some."""
        self.held_ns[die] += self.latest_ns[die]
        self.latest_ns[die] = 0
        self.is_between[die] = True
        self.is_owed[die] = self.held_ns[die] >= self.dies.budget.budget_ns and any(
            self.may_start_one_of(die * QUEUES + kind) for kind in (HOST_READS, HOST_WRITES)
        )

    def may_start_one_of(self, queue: int) -> bool:
        """Return whether anything in `queue` may start."""
        waiting: int = self.dies.queues.head[queue]
        while waiting and not self.policy.may_start(waiting):
            waiting = self.dies.transactions.next[waiting]
        return waiting > 0

    def done(self, transactions: Any, number: int, end_ns: int) -> None:
        """Raise `SimulationError` for a command of collection in place of one of the host's."""
        die, start_ns = transactions.die[number], transactions.bus_start_ns[number]
        is_first, self.is_between[die] = self.is_between[die], False
        if not is_first:
            self.latest_ns[die] = end_ns - start_ns if self.latest_ns[die] else 0
        elif transactions.source[number] in (GC, MERGE):
            self.latest_ns[die] = end_ns - start_ns
            if self.is_owed[die] and not self.dies.budget.is_exempt[die]:
                raise SimulationError(
                    f"integrity: the {OPERATIONS[transactions.op[number]]} of page {transactions.ppa[number]} by "
                    f"collection began at {start_ns} ns, when the host waited for its die and collection had held "
                    f"that for {self.held_ns[die]} of {self.dies.budget.budget_ns} ns."
                )
        elif transactions.op[number] != READ or not self.dies.budget.yields_to_reads:
            self.held_ns[die] = 0
