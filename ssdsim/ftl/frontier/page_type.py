# cython: infer_types=True
"""Orders that heed page types: PA-SSD's and flexFTL's blocks by type, and rtfFTL's return to fast."""

from __future__ import annotations

from array import array

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int8s, Int64s
from ssdsim._core.linked_lists import LinkedLists
from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.errors import SimulationError
from ssdsim.ftl.frontier.interface import CopyTargets, WriteFrontier


class TypedFrontier(WriteFrontier):
    """The base of orders that heed page types.

    All unused pages of a unit are room but those of the last free block, which is for moved data that finds no other
    page; while it is in use the host waits. Pages of the mapping table have a block of their own.
    """

    heeds_page_types = True

    def has_room(self, plane: int) -> bool:
        """Return whether there is an unused page, or a row of them, beside the last free block, and that is free."""
        return self.has_room_beside(plane if self.span == 1 else plane // self.span, 0)

    def pages_left(self, unit: int, kind: int) -> int:
        """Return the unused pages of partly written blocks, or 0 if they make no row where rows are whole."""
        pages = self.blocks.free_pages(unit) - self.blocks.free_blocks(unit) * self.unit_pages - self.tables.left(unit)
        return pages if pages >= self.span or not self.by_rows else 0

    def free_pages(self, unit: int, moved: bool) -> int:
        """Return all pages left for data."""
        return self.blocks.free_pages(unit) if moved else self.tables.free_pages(unit)


class PageTypeFrontier(TypedFrontier):
    """Pools of candidate blocks and an active block for each page type (PA-SSD, 4.3.1 and Fig. 9).

    Free blocks are the candidates of the first type, LSB; when all pages of its type are handed out, an active block
    becomes a candidate of the next type. A type that has no candidate is served by the active block of the type below.
    Kinds of data have these blocks of their own, and use the others' when they run out. Where rows are whole, a row is
    of the type wanted by the write that begins it. An (aligned) block with unused pages can always hand out one.
    """

    types: int
    pools: LinkedLists  # by unit, kind and type: blocks whose next pages are of that type
    owner: Int8s  # by (aligned) block that is partly written: the kind that it is for
    begun: Int64s  # by unit and kind, where rows are whole: the block with the row begun, or -1
    active: Int64s  # by unit, kind and type: the (aligned) block that serves the type, or -1

    counts_pages = True  # free blocks are few when only LSB pages have run out
    borrows = True

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Start without active blocks and candidates."""
        TypedFrontier.bind(self, blocks, config)
        self.types = blocks.page_types
        self.pools = LinkedLists(blocks.units * self.kinds * self.types, blocks.units * blocks.blocks_per_plane)
        self.active = array("q", [-1] * (blocks.units * self.kinds * self.types))
        self.owner = array("b", [0] * (blocks.units * blocks.blocks_per_plane))
        self.begun = array("q", [-1] * (blocks.units * self.kinds))
        self.copies = TypeTargets(self)

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out a page of the type wanted or, if there is none, of the nearest alternate (pa-BLAlloc, 4.3.2)."""
        unit = plane if self.span == 1 else plane // self.span
        if kind == self.kinds:
            return self.tables.allocate(unit, lpa)
        begun = unit * self.kinds + kind
        aligned = self.begun[begun]
        if aligned >= 0:
            ppa = self.hand_out(unit, aligned, self.row_type(unit, kind), lpa)
            if self.blocks.place_in_row(aligned) == 0:
                self.begun[begun] = -1
            return ppa
        for kept in (self.reserved, 0):
            ppa = self.allocate_beyond(unit, kind, lpa, page_type, kept)
            if ppa >= 0:
                return ppa
        raise SimulationError(f"plane {unit * self.span} has no page left to hand out: the reserve was spent.")

    @cfunc
    def allocate_beyond(self, unit: int, kind: int, lpa: int, page_type: int, kept: int) -> int:
        """Hand out a page as `allocate` does, or return -1 if only the last `kept` free blocks have one."""
        owner = kind
        for _ in range(self.kinds):
            for choice in range(self.types):
                # faster types stand in before slower ones, the nearest first (Fig. 10)
                given = page_type - choice if choice <= page_type else choice
                aligned = self.serving(unit, owner, given, kept)
                if aligned >= 0 and not (self.by_rows and self.blocks.place_in_row(aligned)):
                    ppa = self.hand_out(unit, aligned, given, lpa)
                    if ppa >= 0:
                        if self.by_rows and self.span > 1:
                            self.begun[unit * self.kinds + kind] = aligned
                        return ppa
            owner = owner + 1 if owner + 1 < self.kinds else 0
        return -1

    def hand_out(self, unit: int, aligned: int, page_type: int, lpa: int) -> int:
        """Hand out the next page of `page_type` of `aligned`, or return -1 if its rule does not allow it yet."""
        block = aligned if self.span == 1 else self.blocks.next_member(aligned, page_type)
        page = self.blocks.candidate(block, page_type)
        if page < 0:
            return -1
        ppa = self.blocks.hand_out(block, page, lpa)
        if not self.blocks.has_type_left(aligned, page_type):
            self.promote(unit, aligned, page_type)
        return ppa

    def slot(self, unit: int, owner: int, page_type: int) -> int:
        """Return where the active block of a type stands, and the number of its pool of candidates."""
        return (unit * self.kinds + owner) * self.types + page_type

    @cfunc
    def serving(self, unit: int, owner: int, page_type: int, kept: int) -> int:
        """Return the block that serves `page_type` for `owner`, activating a candidate if need be, or -1."""
        slot = self.slot(unit, owner, page_type)
        aligned = self.active[slot]
        if aligned < 0:
            aligned = self.pools.head(slot)
            if aligned >= 0:
                self.pools.remove(slot, aligned)
            elif page_type == 0 and self.blocks.free_blocks(unit) > kept:
                aligned = self.blocks.take_free(unit)
                if aligned >= 0:
                    self.owner[aligned] = owner
            self.active[slot] = aligned
            if aligned < 0 and page_type and self.borrows:
                return self.serving(unit, owner, page_type - 1, kept)
        return aligned

    @cfunc
    def promote(self, unit: int, aligned: int, page_type: int) -> None:
        """Make `aligned`, which has no page of `page_type` left, a candidate of the next type, if that was its own."""
        slot = self.slot(unit, self.owner[aligned], page_type)
        if self.active[slot] != aligned:
            return
        self.active[slot] = -1
        for slower in range(page_type + 1, self.types):
            if self.blocks.has_type_left(aligned, slower):
                self.pools.append(slot + slower - page_type, aligned)
                return

    # A candidate can be reclaimed before all of it is programmed, where no full block has dead pages.

    def best_candidate(self, unit: int) -> int:
        """Return the candidate block with the most dead pages, if any has some and no program is on its way to it."""
        best = -1
        most_dead = 0
        for pool in range(self.slot(unit, 0, 0), self.slot(unit + 1, 0, 0)):
            aligned = self.pools.head(pool)
            while aligned >= 0:
                dead = self.blocks.written_in(aligned) - self.blocks.valid_in(aligned)
                if dead > most_dead and not self.blocks.on_their_way(aligned):
                    best = aligned
                    most_dead = dead
                aligned = self.pools.following(aligned)
        return best

    def withdraw(self, unit: int, aligned: int) -> None:
        """Take candidate `aligned`, which is being reclaimed, out of its pool: that of the fastest type it has left."""
        page_type = 0
        while not self.blocks.has_type_left(aligned, page_type):
            page_type += 1
        self.pools.remove(self.slot(unit, self.owner[aligned], page_type), aligned)

    def block_for(self, unit: int, kind: int) -> int:
        """Return the block with the row begun for `kind`: none is but where rows are whole."""
        return self.tables.active[unit] if kind == self.kinds else self.begun[unit * self.kinds + kind]


class TypeTargets(CopyTargets):
    """Copies data back to a page of its own type, if one comes next; none is wasted for that."""

    def __init__(self, frontier: PageTypeFrontier) -> None:
        self.frontier = frontier

    def passed_over(self, plane: int, kind: int, page: int) -> int:
        """Return 0, or -1 if no page of its type can be handed out without the reserve."""
        frontier, page_type = self.frontier, self.frontier.blocks.order.type_of(page)
        block = -1 if kind == frontier.kinds else frontier.serving(plane, kind, page_type, frontier.reserved)
        return 0 if block >= 0 and frontier.blocks.candidate(block, page_type) >= 0 else -1

    def allocate(self, plane: int, kind: int, lpa: int, page: int) -> int:
        """Hand out the next page of the type of `page`."""
        frontier, page_type = self.frontier, self.frontier.blocks.order.type_of(page)
        block = frontier.serving(plane, kind, page_type, frontier.reserved)
        return frontier.hand_out(plane, block, page_type, lpa)


class TwoPhaseFrontier(PageTypeFrontier):
    """Two-phase ordering (flexFTL, 3.1): a block goes free -> fast -> slow -> full, with a phase for each page type.

    No block begins a phase before the end of the last: where there is no slow block, the fast one gives an LSB page.
    """

    borrows = False


class ReturnToFastFrontier(TypedFrontier):
    """Return to fast (Grupp et al., as flexFTL has it in 4.1 and 5): up to `ftl.return_to_fast_blocks` active blocks.

    Each of them is filled in diagonal order, aligned ones row by row. A write is given a page of the block, active for
    longest, whose next page is of the type asked for. If there is none, an LSB page is that of a new active block while
    there may be more; anything else is the next page of any block. Where rows are whole, a row begun comes before all
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

    @cfunc
    def block_with(self, unit: int, page_type: int) -> int:
        """Return the block that gives a page of `page_type`, a new one if need be."""
        active: list[int] = self.in_use[unit]
        for aligned in active:
            next_page = self.blocks.written(self.blocks.next_member(aligned))
            if self.blocks.order.type_of(next_page) == page_type:
                return aligned
        may_open: bool = page_type == 0 and self.blocks.free_blocks(unit) > self.reserved
        if active and not (may_open and len(active) < self.block_limit):
            return active[0]
        opened = self.blocks.take_free(unit)
        if opened < 0:
            raise SimulationError(f"plane {unit * self.span} has no page left to hand out: the reserve was spent.")
        active.append(opened)
        return opened

    def block_for(self, unit: int, kind: int) -> int:
        """Return the block with the row begun: none is but where rows are whole."""
        if kind == self.kinds:
            return self.tables.active[unit]
        begun = [each for each in self.in_use[unit] if self.blocks.place_in_row(each)] if self.by_rows else []
        return begun[0] if begun else -1
