# cython: infer_types=True
"""Where in flash translation pages are written."""

from __future__ import annotations

from array import array
from math import ceil
from typing import TYPE_CHECKING, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim._core.table import IndexTable
from ssdsim.flash.port import Contents
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.access import TableCounts
from ssdsim.ftl.mapping.page import TableMapping
from ssdsim.ftl.reclaim.interface import Reclaimer

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig


def most_in_one_of(places: int, pages: int) -> int:
    """Return how many of so many translation pages may lie in one of so many planes or dies: a quarter above the mean.

    Without a limit one of them could fill up with what is hardly ever written; without slack none could ever move.
    """
    return ceil(1.25 * pages / places)


def blocks_of_table(hardware: HardwareConfig, pages: int, by_rows: bool) -> float:
    """Return the blocks of a plane that so many translation pages take, and one more to be filled, if there are any."""
    share = most_in_one_of(hardware.planes, pages) + by_rows  # a row lies in one die
    return share / hardware.block_pages + 1 if pages else 0.0


@final
class TablePlaces:
    """Hands out pages of flash to translation pages, in all planes in turn, and to none more than its share of them."""

    table: IndexTable  # what flash says, and behind that where translation pages lie
    first: int  # the number of translation page 0 among logical pages
    stripe: Int64s  # the (first) planes of all units, in the order in which they are written to
    page_limit: int  # of translation pages in a unit

    def __init__(
        self,
        mapping: TableMapping,
        blocks: Blocks,
        frontier: WriteFrontier,
        collector: Reclaimer,
        contents: Contents | None,
        counts: TableCounts,
        stripe: list[int],
        row: int,
        spread_evenly: bool,
    ) -> None:
        self.mapping = mapping
        self.table = mapping.table
        self.blocks = blocks
        self.frontier = frontier
        self.collector = collector
        self.contents = contents
        self.counts = counts
        self.first = mapping.logical_pages
        self.stripe = array("q", stripe)
        self.turn = 0
        mapping.count_by_unit(blocks.units, blocks.pages // blocks.units)
        pages = mapping.translation_pages
        pages_per_unit = most_in_one_of(blocks.units, pages) if spread_evenly else pages
        self.page_limit = pages_per_unit + row - 1  # so that any row fits somewhere

    @cfunc
    def lies(self, page: int) -> int:
        """Return where a translation page lies, or -1 if it was never written."""
        return self.table.get(self.first + page)

    @cfunc
    def plane_of(self, ppa: int) -> int:
        """Return the plane of a page."""
        return self.blocks.plane_of(self.blocks.block_of(ppa))

    def plane_with_room(self, pages: list[int]) -> int:
        """Return the next plane in turn that has room for `pages`, or -1; none is given more than its share of all."""
        for _ in range(len(self.stripe)):
            plane = self.stripe[self.turn]
            self.turn = self.turn + 1 if self.turn + 1 < len(self.stripe) else 0
            has_room = self.frontier.tables.has_room(plane // self.blocks.span) and not self.collector.holds(plane)
            if has_room and self.pages_in_unit_with(pages, plane) <= self.page_limit:
                return plane
        return -1

    @cfunc
    def pages_in_unit_with(self, pages: list[int], plane: int) -> int:
        """Return how many translation pages lie in the unit of `plane` once `pages` do."""
        unit = plane // self.blocks.span
        count: int = self.mapping.pages_in_unit[unit]
        page: int
        for page in pages:
            ppa = self.lies(page)
            count += ppa < 0 or self.blocks.unit_of(self.blocks.block_of(ppa)) != unit
        return count

    def place(self, page: int, plane: int) -> int:
        """Give translation page `page` a new place in `plane`, with all that is known by now, and return it."""
        lpa = self.first + page
        ppa = self.frontier.allocate(plane, self.frontier.kinds, lpa, 0)
        before = self.mapping.update(lpa, ppa)
        self.mapping.table_page_written(page)
        self.counts.writes += 1
        if self.contents is not None:
            self.contents.put(ppa, lpa, 1)
        if before >= 0:
            self.blocks.invalidate(before)
        return ppa

    def pad(self, plane: int) -> int:
        """Hand out a page of `plane` to nothing, to complete a row, and return it."""
        ppa = self.frontier.allocate(plane, self.frontier.kinds, -1, 0)
        self.blocks.invalidate(ppa)
        self.counts.padded_pages += 1
        return ppa
