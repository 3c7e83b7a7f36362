# cython: infer_types=True
"""The order of rtfFTL: several active blocks a unit, so that the next page of one of them may be a fast one."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim.errors import SimulationError
from ssdsim.ftl.frontier.interface import place_of
from ssdsim.ftl.frontier.page_type import TypedFrontier

if TYPE_CHECKING:
    from ssdsim.config import FtlConfig, HardwareConfig


class ReturnToFastFrontier(TypedFrontier):
    """Return to fast (Grupp et al., as flexFTL has it in 4.1 and 5): up to `ftl.return_to_fast_blocks` active blocks.

    Each of them is filled in diagonal order, aligned ones row by row. A write is given a page of the block whose next
    page is of the type asked for. If there is none, an LSB page is that of a new active block while there may be more;
    anything else, and an LSB page when there may not, is the next page of any block, whatever its type. Of several
    blocks it is always the one that has been active for longest. Where rows are whole, a row begun comes before all
    that, so that its type is the one wanted by its first page.

    The host's data and moved data share the blocks, with `ftl.active_blocks` separate, too: in idle times collection
    takes the slow pages that come next, and the blocks return to fast ones.
    """

    block_limit: int  # active blocks of a unit

    # `active` is by unit, then in the order in which blocks became active; -1 stands behind them.
    shares_blocks = True

    def active_blocks(self, hardware: HardwareConfig, config: FtlConfig) -> int:
        """Return how many there may be."""
        return config.return_to_fast_blocks

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Start without active blocks."""
        TypedFrontier.bind(self, blocks, config)
        self.block_limit = config.return_to_fast_blocks
        self.active = array("q", [-1] * (blocks.units * self.block_limit))

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out a page of the type wanted if one comes next or a new block may give it, else of any type."""
        unit = plane if self.span == 1 else plane // self.span
        if kind == self.kinds:
            return self.tables.allocate(unit, lpa)
        slot = self.row_begun(unit) if self.by_rows else -1
        if slot < 0:
            slot = self.slot_for(unit, page_type)
        aligned = self.active[slot]
        ppa = self.blocks.append(aligned if self.span == 1 else self.blocks.next_member(aligned), lpa)
        if self.blocks.unwritten_in(aligned) == 0:
            self.retire(unit, slot)
        return ppa

    @cfunc
    def row_begun(self, unit: int) -> int:
        """Return where the block with a row begun stands, or -1."""
        slot = unit * self.block_limit
        while slot < (unit + 1) * self.block_limit and self.active[slot] >= 0:
            if self.blocks.place_in_row(self.active[slot]):
                return slot
            slot += 1
        return -1

    def next_type(self, aligned: int) -> int:
        """Return the type of the next page of `aligned`."""
        return self.blocks.order.type_of(self.blocks.written(self.blocks.next_member(aligned)))

    @cfunc
    def slot_for(self, unit: int, page_type: int) -> int:
        """Return where the block that gives a page of `page_type` stands, a new one if need be."""
        first = unit * self.block_limit
        count = 0
        while count < self.block_limit and self.active[first + count] >= 0:
            if self.next_type(self.active[first + count]) == page_type:
                return first + count
            count += 1
        wanted: bool = page_type == 0 and self.blocks.free_blocks(unit) > self.reserved
        if count == 0 or (wanted and count < self.block_limit):
            self.active[first + count] = self.blocks.take_free(unit)
            if self.active[first + count] < 0:
                raise SimulationError(
                    f"{place_of(self.blocks, unit)} has no page left to hand out: the reserve was spent."
                )
            return first + count
        return first

    @cfunc
    def retire(self, unit: int, slot: int) -> None:
        """Close the gap that a full block leaves: blocks stand in the order in which they became active."""
        last = (unit + 1) * self.block_limit - 1
        while slot < last:
            self.active[slot] = self.active[slot + 1]
            slot += 1
        self.active[last] = -1

    def block_for(self, unit: int, kind: int) -> int:
        """Return the block with the row begun: none is but where rows are whole."""
        if kind == self.kinds:
            return self.tables.active[unit]
        slot = self.row_begun(unit) if self.by_rows else -1
        return -1 if slot < 0 else self.active[slot]
