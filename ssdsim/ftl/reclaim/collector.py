"""Garbage collection: when a unit of blocks is collected, and the course of a collection."""

from array import array
from functools import partial

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
    from cython.cimports.ssdsim._core.kernel import hold, now
else:
    from ssdsim._core.codes import COPYBACK, ERASE, GC, HOST_DATA, MOVED_DATA, PROGRAM, READ, TRANSLATION
    from ssdsim._core.kernel import hold, now
    from ssdsim.stage import Stage

AT_ANY_LEVEL = 1 << 62
"""A threshold that is always reached."""

PAGES_A_WRITE = 64
"""Pages of victims that pay, each time that the host's data in a plane changes: some 130 to 190 a page written.

A page counts when it takes the place of another, when it is placed and when it has been programmed. Where pages are
mapped in controller memory each collection gains a page at least, and a device that is all but full moves some tens of
pages for each of the host's.
"""

FUTILE_ROUNDS = 8
"""Collection makes no progress once it has taken this many times the pages of the device beyond those that pay.

This is a leaky bucket, filled by collections and emptied by the host: a burst of collections that the host is behind
with is not held against it, one write in ten thousand pages moved is, and so is none at all.
"""


class PageMoves:
    """Every page moves on its own, within its plane if the frontier heeds planes, as soon as it has been read.

    The base of all others (`ssdsim.ftl.reclaim.moves`), which hold pages back to place them together; this one does
    not, so a page that has been read can be left where it is (`can_stop`). `which` is the collection, by number; pages
    are transactions of the collector's that have been read and are still valid.
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

    Each step follows from the completion of the one before, so that it stands in the die's queue before the die takes
    its next command: the erase after the last move, and after the erase the next collection, if it is wanted. A
    collection that a write calls for begins at the end of the same instant, when an idle die has taken that write, or
    before the write is issued, if it `starts_before_write`.

    Below the hard threshold a collection is urgent, and goes before the host's writes: where the scheduling policy
    would give one of these its turn. Reads that go before writes pass it as well, if it `yields_to_reads`, until the
    host's writes find no room in the plane: then it is critical, and goes before all of the host's work. So reads hold
    up a collection no longer than the write that has need of it, which waits either for its turn or for room.

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
        self.yields_to_reads = config.yields_to_reads
        self.starts_before_write = config.starts_before_write
        self.moves_in_flight = max(config.moves_in_flight, 2 * self.width if self.width > 1 else 1)
        self.count = blocks.planes // self.width
        self.idle = array("b", [1] * self.count)
        self.called = array("b", [0] * self.count)
        self.erasing = array("b", [0] * self.count)
        self.moving = array("q", [0] * self.count)
        self.reading = array("q", [0] * self.count)
        self.placed = array("q", [0] * self.count)
        self.victims = array("q", [-1] * blocks.planes)
        self.victim_count = array("i", [0] * self.count)
        self.next_page = array("i", [0] * self.count)
        self.urgent = array("b", [0] * self.count)
        self.critical = array("b", [0] * self.count)
        self.invited = array("b", [0] * self.count)
        self.futile = array("q", [0] * self.count)
        self.unpaid = 0
        self.pages_a_write = PAGES_A_WRITE
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
        """Have `plane` collected if that is wanted; asked when the host's data there changes."""
        self.futile[plane // self.width] = 0
        self.unpaid -= self.pages_a_write
        if self.unpaid < 0:
            self.unpaid = 0
        self.reconsider(plane)

    def reconsider(self, plane):
        """Do the same where it was not the host: a page of the mapping table was written, or died."""
        which = plane // self.width
        if self.is_wanted(which):
            if self.starts_before_write:
                self.collect(which)
            else:
                self.call(which)

    def write_done(self, plane):
        """Collect `plane` at once if that is wanted, as a write is done: its block may be full, and have dead pages."""
        which = plane // self.width
        self.futile[which] = 0
        if self.is_wanted(which):
            self.collect(which)

    def is_wanted(self, which):
        """Return whether a collection should begin, and let one go on that has been stopped."""
        level = self.unit.level(which)
        if level >= self.unit.soft:
            return False
        if self.scheduler is None:
            self.collect_now(which)
            return False
        self.mark(which, level)
        if self.background[which]:
            self.background[which] = False
            self.resume(which)
        return self.idle[which] and self.unit.can_gain(which, level)

    def call(self, which):
        """Have a collection begin at the end of this instant."""
        if not self.called[which]:
            self.called[which] = True
            hold(self.env, 0).callbacks.append(partial(self.answer, which))

    def answer(self, which, event):
        """Begin the collection that was called for."""
        self.called[which] = False
        self.collect(which)

    def invite(self, which):
        """Call for the collections of the same chip that are not far from their threshold (TBM, 5.2)."""
        chip = which * self.width // self.planes_per_chip * self.planes_per_chip // self.width
        for other in range(chip, chip + self.planes_per_chip // self.width):
            if other != which and self.may_be_called(other) and self.unit.level(other) < self.unit.early:
                self.invited[other] = True
                self.call(other)

    def may_be_called(self, which):
        """Return whether nothing is being collected there, nor about to be."""
        return self.idle[which] and not self.called[which]

    def mark(self, which, level):
        """Put collection before or behind the host's traffic on its die, as urgent as it is at `level`."""
        urgent = level < self.unit.hard
        if urgent or self.urgent[which]:
            self.set_urgency(which, urgent, urgent and not (self.yields_to_reads and self.unit.has_room(which)))

    def set_urgency(self, which, urgent, critical):
        """Let the die know what has changed."""
        die = self.dies[which * self.width // self.planes_per_die]
        if urgent != self.urgent[which]:
            self.urgent[which] = urgent
            die.urgent_planes += 1 if urgent else -1
        if critical != self.critical[which]:
            self.critical[which] = critical
            die.critical_planes += 1 if critical else -1

    def host_is_active(self):
        """Stop what is done in the background."""
        self.quiet = False

    def host_is_quiet(self):
        """Go on with what was stopped, and wake the collections that there is time for now."""
        self.quiet = True
        for which in range(self.count):
            if self.background[which]:
                self.resume(which)
            elif self.idle[which] and self.wants_background(which):
                self.call(which)

    def wants_background(self, which):
        """Return whether idle time is to be used: not once every block could have been collected since the last write.

        What a collection gains may be used up by its own parity or by pages of the mapping table, without end.
        """
        return self.futile[which] < self.blocks.blocks_per_plane and self.unit.wants_background(which)

    def is_stopped(self, which):
        """Return whether a collection waits for the host to be quiet."""
        return self.background[which] and not self.quiet

    # How.

    def run(self):
        """Begin what is wanted from the start (a process, which ends at once: by then the dies' own have begun)."""
        which: cython.longlong
        for which in range(self.count):
            self.mark(which, self.unit.level(which))
            self.collect(which)
        yield from ()

    def collect(self, which):
        """Begin the next collection, unless one is under way or there is none to begin."""
        if self.idle[which] and self.begin(which):
            self.idle[which] = False
            self.resume(which)

    def resume(self, which):
        """Go on with a collection: with its moves, unless it is stopped, then the erases, and then it is over."""
        if not self.erasing[which]:
            self.go_on(which)
            if self.moving[which] or self.is_stopped(which):
                return
            self.background[which] = False  # nothing is left to be stopped
            self.erasing[which] = True
            self.erase_victims(which)
        if not self.moving[which]:
            self.over(which)

    def erase_victims(self, which):
        """Issue the erases."""
        for place in range(self.victim_count[which]):
            transaction = self.pool.take(GC, self, -1)
            transaction.op = ERASE
            transaction.ppa = self.victims[which * self.width + place] * self.blocks.pages_per_block
            self.moving[which] += 1
            self.scheduler.submit(transaction)

    def over(self, which):
        """Be done with a collection, and begin the next: before the host is given what was won if that is urgent."""
        self.erasing[which] = False
        self.idle[which] = True
        self.finish(which)
        self.mark(which, self.unit.level(which))
        if self.urgent[which]:
            self.collect(which)
        self.space_freed(which)
        self.collect(which)

    def begin(self, which):
        """Choose victims and return whether there are any; raise `SimulationError` if collection makes no progress."""
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
        self.unpaid += self.victim_count[which] * self.blocks.pages_per_block
        if self.unpaid > FUTILE_ROUNDS * self.blocks.pages:
            raise self.no_progress(which)
        if self.scheduler is not None:
            die = self.dies[which * self.width // self.planes_per_die]
            die.collection_began = self.scheduler.sequence
            if self.unit.early > self.unit.soft:
                self.invite(which)
        return True

    def no_progress(self, which):
        """Return the error for collection that does not end, or hardly lets the host get on, with what would help."""
        table = self.mapping.translation_pages > 0
        causes = "; each page moved may have one of the mapping table written" if table else ""
        cache = ", ftl.mapping.cache_kib" if table else ""
        return SimulationError(
            f"garbage collection makes no progress: {self.collections} collections took {self.victim_pages} pages, of "
            f"which {self.victim_valid} were valid and had to be moved, {FUTILE_ROUNDS} times the {self.blocks.pages} "
            f"pages of the device beyond {PAGES_A_WRITE} for each write of the host; plane {which * self.width} has "
            f"{self.unit.level(which)} free of {self.unit.soft} wanted and {self.unit.dead_pages(which)} dead "
            f"pages{causes}: raise hardware.over_provisioning{cache} or lower ftl.gc.soft_threshold, or choose victims "
            "with few valid pages (ftl.gc.victim=greedy)."
        )

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
        self.mark(which, self.unit.level(which))

    def done(self, transaction):
        """Go on with a collection, whose page has been read or programmed, or its victim erased."""
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
        elif transaction.op != ERASE:
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
        which = transaction.plane // self.width
        self.placed[which] += 1
        transaction.ppa = self.move(plane, transaction.lpa, transaction.ppa, purpose)
        self.scheduler.submit(transaction)
        self.mark(which, self.unit.level(which))

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
        self.mark(which, self.unit.level(which))

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
