# cython: infer_types=True
"""The plane of a write: by the logical page number in a static order, by its chip, or by a token (PCFTL)."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, cast

import numpy as np

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.device_view import Policy
from ssdsim.errors import ConfigError
from ssdsim.flash.port import Dies, FlashController
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from ssdsim.ftl.mapping.page import PageMapping

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig


class PlaneAllocation(Policy):
    """Chooses the plane of each write.

    `plane_for` is called once a page written. It returns a plane, or -1 where none has room and the write may go to
    whichever has room first. `keeps_plane` says that a logical page always goes to the same plane.

    One that `dispatches` can also answer -1 where no die is free for the write, if `at_dispatch` is set: it is asked
    again whenever a die looks for work. Writes of the same line (`line_of`) may go to the same dies, so that none of
    them is asked about while an older one waits. One that `has_lines` has them at admission, too.
    """

    frontier: WriteFrontier
    planes: int
    at_dispatch: bool  # a write waits until a die is free for it
    # Of the back end, to see which of them are busy; None before there is one:
    dies: Dies | None
    controllers: list[FlashController] | None

    owed = ("plane_for(lpa, stream) -> a whole number",)
    optional = ("cycle() -> a list of whole numbers or None",)
    keeps_plane = False
    dispatches = has_lines = False

    def bind(self, hardware: HardwareConfig, frontier: WriteFrontier, mapping: PageMapping) -> None:
        """Receive the geometry, the write frontier and the mapping, once, before the run."""
        self.frontier = frontier
        self.planes = hardware.planes
        self.at_dispatch = False
        self.dies = self.controllers = None

    def connect(self, dies: Dies, controllers: list[FlashController]) -> None:
        """Receive the dies (or chips that are commanded as one) and controllers; until then writes take no time."""
        self.dies = dies
        self.controllers = controllers

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane, numbered over the device, that data of `stream` for `lpa` is to be written to, or -1.

        The `stream` is -1 for data that no request brings: what a device is filled with, or a loss of power restores.
        The answer is -1 if no plane can take it now, so that the write waits.
        """
        raise NotImplementedError

    def line_of(self, lpa: int, stream: int) -> int:
        """Return the number, from 0 on, of the line that a write of `stream` for `lpa` waits in for a die."""
        return 0

    def cycle(self) -> list[int] | None:
        """Return the planes that consecutive logical pages, or super pages, go round whatever else is written, or None.

        A device can be filled many times as fast where that is known as where `plane_for` is called for each page.
        """

    def trimmed(self, ppa: int) -> None:
        """React when the logical page that `ppa` held is no longer mapped."""

    def filled(self) -> None:
        """React when the device has been filled: some of the pages asked about so far hold no data."""


def striped_planes(order: str, channels: int, chips: int, dies: int, planes: int) -> list[int]:
    """Return the planes of the device in the order in which consecutive logical pages visit them.

    `order` names the levels from the fastest to the slowest: in `CWDP` consecutive pages change the channel first,
    then the chip (way), the die and the plane.
    """
    levels = "CWDP"
    if sorted(order) != sorted(levels):
        raise ConfigError(f"ftl.plane_allocation={order}: an order names each of C, W, D and P once, as CWDP does.")
    numbers = np.arange(channels * chips * dies * planes).reshape(channels, chips, dies, planes)
    visited: list[int] = numbers.transpose([levels.index(level) for level in reversed(order)]).ravel().tolist()
    return visited


def stripe(order: str, hardware: HardwareConfig, super_page: int) -> list[int]:
    """Return the planes that consecutive logical pages visit, or the first planes of the dies that super pages do."""
    shape = (hardware.channels, hardware.chips_per_channel, hardware.dies_per_chip)
    if super_page > 1:
        return [die * hardware.planes_per_die for die in striped_planes(order, *shape, 1)]
    return striped_planes(order, *shape, hardware.planes_per_die)


