# cython: infer_types=True
"""The log blocks of FAST: one for pages that come in order, and others for all that do not (Lee et al., 2007)."""

from __future__ import annotations

from array import array
from math import ceil
from typing import TYPE_CHECKING, Final

from ssdsim._core.blocks import ACTIVE, FULL, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int8s, Int64s
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.ftl.fast.data_blocks import DataBlocks
from ssdsim.ftl.frontier.interface import WriteFrontier, members_open

if TYPE_CHECKING:
    from ssdsim.config import FtlConfig, HardwareConfig, SimulationConfig


def data_blocks(hardware: HardwareConfig) -> int:
    """Return how many blocks of a plane are data blocks when every logical block has one."""
    return ceil(hardware.logical_pages_per_plane / hardware.block_pages)


MERGED: Final = -1  # the kind of data that a merge moves


class LogFrontier(WriteFrontier):
    """A sequential log block and some random ones for each unit of blocks, and a target that merges fill.

    A page whose place in its data block is free goes there, and the first of a logical block begins its data block.
    Else the first page of a logical block begins the sequential log block, and the next pages of that logical block
    follow it there, in order. When it is full, or is to make way, it is `closed` until it has been merged. All other
    pages are appended to the random log blocks. There are blocks for all of them, and for a data block of each logical
    one.
    """

    random_blocks: int  # of a unit at most
    data: DataBlocks
    block_pages: int
    sequential: Int64s  # by unit: the (aligned) sequential log block, or -1
    logical: Int64s  # by unit: the logical block that it is for
    closed: Int8s  # by unit: whether it is to be merged
    target: Int64s  # by unit: the (aligned) block that a merge fills, or -1
    random: list[list[int]]  # by unit: the random log blocks, oldest first
    mixed_row: bool  # the row being written is none of a logical block

    def __init__(self, config: SimulationConfig) -> None:
        """Divide the blocks that neither data, the sequential log block nor the target of a merge takes."""
        self.config = config
        spare = config.hardware.physical_blocks - data_blocks(config.hardware) - 2
        wanted = config.ftl.mapping.log_blocks
        self.random_blocks = max(spare, 1) if wanted is None else wanted

    def active_blocks(self, hardware: HardwareConfig, config: FtlConfig) -> int:
        """Return how many blocks there are beside the data blocks."""
        return self.random_blocks + 2

    def check_room(self, config: SimulationConfig) -> None:
        """Raise `ConfigError` where there are too few blocks for the log."""
        data, blocks = data_blocks(config.hardware), config.hardware.physical_blocks
        most = blocks - data - 2  # beside a sequential log block and the target of a merge
        if most < 1:
            raise ConfigError(
                f"hardware.over_provisioning={config.hardware.over_provisioning:g}: a plane of {blocks} blocks has "
                f"{data} data blocks, and FAST needs 3 others for log and merges; set it higher."
            )
        if self.random_blocks > most:
            raise ConfigError(
                f"ftl.mapping.log_blocks={self.random_blocks}: a plane of {blocks} blocks has {data} data blocks, and "
                f"FAST takes 2 others; set it to at most {most}."
            )

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Start without log blocks."""
        WriteFrontier.bind(self, blocks, config)
        self.block_pages = self.unit_pages
        self.tables = None
        self.announced = self
        self.data = DataBlocks(self.config, blocks)
        self.sequential = array("q", [-1] * blocks.units)
        self.logical = array("q", [-1] * blocks.units)
        self.target = array("q", [-1] * blocks.units)
        self.closed = array("b", [0] * blocks.units)
        self.random = [[] for _ in range(blocks.units)]
        self.mixed_row = False

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
            index = self.data.index_of(lpa)
            number, offset = index // self.block_pages, index % self.block_pages
            if self.goes_in_place(unit, index):
                aligned = self.data.of(unit, number)
                if aligned < 0:
                    aligned = self.take_free(unit)
                    self.data.adopt(unit, number, aligned)
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
        index = self.data.index_of(lpa)
        if self.mixed_row or self.sequential[unit] < 0 or self.goes_in_place(unit, index):
            return False
        is_own: bool = self.closed[unit] == 0 and self.logical[unit] == index // self.block_pages
        if index % self.block_pages and (not is_own or self.continues(unit, index)):
            return False
        self.closed[unit] = True
        return True

    @cfunc
    def continues(self, unit: int, index: int) -> bool:
        """Return whether the page at `index` is the next of the sequential log block."""
        aligned = self.sequential[unit]
        if aligned < 0 or self.closed[unit]:
            return False
        return index == self.logical[unit] * self.block_pages + self.blocks.written_in(aligned)

    @cfunc
    def goes_in_place(self, unit: int, index: int) -> bool:
        """Return whether the page at `index` has its place in the data block free, or there is a block for that."""
        aligned = self.data.of(unit, index // self.block_pages)
        if aligned >= 0:
            return self.blocks.written_in(aligned) <= index % self.block_pages
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

    def is_full(self, aligned: int) -> bool:
        """Return whether every page of an (aligned) block is programmed or passed over."""
        full: int = 0
        for place in range(self.span):
            full += self.blocks.state(self.blocks.member(aligned, place)) == FULL
        return full == self.span

    @cfunc
    def is_completed(self, aligned: int) -> bool:
        """Leave out the pages of an (aligned) block that are left, and return whether all others are programmed."""
        while self.blocks.written_in(aligned) < self.block_pages:
            self.pass_over(aligned)
        return self.is_full(aligned)

    def open_blocks(self) -> list[int]:
        """Return the blocks that are partly written; log blocks that have just been erased are not."""
        found = {*self.sequential, *self.target, *self.data.blocks}.union(*self.random)
        return [block for block in members_open(self.blocks, found) if self.blocks.state(block) == ACTIVE]

    def begin_row(self, lpas: list[int]) -> bool:
        """Note whether the row to come is one of a logical block, whole: it may go to the sequential log block."""
        indices = sorted([self.data.index_of(lpa) for lpa in lpas])
        first: int = indices[0]
        self.mixed_row = first % self.span != 0 or indices != list(range(first, first + self.span))
        return not self.mixed_row
