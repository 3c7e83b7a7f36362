# cython: infer_types=True
"""The blocks that backups are written to."""

from __future__ import annotations

from typing import Final, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim.errors import SimulationError

BLOCKS: Final = 2
"""Of a plane, for backups: with them, some can always be written."""


@final
class BackupBlocks:
    """Two blocks of each plane that are set aside for backups, and written and erased in turn.

    Aligned blocks are set aside together, and are backup blocks of their planes, each erased when its own plane has no
    need of it. They are given back when all of them are erased, for others to be worn in their place.

    `lsb_only` blocks hold only fast pages (`ftl.backup_pages`), and where the program order wants others between them,
    these are passed over. With `ftl.backup_place` the blocks are `shift` planes beyond the one that they serve.
    """

    order: ProgramOrder
    passes_over: bool
    shift: int  # planes from the one served to the one that has its backup blocks
    # By plane that is served:
    current: list[int]  # the backup block being written, or -1
    ready: list[list[int]]  # erased ones
    in_use: dict[int, int]  # by backup block: how many backups it has that are needed or not written yet

    def __init__(self, blocks: Blocks, lsb_only: bool, shift: int) -> None:
        self.blocks = blocks
        self.order = blocks.order
        self.lsb_only = lsb_only
        fast = [self.order.page_of(wordline, 0) for wordline in range(self.order.wordlines)]
        self.passes_over = lsb_only and self.order.first_illegal(fast) >= 0
        self.shift = shift
        self.current = [-1] * blocks.planes
        self.ready = [[] for _ in range(blocks.planes)]
        self.in_use = {}

    def set_aside(self, unit: int) -> None:
        """Take a free block, or free aligned ones, of `unit` for backups."""
        aligned = self.blocks.set_aside(unit)
        if aligned < 0:
            raise SimulationError(f"plane {unit * self.blocks.span} has no free block for backups.")
        for place in range(self.blocks.span):
            block = self.blocks.member(aligned, place)
            self.ready[self.plane_served(block)].append(block)

    def plane_served(self, block: int) -> int:
        """Return the plane whose backups are in backup block `block`."""
        planes = self.blocks.planes
        return (self.blocks.plane_of(block) + planes - self.shift) % planes

    def next_page(self, plane: int) -> int:
        """Hand out the next page of the backup block of `plane`, or return -1."""
        while self.current[plane] < 0 or self.is_used_up(self.current[plane]):
            if not self.ready[plane]:
                self.current[plane] = -1
                return -1
            self.current[plane] = self.ready[plane].pop(0)
        block: int = self.current[plane]
        by_type = self.lsb_only and not self.passes_over
        page = self.blocks.candidate(block, 0) if by_type else self.blocks.written(block)
        ppa = self.blocks.hand_out(block, page, -1)
        self.in_use[block] = self.in_use.get(block, 0) + 1
        if not self.has_room(block):
            self.current[plane] = -1
        return ppa

    def is_used_up(self, block: int) -> bool:
        """Return whether a backup block has no page left, having passed over those that it is not to program now."""
        while self.passes_over and self.order.type_of(self.blocks.written(block)) > 0:
            self.blocks.skip(block)
        return not self.has_room(block)

    def has_room(self, block: int) -> bool:
        """Return whether a backup block has a page left."""
        if self.lsb_only:
            return self.blocks.unwritten_of(block, 0) > 0
        return self.blocks.written(block) < self.blocks.pages_per_block

    def is_free(self, block: int) -> int:
        """Record that `block` has been erased, and return the plane that it serves.

        Aligned blocks that are all erased are given back, and what comes first is set aside instead.
        """
        plane, aligned = self.plane_served(block), self.blocks.aligned_of(block)
        self.ready[plane].append(block)
        members: list[int] = [self.blocks.member(aligned, place) for place in range(self.blocks.span)]
        member: int
        for member in members:
            if member not in self.ready[self.plane_served(member)]:
                return plane
        for member in members:
            self.ready[self.plane_served(member)].remove(member)
        self.blocks.give_back(aligned)
        self.set_aside(aligned // self.blocks.blocks_per_plane)
        return plane
