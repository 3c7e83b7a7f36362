# cython: infer_types=True
"""Garbage collection: when a unit of blocks is collected."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import GC
from ssdsim._core.either_kernel import call_later
from ssdsim.config import SimulationConfig
from ssdsim.errors import SimulationError
from ssdsim.flash.port import Contents, InstantFlash, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.slc_cache import SlcCache
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.padding import WordlinePadding
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.reclaim.interface import Collection, Reclaimer
from ssdsim.ftl.reclaim.units import CollectionUnit
from ssdsim.ftl.rows import RowWritePath

PAGES_A_WRITE: Final = 64
"""Pages of victims that pay, each time that the host's data in a plane changes: up to three times a page written."""

FUTILE_ROUNDS: Final = 8
"""Collection makes no progress once it has taken this many times the pages of the device beyond those that pay."""

AT_ANY_LEVEL = 1 << 62
"""A threshold that is always reached."""


class Collector(Reclaimer):
    """Collects wherever the level is below the soft threshold, one victim at a time, and resumes when it falls again.

    What is collected together, and from which level on, is up to `unit`; how pages move, to the class of the
    collections. Below the hard threshold these are urgent, and go before the host's writes; else after all its work.
    """

    enough: int  # free blocks of a unit, with which it is not looked at; `AT_ANY_LEVEL` where others count, too
    cache: SlcCache  # in front of the frontier, or None
    # A collection that a write calls for begins in the midst of that instant, before the write is issued or before more
    # requests pass a gate; else at the end of the instant, when an idle die has taken that write.
    at_once: bool
    # Reads that go before writes pass an urgent collection, too, until the host's writes find no room: then it is
    # critical, and goes before all of the host's work. So reads hold it up no longer than the write that needs it.
    yields_to_reads: bool
    one_a_write: bool  # none begins but for a page written, as long as there is room
    lasts: bool  # a collection that is urgent when it begins stays so to its end, and no other is
    units_per_chip: int
    planes_per_chip: int
    paced_below: int  # free pages of a unit below which the host's writes are paced, or -1 if they are not
    unpaid: int  # pages of victims, less `PAGES_A_WRITE` for each write of the host
    unpaid_limit: int
    gc: Any  # the configuration
    # Of the moves:
    moved_kind: int  # that all pages are of, or -1 if the frontier is asked
    moves_in_flight: int
    fewest_moves: int  # that are in flight at a time, of a collection that can be stopped
    rows: RowWritePath | None  # the host's pages that are written along with moved ones
    padding: WordlinePadding | None  # None where pages are programmed one by one
    # Where it is heeded when the host is quiet:
    quiet: bool  # the host has been for a while
    quiet_ns: int  # how long that is
    host_work: int  # what the host has under way: requests in the device and page writes not yet in flash
    spells: int  # of the host's activity so far

    def __init__(
        self,
        unit: CollectionUnit,
        moves: type[Collection],
        mapping: PageMapping,
        frontier: WriteFrontier,
        page_types: PageTypeSpecifier | None,
        below: tuple[TransactionSchedulingUnit, InstantFlash, Contents | None],
        config: SimulationConfig,
    ) -> None:
        Reclaimer.__init__(self, GC, unit.width, mapping, frontier, page_types, below, config)
        hardware, gc = config.hardware, config.ftl.gc
        self.unit = unit
        self.gc = gc
        self.cache = frontier.cache
        by_blocks: bool = unit.by_blocks and unit.cache is None and type(unit) is CollectionUnit
        self.enough = unit.soft if by_blocks else AT_ANY_LEVEL
        self.at_once = gc.starts_before_write or gc.holds_requests
        self.yields_to_reads = gc.yields_to_reads
        self.one_a_write = gc.begin == "per_write"
        self.lasts = gc.reserved_blocks > 1 and gc.hard_threshold == gc.soft_threshold
        self.planes_per_chip = hardware.dies_per_chip * hardware.planes_per_die
        self.units_per_chip = max(self.planes_per_chip // self.width, 1)
        self.moved_kind = -1 if mapping.translation_pages else self.frontier.moved_kind
        self.fewest_moves = 1
        if hardware.pages_programmed > 1:  # a wordline of each kind can be filled at once
            self.fewest_moves = (self.frontier.kinds + 1) * hardware.pages_open(self.blocks.span, self.frontier.by_rows)
        two_programs = 2 * hardware.pages_programmed * unit.at_once if unit.at_once > 1 else 1  # a plane
        self.moves_in_flight = max(gc.moves_in_flight, two_programs, self.fewest_moves)
        self.rows = self.padding = None
        places = gc.reserved_blocks + (gc.reserved_blocks > 1)  # collections of a unit at once
        count = self.blocks.planes // self.width
        self.every_collection = [moves(self, number) for number in range(count) for _ in range(places)]
        self.units = self.every_collection[::places]
        block = self.blocks.span * self.blocks.pages_per_block
        # a block more than is urgent: until the erase a collection takes up to that, and the host's block has a rest
        level = min(unit.hard + (block if unit.by_pages else 1), unit.soft)
        self.paced_below = level * (1 if unit.by_pages else block) if gc.paced else -1
        self.unpaid = 0
        self.unpaid_limit = FUTILE_ROUNDS * self.blocks.pages
        self.quiet = False
        self.quiet_ns = round(gc.idle_us * 1000)
        self.host_work = self.spells = 0

    # When.

    def consider(self, plane: int) -> None:
        """Collect `plane` if that is wanted; asked when the host's data there changes."""
        self.unpaid = max(self.unpaid - PAGES_A_WRITE, 0)
        if self.blocks.free_blocks(plane // self.width) < self.enough:
            self.look(plane // self.width, self.at_once)

    @cfunc
    def reconsider(self, plane: int) -> None:
        """As `consider`, where the host did not write: a page of the mapping table was written, or became invalid."""
        self.look(plane // self.width, self.at_once)

    @cfunc
    def write_done(self, plane: int) -> None:
        """Collect `plane` at once if that is wanted, as a write is done: its block may be full, and have dead pages."""
        if self.blocks.free_blocks(plane // self.width) < self.enough:
            self.look(plane // self.width, True)

    @cfunc
    def look(self, number: int, at_once: bool) -> None:
        """Begin a collection if there is too little free, and let one go on that has been stopped.

        It begins `at_once`, unless a row is being placed, or at the end of this instant.
        """
        level = self.unit.level(number)
        if level >= self.unit.soft:
            return
        collection: Collection = self.units[number]
        if self.scheduler.env is None:
            self.collect_now(collection)
            return
        self.update_urgency(collection, level)
        if collection.background:
            collection.background = False
            self.hold_requests(collection)
            collection.resume()
        if collection.idle and self.unit.can_gain(number, level):
            self.begin_or_call(collection, at_once)

    @cfunc
    def begin_or_call(self, collection: Collection, at_once: bool) -> None:
        """Begin a collection now, but never in the middle of a row that is written as a whole, or call for it."""
        collection.cause = self.writer
        if at_once and not self.row_begun:
            self.collect(collection)
        else:
            self.call(collection)

    @cfunc
    def update_urgency(self, collection: Collection, level: int) -> None:
        """Update the urgency of `collection` by `level`, or the present one if that is -1."""
        urgent: bool = not collection.idle
        if not self.lasts or (urgent and not collection.urgent):
            urgent = (level if level >= 0 else self.unit.level(collection.number)) < self.unit.hard
        urgent = urgent and not (self.paced_below >= 0 and self.unit.has_room(collection.number))
        if urgent or collection.urgent:
            yields: bool = self.paced_below >= 0 or self.unit.has_room(collection.number)
            critical: bool = urgent and not (self.yields_to_reads and yields)
            if urgent != collection.urgent or critical != collection.critical:
                collection.set_urgency(urgent, critical)

    @cfunc
    def invite_others(self, collection: Collection) -> None:
        """Call for the collections of the same chip that are not far from their threshold (TBM, 5.2)."""
        chip = collection.number // self.units_per_chip * self.units_per_chip
        other: Collection
        for other in self.units[chip : chip + self.units_per_chip]:
            is_free: bool = other is not collection and other.idle and not other.called
            if is_free and self.unit.level(other.number) < self.unit.early:
                other.invited = True
                self.call(other)

    # What the host's writes ask.

    @cfunc
    def must_wait(self, plane: int, lpa: int) -> bool:
        """Return whether the host's writes to `plane` wait for a collection there: an urgent one, or for its progress.

        Paced, they are given the pages of the victims in step with the moves, and so wait for a few of these each.
        """
        if not self.may_hold:
            return False
        collection: Collection = self.units[plane // self.width]
        if self.paced_below < 0:
            return collection.urgent and len(collection.victims) > 0
        if lpa < 0 or not collection.victims:  # pages of the mapping table are what moves may wait for
            return False
        won = len(collection.victims) * self.blocks.pages_per_block
        if not collection.erasing:
            placed = collection.reached - collection.moving + collection.placed
            won = won * placed // max(len(collection.pages_to_read), 1)
        lacking = self.paced_below - self.blocks.free_pages(collection.number) - won
        # those that wait go on by the row, so that they fill commands of several planes
        collection.paces = lacking > (1 - self.blocks.span if collection.paces else 0)
        return collection.paces

    @cfunc
    def stand_in(self, plane: int) -> int:
        """Return a plane with room that is collected along with `plane`, which has none and nothing to gain, or -1."""
        # pages may have moved here from other planes: more than the logical pages that fall to this one
        for other in self.unit.stand_ins(plane):
            if self.frontier.has_room(other) and not self.must_wait(other, -1):
                return other
        return -1

    # In the background: while the host is quiet.

    def began(self) -> None:
        """Count one more piece of the host's work, which stops such collections, page after page (flexFTL, 3.2)."""
        if self.host_work == 0:
            self.spells += 1
            self.quiet = False
        self.host_work += 1

    def ended(self) -> None:
        """Count a piece of the host's work as done."""
        self.host_work -= 1
        if self.host_work == 0:
            self.await_quiet()

    def await_quiet(self) -> None:
        """Use the time after `quiet_ns` without any of the host's work."""
        call_later(self.scheduler.env, self.quiet_ns, partial(self.host_is_quiet, self.spells))

    def host_is_quiet(self, spells: int, event: Any) -> None:
        """Resume the collections that were stopped, and begin those that there is time for, unless the host is back."""
        if spells != self.spells or self.host_work > 0:
            return
        self.quiet = True
        collection: Collection
        for collection in self.units:
            if collection.background:
                collection.resume()
            elif collection.idle and self.wants_background(collection.number):
                self.call(collection)

    @cfunc
    def wants_background(self, number: int) -> bool:
        """Return whether idle time is to be used."""
        # not once every block could have been collected since the host wrote: what a collection gains may be used up by
        # its own parity or by pages of the mapping table, without end
        return self.unpaid < self.blocks.pages and self.unit.wants_background(number)

    # From one collection to the next.

    @cfunc
    def begin(self, collection: Collection) -> bool:
        """Choose victims for the next collection, and return whether there are any."""
        asked: bool = not self.one_a_write or self.writer >= 0 or collection.called or self.scheduler.env is None
        if not asked and self.unit.has_room(collection.number):
            return False
        threshold = self.unit.early if collection.invited else self.unit.soft
        collection.invited = False
        collection.victims = self.unit.choose(collection.number, threshold)
        if not collection.victims and self.quiet and self.wants_background(collection.number):
            collection.victims = self.unit.choose(collection.number, AT_ANY_LEVEL)
            collection.background = len(collection.victims) > 0
        if not collection.victims:
            return False
        self.take_up(collection)
        if self.scheduler.env is not None:
            for die in collection.dies:
                self.scheduler.dies.collection_began[die] = self.scheduler.sequence
            self.hold_requests(collection)
            if self.unit.early > self.unit.soft:
                self.invite_others(collection)
        return True

    @cfunc
    def take_up(self, collection: Collection) -> None:
        """Take up a collection, whose victims are chosen; raise `SimulationError` without progress."""
        collection.begin()
        pages = len(collection.victims) * self.blocks.pages_per_block
        self.collections += 1
        self.victim_pages += pages
        self.victim_valid += collection.valid_pages()
        for block in collection.victims:
            self.victims[block] = self.blocks.valid(block)
            if self.cache is not None:
                self.cache.chosen(block)
        self.unpaid += pages
        if self.unpaid > self.unpaid_limit:
            raise SimulationError(
                f"garbage collection makes no progress: {self.collections} collections took {self.victim_pages} "
                f"pages, of which {self.victim_valid} were valid and had to be moved: raise hardware.over_provisioning "
                "(with DFTL, ftl.mapping.cache_kib), lower ftl.gc.soft_threshold, or set ftl.gc.victim=greedy."
            )

    @cfunc
    def hold_requests(self, collection: Collection) -> None:
        """Hold requests from now on, if they are to wait for collections."""
        if self.gate is not None and not collection.holding and not collection.background:
            collection.holding = True
            self.gate.hold()

    @cfunc
    def over(self, collection: Collection) -> None:
        """End a collection, and begin the next: before the host is given the space won if that is urgent, or paced."""
        self.finish(collection)
        if collection.urgent or self.paced_below >= 0:
            self.collect(collection)
        for unit in range(collection.number * self.unit.parts, (collection.number + 1) * self.unit.parts):
            self.listener.space_freed(unit)
        self.collect(collection)
        if self.gate is not None:
            self.gate.open()

    @cfunc
    def finish(self, collection: Collection) -> None:
        """Record that the victims are free again."""
        for block in collection.victims:
            self.unit.wear_leveling.block_erased(block)
            if self.cache is not None:
                self.cache.freed(block)
        collection.victims = []
        collection.background = False
        if collection.holding:
            collection.holding = False
            self.gate.let_go()
        Reclaimer.finish(self, collection)
        cause, collection.cause = collection.cause, -1
        if collection.holds_back:
            collection.holds_back = False
            self.listener.done(cause)

    def plane_with_room(self, plane: int, kind: int) -> int:
        """Return a plane with room beside the reserve for a page that is restored after a loss of power.

        Where neither `plane` nor one that stands in for it has any, one collection makes some at once, of the least
        valid block: the victim policy and wear leveling might choose one that is all valid.
        """
        planes: list[int] = [plane, *self.unit.stand_ins(plane)]
        for each in planes:
            if self.frontier.has_room_beside(each // self.blocks.span, kind):
                return each
        collection: Collection = self.units[plane // self.width]
        for each in planes:
            unit = each // self.blocks.span
            victim = self.unit.least_valid(unit) if self.blocks.dead_pages(unit) > 0 else -1
            if victim >= 0 and self.unit.fits(unit, victim):
                collection.victims = self.unit.take(victim)
                self.take_up(collection)
                collection.run_now()
                self.finish(collection)
                return each
        return plane
