# cython: infer_types=True
"""The data blocks of FAST: whole blocks are mapped, and pages only while they lie in a log block (Lee et al., 2007)."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.columns import Int64s
from ssdsim.ftl.plane_allocation.policies import stripe

if TYPE_CHECKING:
    from ssdsim.config import SimulationConfig


@final
class DataBlocks:
    """The data block of every logical block (FAST: ACM Transactions on Embedded Computing Systems 6(3), 2007).

    A logical block is as many logical pages of a unit (`ssdsim._core.blocks`) as it has in (aligned) blocks: those that
    the static stripe deals to a plane, in ascending order; where a unit is the planes of a die, in the order in which
    rows are filled. Its position there is the `index` of a page. Of a data block each page holds the logical page of
    its own offset, or nothing of use.
    """

    span: int
    places: int  # of the stripe
    stripe: Int64s  # by place: the plane
    place_of: Int64s  # by plane: its place in the stripe
    plane_pages: int  # logical pages that fall to a plane
    block_pages: int  # pages of an (aligned) block
    logical_blocks: int  # of a unit
    blocks: Int64s  # by unit and logical block: its (aligned) data block, or -1

    def __init__(self, config: SimulationConfig, blocks: Blocks) -> None:
        planes = stripe(config.ftl.plane_allocation, config.hardware, 1)
        self.span = blocks.span
        self.places = len(planes)
        self.stripe = array("q", planes)
        self.place_of = array("q", [planes.index(plane) for plane in range(blocks.planes)])
        self.plane_pages = config.hardware.logical_pages_per_plane
        self.block_pages = blocks.span * blocks.pages_per_block
        self.logical_blocks = -(-self.plane_pages // blocks.pages_per_block)
        self.blocks = array("q", [-1] * (blocks.units * self.logical_blocks))

    def index_of(self, lpa: int) -> int:
        """Return the position of `lpa` among the pages of its unit."""
        return lpa // self.places * self.span + self.stripe[lpa % self.places] % self.span

    def lpa_at(self, unit: int, index: int) -> int:
        """Return the logical page at `index` of `unit`, or -1 if there are not so many."""
        row = index // self.span
        if row >= self.plane_pages:
            return -1
        return row * self.places + self.place_of[unit * self.span + index % self.span]

    def of(self, unit: int, number: int) -> int:
        """Return the (aligned) data block of logical block `number` of `unit`, or -1."""
        return self.blocks[unit * self.logical_blocks + number]

    def adopt(self, unit: int, number: int, aligned: int) -> int:
        """Make `aligned` the data block of a logical block, and return the one before."""
        before = self.of(unit, number)
        self.blocks[unit * self.logical_blocks + number] = aligned
        return before
