# cython: infer_types=True
"""What every write frontier owes the translation layer and the garbage collector."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import HOST
from ssdsim._core.columns import Int8s, Int64s
from ssdsim.device_view import Policy
from ssdsim.errors import SimulationError
from ssdsim.ftl.frontier.separation import Separate, Separation, Shared
from ssdsim.ftl.frontier.tables import TableBlocks

if TYPE_CHECKING:
    from ssdsim.config import FtlConfig, HardwareConfig
    from ssdsim.ftl.frontier.roles import AnnouncedRows, CopyTargets
    from ssdsim.ftl.frontier.slc_cache import SlcCache


RESERVED_BLOCKS: Final = 1
"""Blocks' worth of room in a unit that only the garbage collector may use: a victim's valid pages fit into one.

This is the least; with `ftl.gc.reserved_blocks` there are more, for as many victims at once. The last free (aligned)
block is never spent, whatever the order of pages and the unit. No collection begins without it, as the host takes none
but those beyond. The collector takes it for pages of its victim alone, and the victim's erase gives it back. If power
fails before, the victim is whole, as all of it waits until none of it can be needed (`Blocks.may_erase`), so that the
reserve holds nothing but copies and is erased; or the erase has begun, and is finished (`rebuild`). A page that is then
restored does not take it either: a collection makes room first, whose victim gains some. So every unit has it after a
reboot, too, however often power fails. Unused pages of partly written blocks would not do: after a loss of power none
of these blocks is written on, and what collection wins of them is the first room that the host has.
"""

NO_TRANSLATION = 1 << 62
"""Stands for the number of the first translation page where there is none."""


class WriteFrontier(Policy):
    """Hands out the pages that data is written to, and knows the blocks that are partly written.

    The host asks for a page only where it `has_room`; the collector asks whenever it moves a page, and must always be
    given one as long as no victim has more valid pages than `RESERVED_BLOCKS` hold: so collection is never stuck.

    A unit of blocks is a plane, or the planes of a die or of several (`ssdsim._core.blocks`). In such a unit the planes
    take turns whatever plane is asked for: a row, the same page of each of them, is filled place by place.
    """

    blocks: Blocks
    separation: Separation  # which kinds of data have active blocks of their own
    hosts: list[int]  # the kinds that the host's data may be of
    moved: list[int]  # the kinds that moved data may be of
    kinds: int  # of data; pages of the mapping table are of one more
    host_kind: int  # that all data of the host is of, or -1 if `kind_of` has to be asked
    moved_kind: int  # the same of moved data
    may_be: Int8s  # by kind: whether data of the host may be of it; then whether moved data may
    reserved: int  # (aligned) blocks that are for the collector alone
    at_once: bool  # the next active block is taken as soon as one is filled
    span: int
    unit_pages: int  # pages of an (aligned) block
    by_rows: bool  # a row begun is completed before another one is begun for data of its kind
    first_translation: int  # the number of the first page of the mapping table
    active: Int64s  # (aligned) blocks being filled, in the order of the subclass, or -1
    # What it is beside, or None; the first two only where a unit is a plane.
    copies: CopyTargets
    points: WriteFrontier  # one whose planes are filled page after page (`SequentialFrontier`)
    announced: AnnouncedRows
    tables: TableBlocks  # for pages of the mapping table
    cache: SlcCache  # itself, if it is that, or None
    behind: WriteFrontier  # what a cache is in front of, or itself: where collection moves pages

    owed = (
        "active_blocks(hardware, config) -> a whole number",
        "has_room(plane)",
        "allocate(plane, kind, lpa, page_type) -> a whole number",
    )
    heeds_page_types = False  # the type asked for matters
    counts_pages = False  # thresholds in blocks are held against free pages in blocks' worth
    shares_blocks = False  # all data goes to the same blocks whatever its kind
    roles: ClassVar[tuple[str, ...]] = ("",)  # those of the above that it will have once it is bound

    def __init__(self) -> None:
        """Take no options, nor know yet what is separated."""
        self.separation = None

    def active_blocks(self, hardware: HardwareConfig, config: FtlConfig) -> int:
        """Return how many blocks of a plane are active at most; `config` is that of the FTL."""
        raise NotImplementedError

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Receive the state of the blocks and the FTL's configuration, once, before the run."""
        self.blocks = blocks
        self.reserved = config.gc.reserved_blocks
        self.at_once = config.next_block == "filled"
        self.span = blocks.span
        self.unit_pages = blocks.span * blocks.pages_per_block
        self.by_rows = config.by_rows
        self.first_translation = NO_TRANSLATION
        self.hosts, self.moved = list(self.separation.hosts), list(self.separation.moved)
        self.kinds = max(*self.hosts, *self.moved) + 1
        # compiled, a method is another object each time that it is asked for but by its name
        is_own = vars(WriteFrontier)["kind_of"] is not getattr(type(self), "kind_of")  # noqa: B009
        is_known = type(self.separation) in (Separate, Shared) and not is_own
        self.host_kind, self.moved_kind = (self.hosts[0], self.moved[0]) if is_known else (-1, -1)
        self.may_be = array("b", [kind in of for of in (self.hosts, self.moved) for kind in range(self.kinds)])
        self.copies = self.points = self.announced = self.cache = None
        self.behind = self
        self.active = array("q")
        self.tables = TableBlocks(blocks, self.reserved, self.by_rows, self.heeds_page_types)

    def has_room(self, plane: int) -> bool:
        """Return whether a page of the host's, whatever it is, can be written to `plane` now."""
        raise NotImplementedError

    def kind_of(self, lpa: int, source: int, stream: int, before: int) -> int:
        """Return the kind of data that is going to be written, as `Separation.kind_of` or that of the mapping table."""
        if lpa >= self.first_translation:
            return self.kinds
        kind = self.host_kind if source == HOST else self.moved_kind
        if kind >= 0:
            return kind
        kind = self.separation.kind_of(lpa, source, stream, before)
        if not 0 <= kind < self.kinds or not self.may_be[kind if source == HOST else self.kinds + kind]:
            raise SimulationError(
                f"ftl.active_blocks: {type(self.separation).__name__} answered {kind} for "
                f"{'data of the host' if source == HOST else 'moved data'}, which it says is of the kinds "
                f"{self.hosts if source == HOST else self.moved}."
            )
        return kind

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out a page of `plane` for data of `lpa`, -1 for padding, and return its PPA.

        `kind` is that of `kind_of` or of the row that is completed; `page_type` is the type wanted, where types are
        specified. Raise `SimulationError` if the plane has no page left for that; `has_room` tells that before.
        """
        raise NotImplementedError

    def free_pages(self, unit: int) -> int:
        """Return how many pages are free for the host, the reserve included.

        Pages that only moved data or the mapping table can be given are not: they would keep collection from beginning
        while the host is stuck.
        """
        return self.blocks.free_pages(unit)

    def room_for_moves(self, unit: int) -> int:
        """Return how many pages of `unit` can be handed out for moved data, the reserve included."""
        return self.blocks.free_pages(unit)

    def has_room_beside(self, unit: int, kind: int) -> bool:
        """Return whether there is sure to be room for moved data of `kind` in `unit` other than the reserve."""
        return self.blocks.free_blocks(unit) > self.reserved

    def block_for(self, unit: int, kind: int) -> int:
        """Return the (aligned) block that is filled with data of `kind`, where a row may be begun, or -1."""
        return -1

    def row_place(self, unit: int, kind: int) -> int:
        """Return how many pages of the row begun for `kind` are handed out, 0 if none is."""
        aligned = self.block_for(unit, kind)
        return 0 if aligned < 0 else self.blocks.place_in_row(aligned)

    def row_type(self, unit: int, kind: int) -> int:
        """Return the page type of the row begun for `kind` where rows are whole, or -1 if none is begun."""
        return -1

    def kind_in(self, aligned: int) -> int:
        """Return the kind of data that partly written (aligned) blocks are filled with; asked to pad wordlines."""
        kind = 0
        while kind < self.kinds and self.block_for(aligned // self.blocks.blocks_per_plane, kind) != aligned:
            kind += 1
        return kind

    def open_blocks(self) -> list[int]:
        """Return the blocks that are partly written, or not written yet in a row begun: the active ones."""
        return members_open(self.blocks, list(self.active) + list(self.tables.active))

    def recover(self, in_use: list[int]) -> None:
        """Receive the (aligned) blocks that hold something, in the order of their first write, as power is back.

        None of them has a page left: partly written ones have been closed.
        """


def members_open(blocks: Blocks, found: Iterable[int]) -> list[int]:
    """Return the blocks of the (aligned) blocks in `found` that have a page left; numbers below 0 are of none."""
    members = [blocks.member(each, place) for each in found if each >= 0 for place in range(blocks.span)]
    return [block for block in members if blocks.written(block) < blocks.pages_per_block]


def place_of(blocks: Blocks, unit: int) -> str:
    """Return a phrase for a unit of blocks."""
    if blocks.span == 1:
        return f"plane {unit}"
    return f"the unit of planes {unit * blocks.span} to {(unit + 1) * blocks.span - 1}"
