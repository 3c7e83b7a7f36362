# cython: infer_types=True
"""What the flash has done so far, over the whole device: counts and sums that only grow."""

from __future__ import annotations

from array import array
from typing import Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import OPERATION_COUNT, SOURCE_COUNT
from ssdsim._core.columns import Int64s
from ssdsim.flash.transactions import Transactions

CASES = ("single", "mixed", "unaligned", "parallel")
"""How the host's programs find the other planes of their die: see `MultiPlaneCommands.case_of`."""

SINGLE: Final = 0  # the order of `CASES`
MIXED: Final = 1  # the order of `CASES`
UNALIGNED: Final = 2  # the order of `CASES`
PARALLEL: Final = 3  # the order of `CASES`


@final
class FlashCounters:
    """Operations, and the times that they took. Pages that pad a row of the host's are the host's.

    The planes of a command are at work from its start to its end. Whenever an eviction from the write buffer is
    complete (SPD, 6.1 and Fig. 11), of one page or of several that left together, the planes at work just before are
    counted, its own among them: those whose work ends in the same instant count, those that start in it do not. Without
    a buffer (`by_page`) each page of the host counts as an eviction.

    A page write of the host takes its time from being queued for its die, or for a die, to being programmed, and before
    that what collection held it up for, such as a wait for room. It is blocked if there was no room, or if its die
    worked for others than the host while it waited (SPD, 6.4); not if it slipped in between two commands of collection.
    A page that collection asked for, to complete a row of its own, keeps no one waiting, and is not among them.
    """

    operations: Int64s  # by operation, then source
    multi_plane: Int64s  # by operation: those done by multi-plane commands
    host_multi_plane: Int64s  # of these, those of the host
    cases: Int64s  # by case: pages of the host's programs
    plane_busy_ns: Int64s
    writes_by_plane: Int64s  # pages programmed or copied to there, for whomever
    suspensions: Int64s  # by operation: of commands
    suspended_ns: Int64s  # by operation: time that the arrays of commands were suspended
    gc_array_ns: Int64s  # by operation: array time of commands with a page for collection
    by_page: bool  # whether each page of the host is an eviction of its own
    planes_opened: int  # by each read, those of a die; 0: the one that is wanted
    planes_at_work: int  # summed over the evictions
    most_planes_at_work: int  # the largest of these; whoever measures starts it anew at 0
    at_work: int  # now, and before the instant in which it changed last
    at_work_before: int  # now, and before the instant in which it changed last
    instant_ns: int  # now, and before the instant in which it changed last

    def __init__(self, planes: Any, planes_opened: int = 0) -> None:
        self.operations = array("q", [0] * (OPERATION_COUNT * SOURCE_COUNT))
        self.plane_busy_ns = array("q", [0] * planes)
        self.writes_by_plane = array("q", [0] * planes)
        self.multi_plane = array("q", [0] * OPERATION_COUNT)
        self.host_multi_plane = array("q", [0] * OPERATION_COUNT)
        self.cases = array("q", [0] * len(CASES))
        self.suspensions = array("q", [0] * OPERATION_COUNT)
        self.suspended_ns = array("q", [0] * OPERATION_COUNT)
        self.gc_array_ns = array("q", [0] * OPERATION_COUNT)
        self.gc_transfer_ns = 0
        self.by_page = True
        self.planes_opened = planes_opened
        self.host_writes = self.blocked_writes = self.evictions = 0
        self.host_write_ns = self.blocked_write_ns = 0.0  # waits may add up to more than 64 bits hold
        self.planes_at_work = self.most_planes_at_work = 0
        self.at_work = self.at_work_before = 0
        self.instant_ns = -1

    def count(self, op: int, source: int) -> int:
        """Return how many operations `op` were done for `source`."""
        return self.operations[op * SOURCE_COUNT + source]

    @cfunc
    def add_opened(self, plane: int, array_ns: int) -> None:
        """Count the arrays of the planes that a read opens, those of the die of `plane`."""
        first = plane - plane % self.planes_opened
        for each in range(first, first + self.planes_opened):
            self.plane_busy_ns[each] += array_ns

    @cfunc
    def set_to_work(self, planes: int, now_ns: int) -> None:
        """Change the number of planes at work, from `now_ns` on, by `planes`, which may be negative."""
        if now_ns != self.instant_ns:
            self.instant_ns = now_ns
            self.at_work_before = self.at_work
        self.at_work += planes

    def host_page_done(self, transactions: Transactions, page: int, now_ns: int) -> None:
        """Count a page of the host that is in flash now."""
        if not transactions.asked[page]:
            came_ns = transactions.queued_ns[page] - transactions.line_ns[page] - transactions.held_ns[page]
            self.host_writes += 1
            self.host_write_ns += now_ns - came_ns
            if transactions.gc_ns[page] > 0:
                self.blocked_writes += 1
                self.blocked_write_ns += now_ns - came_ns
        if self.by_page:
            self.eviction_done(now_ns)

    @cfunc
    def eviction_done(self, now_ns: int) -> None:
        """Count the planes at work just before `now_ns`, when what was evicted in one go is in flash."""
        at_work = self.at_work_before if now_ns == self.instant_ns else self.at_work
        self.evictions += 1
        self.planes_at_work += at_work
        if at_work > self.most_planes_at_work:
            self.most_planes_at_work = at_work
