# cython: infer_types=True
"""The unit of collection: which blocks are collected together, and when there is too little free space."""

from __future__ import annotations

from math import ceil
from typing import Any

from ssdsim._core.blocks import COLLECTING, FULL, Blocks
from ssdsim._core.calls import cfunc
from ssdsim.config import GarbageCollectionConfig, HardwareConfig
from ssdsim.errors import SimulationError
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.page_type import PageTypeFrontier
from ssdsim.ftl.frontier.slc_cache import SlcCache
from ssdsim.ftl.reclaim.victims import VictimPolicy, WearLeveling


class CollectionUnit:
    """A unit of blocks at a time: a block of a plane, or the aligned blocks of a die (`ssdsim._core.blocks`).

    Collections are known by the number of their first plane over `width`, the planes that they may take blocks of. The
    thresholds are held against the `level`: the free (aligned) blocks, or the pages free for the host.
    """

    width: int
    parts: int  # units of blocks that a collection may take these of
    at_once: int  # victims of a collection, at most
    by_pages: bool  # thresholds are of pages
    by_blocks: bool  # or of free blocks; else of pages in blocks' worth
    soft: int
    hard: int
    early: int  # below it, a collection joins another one of its chip
    background: int  # free blocks below which idle time is used, of each part
    front: WriteFrontier  # where the host's writes go: to the SLC cache first, if there is one
    frontier: WriteFrontier  # where moved pages go
    by_type: PageTypeFrontier | None  # the frontier, if its blocks can be reclaimed before all of their pages are used
    cache: SlcCache  # or None
    most_valid: int  # pages that a victim may have valid above the hard threshold
    partner_gain: float  # dead pages of a partner over those of the victim, at least
    unmoved: int  # pages still to be moved of other victims in the unit that is asked about, where it may have several

    def __init__(
        self,
        blocks: Blocks,
        frontier: WriteFrontier,
        policy: VictimPolicy,
        wear_leveling: WearLeveling,
        config: GarbageCollectionConfig,
        hardware: HardwareConfig,
    ) -> None:
        self.blocks = blocks
        self.front = frontier
        self.frontier = frontier.behind
        self.by_type = frontier.behind if isinstance(frontier.behind, PageTypeFrontier) else None
        self.policy = policy
        self.wear_leveling = wear_leveling
        self.width = self.at_once = blocks.span
        self.parts = 1
        self.by_pages = config.trigger == "free_pages"
        self.by_blocks = not self.by_pages and not frontier.behind.counts_pages
        block = blocks.span * blocks.pages_per_block if self.by_pages else 1
        whole = blocks.blocks_per_plane * block
        unit = whole if self.by_pages else 1
        self.soft = ceil(config.soft_threshold * unit)
        self.hard = ceil(config.hard_threshold * unit)
        self.early = self.soft + (0 if config.chip_margin is None else ceil(config.chip_margin * whole))
        self.background = ceil((config.background_threshold or 0) * blocks.blocks_per_plane)
        self.cache = frontier.cache
        if self.cache is not None:
            self.cache.least_free = ceil(self.soft / block)
        self.partner_gain = config.partner_gain
        self.most_valid = int(blocks.span * blocks.pages_per_block * (1 - config.min_gain) + 1e-9)
        self.unmoved = 0

    # When.

    @cfunc
    def level(self, number: int) -> int:
        """Return the free space for collection `number`, in the unit of `soft` and `hard`."""
        if self.cache is not None and self.cache.is_short(number):  # writes wait for room in it
            return 0
        return self.blocks.free_blocks(number) if self.by_blocks else self.space(number)

    @cfunc
    def space(self, unit: int) -> int:
        """Return the free space of a unit of blocks."""
        if self.by_blocks:
            return self.blocks.free_blocks(unit)
        pages = self.frontier.free_pages(unit, False)
        return pages if self.by_pages else pages // self.frontier.unit_pages

    @cfunc
    def has_room(self, number: int) -> bool:
        """Return whether the host's writes need not stop where there is the least space."""
        return self.front.has_room(number * self.blocks.span)

    @cfunc
    def stand_ins(self, plane: int) -> range:
        """Return the planes that can be written to in place of `plane`, of those that it may be collected with."""
        may_be: bool = self.width > self.blocks.span and self.blocks.dead_pages(plane) == 0
        return range(plane // self.width * self.width, (plane // self.width + may_be) * self.width)

    @cfunc
    def wants_background(self, number: int) -> bool:
        """Return whether idle time is to be used: to fold, or as there are few free blocks and something to gain."""
        if self.cache is not None and self.cache.oldest(number) >= 0:
            return True
        units = range(number * self.parts, (number + 1) * self.parts)
        free: int = sum([self.blocks.free_blocks(unit) for unit in units])
        return free < self.background * self.parts and self.dead_pages(number) > 0

    @cfunc
    def dead_pages(self, number: int) -> int:
        """Return the invalid pages that collection `number` could win back."""
        count = 0
        for unit in range(number * self.parts, (number + 1) * self.parts):
            count += self.blocks.dead_pages(unit)
        return count

    @cfunc
    def can_gain(self, number: int, level: int) -> bool:
        """Return whether there is a dead page that collection could be after, at `level` free."""
        if self.dead_pages(number) > 0 or (self.cache is not None and self.cache.is_short(number)):
            return True
        return self.by_type is not None and level < self.hard and self.by_type.best_candidate(number) >= 0

    # Which.

    def choose(self, number: int, threshold: int) -> list[int]:
        """Return the blocks to collect at levels below `threshold`, which are candidates no more."""
        return self.take(self.next_victim(number, threshold))

    @cfunc
    def take(self, victim: int) -> list[int]:
        """Take an (aligned) block, if there is one, out of the candidates, and return its blocks."""
        if victim < 0:
            return []
        if self.blocks.state(self.blocks.member(victim, 0)) != COLLECTING:  # a partly programmed one has been taken
            self.blocks.collect(victim)
        return self.blocks.members_of(victim)

    @cfunc
    def next_victim(self, unit: int, threshold: int) -> int:
        """Return the (aligned) block of `unit` to collect at levels below `threshold`, or -1.

        The oldest one of the SLC cache comes first in idle time, and otherwise if writes wait for that and there is
        none to collect for the sake of space.
        """
        if self.cache is None:
            return self.victim_for_space(unit, threshold)
        oldest = self.cache.oldest(unit)
        if oldest >= 0 and not self.fits(unit, oldest):
            oldest = -1
        if threshold > self.early and oldest >= 0:
            return oldest
        victim = self.victim_for_space(unit, threshold)
        return oldest if victim < 0 and self.cache.is_short(unit) else victim

    @cfunc
    def victim_for_space(self, unit: int, threshold: int) -> int:
        """Return the (aligned) block of `unit` to collect for the sake of wear or of free space, or -1."""
        victim = -1 if self.unmoved else self.cold_block(unit)
        if victim >= 0:
            return victim
        level = self.space(unit)
        if level >= threshold:
            return -1
        if self.blocks.dead_pages(unit) > 0:
            victim = self.selected(unit)
            if victim >= 0 and level >= self.hard and self.blocks.valid_in(victim) > self.most_valid:
                return -1
        elif level < self.hard and self.by_type is not None:
            victim = self.by_type.best_candidate(unit)
            if victim >= 0:
                self.by_type.withdraw(unit, victim)
                self.blocks.reclaim(victim)
        return victim

    @cfunc
    def cold_block(self, unit: int) -> int:
        """Return the block of `unit` whose data is to be moved for the sake of wear, if there is room for it, or -1."""
        victim = self.wear_leveling.cold_block(unit)
        return victim if victim >= 0 and self.fits(unit, victim) else -1

    @cfunc
    def selected(self, unit: int) -> int:
        """Return the block of `unit` that the policy selects, or the least valid one if that does not fit, or -1."""
        victim = self.policy.select(unit)
        if victim >= 0 and victim // self.blocks.blocks_per_plane != unit:
            raise SimulationError(f"the victim policy chose block {victim}, which does not lie in plane {unit}.")
        if victim >= 0 and not self.fits(unit, victim):
            victim = -1 if self.unmoved else self.least_valid(unit)
        return victim

    @cfunc
    def fits(self, unit: int, victim: int) -> bool:
        """Return whether there is room for the valid pages of `victim`; a loss of power may have taken some of it."""
        room = self.frontier.free_pages(unit, True)
        if self.unmoved:  # what is reserved is all that the host leaves them for certain
            room = min(self.frontier.reserved * self.frontier.unit_pages, room) - self.unmoved
        return self.blocks.valid_in(victim) <= room

    @cfunc
    def least_valid(self, unit: int) -> int:
        """Return the full (aligned) block of `unit` with the fewest valid pages, the first of equals, or -1."""
        blocks = self.blocks
        aligned = range(unit * blocks.blocks_per_plane, (unit + 1) * blocks.blocks_per_plane)
        full: list[int] = [each for each in aligned if blocks.all_in(each, FULL)]
        return min([(blocks.valid_in(each), each) for each in full])[1] if full else -1


class ParallelPlanes(CollectionUnit):
    """A block of one plane, along with one of each other plane of the die where that is worth it.

    ParaGC as SPD has it (3, 5.3 and 6.2): the plane with the least space takes its victim; another joins if it is below
    the threshold, or within `chip_margin` of it, with the block at the same offset or else its own victim, whichever is
    the first to have at least `partner_gain` times the victim's dead pages.
    """

    def __init__(self, *parts: Any) -> None:
        CollectionUnit.__init__(self, *parts)
        *_, hardware = parts
        self.width = self.at_once = self.parts = hardware.planes_per_die

    @cfunc
    def poorest(self, number: int) -> int:
        """Return the plane with the least space of those that have something to gain, or else of all."""
        planes = range(number * self.width, (number + 1) * self.width)
        ranked = [(self.blocks.dead_pages(plane) == 0, self.space(plane), plane) for plane in planes]
        plane: int = min(ranked)[2]
        return plane

    @cfunc
    def level(self, number: int) -> int:
        """Return the free space in the plane with the least."""
        return self.space(self.poorest(number))

    @cfunc
    def has_room(self, number: int) -> bool:
        """Return whether the plane with the least has room for the host's writes."""
        return self.front.has_room(self.poorest(number))

    def choose(self, number: int, threshold: int) -> list[int]:
        """Choose the victim of the poorest plane and its partners."""
        poorest = self.poorest(number)
        victims: list[int] = self.take(self.next_victim(poorest, threshold))
        if not victims:
            return victims
        offset = victims[0] - poorest * self.blocks.blocks_per_plane
        wanted = self.partner_gain * (self.blocks.pages_per_block - self.blocks.valid(victims[0]))
        for plane in range(number * self.width, (number + 1) * self.width):
            if plane != poorest and self.space(plane) < self.early:
                partner = plane * self.blocks.blocks_per_plane + offset
                if not self.is_worth(partner, wanted) and self.blocks.dead_pages(plane) > 0:
                    partner = self.policy.select(plane)
                if partner >= 0 and self.is_worth(partner, wanted):
                    victims += self.take(partner)
        return victims

    @cfunc
    def is_worth(self, block: int, wanted: float) -> bool:
        """Return whether full `block` has at least `wanted` dead pages."""
        dead = self.blocks.pages_per_block - self.blocks.valid(block)
        return self.blocks.state(block) == FULL and dead > 0 and dead >= wanted


class WholeDevice(CollectionUnit):
    """One block at a time, that with the most dead pages of those that the policy selects in each plane (PCFTL, 3.3).

    The level is what is free in all planes, and thresholds count as often as there are planes. A plane without room is
    not collected for that alone, so that any other may stand in.
    """

    def __init__(self, *parts: Any) -> None:
        CollectionUnit.__init__(self, *parts)
        self.width = self.parts = self.blocks.planes
        self.soft *= self.width
        self.hard *= self.width
        self.early = self.soft

    @cfunc
    def level(self, number: int) -> int:
        """Return the free space in all planes."""
        return sum([self.space(plane) for plane in range(self.width)])

    @cfunc
    def has_room(self, number: int) -> bool:
        """Return whether any plane has room for the host's writes."""
        return len([plane for plane in range(self.width) if self.front.has_room(plane)]) > 0

    @cfunc
    def stand_ins(self, plane: int) -> range:
        """Return all planes."""
        return range(self.width)

    def choose(self, number: int, threshold: int) -> list[int]:
        """Choose the victim."""
        for plane in range(self.width):
            cold = self.cold_block(plane)
            if cold >= 0:
                return self.take(cold)
        level = self.level(number)
        planes = [plane for plane in range(self.width) if level < threshold and self.blocks.dead_pages(plane) > 0]
        victims = [(plane, self.selected(plane)) for plane in planes]
        fitting = [victim for plane, victim in victims if victim >= 0 and self.fits(plane, victim)]
        fewest, best = min([(self.blocks.valid_in(victim), victim) for victim in fitting], default=(0, -1))
        return [] if level >= self.hard and fewest > self.most_valid else self.take(best)
