"""What the flash has done so far, over the whole device: counts and sums that only grow."""

from array import array

import cython
from cython.cimports.ssdsim._core.codes import COPYBACK, ERASE, HOST, PROGRAM, READ, SOURCE_COUNT

CASES = ("single", "mixed", "unaligned", "parallel")
"""How the host's programs find the other planes of their die: see `MultiPlaneCommands.case_of`."""

if not cython.compiled:
    SINGLE, MIXED, UNALIGNED, PARALLEL = range(len(CASES))


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

    def __init__(self, planes):
        self.operations = array("q", [0] * (4 * SOURCE_COUNT))
        self.plane_busy_ns = array("q", [0] * planes)
        self.writes_by_plane = array("q", [0] * planes)
        self.host_writes_by_plane = array("q", [0] * planes)
        self.erases_by_plane = array("q", [0] * planes)
        self.multi_plane = array("q", [0] * 4)
        self.host_multi_plane = array("q", [0] * 4)
        self.cases = array("q", [0] * len(CASES))
        self.transactions = 0
        self.gc_array_ns = array("q", [0] * 4)
        self.gc_transfer_ns = 0
        self.by_page = True
        self.planes_opened = 0
        self.host_writes = self.blocked_writes = self.evictions = 0
        self.host_write_ns = self.blocked_write_ns = 0.0  # as those of `Tally`
        self.planes_at_work = self.most_planes_at_work = 0
        self.at_work = self.at_work_before = 0
        self.instant_ns = -1

    def count(self, op, source):
        """Return how many operations `op` were done for `source`."""
        return self.operations[op * SOURCE_COUNT + source]

    def add(self, op, source, plane, array_ns, joined):
        """Count one operation, which held the array of `plane` for `array_ns`, in a multi-plane command if `joined`.

        Where reads open all planes (`planes_opened`), their arrays are counted by `add_opened`.
        """
        self.multi_plane[op] += joined
        if source == HOST:
            self.host_multi_plane[op] += joined
        self.operations[op * SOURCE_COUNT + source] += 1
        if op != READ or not self.planes_opened:
            self.plane_busy_ns[plane] += array_ns
        self.transactions += 1
        if op == ERASE:
            self.erases_by_plane[plane] += 1
        elif op in (PROGRAM, COPYBACK):
            self.writes_by_plane[plane] += 1
            self.host_writes_by_plane[plane] += source == HOST

    def add_opened(self, plane, array_ns):
        """Count the arrays of the planes that a read opens, those of the die of `plane`."""
        first = plane - plane % self.planes_opened
        for each in range(first, first + self.planes_opened):
            self.plane_busy_ns[each] += array_ns

    def add_collection(self, op, array_ns, transfer_ns):
        """Add the times of a command of collection: once that of the arrays, and that of its own data on the bus."""
        self.gc_array_ns[op] += array_ns
        self.gc_transfer_ns += transfer_ns

    def set_to_work(self, planes, now_ns):
        """Change the number of planes at work, from `now_ns` on, by `planes`, which may be negative."""
        if now_ns != self.instant_ns:
            self.instant_ns = now_ns
            self.at_work_before = self.at_work
        self.at_work += planes

    def host_page_done(self, write_ns, blocked):
        """Count a page that the host has written to flash within `write_ns`."""
        self.host_writes += 1
        self.host_write_ns += write_ns
        if blocked:
            self.blocked_writes += 1
            self.blocked_write_ns += write_ns

    def eviction_done(self, now_ns):
        """Count the planes at work just before `now_ns`, when what was evicted in one go is in flash."""
        at_work = self.at_work_before if now_ns == self.instant_ns else self.at_work
        self.evictions += 1
        self.planes_at_work += at_work
        if at_work > self.most_planes_at_work:
            self.most_planes_at_work = at_work
