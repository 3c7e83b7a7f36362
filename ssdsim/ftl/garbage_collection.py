"""Garbage collection: when a plane is collected, and the moving of its victims' valid pages."""

from array import array
from math import ceil

import cython

from ssdsim.errors import SimulationError

if cython.compiled:
    from cython.cimports.ssdsim._core.blocks import COLLECTING
    from cython.cimports.ssdsim._core.codes import ERASE, GC, MOVED_DATA, PROGRAM, READ
    from cython.cimports.ssdsim._core.kernel import fire, new_event
    from cython.cimports.ssdsim.flash.transaction import Transaction
else:
    from ssdsim._core.blocks import STATES
    from ssdsim._core.codes import ERASE, GC, MOVED_DATA, PROGRAM, READ
    from ssdsim._core.kernel import fire, new_event
    from ssdsim.flash.transaction import Transaction
    from ssdsim.stage import Stage

    COLLECTING = STATES.index("collecting")

FUTILE_ROUNDS = 64
"""A plane that collects this many times its blocks while no host write gets through makes no progress."""


class GarbageCollector(Stage):
    """Collects each plane below its soft threshold, one victim at a time, and resumes when it falls below again.

    The level that counts is the plane's free blocks, or its free pages. Valid pages are moved within the plane, up to
    `moves_in_flight` at a time (the controller's copy buffer): read and programmed through the controller, as
    transactions that go after the host's until the level falls below the hard threshold. A page that the host rewrites
    while it is being moved is left where the host put it. The block is erased when all its pages have been programmed
    elsewhere.
    """

    def __init__(self, blocks, mapping, frontier, policy, wear_leveling, page_types, config, hardware):
        self.blocks = blocks
        self.mapping = mapping
        self.frontier = frontier
        self.page_types = page_types
        self.policy = policy
        self.wear_leveling = wear_leveling
        self.by_pages = config.trigger == "free_pages"
        unit = blocks.blocks_per_plane * blocks.pages_per_block if self.by_pages else 1
        self.soft = ceil(config.soft_threshold * unit)
        self.hard = ceil(config.hard_threshold * unit)
        self.most_valid = int(blocks.pages_per_block * (1 - config.min_gain) + 1e-9)
        self.planes_per_die = hardware.planes_per_die
        self.page_bytes = hardware.page_bytes
        self.sleeping = [None] * blocks.planes
        self.moved = [None] * blocks.planes
        self.moves_in_flight = config.moves_in_flight
        self.moving = array("q", [0] * blocks.planes)
        self.victim = array("q", [-1] * blocks.planes)
        self.next_page = array("i", [0] * blocks.planes)
        self.urgent = array("b", [0] * blocks.planes)
        self.futile = array("q", [0] * blocks.planes)
        self.collections = self.page_moves = 0
        self.env = self.scheduler = self.pool = self.dies = self.listener = self.contents = self.on_collected = None

    def bind(self, env, scheduler, pool, dies, listener):
        """Receive the clock, the back end and whoever waits for space; from here on collection takes its time."""
        self.env = env
        self.scheduler = scheduler
        self.pool = pool
        self.dies = dies
        self.listener = listener

    def level(self, plane):
        """Return what is free in `plane`, in the unit of the thresholds."""
        return self.blocks.free_pages(plane) if self.by_pages else self.frontier.free_blocks(plane)

    def can_gain(self, plane, level):
        """Return whether `plane`, which has `level` free, has a dead page that collection could be after."""
        return self.blocks.dead_pages(plane) > 0 or (level < self.hard and self.frontier.last_resort(plane) >= 0)

    def consider(self, plane):
        """Wake the collection of `plane` if it is wanted; asked when a write to it is placed or done or a page dies."""
        level = self.level(plane)
        if level >= self.soft:
            return
        self.futile[plane] = 0
        if self.scheduler is None:
            self.collect_now(plane)
            return
        self.mark_urgent(plane, level < self.hard)
        if self.sleeping[plane] is not None and self.can_gain(plane, level):
            event = self.sleeping[plane]
            self.sleeping[plane] = None
            fire(event)

    def mark_urgent(self, plane, urgent):
        """Put collection of the plane's die before or behind the host's traffic."""
        if urgent != self.urgent[plane]:
            self.urgent[plane] = urgent
            die = self.dies[plane // self.planes_per_die]
            die.urgent_planes += 1 if urgent else -1

    def next_victim(self, plane):
        """Return the block of `plane` to collect now, or -1."""
        victim = self.wear_leveling.cold_block(plane)
        level = self.level(plane)
        if victim >= 0 or level >= self.soft:
            return victim
        if self.blocks.dead_pages(plane) > 0:
            victim = self.policy.select(plane)
            if victim >= 0 and self.blocks.plane_of(victim) != plane:
                raise SimulationError(f"the victim policy chose block {victim}, which does not lie in plane {plane}.")
            if victim >= 0 and level >= self.hard and self.blocks.valid(victim) > self.most_valid:
                return -1
        elif level < self.hard:
            victim = self.frontier.last_resort(plane)
            if victim >= 0:
                self.frontier.withdraw(plane, victim)
                self.blocks.reclaim(victim)
        return victim

    def run(self, plane: cython.longlong):
        """Collect `plane` for ever (a process)."""
        victim: cython.longlong
        transaction: Transaction
        self.mark_urgent(plane, self.level(plane) < self.hard)
        while True:
            victim = self.next_victim(plane)
            if victim < 0:
                event = new_event(self.env)
                self.sleeping[plane] = event
                yield event
                continue
            self.begin(plane, victim)
            event = new_event(self.env)
            self.moved[plane] = event
            self.victim[plane] = victim
            self.next_page[plane] = 0
            while self.moving[plane] < self.moves_in_flight and self.start_move(plane):
                pass
            if self.moving[plane] > 0:
                yield event
            event = new_event(self.env)
            self.moved[plane] = event
            transaction = self.pool.take(GC, self, -1)
            transaction.op = ERASE
            transaction.ppa = victim * self.blocks.pages_per_block
            self.scheduler.submit(transaction)
            yield event
            self.finish(plane, victim)
            self.mark_urgent(plane, self.level(plane) < self.hard)
            self.listener.space_freed(plane)

    def begin(self, plane, victim):
        """Take `victim` out of the candidates; raise `SimulationError` if collecting has long led nowhere."""
        if self.blocks.state(victim) != COLLECTING:  # a partly programmed one has been taken already
            self.blocks.collect(victim)
        self.collections += 1
        self.futile[plane] += 1
        if self.futile[plane] > FUTILE_ROUNDS * self.blocks.blocks_per_plane:
            raise SimulationError(
                f"garbage collection of plane {plane} makes no progress: {self.futile[plane]} collections without a "
                f"host write, {self.level(plane)} free of {self.soft} wanted, {self.blocks.dead_pages(plane)} dead "
                "pages."
            )

    def finish(self, plane, victim):
        """Take note that `victim` is free again."""
        self.wear_leveling.block_erased(plane, victim)
        if self.on_collected is not None:
            self.on_collected()

    def start_move(self, plane):
        """Issue the read of the victim's next valid page, if it has one more, and return whether it has."""
        victim = self.victim[plane]
        page = self.blocks.next_valid(victim, self.next_page[plane])
        if page < 0:
            return False
        self.next_page[plane] = page + 1
        self.moving[plane] += 1
        ppa = victim * self.blocks.pages_per_block + page
        transaction = self.pool.take(GC, self, self.blocks.spare.get(ppa))
        self.mapping.expect(transaction.lpa)
        transaction.op = READ
        transaction.ppa = ppa
        transaction.bytes = self.page_bytes
        self.scheduler.submit(transaction)
        return True

    def done(self, transaction):
        """Go on with a move: program what was read, then start another; wake the plane's process after the last."""
        plane = transaction.plane
        if transaction.op == READ and self.mapping.lookup(transaction.lpa) == transaction.ppa:
            transaction.op = PROGRAM
            transaction.ppa = self.move(plane, transaction.lpa, transaction.ppa)
            self.scheduler.submit(transaction)
            return
        if transaction.op != ERASE:
            self.moving[plane] -= 1
            self.start_move(plane)
        if self.moving[plane] == 0:
            event = self.moved[plane]
            self.moved[plane] = None
            fire(event)
        self.pool.give_back(transaction)

    def move(self, plane, lpa, old_ppa):
        """Give `lpa` a new page in `plane` in place of `old_ppa` and return it."""
        page_type = 0 if self.page_types is None else self.page_types.of_moved_data()
        ppa = self.frontier.allocate(plane, MOVED_DATA, lpa, page_type)
        self.mapping.update(lpa, ppa)
        self.blocks.invalidate(old_ppa)
        self.page_moves += 1
        if self.contents is not None:
            self.contents.put(ppa, self.contents.get(old_ppa))
        return ppa

    def collect_now(self, plane):
        """Collect `plane` at once, until nothing more is wanted: what happens before a back end is bound."""
        while True:
            victim = self.next_victim(plane)
            if victim < 0:
                return
            self.begin(plane, victim)
            self.expect_moves(victim)
            page = self.blocks.next_valid(victim, 0)
            while page >= 0:
                ppa = victim * self.blocks.pages_per_block + page
                self.blocks.program(self.move(plane, self.blocks.spare.get(ppa), ppa))
                page = self.blocks.next_valid(victim, page + 1)
            self.blocks.erase(victim)
            if self.contents is not None:
                self.contents.erased(victim)
            self.finish(plane, victim)

    def expect_moves(self, victim):
        """Tell the mapping which logical pages the moving of `victim` will ask for."""
        page = self.blocks.next_valid(victim, 0)
        while page >= 0:
            self.mapping.expect(self.blocks.spare.get(victim * self.blocks.pages_per_block + page))
            page = self.blocks.next_valid(victim, page + 1)
