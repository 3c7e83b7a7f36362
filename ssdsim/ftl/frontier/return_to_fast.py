# cython: infer_types=True
"""The order of rtfFTL: several active blocks a unit, so that the next page of one of them may be a fast one."""

from __future__ import annotations

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
    in_use: list[list[int]]  # by unit: its active blocks, in the order in which they became that

    shares_blocks = True

    def active_blocks(self, hardware: HardwareConfig, config: FtlConfig) -> int:
        """Return how many there may be."""
        return config.return_to_fast_blocks

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Start without active blocks."""
        TypedFrontier.bind(self, blocks, config)
        self.block_limit = config.return_to_fast_blocks
        self.in_use = [[] for _ in range(blocks.units)]

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out a page of the type wanted if one comes next or a new block may give it, else of any type."""
        unit = plane if self.span == 1 else plane // self.span
        if kind == self.kinds:
            return self.tables.allocate(unit, lpa)
        aligned = self.block_for(unit, kind)
        if aligned < 0:
            aligned = self.block_with(unit, page_type)
        ppa = self.blocks.append(aligned if self.span == 1 else self.blocks.next_member(aligned), lpa)
        if self.blocks.unwritten_in(aligned) == 0:
            self.in_use[unit].remove(aligned)
        return ppa

    def next_type(self, aligned: int) -> int:
        """Return the type of the next page of `aligned`."""
        return self.blocks.order.type_of(self.blocks.written(self.blocks.next_member(aligned)))

    @cfunc
    def block_with(self, unit: int, page_type: int) -> int:
        """Return the block that gives a page of `page_type`, a new one if need be."""
        active: list[int] = self.in_use[unit]
        for aligned in active:
            if self.next_type(aligned) == page_type:
                return aligned
        may_open: bool = page_type == 0 and self.blocks.free_blocks(unit) > self.reserved
        if active and not (may_open and len(active) < self.block_limit):
            return active[0]
        opened = self.blocks.take_free(unit)
        if opened < 0:
            raise SimulationError(f"{place_of(self.blocks, unit)} has no page left to hand out: the reserve was spent.")
        active.append(opened)
        return opened

    def block_for(self, unit: int, kind: int) -> int:
        """Return the block with the row begun: none is but where rows are whole."""
        if kind == self.kinds:
            return self.tables.active[unit]
        begun = [each for each in self.in_use[unit] if self.blocks.place_in_row(each)] if self.by_rows else []
        return begun[0] if begun else -1
