# cython: infer_types=True
"""Pages of a superblock move one by one, stripe by stripe."""

from __future__ import annotations

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.moves.single import SingleMoves


class StripedCollection(Collection):
    """A collection of so many victims that all are not asked for each page: it goes through their rows once.

    The order is that of `Collection`: row after row, and within a row that in which superblocks are filled.
    """

    row: int  # the one being read
    turn: int  # the place of the victim to be asked next

    def __init__(self, number: int, width: int, blocks: Blocks) -> None:
        Collection.__init__(self, number, width, blocks)
        self.row = self.turn = 0

    def start_over(self) -> None:
        """Have the victims read from the first row on."""
        Collection.start_over(self)
        self.row = self.turn = 0

    def put_back(self, ppa: int) -> None:
        """Have the page that was taken last be taken again."""
        Collection.put_back(self, ppa)
        self.row = ppa % self.blocks.pages_per_block
        self.turn = 0  # those before have no valid page in this row, or have been read beyond it

    @cfunc
    def choose_victim(self) -> int:
        """Return the place of the victim that has the next valid page, 0 if none has."""
        while self.row < self.blocks.pages_per_block:
            while self.turn < self.victim_count:
                block = self.victims[self.turn]
                is_read: bool = self.next_of[self.turn] > self.row
                if not is_read and self.blocks.is_valid(block * self.blocks.pages_per_block + self.row):
                    return self.turn
                self.turn += 1
            self.turn = 0
            self.row += 1
        return 0


class StripedMoves(SingleMoves):
    """Every page of a superblock moves on its own, to the next page of the one that moved data goes to.

    As its turn, and so its die, is not a matter of where it lay, a collection keeps all dies at work.
    """

    def collection_of(self, number: int, width: int) -> Collection:
        """Return a collection that goes through all victims row by row."""
        return StripedCollection(number, width, self.port.blocks)
