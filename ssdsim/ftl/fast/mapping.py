# cython: infer_types=True
"""FAST: whole blocks are mapped, and pages only as long as they lie in a log block (Lee et al., 2007)."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim._core.table import IndexTable
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.plane_allocation.policies import stripe

if TYPE_CHECKING:
    from ssdsim.config import SimulationConfig


MERGES = ("switch", "partial", "full")
"""Kinds of merge: the sequential log block becomes the data block as it is, or completed; or a fresh block does."""


class FastMapping(PageMapping):
    """The data block of every logical block, and the place of every page that was written since to a log block.

    FAST (Lee et al., ACM Transactions on Embedded Computing Systems 6(3), 2007).

    A logical block is as many logical pages of a unit (`ssdsim._core.blocks`) as it has in (aligned) blocks: those that
    the static stripe deals to a plane, in ascending order; where a unit is the planes of a die, in the order in which
    rows are filled. Its position there is the `index` of a page. Of a data block each page holds the logical page of
    its own offset, or nothing of use. `table` has the entries of the log alone.
    """

    span: int
    together: int  # logical pages of a super page
    places: int  # of the stripe
    stripe: Int64s  # by place: the plane, or the first of those that a super page goes to
    place_of: Int64s  # by such a plane: its place in the stripe
    plane_pages: int  # logical pages that fall to a plane
    block_pages: int  # pages of an (aligned) block
    logical_blocks: int  # of a unit
    data: Int64s  # by unit and logical block: its (aligned) data block, or -1
    merges: Int64s  # by kind

    def __init__(self, config: SimulationConfig, blocks: Blocks) -> None:
        PageMapping.__init__(self, config.hardware.logical_pages, blocks.pages)
        self.blocks = blocks
        self.span = blocks.span
        self.together = config.super_page
        planes = stripe(config.ftl.plane_allocation, config.hardware, config.super_page)
        self.stripe = array("q", planes)
        self.places = len(planes)
        self.plane_pages = self.logical_pages // blocks.planes
        self.block_pages = blocks.span * blocks.pages_per_block
        self.logical_blocks = -(-self.plane_pages // blocks.pages_per_block)
        self.data = array("q", [-1] * (blocks.units * self.logical_blocks))
        self.merges = array("q", [0] * len(MERGES))
        self.place_of = array("q", [0] * blocks.planes)
        for place, plane in enumerate(planes):
            self.place_of[plane] = place

    # Where a logical page belongs.

    def unit_of(self, lpa: int) -> int:
        """Return the unit that `lpa` belongs to."""
        return self.stripe[lpa // self.together % self.places] // self.span

    def index_of(self, lpa: int) -> int:
        """Return the position of `lpa` among the pages of its unit."""
        number = lpa // self.together
        place = (self.stripe[number % self.places] + lpa % self.together) % self.span
        return number // self.places * self.span + place

    def lpa_at(self, unit: int, index: int) -> int:
        """Return the logical page at `index` of `unit`, or -1 if there are not so many."""
        place = index % self.span
        if index // self.span >= self.plane_pages:
            return -1
        beside = place % self.together
        number = index // self.span * self.places + self.place_of[unit * self.span + place - beside]
        return number * self.together + beside

    def page_at(self, aligned: int, offset: int) -> int:
        """Return the page that is filled as number `offset` of (aligned) block `aligned`."""
        block = self.blocks.member(aligned, offset % self.span)
        return block * self.blocks.pages_per_block + offset // self.span

    # Where it is.

    def lookup(self, lpa: int) -> int:
        """Return the PPA of `lpa`: in a log block, else at its own place in the data block, if that is valid; or -1."""
        ppa = self.table.get(lpa)
        if ppa >= 0:
            return ppa
        ppa = self.own_place(lpa)
        return ppa if ppa >= 0 and self.blocks.is_valid(ppa) else -1

    def update(self, lpa: int, ppa: int) -> int:
        """Map `lpa` to `ppa` in the log, or to nothing there if that is -1 or its own place; return where it was.

        The page that it was at has to be invalidated before the next lookup.
        """
        if ppa >= 0 and ppa == self.own_place(lpa):
            return self.table.swap(lpa, -1)
        before = self.lookup(lpa)
        self.table.set(lpa, ppa)
        return before

    @cfunc
    def own_place(self, lpa: int) -> int:
        """Return the place of `lpa` in its data block, or -1 if it has none."""
        index = self.index_of(lpa)
        aligned = self.data_block(self.unit_of(lpa), index // self.block_pages)
        return -1 if aligned < 0 else self.page_at(aligned, index % self.block_pages)

    def current(self) -> IndexTable:
        """Return a table of where everything lies now, made up anew."""
        table = IndexTable(self.logical_pages)
        for lpa in range(self.logical_pages):
            table.set(lpa, self.lookup(lpa))
        return table

    # Data blocks.

    def data_block(self, unit: int, number: int) -> int:
        """Return the (aligned) data block of logical block `number` of `unit`, or -1."""
        return self.data[unit * self.logical_blocks + number]

    def adopt(self, unit: int, number: int, aligned: int) -> int:
        """Make `aligned` the data block of a logical block; its valid pages leave the log. Return the one before."""
        at = unit * self.logical_blocks + number
        before = self.data[at]
        self.data[at] = aligned
        for offset in range(self.block_pages):
            ppa = self.page_at(aligned, offset)
            if self.blocks.is_valid(ppa):
                self.table.set(self.blocks.spare.get(ppa), -1)
        return before
