# cython: infer_types=True
"""Collection of the whole device (PCFTL, 3.3): one victim of all planes, and thresholds of all free blocks together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.ftl.reclaim.unit import CollectionUnit

if TYPE_CHECKING:
    from ssdsim._core.blocks import Blocks
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig
    from ssdsim.ftl.frontier.interface import WriteFrontier
    from ssdsim.ftl.reclaim.victims import VictimPolicy
    from ssdsim.ftl.reclaim.wear_leveling import WearLeveling


class WholeDevice(CollectionUnit):
    """One block at a time, that with the most dead pages of those that the policy selects in each plane.

    With the greedy policy it is the one with the most invalid pages in the SSD (PCFTL, 3.3). The level is what is free
    in all planes, and the thresholds, which are given for a plane, count as often as there are planes. A plane without
    room is not collected for that alone, so that any other may stand in.
    """

    def __init__(
        self,
        blocks: Blocks,
        frontier: WriteFrontier,
        policy: VictimPolicy,
        wear_leveling: WearLeveling,
        config: GarbageCollectionConfig,
        hardware: HardwareConfig,
    ) -> None:
        CollectionUnit.__init__(self, blocks, frontier, policy, wear_leveling, config, hardware)
        self.at_once = 1
        self.soft *= blocks.planes
        self.hard *= blocks.planes
        self.early = self.soft
        self.background *= blocks.planes

    @cfunc
    def planes_together(self, hardware: HardwareConfig) -> int:
        """Return the planes of the device."""
        return self.blocks.planes

    def level(self, number: int) -> int:
        """Return the free space in all planes, in blocks or pages as `CollectionUnit.level`."""
        level = 0
        for plane in range(self.blocks.planes):
            level += self.level_of(plane)
        return level

    def has_room(self, number: int) -> bool:
        """Return whether any plane has room for the host's writes."""
        for plane in range(self.blocks.planes):  # noqa: SIM110 - a compiled method takes no generator expression
            if self.frontier.has_room(plane):
                return True
        return False

    @cfunc
    def may_stand_in(self, plane: int) -> bool:
        """Return that any plane may."""
        return True

    def dead_pages(self, number: int) -> int:
        """Return the invalid pages in the full blocks of the device."""
        count = 0
        for plane in range(self.blocks.planes):
            count += self.blocks.dead_pages(plane)
        return count

    @cfunc
    def wants_background(self, number: int) -> bool:
        """Return whether there are so few free blocks that idle time is to be used, and something to gain."""
        free = 0
        for plane in range(self.blocks.planes):
            free += self.blocks.free_blocks(plane)
        return free < self.background and self.dead_pages(number) > 0

    @cfunc
    def can_gain(self, number: int, level: int) -> bool:
        """Return whether there is a dead page."""
        return self.dead_pages(number) > 0

    def choose(self, number: int, threshold: int, victims: Int64s) -> int:
        """Put the victim into `victims` and return 1, or 0 without one."""
        best = -1
        for plane in range(self.blocks.planes):
            best = self.wear_leveling.cold_block(plane)
            if best >= 0 and self.fits(plane, best):
                return self.take(best, victims, 0)
        level = self.level(number)
        if level >= threshold:
            return 0
        best = -1
        for plane in range(self.blocks.planes):
            if self.blocks.dead_pages(plane) > 0:
                victim = self.selected(plane)
                if victim >= 0 and not self.fits(plane, victim):
                    victim = self.least_valid(plane)
                    if victim >= 0 and not self.fits(plane, victim):
                        continue
                if victim >= 0 and (best < 0 or self.valid(victim) < self.valid(best)):
                    best = victim
        if best >= 0 and level >= self.hard and self.valid(best) > self.most_valid:
            return 0
        return self.take(best, victims, 0)
