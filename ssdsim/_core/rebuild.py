"""What outlasts a loss of power: the state of the cells, and the books that are made of it anew."""

from typing import Any

import numpy as np

from ssdsim._core.blocks import ACTIVE, SET_ASIDE, Blocks
from ssdsim._core.table import IndexTable


def programmed_pages(blocks: Blocks) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return how many pages of each type the cells of each block hold, its erases, rounds and mode.

    The mode is that of `Blocks.slc`, which stands in the spare area of the pages: an empty block has none.
    """
    columns = ("programmed", "erases", "round", "slc")
    programmed, erases, rounds, slc = (blocks.arrays[name].copy() for name in columns)
    programmed[slc > 0, 1:] = 0
    return programmed, erases, rounds, slc


def take_cells(
    blocks: Blocks, spare: IndexTable, programmed: np.ndarray, erases: np.ndarray, rounds: np.ndarray, slc: np.ndarray
) -> None:
    """Fill fresh `blocks` with what the cells hold: the arrays are those of `programmed_pages`."""
    blocks.spare = spare
    block, members = blocks.arrays, blocks.members()
    block["erases"][:], block["round"][:] = erases, rounds
    in_use = np.zeros(blocks.count, bool)  # a block, or one of those aligned with it, holds something
    in_use[members[(programmed[members, 0] > 0).any(axis=1)]] = True
    block["slc"][:] = np.where(in_use, slc, 0)
    block["programmed"][:] = programmed
    block["programmed"][block["slc"] > 0, 1 : blocks.page_types] = blocks.order.wordlines
    block["written"][:] = block["programmed"]


class Rebuild:
    """Makes `blocks`, after `take_cells`, and an empty `mapping` what the cells say.

    `versions` and `stamps` are by PPA: the version of the data of a page, negative where it cannot be read, and the
    place of the write in the order of all. Of several copies of a logical page the newest version counts, and of these
    the last one. Blocks in `set_aside` hold no logical pages, and are as many aligned ones.
    """

    def __init__(self, blocks: Blocks, mapping: IndexTable, versions: Any, stamps: Any, set_aside: np.ndarray) -> None:
        self.blocks, self.mapping = blocks, mapping
        self.versions, self.stamps = np.asarray(versions), np.asarray(stamps)
        self.block = blocks.arrays
        self.block["state"][set_aside] = SET_ASIDE
        self.members = blocks.members()
        self.is_data = self.block["state"][self.members[:, 0]] != SET_ASIDE  # by aligned block
        self.lpas = blocks.spare.to_numpy()
        self.holder = np.full(mapping.size, -1)  # the page with the data of a logical one

    def run(self) -> tuple[list[int], list[int]]:
        """Rebuild; return the (aligned) blocks that are partly written, and those erased.

        Erased are blocks that hold only copies of what is elsewhere, for an unfinished collection to have as much room
        as it began with.
        """
        half_gone = self.finish_erases()
        erased = half_gone + self.erase_copies(self.find_copies())
        self.mapping.load(self.holder)
        held = self.holder[self.holder >= 0]
        block, page = np.divmod(held, self.blocks.pages_per_block)
        self.block["valid"] += np.bincount(block, minlength=self.blocks.count).astype(np.int32)
        bitmap = self.block["bitmap"]
        marks = np.zeros((len(bitmap), 64 * bitmap.shape[1]), bool)
        marks[block, page] = True
        bitmap[:] = np.packbits(marks, axis=1, bitorder="little").view("<u8")
        return self.put_in_use(), erased

    def finish_erases(self) -> list[int]:
        """Erase the rest of aligned blocks of which some have been erased, and return it: they are a round behind.

        Their erase begins when all that they held is programmed elsewhere, replaced or trimmed (`Blocks.may_erase`).
        """
        rounds = self.block["round"][self.members]
        behind = ((rounds + np.uint8(1))[:, :, np.newaxis] == rounds[:, np.newaxis]).any(axis=2)
        behind &= (self.is_data & self.is_written())[:, np.newaxis]
        self.wipe(self.members[behind])
        # what is erased may have been set aside, and erased one by one; from here on it counts together
        self.block["round"][self.members[self.is_data & ~self.is_written()]] = 0
        return self.members[behind].tolist()

    def is_written(self) -> np.ndarray:
        """Return a mask of the aligned blocks that hold anything."""
        return self.block["written"][self.members].any(axis=(1, 2))

    def wipe(self, numbers: np.ndarray) -> None:
        """Erase blocks."""
        for name in ("written", "programmed", "slc"):
            self.block[name][numbers] = 0
        self.block["erases"][numbers] += 1
        self.block["round"][numbers] += np.uint8(1)

    def find_copies(self) -> np.ndarray:
        """Find the holder of each logical page, its newest copy; return all copies of the same version, it the last."""
        types, wordlines = np.asarray(self.blocks.order.type_at), np.asarray(self.blocks.order.wordline_at)
        # pages of a type are programmed in the order of wordlines
        holds = (self.block["programmed"][:, types] > wordlines) & (self.block["state"] != SET_ASIDE)[:, np.newaxis]
        ppas = np.flatnonzero(holds.ravel() & (self.versions >= 0) & (self.lpas >= 0))
        # of copies written at the same place in the order, as by a fill, that of the lowest number counts
        ppas = ppas[np.lexsort((-ppas, self.stamps[ppas], self.versions[ppas], self.lpas[ppas]))]
        self.holder[self.lpas[ppas]] = ppas  # of several values for one place NumPy keeps the last
        return ppas[self.versions[ppas] == self.versions[self.holder[self.lpas[ppas]]]]

    def erase_copies(self, copies: np.ndarray) -> list[int]:
        """Erase the blocks of which every page is held elsewhere or of no use, as a collection had not come to it."""
        lpas, aligned = self.lpas[copies], self.aligned_of(copies)
        is_apart = np.isin(lpas, lpas[aligned != self.aligned_of(self.holder[lpas])])  # other copies lie elsewhere
        keeps = np.zeros(len(self.members), bool)
        keeps[aligned[~is_apart]] = True
        copies, lpas, aligned = copies[is_apart], lpas[is_apart], aligned[is_apart]
        erased: list[int] = []
        for number in np.flatnonzero(self.is_data & self.is_written() & ~keeps):
            stays = aligned != number
            if np.isin(lpas[~stays], lpas[stays]).all():  # no other copy has been erased since
                copies, lpas, aligned = copies[stays], lpas[stays], aligned[stays]
                self.wipe(self.members[number])
                self.block["round"][self.members[number]] = 0
                erased += self.members[number].tolist()
        self.holder[lpas] = copies
        return erased

    def aligned_of(self, ppas: np.ndarray) -> np.ndarray:
        """Return the numbers of the aligned blocks that pages lie in."""
        plane, offset = np.divmod(ppas // self.blocks.pages_per_block, self.blocks.blocks_per_plane)
        return plane // self.blocks.span * self.blocks.blocks_per_plane + offset

    def put_in_use(self) -> list[int]:
        """Take the blocks that hold something from the free ones, and return those that have room left."""
        blocks, block = self.blocks, self.block
        np.asarray(blocks.free.counts)[:] = blocks.free.total = 0
        in_use = self.is_data & self.is_written()
        block["state"][self.members[in_use]] = ACTIVE
        room = np.int64(blocks.order.wordlines) - block["written"][:, : blocks.page_types]
        room[(block["state"] != ACTIVE) | (block["slc"] > 0)] = 0
        block["unwritten"][:] = room.reshape(blocks.units, -1).sum(axis=1)
        block["unwritten_by_type"][: blocks.page_types] = room.sum(axis=0)
        for aligned in np.flatnonzero(self.is_data & ~in_use).tolist():
            blocks.release(aligned)
        written = block["written"].sum(axis=1)[self.members]
        for number in self.members[in_use[:, np.newaxis] & (written == blocks.pages_per_block)].tolist():
            blocks.fill(number)
        return np.flatnonzero(in_use & (written < blocks.pages_per_block).any(axis=1)).tolist()
