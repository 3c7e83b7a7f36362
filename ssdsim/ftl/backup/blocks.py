# cython: infer_types=True
"""The blocks that backups are written to."""

from __future__ import annotations

from typing import Final, final

from ssdsim._core.blocks import Blocks
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

    shift: int  # planes from the one served to the one that has its backup blocks
    with_room: list[list[int]]  # by plane that is served: the backup block being written, and erased ones
    in_use: dict[int, int]  # by backup block: how many backups it has that are needed or not written yet

    def __init__(self, blocks: Blocks, lsb_only: bool, shift: int) -> None:
        self.blocks = blocks
        self.lsb_only = lsb_only
        self.shift = shift
        self.with_room = [[] for _ in range(blocks.planes)]
        self.in_use = {}

    def set_aside(self, unit: int) -> None:
        """Take a free block, or free aligned ones, of `unit` for backups."""
        aligned = self.blocks.set_aside(unit)
        if aligned < 0:
            raise SimulationError(f"plane {unit * self.blocks.span} has no free block for backups.")
        for place in range(self.blocks.span):
            block = self.blocks.member(aligned, place)
            self.with_room[self.plane_served(block)].append(block)

    def plane_served(self, block: int) -> int:
        """Return the plane whose backups are in backup block `block`."""
        planes = self.blocks.planes
        return (self.blocks.plane_of(block) + planes - self.shift) % planes

    def next_page(self, plane: int) -> int:
        """Hand out the next page of the backup block of `plane`, or return -1."""
        if not self.with_room[plane]:
            return -1
        block: int = self.with_room[plane][0]
        while self.lsb_only and self.blocks.candidate(block, 0) < 0:  # a slow page has to come first
            self.blocks.skip(block)
        page = self.blocks.candidate(block, 0) if self.lsb_only else self.blocks.written(block)
        ppa = self.blocks.hand_out(block, page, -1)
        self.in_use[block] = self.in_use.get(block, 0) + 1
        last_type = 0 if self.lsb_only else self.blocks.page_types - 1
        if self.blocks.unwritten_of(block, last_type) == 0:
            self.with_room[plane].pop(0)
        return ppa

    def is_free(self, block: int) -> int:
        """Record that `block` has been erased, and return the plane that it serves.

        Aligned blocks that are all erased are given back, and what comes first is set aside instead.
        """
        plane, aligned = self.plane_served(block), self.blocks.aligned_of(block)
        self.with_room[plane].append(block)
        if self.blocks.written_in(aligned) == 0:
            for place in range(self.blocks.span):
                member = self.blocks.member(aligned, place)
                self.with_room[self.plane_served(member)].remove(member)
            self.blocks.give_back(aligned)
            self.set_aside(aligned // self.blocks.blocks_per_plane)
        return plane
