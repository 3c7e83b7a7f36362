# cython: infer_types=True
"""What every write frontier owes the translation layer and the garbage collector."""

from __future__ import annotations

from typing import Any, Final

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import HOST
from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.device_view import Policy
from ssdsim.errors import SimulationError
from ssdsim.ftl.frontier.separation import Separation
from ssdsim.ftl.frontier.tables import TableBlocks

RESERVED_BLOCKS: Final = 1
"""Blocks' worth of room in a unit that only the garbage collector may use: a victim's valid pages fit into one.

This is the least; with `ftl.gc.reserved_blocks` there are more, for as many victims at once. The collector takes a free
block for pages of its victim alone, and the victim's erase gives it back. If power fails before, the victim is whole
(`Blocks.may_erase`), and the block holds nothing but copies and is erased; or the erase has begun, and is finished. For
a page that is then restored a collection makes room first. So every unit has its reserve after a reboot, too. Unused
pages of partly written blocks would not do: after a loss of power none of these blocks is written on.
"""


class CopyTargets:
    """Which pages of a plane data can be copied back to from others of it (PCFTL, 3.2): a part of a frontier."""

    def passed_over(self, plane: int, kind: int, page: int) -> int:
        """Return how many pages are passed over for data of `kind` in `page` of a block, -1 if it cannot be copied."""
        raise NotImplementedError

    def foreseen(self, plane: int, copies: list[tuple[int, int]]) -> int:
        """Return how many pages are passed over if `copies`, (page, kind) in order, come with no other between."""
        return 0

    def allocate(self, plane: int, kind: int, lpa: int, page: int) -> int:
        """Hand out the page that `lpa` is copied back to from `page` of its block."""
        raise NotImplementedError


