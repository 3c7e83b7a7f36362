"""Which merge of FAST comes next, and when (Lee et al., 2007)."""

from array import array

import cython

if cython.compiled:
    from cython.cimports.ssdsim.ftl.reclaim.collector import GarbageCollector, PageMoves
else:
    from ssdsim.ftl.reclaim.collector import GarbageCollector, PageMoves

NOTHING = -1
"""The kind of a merge that has no page to move: the log block just has to be erased."""
SWITCH = 0
PARTIAL = 1
FULL = 2
"""The others, as in `ssdsim.ftl.fast.mapping`."""


class MergeChoice(GarbageCollector):
    """Chooses one logical block of a unit at a time: sequential log blocks that are retired, then random ones.

    A retired sequential log block of which all pages written are still valid becomes the data block: as it is if it is
    full (switch merge), else once the other pages of the logical block have been copied behind them (partial merge).
    Else, and for every logical block with valid pages in the oldest random log block when the last one has been begun,
    a fresh block does (full merge). Where collection is parallel, the other planes of the die whose log blocks are
    about to run out merge, too.

    Merges go on beside the host's writes, and are urgent while it has no room. Where collection `holds_writes`, they
    come first, as FAST has it: a write that needs a log block to be merged waits for that, and so do those that come to
    the unit meanwhile; no random log block is merged before.
    """

    def __init__(self, blocks, mapping, frontier, unit, config, hardware):
        GarbageCollector.__init__(self, blocks, mapping, frontier, unit, PageMoves(), None, None, config, hardware)
        self.log = frontier
        self.fast = mapping
        self.joins = config.unit == "parallel"
        self.block_pages = mapping.block_pages
        self.kind = array("i", [NOTHING] * self.count)
        self.number = array("q", [0] * self.count)
        self.emptied = array("q", [-1] * self.count)
        self.oldest = array("q", [-1] * self.count)
        self.needed = array("b", [0] * self.count)
        self.merging = array("b", [0] * self.count)
        self.reached = array("i", [0] * self.count)
        self.filled = array("i", [0] * self.count)

    def consider(self, plane):
        """Have the merges of `plane` done if there are any to do; asked when a write to it is placed."""
        which = plane // self.width
        if self.is_wanted(which):
            self.call(which)

    def write_done(self, plane):
        """Begin the merges of `plane` at once if there are any to do, as a write there is done."""
        which = plane // self.width
        if self.is_wanted(which):
            self.collect(which)

    def is_wanted(self, which):
        """Return whether merges should begin."""
        if self.scheduler is None:
            self.collect_now(which)
            return False
        self.mark(which, 0)
        return self.idle[which] and self.is_due(which)

    def mark(self, which, level):
        """Put merges before all of the host's work while its writes find no room, and else behind it."""
        urgent = not self.log.has_room(which * self.width)
        self.set_urgency(which, urgent, urgent)

    def must_wait(self, plane, lpa):
        """Return whether a write of `lpa` waits for merges to be over, and call for them if it is their cause."""
        which = plane // self.width
        if not self.holds_writes or self.scheduler is None:
            return False
        if self.merging[which]:
            return True
        if not self.log.takes_over(plane, lpa):
            return False
        if self.idle[which]:
            self.call(which)
        return True

    def stand_in(self, plane):
        """Have the oldest random log block merged, as a write finds no room; return `plane` if it has been, else -1."""
        which = plane // self.width
        if self.log.is_used_up(which) and self.oldest[which] < 0:
            self.needed[which] = True
        self.consider(plane)
        return plane if self.scheduler is None and self.log.has_room(plane) else -1

    def is_due(self, which):
        """Return whether there may be a merge to do."""
        return len(self.log.retired[which]) > 0 or self.takes_random(which)

    def takes_random(self, which):
        """Return whether the oldest random log block is to be merged now."""
        logs = self.log.random[which]
        wanted = self.oldest[which] >= 0 or self.needed[which] or self.invited[which]
        if not self.holds_writes:
            wanted = wanted or len(logs) == self.log.random_blocks
        return wanted and len(logs) > 0 and self.log.is_full(logs[0])

    def invite_partners(self, which):
        """Have the other planes of the die that have at most one log block left to begin merge their oldest, too."""
        first = which * self.width // self.planes_per_die * self.planes_per_die // self.width
        for other in range(first, first + self.planes_per_die // self.width):
            if other != which and self.may_be_called(other) and self.oldest[other] < 0:
                self.invited[other] = len(self.log.random[other]) >= self.log.random_blocks - 1
                if self.takes_random(other):
                    self.call(other)

    def begin(self, which):
        """Take up the next merge and return whether there was one."""
        if self.log.retired[which] and self.begin_sequential(which):
            return True
        return self.takes_random(which) and self.begin_random(which)

    def begin_sequential(self, which):
        """Take up the merge of the oldest retired sequential log block, unless programs are on their way to it."""
        aligned, number = self.log.retired[which][0]
        whole = self.log.valid(aligned) == self.log.written(aligned)
        if not self.may_merge(which, number):
            return False
        if whole and self.log.written(aligned) < self.block_pages:
            self.start(which, PARTIAL, number, -1, aligned)
        else:
            while self.log.written(aligned) < self.block_pages:
                self.log.pass_over(aligned)
            if not self.log.is_full(aligned):
                return False
            if whole:
                self.start(which, SWITCH, number, -1, aligned)
            else:
                self.start(which, FULL, number, aligned, self.log.take_free(which))
        self.take_up(aligned, self.kind[which])
        return True

    def begin_random(self, which):
        """Take up the merge of the first logical block that has a valid page in the oldest random log block."""
        aligned = self.log.random[which][0]
        lpa = self.first_valid(aligned)
        number = 0 if lpa < 0 else self.fast.index_of(lpa) // self.block_pages
        if lpa >= 0 and not self.may_merge(which, number):
            return False
        if self.oldest[which] < 0:
            self.oldest[which] = aligned
            self.take_up(aligned, FULL)
            if self.joins and not self.invited[which]:
                self.invite_partners(which)
            self.invited[which] = self.needed[which] = False
        if lpa < 0:
            self.start(which, NOTHING, number, aligned, -1)
        else:
            self.start(which, FULL, number, aligned, self.log.take_free(which))
        return True

    def may_merge(self, which, number):
        """Return whether all programs to the data block of a logical block have been done."""
        aligned = self.fast.data_block(which, number)
        return aligned < 0 or self.log.is_full(aligned)

    def first_valid(self, aligned):
        """Return the logical page of a valid page of an (aligned) block, or -1 if it has none."""
        for place in range(self.width):
            block = self.blocks.member(aligned, place)
            page = self.blocks.next_valid(block, 0)
            if page >= 0:
                return self.blocks.spare.get(block * self.blocks.pages_per_block + page)
        return -1

    def take_up(self, aligned, kind):
        """Count a log block as collected, and its pages if they are to be moved."""
        self.collections += 1
        if kind in (SWITCH, PARTIAL):
            return
        self.victim_pages += self.block_pages
        self.victim_valid += self.log.valid(aligned)

    def start(self, which, kind, number, source, target):
        """Take note of a merge of logical block `number` into `target`, of which part may have been filled."""
        self.kind[which] = kind
        self.number[which] = number
        self.emptied[which] = source
        self.log.target[which] = target
        self.reached[which] = self.block_pages if target < 0 else self.log.written(target)
        self.filled[which] = self.reached[which]
