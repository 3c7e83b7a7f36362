# cython: infer_types=True
"""The blocks of FAST: whole data blocks are mapped, and pages only while they lie in a log block.

Lee et al., ACM Transactions on Embedded Computing Systems 6(3), 2007.
"""

from __future__ import annotations

from array import array
from math import ceil
from typing import Final

from ssdsim._core.blocks import FULL, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int8s, Int64s
from ssdsim.config import FtlConfig, HardwareConfig, SimulationConfig
from ssdsim.errors import SimulationError
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.plane_allocation.policies import stripe


def data_blocks(hardware: HardwareConfig) -> int:
    """Return how many blocks of a plane are data blocks when every logical block has one."""
    return ceil(hardware.logical_pages_per_plane / hardware.block_pages)


MERGED: Final = -1  # the kind of data that a merge moves


class LogFrontier(WriteFrontier):
    """Data blocks and log blocks of each unit of blocks, and a target that merges fill.

    A logical block is as many logical pages of a unit (`ssdsim._core.blocks`) as it has in (aligned) blocks: those that
    the static stripe deals to a plane, in ascending order; where a unit is the planes of a die, in the order in which
    rows are filled. Its position there is the `index` of a page. Of a data block each page holds the logical page of
    its own offset, or nothing of use.

    A page whose place in its data block is free goes there, and the first of a logical block begins its data block.
    Else the first page of a logical block begins the sequential log block, and the next ones follow it there in order,
    until it is full or makes way, and `closed` until it has been merged. All other pages go to the random log blocks.
    """

    hardware: HardwareConfig
    random_blocks: int  # of a unit at most
    places: int  # of the stripe
    stripe: Int64s  # by place: the plane
    place_of: Int64s  # by plane: its place in the stripe
    plane_pages: int  # logical pages that fall to a plane
    logical_blocks: int  # of a unit
    data: Int64s  # by unit and logical block: its (aligned) data block, or -1
    sequential: Int64s  # by unit: the (aligned) sequential log block, or -1
    logical: Int64s  # by unit: the logical block that it is for
    closed: Int8s  # by unit: whether it is to be merged
    target: Int64s  # by unit: the (aligned) block that a merge fills, or -1
    random: list[list[int]]  # by unit: the random log blocks, oldest first
    mixed_row: bool  # the row being written is none of a logical block

    def __init__(self, config: SimulationConfig) -> None:
        """Divide the blocks that neither data, the sequential log block nor the target of a merge takes."""
        self.hardware = config.hardware
        self.spare_blocks: int = config.hardware.physical_blocks - data_blocks(config.hardware) - 2
        wanted = config.ftl.mapping.log_blocks
        self.random_blocks = max(self.spare_blocks, 1) if wanted is None else wanted

    def active_blocks(self, hardware: HardwareConfig, config: FtlConfig) -> int:
        """Return how many blocks there are beside the data blocks."""
        return self.random_blocks + 2

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Start without log blocks."""
        WriteFrontier.bind(self, blocks, config)
        self.tables = None
        self.announced = self
        planes = stripe(config.plane_allocation, self.hardware, 1)
        self.places = len(planes)
        self.stripe = array("q", planes)
        self.place_of = array("q", [planes.index(plane) for plane in range(blocks.planes)])
        self.plane_pages = self.hardware.logical_pages_per_plane
        self.logical_blocks = data_blocks(self.hardware)
        self.data = array("q", [-1] * (blocks.units * self.logical_blocks))
        self.sequential = array("q", [-1] * blocks.units)
        self.logical = array("q", [-1] * blocks.units)
        self.target = array("q", [-1] * blocks.units)
        self.closed = array("b", [0] * blocks.units)
        self.random = [[] for _ in range(blocks.units)]
        self.mixed_row = False

    # Logical blocks.

    def index_of(self, lpa: int) -> int:
        """Return the position of `lpa` among the pages of its unit."""
        return lpa // self.places * self.span + self.stripe[lpa % self.places] % self.span

    def lpa_at(self, unit: int, index: int) -> int:
        """Return the logical page at `index` of `unit`, or -1 if there are not so many."""
        row = index // self.span
        if row >= self.plane_pages:
            return -1
        return row * self.places + self.place_of[unit * self.span + index % self.span]

    def data_block(self, unit: int, number: int) -> int:
        """Return the (aligned) data block of logical block `number` of `unit`, or -1."""
        return self.data[unit * self.logical_blocks + number]

    def adopt(self, unit: int, number: int, aligned: int) -> int:
        """Make `aligned` the data block of a logical block, and return the one before."""
        before = self.data_block(unit, number)
        self.data[unit * self.logical_blocks + number] = aligned
        return before

    # Writing.

    def has_room(self, plane: int) -> bool:
        """Return whether a page can be written, in order or not, though it may have to wait for a merge."""
        unit = plane // self.span
        return len(self.random[unit]) < self.random_blocks or self.blocks.unwritten_in(self.newest(unit)) > 0

    @cfunc
    def newest(self, unit: int) -> int:
        """Return the random log block of `unit` that was begun last; there is one."""
        logs = self.random[unit]
        return logs[len(logs) - 1]  # compiled code has no index -1

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out the next page of the log block that is for `lpa`, or of the target for moved data."""
        unit = plane // self.span
        if kind == MERGED:
            return self.append(self.target[unit], lpa)
        if lpa >= 0 and not self.mixed_row:
            index = self.index_of(lpa)
            number, offset = index // self.unit_pages, index % self.unit_pages
            if self.goes_in_place(unit, index):
                aligned = self.data_block(unit, number)
                if aligned < 0:
                    aligned = self.take_free(unit)
                    self.adopt(unit, number, aligned)
                while self.blocks.written_in(aligned) < offset:
                    self.pass_over(aligned)
                return self.append(aligned, lpa)
            if self.sequential[unit] < 0 and offset == 0:
                self.sequential[unit] = self.take_free(unit)
                self.logical[unit] = number
            if self.continues(unit, index):
                ppa = self.append(self.sequential[unit], lpa)
                self.closed[unit] = self.blocks.unwritten_in(self.sequential[unit]) == 0
                return ppa
        if not self.random[unit] or self.blocks.unwritten_in(self.newest(unit)) == 0:
            self.random[unit].append(self.take_free(unit))
        return self.append(self.newest(unit), lpa)

    @cfunc
    def waits_for_merge(self, unit: int, lpa: int) -> bool:
        """Return whether the sequential log block is to be merged before `lpa` is written; it is closed then.

        That is for the first page of a logical block, and for one of its own that is not the next.
        """
        index = self.index_of(lpa)
        if self.mixed_row or self.sequential[unit] < 0 or self.goes_in_place(unit, index):
            return False
        is_own: bool = self.closed[unit] == 0 and self.logical[unit] == index // self.unit_pages
        if index % self.unit_pages and (not is_own or self.continues(unit, index)):
            return False
        self.closed[unit] = True
        return True

    @cfunc
    def end_sequential(self, unit: int) -> None:
        """Leave `unit` without a sequential log block, which has become a data block or been emptied."""
        self.sequential[unit] = -1
        self.closed[unit] = False

    @cfunc
    def continues(self, unit: int, index: int) -> bool:
        """Return whether the page at `index` is the next of the sequential log block."""
        aligned = self.sequential[unit]
        if aligned < 0 or self.closed[unit]:
            return False
        return index == self.logical[unit] * self.unit_pages + self.blocks.written_in(aligned)

    @cfunc
    def goes_in_place(self, unit: int, index: int) -> bool:
        """Return whether the page at `index` has its place in the data block free, or there is a block for that."""
        aligned = self.data_block(unit, index // self.unit_pages)
        if aligned >= 0:
            return self.blocks.written_in(aligned) <= index % self.unit_pages
        kept: int = 1 + max(self.random_blocks - len(self.random[unit]), 0) + (self.sequential[unit] < 0)
        return self.blocks.free_blocks(unit) > kept

    # Blocks.

    def take_free(self, unit: int) -> int:
        """Take a free (aligned) block."""
        aligned = self.blocks.take_free(unit)
        if aligned < 0:
            raise SimulationError(f"plane {unit * self.span} has no free block left for a log block or a merge.")
        return aligned

    def append(self, aligned: int, lpa: int) -> int:
        """Hand out the next page of an (aligned) block."""
        return self.blocks.append(self.blocks.next_member(aligned), lpa)

    @cfunc
    def pass_over(self, aligned: int) -> None:
        """Leave out the next page of an (aligned) block."""
        self.blocks.skip(self.blocks.next_member(aligned))

    @cfunc
    def is_completed(self, aligned: int) -> bool:
        """Leave out the pages of an (aligned) block that are left, and return whether all others are programmed."""
        while self.blocks.written_in(aligned) < self.unit_pages:
            self.pass_over(aligned)
        return self.blocks.all_in(aligned, FULL)

    def begin_row(self, lpas: list[int]) -> bool:
        """Note whether the row to come is one of a logical block, whole: it may go to the sequential log block."""
        indices = sorted([self.index_of(lpa) for lpa in lpas])
        first: int = indices[0]
        self.mixed_row = first % self.span != 0 or indices != list(range(first, first + self.span))
        return not self.mixed_row