class WriteFrontier(Policy):
    """Hands out the pages that data is written to.

    The host asks for a page only where it `has_room`; the collector asks whenever it moves a page, and must always be
    given one as long as no victim has more valid pages than `RESERVED_BLOCKS` hold: so collection is never stuck.

    Where a unit of blocks is several planes (`ssdsim._core.blocks`), these take turns whatever plane is asked for: a
    row, the same page of each of them, is filled place by place.

    An order of pages owes `has_room` and `allocate`. With `block_for`, or `pages_left`, pages of partly written blocks
    count as room, too; whatever else is asked follows from these.
    """

    blocks: Blocks
    separation: Separation  # which kinds of data have active blocks of their own
    hosts: list[int]  # the kinds that the host's data may be of
    moved: list[int]  # the kinds that moved data may be of
    kinds: int  # of data; pages of the mapping table are of one more
    first_cached: int  # number of the first kind of the host's data in an SLC cache, 0 if there is none
    host_kind: int  # that all data of the host is of, or -1 if there are several and `separation` is asked
    moved_kind: int  # the same of moved data
    reserved: int  # (aligned) blocks that are for the collector alone
    span: int
    unit_pages: int  # pages of an (aligned) block
    by_rows: bool  # a row begun is completed before another one is begun for data of its kind
    first_translation: int  # the number of the first page of the mapping table
    tables: TableBlocks  # for pages of the mapping table
    copies: CopyTargets  # or None
    announced: WriteFrontier  # itself, if it is told of rows before they are placed (`begin_row`), or None
    cache: Any  # itself, if it is an `SlcCache`, or None
    behind: WriteFrontier  # what a cache is in front of, or itself: where collection moves pages

    owed = ("has_room(plane)", "allocate(plane, kind, lpa, page_type) -> a whole number")
    optional = ("active_blocks(hardware, config) -> a whole number",)
    heeds_page_types = False  # the type asked for matters
    counts_pages = False  # thresholds in blocks are held against free pages in blocks' worth
    shares_blocks = False  # all data goes to the same blocks whatever its kind

    def active_blocks(self, hardware: HardwareConfig, config: FtlConfig) -> int:
        """Return how many blocks of a plane are active at most: one for each kind of data, and type if that is heeded.

        `config` is that of the FTL.
        """
        kinds = max(*self.separation.hosts, *self.separation.moved) + 1
        return kinds * (hardware.page_types if self.heeds_page_types else 1)

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Receive the state of the blocks and the FTL's configuration, once, before the run."""
        self.blocks = blocks
        self.reserved = config.gc.reserved_blocks
        self.span = blocks.span
        self.unit_pages = blocks.span * blocks.pages_per_block
        self.by_rows = config.by_rows
        self.first_translation = blocks.pages  # there is none, and all logical pages have lower numbers
        self.hosts, self.moved = list(self.separation.hosts), list(self.separation.moved)
        self.kinds = max(*self.hosts, *self.moved) + 1
        self.first_cached = self.kinds + 1 if config.slc_cache.wanted else 0  # behind that of the mapping table
        self.host_kind = self.hosts[0] + self.first_cached if len(self.hosts) == 1 else -1
        self.moved_kind = self.moved[0] if len(self.moved) == 1 else -1
        self.announced = self.cache = self.copies = None
        self.behind = self
        self.tables = TableBlocks(blocks, self.reserved, self.by_rows)

    def has_room(self, plane: int) -> bool:
        """Return whether a page of the host's, whatever it is, can be written to `plane` now."""
        raise NotImplementedError

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out a page of `plane` for data of `lpa`, -1 for padding, and return its PPA.

        `kind` is that of `kind_of` or of the row that is completed; `page_type` is the type wanted, where types are
        specified. Raise `SimulationError` if the plane has no page left for that.
        """
        raise NotImplementedError

    def begin_row(self, lpas: list[int]) -> bool:
        """React to the logical pages of the row to come; return whether they are to be in ascending order."""
        return False

    def block_for(self, unit: int, kind: int) -> int:
        """Return the (aligned) block that is filled with data of `kind`, where a row may be begun, or -1."""
        return -1

    def pages_left(self, unit: int, kind: int) -> int:
        """Return how many pages beside those of free blocks data of `kind` can be given."""
        aligned = self.block_for(unit, kind)
        return 0 if aligned < 0 else self.blocks.unwritten_in(aligned)

    def free_pages(self, unit: int, moved: bool) -> int:
        """Return how many pages are free for the host's data, or for moved data, the reserve included.

        Of the host's kinds that counts which has the fewest: others would not help it when it is stuck.
        """
        total, fewest = 0, self.unit_pages
        kind: int
        for kind in self.moved if moved else self.hosts:
            left = self.pages_left(unit, kind)
            total += left
            fewest = min(fewest, left)
        return self.blocks.free_blocks(unit) * self.unit_pages + (total if moved else fewest)

    # What follows from these.

    def has_room_beside(self, unit: int, kind: int) -> bool:
        """Return whether there is sure to be room for moved data of `kind` in `unit` other than the reserve."""
        free = self.blocks.free_blocks(unit)
        return free > self.reserved or (free == self.reserved and self.pages_left(unit, kind) > 0)

    def row_place(self, unit: int, kind: int) -> int:
        """Return how many pages of the row begun for `kind` are handed out, 0 if none is."""
        aligned = self.block_for(unit, kind)
        return 0 if aligned < 0 else self.blocks.place_in_row(aligned)

    def row_type(self, unit: int, kind: int) -> int:
        """Return the page type of the row begun for data of `kind`, behind a cache, or -1 if none is begun."""
        aligned = -1 if kind == self.kinds else self.behind.block_for(unit, kind % (self.kinds + 1))
        if aligned >= 0:
            for page_type in range(self.blocks.page_types):
                if self.blocks.place_in_row(aligned, page_type):
                    return page_type
        return -1

    def kind_of(self, lpa: int, source: int, stream: int, before: int) -> int:
        """Return the kind of data that is going to be written, as `Separation.kind_of` or that of the mapping table."""
        if lpa >= self.first_translation:
            return self.kinds
        kind = self.host_kind if source == HOST else self.moved_kind
        if kind >= 0:
            return kind
        kind = self.separation.kind_of(lpa, source, stream, before)
        kinds = self.hosts if source == HOST else self.moved
        if kind not in kinds:
            raise SimulationError(
                f"ftl.active_blocks: {type(self.separation).__name__} answered {kind} for "
                f"{'data of the host' if source == HOST else 'moved data'}, which it says is of the kinds {kinds}."
            )
        return kind + self.first_cached if source == HOST else kind
