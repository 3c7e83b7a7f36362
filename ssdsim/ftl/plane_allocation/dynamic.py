# cython: infer_types=True
"""Planes past those that are busy: TBM's dynamic orders F, D and F2."""

from __future__ import annotations

from array import array
from math import prod
from typing import Final

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.flash.port import FlashController
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation

CHANNEL: Final = 0
DIE: Final = 2
PLANE: Final = 3

ANY: Final = 0
FREE_DIE: Final = 1
FREE: Final = 2
"""The freedom of what a write may go to: it has room, its die is free for it, too, or its bus is free as well."""


class DynamicPlaneAllocation(PlaneAllocation):
    """F: channel, chip, die and plane of each write are the next in turn, past those that are busy (TBM, section 3).

    Each level has a turn over the next, and stands behind what was taken last. Where all are busy, the next in turn is
    taken. A die is busy while it executes or has work queued; a chip if no die of it that the write may go to is idle;
    a channel while its bus is taken, too. What has no plane with room is passed over at every level.

    At dispatch, as SSDSim's dynamic mode has it, a write waits while all dies are busy; one that only the host's work
    could keep from the write's turn is not (`Dies.takes_writes`). The die waits for a bus that is taken, not the write.
    """

    planes: Int64s  # by level: planes of a node above it, a node being known by its first one
    turns: Int64s  # by level and node above it: the child that is tried first

    dispatches = True
    fills_dies = False  # at dispatch a die takes a write for each of its planes before it starts

    def __init__(self) -> None:
        hardware = self.device.hardware
        self.dies_per_chip: int = hardware.dies_per_chip
        self.dies_per_unit: int = hardware.dies_per_unit
        self.planes_per_die: int = hardware.planes_per_die
        self.queue_limit: int = self.planes_per_die if self.fills_dies else 1
        shape = (hardware.channels, hardware.chips_per_channel, self.dies_per_chip, self.planes_per_die)
        self.planes = array("q", [prod(shape[level:]) for level in range(PLANE + 2)])
        self.turns = array("q", [0] * (PLANE + 1) * hardware.planes)

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane that comes of the turns at each level, or -1 if none has room, or none that has is free."""
        node = 0
        for level in range(CHANNEL, PLANE + 1):
            child = self.next_in_turn(level, node, FREE)
            if child < 0:
                child = self.next_in_turn(level, node, FREE_DIE if self.at_dispatch else ANY)
            if child < 0:
                return -1
            node = child
        return node

    @cfunc
    def next_in_turn(self, level: int, parent: int, freedom: int) -> int:
        """Return the next child of `parent`, of `level`, that can take the write, and let the turn pass on; else -1."""
        count = self.planes[level] // self.planes[level + 1]
        place = level * self.planes[0] + parent
        turn = self.turns[place]
        for _ in range(count):
            child = parent + turn * self.planes[level + 1]
            turn = turn + 1 if turn + 1 < count else 0
            if self.can_take(level, child, freedom):
                self.turns[place] = turn
                return child
        return -1

    @cfunc
    def can_take(self, level: int, node: int, freedom: int) -> bool:
        """Return whether a plane in `node` that has room, and at least this `freedom`, may take the write at hand."""
        if level == PLANE:
            return self.frontier.has_room(node)
        if self.dies is None:
            freedom = ANY
        first = node // self.planes_per_die
        if freedom == FREE and level == CHANNEL:
            controller: FlashController = self.dies.buses[first // self.dies_per_unit * self.dies.lanes_per_die]
            if controller.bus_taken:
                return False
        for die in range(first, first + self.planes[level + 1] // self.planes_per_die):
            if (freedom == ANY or self.is_idle(die)) and self.may_go_to(die) and self.has_room_from(die, 0):
                return True
        return False

    @cfunc
    def is_idle(self, die: int) -> bool:
        """Return whether `die` neither executes nor has work queued that goes before the write at hand."""
        unit = die // self.dies_per_unit
        return self.dies.takes_writes(unit, self.queue_limit) if self.at_dispatch else self.dies.is_idle(unit)

    @cfunc
    def may_go_to(self, die: int) -> bool:
        """Return whether the write at hand may go to `die`."""
        return True

    @cfunc
    def has_room_from(self, die: int, offset: int) -> bool:
        """Return whether a plane of `die` has room, from the one at `offset` on."""
        for plane in range(die * self.planes_per_die + offset, (die + 1) * self.planes_per_die):
            if self.frontier.has_room(plane):
                return True
        return False


class DieByPage(DynamicPlaneAllocation):
    """D: the die within its chip follows from the logical page, the rest is dynamic (TBM, section 3).

    It is the die that the static order CWDP gives the page: TBM does not print its formula. A page whose die has room
    in no chip goes to any other.
    """

    wanted: int  # the die within its chip, or -1 for any

    fills_dies = True

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane that comes of the page's die and of the turns at the other levels, or -1."""
        self.wanted = self.line_of(lpa, stream)
        plane = DynamicPlaneAllocation.plane_for(self, lpa, stream)
        if plane >= 0:
            return plane
        if self.at_dispatch:  # it may wait for a die that is wanted, as long as one has room, busy or not
            for channel in range(0, self.planes[CHANNEL], self.planes[CHANNEL + 1]):
                if self.can_take(CHANNEL, channel, ANY):
                    return -1
        self.wanted = -1
        return DynamicPlaneAllocation.plane_for(self, lpa, stream)

    def line_of(self, lpa: int, stream: int) -> int:
        """Return the die within its chip that `lpa` wants."""
        return lpa // (self.planes[CHANNEL] // self.planes[DIE]) % self.dies_per_chip

    @cfunc
    def may_go_to(self, die: int) -> bool:
        """Return whether `die` is the one wanted in its chip."""
        return self.wanted < 0 or die % self.dies_per_chip == self.wanted


class PlanesBeforeDies(DynamicPlaneAllocation):
    """F2: as F, but a chip's writes go once round the planes of a die before they go to the next (TBM, section 6).

    A die in the middle of such a round keeps its chip's turn, busy or not, so that its planes stay aligned; until it
    executes it counts as idle, as what is queued for it can be programmed together with what comes. Where planes are
    written in rows, which moved pages fill, too (Algorithms 1 and 2), a round is what is left of the row.
    """

    @cfunc
    def is_idle(self, die: int) -> bool:
        """Return whether `die` has nothing to do, or is in a round and has not started on what is queued."""
        unit = die // self.dies_per_unit
        in_round: bool = self.in_round(die // self.dies_per_chip) == die
        if self.at_dispatch:
            return self.dies.takes_writes(unit, self.planes_per_die if in_round else 1)
        return self.dies.is_idle(unit) or (in_round and not self.dies.is_executing(unit))

    @cfunc
    def may_go_to(self, die: int) -> bool:
        """Return whether `die` is in a round, or no die of its chip is."""
        held = self.in_round(die // self.dies_per_chip)
        return held < 0 or held == die

    @cfunc
    def in_round(self, chip: int) -> int:
        """Return the die of `chip` that is in the middle of a round and has room for the rest of it, or -1."""
        first = chip * self.dies_per_chip
        turn = self.turns[DIE * self.planes[0] + first * self.planes_per_die]
        last = first + (turn if turn > 0 else self.dies_per_chip) - 1
        # how many planes of the round have had their write; where rows are filled, moved pages may have taken some
        if self.frontier.span > 1:
            offset = self.frontier.row_place(last, self.frontier.hosts[0])
        else:
            offset = self.turns[PLANE * self.planes[0] + last * self.planes_per_die]
        return last if offset > 0 and self.has_room_from(last, offset) else -1
