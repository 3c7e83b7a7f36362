"""Garbage collection: when a unit of blocks is collected, and the course of a collection."""

from array import array

import cython

from ssdsim.errors import SimulationError

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import (
        COPYBACK,
        ERASE,
        GC,
        HOST_DATA,
        MOVED_DATA,
        PROGRAM,
        READ,
        TRANSLATION,
    )
    from cython.cimports.ssdsim._core.kernel import fire, new_event, now
    from cython.cimports.ssdsim.flash.transaction import Transaction
else:
    from ssdsim._core.codes import COPYBACK, ERASE, GC, HOST_DATA, MOVED_DATA, PROGRAM, READ, TRANSLATION
    from ssdsim._core.kernel import fire, new_event, now
    from ssdsim.flash.transaction import Transaction
    from ssdsim.stage import Stage

AT_ANY_LEVEL = 1 << 62
"""A threshold that is always reached."""

FUTILE_ROUNDS = 64
"""A unit that is collected this many times its blocks while no host write gets through makes no progress."""


class PageMoves:
    """Every page moves on its own, within its plane if the frontier heeds planes, as soon as it has been read.

    The base of all others (`ssdsim.ftl.page_moves`), which hold pages back to place them together; this one does not,
    so a page that has been read can be left where it is (`can_stop`). `which` is the collection, by number; pages are
    transactions of the collector's that have been read and are still valid.
    """

    def bind(self, collector):
        """Receive the collector, once, before the run."""
        self.collector = collector
        self.can_stop = True

    def begin(self, which):
        """Take note that a collection begins."""

    def start(self, which):
        """Issue the reads of the next page or row and return whether there was one."""
        position = self.collector.left(which)
        if position < 0:
            return False
        self.collector.scheduler.submit(self.collector.start_move(which, position))
        return True

    def arrived(self, which, page):
        """Take over a page that has been read: have it placed now, or later along with others."""
        self.collector.place(page, page.plane, self.collector.purpose_of(page.lpa))

    def dropped(self, which, page):
        """Take note that a page was rewritten by the host while it was read, and need not be moved."""

    def move_now(self, which, plane, lpa, ppa):
        """Move a page where no time passes, and return its new PPA."""
        return self.collector.move(plane, lpa, ppa, self.collector.purpose_of(lpa))

    def no_more(self, which):
        """Have placed what is held back, as all pages have been read."""

    def takes(self, which, group):
        """Return whether the host's `group` of pages is taken over, to be written in rows with moved ones."""
        return False

    def complete(self, which, group):
        """Take over the host's pages that this asked for, to complete a row."""
        raise NotImplementedError


