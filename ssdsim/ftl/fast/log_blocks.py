# cython: infer_types=True
"""The log blocks of FAST: one for pages that come in order, and others for all that do not (Lee et al., 2007)."""

from __future__ import annotations

from array import array
from math import ceil
from typing import TYPE_CHECKING, Final

from ssdsim._core.blocks import ACTIVE, FULL, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.ftl.fast.mapping import FastMapping
from ssdsim.ftl.frontier.interface import WriteFrontier, members_open
from ssdsim.ftl.frontier.roles import AnnouncedRows

if TYPE_CHECKING:
    from ssdsim.config import FtlConfig, HardwareConfig, SimulationConfig


def data_blocks(hardware: HardwareConfig) -> int:
    """Return how many blocks of a plane are data blocks when every logical block has one."""
    return ceil(hardware.logical_pages_per_plane / hardware.block_pages)


MERGED: Final = -1  # the kind of data that a merge moves


class LogFrontier(WriteFrontier):
    """A sequential log block and some random ones for each unit of blocks, and a target that merges fill.

    A page whose place in the data block is free goes there, if pages go `in_place`; the first of a logical block begins
    its data block. Else the first page of a logical block begins a new sequential log block, and the next pages of that
    logical block follow it there, in order. The former one is `retired` as it was, as is one that is full, or of which
    another page than the next is written, until it has been merged. All other pages are appended to the random log
    blocks, which are filled one after another. While logical block `merged` is, nothing of it goes in place.

    Of `sequential_blocks`, with those retired, and `random_blocks` there are no more than that; so with a data block
    for each logical one and a target the device is full, and there is a free block whenever one may be taken.
    """

    # Log blocks that a unit has at most:
    random_blocks: int
    sequential_blocks: int
    mapping: FastMapping
    block_pages: int
    sequential: Int64s  # by unit: the (aligned) log block for pages that come in order, or -1
    logical: Int64s  # by unit: the logical block that it is for
    target: Int64s  # by unit: the (aligned) block that a merge fills, or -1
    newest: Int64s  # by unit: the random log block that is being filled, or -1
    in_place: bool  # a page goes to its data block if its place is free
    merged: Int64s  # by unit: the logical block that is being merged, or -1
    random: list[list[int]]  # by unit: the random log blocks, oldest first
    retired: list[list[tuple[int, int]]]  # by unit: former sequential log blocks and their logical blocks, oldest first
    mixed_row: bool  # the row being written is none of a logical block

    def __init__(self, config: SimulationConfig) -> None:
        """Divide the blocks that neither data nor the target of a merge takes."""
        wanted = config.ftl.mapping
        spare = config.hardware.physical_blocks - data_blocks(config.hardware) - 1
        random = wanted.log_blocks
        self.random_blocks = max(spare - wanted.sequential_log_blocks, 1) if random is None else random
        self.sequential_blocks = min(wanted.sequential_log_blocks, spare - self.random_blocks)
        self.in_place = wanted.in_place

    def active_blocks(self, hardware: HardwareConfig, config: FtlConfig) -> int:
        """Return how many blocks there are beside the data blocks."""
        return self.random_blocks + self.sequential_blocks + 1

    def check_room(self, config: SimulationConfig) -> None:
        """Raise `ConfigError` where there are too few blocks for the log."""
        if self.sequential_blocks >= 1:
            return
        data, blocks = data_blocks(config.hardware), config.hardware.physical_blocks
        most = blocks - data - 2  # beside a sequential log block and the target of a merge
        if most >= 1:
            raise ConfigError(
                f"ftl.mapping.log_blocks={self.random_blocks}: a plane of {blocks} blocks has {data} data blocks, and "
                f"FAST takes 2 others; set it to at most {most}."
            )
        raise ConfigError(
            f"hardware.over_provisioning={config.hardware.over_provisioning:g}: a plane of {blocks} blocks has {data} "
            "data blocks, and FAST needs 3 others for log and merges; set it higher."
        )

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Start without log blocks."""
        WriteFrontier.bind(self, blocks, config)
        self.block_pages = self.unit_pages
        self.tables = None
        self.announced = RowsInOrder(self)
        self.sequential = array("q", [-1] * blocks.units)
        self.logical = array("q", [-1] * blocks.units)
        self.target = array("q", [-1] * blocks.units)
        self.newest = array("q", [-1] * blocks.units)
        self.merged = array("q", [-1] * blocks.units)
        self.random = [[] for _ in range(blocks.units)]
        self.retired = [[] for _ in range(blocks.units)]
        self.mixed_row = False

    # Writing.

    def has_room(self, plane: int) -> bool:
        """Return whether a page can be written whatever page it is: in order or not, though it may have to wait."""
        return not self.is_used_up(plane // self.span)

    @cfunc
    def may_begin(self, unit: int) -> bool:
        """Return whether another sequential log block can be begun."""
        return len(self.retired[unit]) + (self.sequential[unit] >= 0) < self.sequential_blocks

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out the next page of the log block that is for `lpa`, or of the target for moved data."""
        unit = plane // self.span
        if kind == MERGED:
            return self.append(self.target[unit], lpa)
        if lpa >= 0 and not self.mixed_row:
            index = self.mapping.index_of(lpa)
            if self.goes_in_place(unit, index):
                return self.append_in_place(unit, index, lpa)
            self.takes_over(plane, lpa)
            if index % self.block_pages == 0 and self.may_begin(unit):
                self.begin_sequential(unit, index // self.block_pages)
            if self.continues(unit, index):
                return self.append_sequential(unit, lpa)
        return self.append_random(unit, lpa)

    @cfunc
    def takes_over(self, plane: int, lpa: int) -> bool:
        """Return whether a sequential log block has to make way before `lpa` is written; it is retired then.

        That is for the first page of a logical block, and for one of its own that is not the next.
        """
        unit = plane // self.span
        if self.mixed_row or self.sequential[unit] < 0:
            return False
        index = self.mapping.index_of(lpa)
        is_owner: bool = self.logical[unit] == index // self.block_pages
        if index % self.block_pages and (not is_owner or self.continues(unit, index)):
            return False
        if self.goes_in_place(unit, index):
            return False
        self.retire(unit)
        return True

    @cfunc
    def waits_for_block(self, plane: int, lpa: int) -> bool:
        """Return whether `lpa` is to begin a sequential log block, and none can be begun before another is merged."""
        unit = plane // self.span
        if self.mixed_row or self.may_begin(unit):
            return False
        index = self.mapping.index_of(lpa)
        return index % self.block_pages == 0 and not self.goes_in_place(unit, index)

    @cfunc
    def goes_in_place(self, unit: int, index: int) -> bool:
        """Return whether the page at `index` has its place in the data block free, or there is a block for that."""
        if not self.in_place or self.merged[unit] == index // self.block_pages:
            return False
        aligned = self.mapping.data_block(unit, index // self.block_pages)
        if aligned >= 0:
            return self.blocks.written_in(aligned) <= index % self.block_pages
        kept: int = 1 + max(self.random_blocks - len(self.random[unit]), 0)
        kept += max(self.sequential_blocks - len(self.retired[unit]) - (self.sequential[unit] >= 0), 0)
        return self.blocks.free_blocks(unit) > kept

    @cfunc
    def append_in_place(self, unit: int, index: int, lpa: int) -> int:
        """Hand out the place of `lpa` in its data block, and leave out the pages before it."""
        aligned = self.mapping.data_block(unit, index // self.block_pages)
        if aligned < 0:
            aligned = self.take_free(unit)
            self.mapping.adopt(unit, index // self.block_pages, aligned)
        while self.blocks.written_in(aligned) < index % self.block_pages:
            self.pass_over(aligned)
        return self.append(aligned, lpa)

    def is_used_up(self, unit: int) -> bool:
        """Return whether the random log blocks have no page left."""
        return self.newest[unit] < 0 and len(self.random[unit]) >= self.random_blocks

    @cfunc
    def append_random(self, unit: int, lpa: int) -> int:
        """Hand out the next page of the random log block that was begun last, or of a new one."""
        if self.newest[unit] < 0:
            self.newest[unit] = self.take_free(unit)
            self.random[unit].append(self.newest[unit])
        aligned = self.newest[unit]
        ppa = self.append(aligned, lpa)
        if self.blocks.unwritten_in(aligned) == 0:
            self.newest[unit] = -1
        return ppa

    @cfunc
    def begin_sequential(self, unit: int, number: int) -> None:
        """Begin a sequential log block for logical block `number` of `unit`."""
        self.sequential[unit] = self.take_free(unit)
        self.logical[unit] = number

    @cfunc
    def continues(self, unit: int, index: int) -> bool:
        """Return whether the page at `index` is the next of the sequential log block."""
        aligned = self.sequential[unit]
        return aligned >= 0 and index == self.logical[unit] * self.block_pages + self.blocks.written_in(aligned)

    @cfunc
    def append_sequential(self, unit: int, lpa: int) -> int:
        """Hand out the next page of the sequential log block."""
        aligned = self.sequential[unit]
        ppa = self.append(aligned, lpa)
        if self.blocks.unwritten_in(aligned) == 0:
            self.retire(unit)
        return ppa

    @cfunc
    def retire(self, unit: int) -> None:
        """Leave the sequential log block to be merged."""
        self.retired[unit].append((self.sequential[unit], self.logical[unit]))
        self.sequential[unit] = -1

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

    def is_sequential(self, unit: int, aligned: int) -> bool:
        """Return whether `aligned` is a sequential log block, retired or not."""
        return aligned == self.sequential[unit] or aligned in [old for old, _ in self.retired[unit]]

    # After a loss of power.

    def recover(self, in_use: list[int]) -> None:
        """Tell data blocks from log blocks of all that are `in_use`, given in the order of their first write.

        The mapping has every page in its log table. A block of which each page lies at its own offset of one logical
        block may be its data block: the first one is. Others like it stand in as
        sequential log blocks that are retired, as many as there may be, and all that is left as random ones. There are
        never more than before power failed. Where both a merge's target and what it was filled from have survived, a
        source has not: the target holds copies alone until one of its sources is erased, and is then erased itself
        (`rebuild`); so there is a free block for the next merge, too.
        """
        for unit in range(self.blocks.units):
            here = [aligned for aligned in in_use if aligned // self.blocks.blocks_per_plane == unit]
            numbers = [self.logical_block(unit, aligned) for aligned in here]
            data: dict[int, int] = {}
            for number, aligned in zip(numbers, here, strict=True):
                data.setdefault(number, aligned)
                if number < 0:
                    self.random[unit].append(aligned)
                elif data[number] == aligned:
                    self.mapping.adopt(unit, number, aligned)
                elif len(self.retired[unit]) < self.sequential_blocks:
                    self.retired[unit].append((aligned, number))
                else:
                    self.random[unit].append(aligned)

    def logical_block(self, unit: int, aligned: int) -> int:
        """Return the logical block of which every page in (aligned) block `aligned` is at its own offset, or -1."""
        found = -1
        for offset in range(self.block_pages):
            ppa = self.mapping.page_at(aligned, offset)
            lpa = self.blocks.spare.get(ppa) if self.blocks.is_programmed(ppa) else -1
            if lpa < 0:
                continue
            index = self.mapping.index_of(lpa)
            number = index // self.block_pages
            at_place: bool = index % self.block_pages == offset and self.mapping.unit_of(lpa) == unit
            if not at_place or found not in (-1, number):
                return -1
            found = number
        return found

    def open_blocks(self) -> list[int]:
        """Return the blocks that are partly written; log blocks that have just been erased are not."""
        found = {*self.sequential, *self.target}
        found.update([each for each in self.mapping.data if each >= 0 and self.blocks.unwritten_in(each) > 0])
        for unit in range(self.blocks.units):
            found.update(self.random[unit])
            found.update([aligned for aligned, _ in self.retired[unit]])
        return [block for block in members_open(self.blocks, found) if self.blocks.state(block) == ACTIVE]


class RowsInOrder(AnnouncedRows):
    """A row that is one of a logical block, whole, may go to the sequential log block."""

    def __init__(self, frontier: LogFrontier) -> None:
        self.frontier = frontier

    def begin(self, lpas: list[int]) -> bool:
        """See whether the row to come is one."""
        frontier: LogFrontier = self.frontier
        indices = sorted([frontier.mapping.index_of(lpa) for lpa in lpas])
        first: int = indices[0]
        frontier.mixed_row = first % frontier.span != 0 or indices != list(range(first, first + frontier.span))
        return not frontier.mixed_row
