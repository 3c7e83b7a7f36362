# cython: infer_types=True
"""The time for which collection may hold a die before the host's work that waits there goes first."""

from __future__ import annotations

from array import array
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ
from ssdsim._core.columns import Int64s


@final
class CollectionBudget:
    """Gives collection the right of way on a die until its commands have held that for so long.

    Then the host's work that waits there goes first, and each of its commands that may not pass collection renews the
    budget. So a collection is cut into steps of bounded time, of which one lies between two of the host's writes: the
    partial block cleaning of Choudhuri and Givargis (CODES+ISSS 2008, 4), whose steps are as long as an erase. What is
    urgent has the right of way in any case (`ssdsim.ftl.reclaim.urgency`), and what it takes counts all the same.

    The right of way is that of one more urgent plane: before the host's writes, and before its reads if collection does
    not yield to these.
    """

    budget_ns: int
    yields_to_reads: bool
    urgent_planes: Int64s  # by die: those of `Dies`
    critical_planes: Int64s
    is_spent: Int64s  # by die
    renewed_at_ns: Int64s  # by die: what it had worked for others than the host when its budget was renewed
    is_exempt: Int64s  # by die: its latest command for others than the host began while a collection there was urgent

    def __init__(self, budget_ns: Any, yields_to_reads: Any, urgent_planes: Any, critical_planes: Any) -> None:
        self.budget_ns = budget_ns
        self.yields_to_reads = yields_to_reads
        self.urgent_planes = urgent_planes
        self.critical_planes = critical_planes
        count = len(urgent_planes)
        self.is_spent = array("q", [1] * count)
        self.renewed_at_ns = array("q", [0] * count)
        self.is_exempt = array("q", [0] * count)
        for die in range(count):
            self.set_spent(die, 0)

    @cfunc
    def set_spent(self, die: int, is_spent: int) -> None:
        """Give a die the right of way, or take it away."""
        change = self.is_spent[die] - is_spent
        self.is_spent[die] = is_spent
        self.urgent_planes[die] += change
        if not self.yields_to_reads:
            self.critical_planes[die] += change

    @cfunc
    def started(self, die: int, op: int, is_of_host: bool, gc_busy_ns: int) -> None:
        """Renew the budget of a die that starts a command of the host's, after `gc_busy_ns` for others in all."""
        if not is_of_host:
            self.is_exempt[die] = self.urgent_planes[die] > 1 - self.is_spent[die]
        elif op != READ or not self.yields_to_reads:
            self.renewed_at_ns[die] = gc_busy_ns
            self.set_spent(die, 0)

    @cfunc
    def worked(self, die: int, gc_busy_ns: int) -> None:
        """Charge a die, which has worked for others than the host for `gc_busy_ns` in all."""
        if not self.is_spent[die] and gc_busy_ns - self.renewed_at_ns[die] >= self.budget_ns:
            self.set_spent(die, 1)
