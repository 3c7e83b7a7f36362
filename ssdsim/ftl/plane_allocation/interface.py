# cython: infer_types=True
"""What is asked of a plane allocation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ssdsim._core.blocks import Blocks
from ssdsim.device_view import Policy
from ssdsim.ftl.frontier.interface import WriteFrontier

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig
    from ssdsim.flash.port import Dies, FlashController
    from ssdsim.ftl.mapping.page import PageMapping


class PlaneAllocation(Policy):
    """Chooses the plane of each write.

    `plane_for` is called once a page written and is cheap. It returns a plane, or -1 to say that no plane has room
    just now and that the write may go to whichever has room first. `keeps_plane` says that a logical page always goes
    to the same plane.

    One that `dispatches` can also answer -1 to say that no die is free for the write, where `at_dispatch` is set: it is
    asked again whenever a die looks for work. Writes of the same line (`line_of`) may go to the same dies, so that none
    of them is asked about while an older one waits. One that `has_lines` has them at admission, too, for writes that
    wait for room: it is asked again when there is some, and none goes to a plane that it did not name.
    """

    frontier: WriteFrontier
    planes: int
    at_dispatch: bool  # a write waits until a die is free for it

    owed = ("plane_for(lpa, stream) -> a whole number",)
    optional = ("cycle() -> a list of whole numbers or None",)
    keeps_plane = False
    dispatches = has_lines = False

    def bind(self, hardware: HardwareConfig, frontier: WriteFrontier) -> None:
        """Receive the geometry and the write frontier, once, before the run."""
        self.frontier = frontier
        self.planes = hardware.planes
        self.at_dispatch = False

    def bind_mapping(self, mapping: PageMapping, blocks: Blocks) -> None:
        """Receive the mapping and the state of the blocks, once, before the run."""

    def connect(self, dies: Dies, controllers: list[FlashController]) -> None:
        """Receive the dies (or chips that are commanded as one) and controllers; until then writes take no time."""

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane, numbered over the device, that data of `stream` for `lpa` is to be written to, or -1.

        The `stream` is -1 for data that no request brings: what a device is filled with, or a loss of power restores.
        The answer is -1 if no plane can take it now, so that the write waits. A plane beyond the last one ends the run
        with a `SimulationError` (`ssdsim.ftl.room`).
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
