# cython: infer_types=True
"""The conventional order of pages: each active (aligned) block is filled row by row, whatever is asked for."""

from __future__ import annotations

from array import array

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.config import FtlConfig
from ssdsim.errors import SimulationError
from ssdsim.ftl.frontier.interface import RESERVED_BLOCKS, CopyTargets, WriteFrontier


class SequentialFrontier(WriteFrontier):
    """One active block a unit for each kind of data, filled in diagonal order.

    Over aligned blocks this is TBM's block allocation (5.1, Algorithm 1): the aligned blocks being filled are its
    write-frontier TBU, the row its current page index (CPI). The host never takes a unit's last free block: a victim
    always finds room there and in the collector's active blocks, of which kinds of moved data take each other's.
    """

    at_once: bool  # the next active block is taken as soon as one is filled
    mixed: bool  # moved data may take the host's blocks, so that the host waits while the last free one is in use
    active: Int64s  # by unit, then kind: the (aligned) block that is being filled, or -1

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Start without active blocks."""
        WriteFrontier.bind(self, blocks, config)
        self.at_once = config.next_block == "filled"
        self.mixed = len([kind for kind in self.hosts if kind in self.moved]) > 0
        self.active = array("q", [-1] * (self.kinds * blocks.units))
        self.copies = ParityTargets(self)

    def has_room(self, plane: int) -> bool:
        """Return whether the host's active blocks, or a free one beyond the reserve, have a page."""
        unit = plane if self.span == 1 else plane // self.span
        free = self.blocks.free_blocks(unit)
        if free > self.reserved:
            return True
        # where the reserve is larger the host waits at it, whatever its active blocks have left
        if self.reserved > RESERVED_BLOCKS or (self.mixed and free < self.reserved):
            return False
        kind: int
        for kind in self.hosts:  # noqa: SIM110 - a compiled method takes no generator expression
            if self.active[self.kinds * unit + kind] < 0:
                return False
        return True

    def block_for(self, unit: int, kind: int) -> int:
        """Return the (aligned) block that is being filled with data of `kind`, or with the mapping table, or -1."""
        return self.tables.active[unit] if kind == self.kinds else self.active[self.kinds * unit + kind]

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out the next page of the active block for `kind`; the type it has is the type it gets."""
        unit = plane if self.span == 1 else plane // self.span
        if kind == self.kinds:
            return self.tables.allocate(unit, lpa)
        slot = self.kinds * unit + kind
        if self.active[slot] < 0:
            slot = self.open_slot(unit, kind)
        aligned = self.active[slot]
        block = aligned if self.span == 1 else self.blocks.next_member(aligned)
        ppa = self.blocks.append(block, lpa)
        is_last: bool = ppa + 1 == (block + 1) * self.blocks.pages_per_block
        if is_last and block == self.blocks.member(aligned, self.span - 1):
            self.close(slot)
        return ppa

    @cfunc
    def open_slot(self, unit: int, kind: int) -> int:
        """Return where the active block for `kind`, or one that has to stand in, stands; it is one by then."""
        slot = self.kinds * unit + kind
        if self.active[slot] < 0:
            self.active[slot] = self.blocks.take_free(unit)
        if self.active[slot] >= 0:
            return slot
        other: int
        for other in self.moved if kind in self.moved else []:
            if self.active[self.kinds * unit + other] >= 0:
                return self.kinds * unit + other
        raise SimulationError(f"plane {unit * self.span} has no free block left for moved data: the reserve was spent.")

    def close(self, slot: int) -> None:
        """Forget the block at `slot`, and take the next one if that is not to wait; never the last free one."""
        self.active[slot] = -1
        if self.at_once:
            unit = slot // self.kinds
            kept: int = self.reserved if slot % self.kinds in self.hosts else RESERVED_BLOCKS
            if self.blocks.free_blocks(unit) > kept:
                self.active[slot] = self.blocks.take_free(unit)

    # Where a unit is a plane, and the planes are filled page after page.

    def reached(self, plane: int, kind: int) -> int:
        """Return how many pages of the block of a plane are handed out: what ParaGC brings into line (SPD, 5.3)."""
        block = self.block_for(plane, kind)
        return 0 if block < 0 else self.blocks.written(block)

    @cfunc
    def filled_next(self, first: int, count: int, kind: int) -> int:
        """Return the plane of `count` from `first` on that is filled next, if only one of them is at a time; or -1.

        It is that with the fullest active block for `kind`, else that with the most free ones beyond the reserve.
        """
        best = -1
        best_score = 0
        for plane in range(first, first + count):
            if self.has_room_beside(plane, kind):
                reached = self.reached(plane, kind)
                score = reached + self.blocks.blocks_per_plane if reached > 0 else self.blocks.free_blocks(plane)
                if score > best_score:
                    best_score = score
                    best = plane
        return best


class ParityTargets(CopyTargets):
    """Copies data back to the next page of its parity; those passed over are wasted (PCFTL, 3.2, 3.3).

    As pages of a victim ascend, they always fit into one block: in a fresh one none is given a page beyond its own.
    """

    def __init__(self, frontier: SequentialFrontier) -> None:
        self.frontier = frontier
        self.blocks: Blocks = frontier.blocks

    def passed_over(self, plane: int, kind: int, page: int) -> int:
        """Return how many pages lie between the write point and the next page of the parity of `page`."""
        return self.foreseen(plane, [(page, kind)])

    def foreseen(self, plane: int, copies: list[tuple[int, int]]) -> int:
        """Return how many pages are passed over if all are copied."""
        pages = self.blocks.pages_per_block
        points: list[int] = [self.frontier.reached(plane, kind) for kind in range(self.frontier.kinds)]
        wasted = 0
        for page, kind in copies:
            passed: int = (points[kind] ^ page) & 1
            if passed and points[kind] + 1 == pages:
                passed += page & 1  # the next block begins with an even one
            wasted += passed
            points[kind] = (points[kind] + passed + 1) % pages
        return wasted

    def allocate(self, plane: int, kind: int, lpa: int, page: int) -> int:
        """Hand out the next page of the parity of `page`, and count those that are passed over."""
        frontier, blocks = self.frontier, self.blocks
        slot = frontier.open_slot(plane, kind)
        while (blocks.written(frontier.active[slot]) ^ page) & 1:
            blocks.wasted_for_parity += 1
            blocks.skip(frontier.active[slot])
            if blocks.unwritten_in(frontier.active[slot]) == 0:
                frontier.close(slot)
            slot = frontier.open_slot(plane, kind)
        return frontier.allocate(plane, slot % frontier.kinds, lpa, 0)