class GarbageCollector(Stage):
    """Collects wherever the level is below the soft threshold, one victim at a time, and resumes when it falls again.

    What is collected together, and when, is up to `unit`. Valid pages are read and programmed through the controller,
    up to `moves_in_flight` of them at a time (its copy buffer), as transactions that go after the host's until the
    level falls below the hard threshold; where they go is up to `moves`. A page that the host rewrites while it is
    being moved is left where the host put it. The victim is erased when all its pages have been programmed elsewhere.

    In the background, while the host is quiet (`host_is_quiet`), it also collects where `unit.wants_background`, page
    after page, and stops at once when the host is active again: a command that has been started is finished, and
    nothing else is. It goes on in the next quiet time, or when the soft threshold is reached (flexFTL, 3.2).
    """

    def __init__(self, blocks, mapping, frontier, unit, moves, page_types, hotness, config, hardware):
        self.source = GC
        self.blocks = blocks
        self.mapping = mapping
        self.frontier = frontier
        self.unit = unit
        self.moves = moves
        self.page_types = page_types
        self.hotness = hotness
        self.planes_per_die = hardware.planes_per_die
        self.planes_per_chip = hardware.dies_per_chip * hardware.planes_per_die
        self.page_bytes = hardware.page_bytes
        self.width = unit.width
        self.holds_writes = config.holds_writes
        self.moves_in_flight = max(config.moves_in_flight, 2 * self.width if self.width > 1 else 1)
        self.count = blocks.planes // self.width
        self.sleeping = [None] * self.count
        self.moved = [None] * self.count
        self.moving = array("q", [0] * self.count)
        self.reading = array("q", [0] * self.count)
        self.placed = array("q", [0] * self.count)
        self.victims = array("q", [-1] * blocks.planes)
        self.victim_count = array("i", [0] * self.count)
        self.next_page = array("i", [0] * self.count)
        self.urgent = array("b", [0] * self.count)
        self.invited = array("b", [0] * self.count)
        self.futile = array("q", [0] * self.count)
        self.background = array("b", [0] * self.count)
        self.quiet = False
        self.copies = {}
        self.collections = self.page_moves = self.copies_back = self.padded_pages = 0
        self.victim_pages = self.victim_valid = 0
        self.env = self.scheduler = self.pool = self.dies = self.listener = self.contents = self.on_collected = None
        self.backup = self.data = None
        self.moves.bind(self)

    def bind(self, env, scheduler, pool, dies, listener):
        """Receive the clock, the back end and whoever waits for space; from here on collection takes its time."""
        self.env = env
        self.scheduler = scheduler
        self.pool = pool
        self.dies = dies
        self.listener = listener

    # When.

    def holds(self, plane):
        """Return whether the host's writes to `plane` wait for the end of a collection there, as it is urgent."""
        which = plane // self.width
        return self.holds_writes and self.urgent[which] and self.victim_count[which] > 0

    def must_wait(self, plane, lpa):
        """Return whether a write of `lpa` has to wait for collection although there is room for it in `plane`."""
        return self.holds(plane)

    def consider(self, plane):
        """Wake the collection of `plane` if it is wanted; asked when the host's data there changes, or is written."""
        self.futile[plane // self.width] = 0
        self.reconsider(plane)

    def reconsider(self, plane):
        """Do the same where it was not the host: a page of the mapping table was written, or died."""
        which = plane // self.width
        level = self.unit.level(which)
        if level >= self.unit.soft:
            return
        if self.scheduler is None:
            self.collect_now(which)
            return
        self.mark_urgent(which, level < self.unit.hard)
        if self.background[which]:
            self.background[which] = False
            self.resume(which)
        if self.sleeping[which] is not None and self.unit.can_gain(which, level):
            self.wake(which)

    def wake(self, which):
        """Let process `which`, which sleeps, look for a victim."""
        event = self.sleeping[which]
        self.sleeping[which] = None
        fire(event)

    def invite(self, which):
        """Wake the processes of the same chip that are not far from their threshold (TBM, 5.2)."""
        chip = which * self.width // self.planes_per_chip * self.planes_per_chip // self.width
        for other in range(chip, chip + self.planes_per_chip // self.width):
            if other != which and self.sleeping[other] is not None and self.unit.level(other) < self.unit.early:
                self.invited[other] = True
                self.wake(other)

    def mark_urgent(self, which, urgent):
        """Put collection before or behind the host's traffic on its die."""
        if urgent != self.urgent[which]:
            self.urgent[which] = urgent
            die = self.dies[which * self.width // self.planes_per_die]
            die.urgent_planes += 1 if urgent else -1

    def host_is_active(self):
        """Stop what is done in the background."""
        self.quiet = False

    def host_is_quiet(self):
        """Go on with what was stopped, and wake the collections that there is time for now."""
        self.quiet = True
        for which in range(self.count):
            if self.background[which]:
                self.resume(which)
            elif self.sleeping[which] is not None and self.wants_background(which):
                self.wake(which)

    def wants_background(self, which):
        """Return whether idle time is to be used: not once every block could have been collected since the last write.

        What a collection gains may be used up by its own parity or by pages of the mapping table, without end.
        """
        return self.futile[which] < self.blocks.blocks_per_plane and self.unit.wants_background(which)

    def is_stopped(self, which):
        """Return whether a collection waits for the host to be quiet."""
        return self.background[which] and not self.quiet

    # How.

    def run(self, which: cython.longlong):
        """Collect for ever (a process)."""
        place: cython.int
        transaction: Transaction
        self.mark_urgent(which, self.unit.level(which) < self.unit.hard)
        while True:
            if not self.begin(which):
                event = new_event(self.env)
                self.sleeping[which] = event
                yield event
                continue
            event = new_event(self.env)
            self.moved[which] = event
            self.go_on(which)
            if self.moving[which] > 0 or self.is_stopped(which):
                yield event
            event = new_event(self.env)
            self.moved[which] = event
            self.background[which] = False  # nothing is left to be stopped
            for place in range(self.victim_count[which]):
                transaction = self.pool.take(GC, self, -1)
                transaction.op = ERASE
                transaction.ppa = self.victims[which * self.width + place] * self.blocks.pages_per_block
                self.moving[which] += 1
                self.placed[which] += 1
                self.scheduler.submit(transaction)
            yield event
            self.finish(which)
            self.mark_urgent(which, self.unit.level(which) < self.unit.hard)
            self.space_freed(which)

    def begin(self, which):
        """Choose victims and return whether there are any; raise `SimulationError` if collecting has led nowhere."""
        threshold = self.unit.early if self.invited[which] else self.unit.soft
        self.invited[which] = False
        self.victim_count[which] = self.unit.choose(which, threshold, self.victims)
        if not self.victim_count[which] and self.quiet and self.wants_background(which):
            self.victim_count[which] = self.unit.choose(which, AT_ANY_LEVEL, self.victims)
            self.background[which] = self.victim_count[which] > 0
        if not self.victim_count[which]:
            return False
        self.next_page[which] = 0
        self.moves.begin(which)
        self.collections += 1
        for place in range(self.victim_count[which]):
            self.victim_pages += self.blocks.pages_per_block
            self.victim_valid += self.blocks.valid(self.victims[which * self.width + place])
        self.futile[which] += 1
        if self.futile[which] > FUTILE_ROUNDS * self.blocks.blocks_per_plane:
            raise SimulationError(
                f"garbage collection of plane {which * self.width} makes no progress: {self.futile[which]} collections "
                f"without a host write, {self.unit.level(which)} free of {self.unit.soft} wanted, "
                f"{self.unit.dead_pages(which)} dead pages."
            )
        if self.scheduler is not None:
            die = self.dies[which * self.width // self.planes_per_die]
            die.collection_began = self.scheduler.sequence
            if self.unit.early > self.unit.soft:
                self.invite(which)
        return True

    def finish(self, which):
        """Take note that the victims are free again."""
        for place in range(self.victim_count[which]):
            self.unit.wear_leveling.block_erased(self.victims[which * self.width + place])
        self.victim_count[which] = 0
        self.background[which] = False
        if self.on_collected is not None:
            self.on_collected()

    def space_freed(self, which):
        """Let writes that wait for the space go on."""
        for unit in range(which * self.width // self.blocks.span, (which + 1) * self.width // self.blocks.span):
            self.listener.space_freed(unit)

    def go_on(self, which):
        """Read on, as far as the copy buffer goes; have what is held back placed if nothing more can come before.

        That is at the end, and when the copy buffer is full of it; as some of it may turn out to have been rewritten,
        there may be room to read on then.
        """
        while not self.is_stopped(which):
            most = 1 if self.background[which] and self.moves.can_stop else self.moves_in_flight
            while self.moving[which] < most and self.moves.start(which):
                pass
            if self.reading[which]:
                return
            over = self.left(which) < 0
            if self.placed[which] and not over:
                return
            self.moves.no_more(which)
            if over:
                return

    def left(self, which):
        """Return the position of the victims' next valid page, or -1: the page times the victims, plus which of them.

        Pages at the same place in several victims follow one another.
        """
        first = which * self.width
        count = self.victim_count[which]
        at = self.next_page[which]
        best = -1
        for place in range(count):
            page = self.blocks.next_valid(self.victims[first + place], at // count + (place < at % count))
            if page >= 0 and (best < 0 or page * count + place < best):
                best = page * count + place
        return best

    def stand_in(self, plane):
        """Return a plane with room that is collected along with `plane`, which has none and nothing to gain, or -1.

        Where planes are collected in parallel, pages move from one to another, and one may come to hold more valid data
        than the logical pages that fall to it.
        """
        if self.width == self.blocks.span or self.blocks.dead_pages(plane) > 0:
            return -1
        first = plane // self.width * self.width
        for other in range(first, first + self.width):
            if self.frontier.has_room(other) and not self.holds(other):
                return other
        return -1

    def takes(self, plane, group):
        """Return whether `group`, which the host writes to the die of `plane`, goes along with a collection there."""
        which = plane // self.width
        return self.victim_count[which] > 0 and self.moves.takes(which, group)

    def start_move(self, which, position):
        """Issue the read of the valid page at `position` and return it."""
        count = self.victim_count[which]
        self.next_page[which] = position + 1
        self.moving[which] += 1
        self.reading[which] += 1
        block = self.victims[which * self.width + position % count]
        ppa = block * self.blocks.pages_per_block + position // count
        transaction = self.pool.take(GC, self, self.blocks.spare.get(ppa))
        self.mapping.expect(transaction.lpa)
        transaction.op = READ
        transaction.ppa = ppa
        transaction.bytes = self.page_bytes
        return transaction

    def start_copy(self, which, position):
        """Issue the copy-back of the valid page at `position` to a page of its plane.

        It is mapped there from now on; until it is programmed, its data is read where it is copied from (`copies`).
        """
        count = self.victim_count[which]
        self.next_page[which] = position + 1
        self.moving[which] += 1
        self.placed[which] += 1
        block = self.victims[which * self.width + position % count]
        ppa = block * self.blocks.pages_per_block + position // count
        transaction = self.pool.take(GC, self, self.blocks.spare.get(ppa))
        transaction.op = COPYBACK
        transaction.copied_from = ppa
        transaction.ppa = self.copy(self.blocks.plane_of(block), transaction.lpa, ppa)
        transaction.bytes = self.page_bytes
        self.copies[transaction.ppa] = ppa
        self.scheduler.submit(transaction)

    def done(self, transaction):
        """Go on with a collection: place what was read, and read on; wake the process after the last."""
        which = transaction.plane // self.width
        if transaction.op == READ:
            self.reading[which] -= 1
            if self.is_stopped(which) and self.moves.can_stop:
                self.next_page[which] -= 1
            elif self.is_current(transaction):
                self.moves.arrived(which, transaction)
                self.resume(which)
                return
            else:
                self.moves.dropped(which, transaction)
        else:
            self.placed[which] -= 1
            if transaction.op == COPYBACK:
                del self.copies[transaction.ppa]
        self.give_up(which, transaction)
        self.resume(which)

    def is_current(self, page):
        """Return whether a page that was read is still where its data is."""
        return self.mapping.lookup(page.lpa) == page.ppa

    def give_up(self, which, transaction):
        """Be done with a move or an erase; `resume` follows."""
        self.moving[which] -= 1
        self.pool.give_back(transaction)

    def resume(self, which):
        """Read on, and wake the process after the last move or erase, unless the collection is stopped."""
        self.go_on(which)
        if self.moving[which] == 0 and self.moved[which] is not None and not self.is_stopped(which):
            event = self.moved[which]
            self.moved[which] = None
            fire(event)

    def purpose_of(self, lpa):
        """Return which of the frontier's blocks moved data goes to: those of the host's data if it is hot."""
        if lpa >= self.mapping.logical_pages:
            return TRANSLATION
        if self.hotness is not None and self.hotness.is_hot(lpa, 0 if self.env is None else now(self.env)):
            return HOST_DATA
        return MOVED_DATA

    def place(self, transaction, plane, purpose):
        """Program a page that was read to its new place, in `plane` if the frontier heeds it."""
        transaction.op = PROGRAM
        self.placed[transaction.plane // self.width] += 1
        transaction.ppa = self.move(plane, transaction.lpa, transaction.ppa, purpose)
        self.scheduler.submit(transaction)

    def pad(self, which, plane, purpose):
        """Program a page that holds nothing, to complete a row."""
        transaction = self.pool.take(GC, self, -1)
        transaction.op = PROGRAM
        transaction.ppa = self.frontier.allocate(plane, purpose, -1, 0)
        transaction.bytes = self.page_bytes
        self.blocks.invalidate(transaction.ppa)
        self.padded_pages += 1
        self.moving[which] += 1
        self.placed[which] += 1
        self.scheduler.submit(transaction)

    def move(self, plane, lpa, old_ppa, purpose):
        """Give `lpa` a new page in `plane` in place of `old_ppa` and return it."""
        page_type = 0 if self.page_types is None else self.page_types.of_moved_data(plane)
        ppa = self.frontier.allocate(plane, purpose, lpa, page_type)
        self.moved_to(lpa, old_ppa, ppa)
        return ppa

    def copy(self, plane, lpa, old_ppa):
        """Give `lpa` a new page in `plane` that `old_ppa` can be copied back to and return it."""
        ppa = self.frontier.allocate_copy(plane, self.purpose_of(lpa), lpa, old_ppa % self.blocks.pages_per_block)
        self.moved_to(lpa, old_ppa, ppa)
        self.copies_back += 1
        return ppa

    def moved_to(self, lpa, old_ppa, ppa):
        """Take note that `lpa` has page `ppa` in place of `old_ppa`."""
        self.mapping.update(lpa, ppa)
        self.blocks.invalidate(old_ppa)
        self.page_moves += 1
        if self.contents is not None:
            self.contents.put(ppa, lpa, self.contents.get(old_ppa))

    # The same without flash timing.

    def collect_now(self, which):
        """Collect at once, until nothing more is wanted: what happens before a back end is bound."""
        while self.begin(which):
            self.expect_moves(which)
            position = self.left(which)
            while position >= 0:
                self.next_page[which] = position + 1
                block = self.victims[which * self.width + position % self.victim_count[which]]
                ppa = block * self.blocks.pages_per_block + position // self.victim_count[which]
                lpa = self.blocks.spare.get(ppa)
                target = self.moves.move_now(which, self.blocks.plane_of(block), lpa, ppa)
                if self.data is not None:
                    self.data.move_now(ppa, target)
                self.program_now(target)
                position = self.left(which)
            for place in range(self.victim_count[which]):
                block = self.victims[which * self.width + place]
                self.blocks.erase(block)
                if self.contents is not None:
                    self.contents.erased(block)
                if self.backup is not None:
                    self.backup.erased(block)
            self.finish(which)

    def program_now(self, ppa):
        """Program a page at once, and back up what has to be."""
        if self.backup is not None:
            self.backup.queued(ppa)
        self.blocks.program(ppa)
        if self.data is not None:
            self.data.program_now(ppa)
        if self.backup is not None:
            self.backup.programmed(ppa)

    def expect_moves(self, which):
        """Tell the mapping which logical pages the moving of the victims will ask for."""
        for place in range(self.victim_count[which]):
            block = self.victims[which * self.width + place]
            page = self.blocks.next_valid(block, 0)
            while page >= 0:
                self.mapping.expect(self.blocks.spare.get(block * self.blocks.pages_per_block + page))
                page = self.blocks.next_valid(block, page + 1)