class StaticPlaneAllocation(PlaneAllocation):
    """The plane follows from the logical page number, by one of the 24 orders of Jung and Kandemir (HotStorage 2012).

    Super pages go by their own number.
    """

    super_page: int  # logical pages that go together
    stripe: Int64s  # by place in the stripe: a plane

    keeps_plane = True

    def __init__(self, order: str = "CWDP", super_page: int = 1) -> None:
        self.order = order
        self.super_page = super_page

    def bind(self, hardware: HardwareConfig, frontier: WriteFrontier, mapping: PageMapping) -> None:
        """Lay out the stripe over the planes."""
        PlaneAllocation.bind(self, hardware, frontier, mapping)
        self.stripe = array("q", stripe(self.order, hardware, self.super_page))
        self.planes = len(self.stripe)

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane at the page's place in the stripe."""
        return self.stripe[lpa // self.super_page % self.planes]

    def cycle(self) -> list[int] | None:
        """Return the stripe, or None for a subclass, which may have a rule of its own."""
        return list(self.stripe) if type(self) is StaticPlaneAllocation else None


class ChipPlaneAllocation(PlaneAllocation):
    """The chip follows from the logical page number; all its writes go to one block until that is full.

    So PCFTL has it of DFTL (3.3). Consecutive pages change the channel first, then the chip. The next block is of the
    plane of the chip with the most free ones: the paper does not say which comes next. A page whose chip has no room
    goes to the next that has. Where write points are not those of a plane, a chip's planes take what they have room
    for, one after another.
    """

    channels: int
    chips_per_channel: int
    chips: int
    planes_per_chip: int

    def bind(self, hardware: HardwareConfig, frontier: WriteFrontier, mapping: PageMapping) -> None:
        """Lay out the chips."""
        PlaneAllocation.bind(self, hardware, frontier, mapping)
        self.channels = hardware.channels
        self.chips_per_channel = hardware.chips_per_channel
        self.chips = self.channels * self.chips_per_channel
        self.planes_per_chip = self.planes // self.chips

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane of the active block of the page's chip, or of another with room, or -1."""
        chip = lpa % self.channels * self.chips_per_channel + lpa // self.channels % self.chips_per_channel
        for beyond in range(self.chips):
            plane = self.plane_in((chip + beyond) % self.chips)
            if plane >= 0:
                return plane
        return -1

    @cfunc
    def plane_in(self, chip: int) -> int:
        """Return the plane of `chip` that is being filled, or -1 if none has room."""
        first = chip * self.planes_per_chip
        if self.frontier.points is not None:
            points = cast(SequentialFrontier, self.frontier.points)
            found = points.filled_next(first, self.planes_per_chip, self.frontier.hosts[0])
            if found >= 0 and self.frontier.has_room(found):
                return found
        for plane in range(first, first + self.planes_per_chip):
            if self.frontier.has_room(plane):
                return plane
        return -1


class TokenPlaneAllocation(PlaneAllocation):
    """New data goes to the planes in turn, updates to the plane of the data that they replace (PCFTL, 3.1 and Fig. 3).

    The plane of new data is the token modulo the planes, and each new page takes the token on. A plane where as many
    logical pages lie as fall to each is passed over, as it might have no space for one more: trims of pages in others
    bring that about, and trims that a loss of power undoes. Pages must stay in their plane when they are moved.
    """

    mapping: PageMapping
    blocks: Blocks
    token: int  # new pages so far, and planes passed over
    share: int  # logical pages that fall to each plane
    pages: Int64s  # by plane: the logical pages that lie there, or are on their way
    counted: bool  # whether those are counted yet

    keeps_plane = True

    def bind(self, hardware: HardwareConfig, frontier: WriteFrontier, mapping: PageMapping) -> None:
        """Start with token 0."""
        PlaneAllocation.bind(self, hardware, frontier, mapping)
        self.mapping = mapping
        self.blocks = frontier.blocks
        self.share = hardware.logical_pages_per_plane
        self.token = 0
        self.filled()

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane of the page's old data, or the next one for new data."""
        if not self.counted:
            self.count()
        ppa = self.mapping.table.get(lpa)
        if ppa >= 0:
            return self.blocks.plane_of(self.blocks.block_of(ppa))
        for _ in range(self.planes):
            plane = self.token % self.planes
            self.token += 1
            if self.pages[plane] < self.share:
                self.pages[plane] += 1
                return plane
        return -1

    @cfunc
    def count(self) -> None:
        """Count the logical pages that lie in each plane: those that the device was filled with, or has kept."""
        for lpa in range(self.share * self.planes):
            ppa = self.mapping.table.get(lpa)
            if ppa >= 0:
                self.pages[self.blocks.plane_of(self.blocks.block_of(ppa))] += 1
        self.counted = True

    def trimmed(self, ppa: int) -> None:
        """Count one page less in the plane of `ppa`."""
        if self.counted:
            self.pages[self.blocks.plane_of(self.blocks.block_of(ppa))] -= 1

    def filled(self) -> None:
        """Count anew at the next write."""
        self.pages = array("q", [0] * self.planes)
        self.counted = False
