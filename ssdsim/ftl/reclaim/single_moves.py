# cython: infer_types=True
"""Pages move one by one: by way of the controller, to the block filled in their chip, or within their plane (PCFTL)."""

from __future__ import annotations

from typing import Any, cast

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import COPYBACK
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from ssdsim.ftl.reclaim.interface import Collection
from ssdsim.ftl.reclaim.mover import CollectionMover, kind_of, moved_to


class SingleMoves(CollectionMover):
    """Every page moves on its own as soon as it has been read, within its plane if the frontier heeds planes.

    In a superblock the next page, and so its die, is not a matter of where a page lay: all dies are kept at work.
    """

    def __init__(self, *parts: Any) -> None:
        CollectionMover.__init__(self, *parts)
        self.can_stop = True

    @cfunc
    def arrived(self, collection: Collection, page: int) -> None:
        """Place a page."""
        kind = kind_of(self, self.transactions.ppa[page])
        self.place(collection, page, self.plane_for(self.transactions.plane[page], kind), kind)

    @cfunc
    def plane_for(self, plane: int, kind: int) -> int:
        """Return the plane that a page of `plane` is moved to."""
        return plane


class ChipMoves(SingleMoves):
    """Every page moves on its own to the chip's active block, which mostly lies in another plane (PCFTL, 3.3).

    Where no plane of the chip has room but its reserve, one of the next chip that has takes the page, and if there is
    none, its own plane, where a victim always fits (`RESERVED_BLOCKS`). So do pages of the mapping table, each plane of
    which has its share.
    """

    role = "points"

    @cfunc
    def move_now(self, plane: int, ppa: int, collection: Collection) -> int:
        """Move a page of `plane` where no time passes, and return its new PPA."""
        kind = kind_of(self, ppa)
        return self.move(ppa, self.plane_for(plane, kind), kind)

    @cfunc
    def plane_for(self, plane: int, kind: int) -> int:
        """Return the plane of the chip's active block, or of another chip's."""
        if kind == self.frontier.kinds:
            return plane
        planes = self.blocks.planes
        points = cast(SequentialFrontier, self.frontier.points)
        first = plane // self.planes_per_chip * self.planes_per_chip
        for beyond in range(0, planes, self.planes_per_chip):
            found = points.filled_next((first + beyond) % planes, self.planes_per_chip, kind)
            if found >= 0:
                return found
        return plane


class CopyBackMoves(SingleMoves):
    """Pages stay in their plane and do not leave the chip (PCFTL's plane-level collection, 3.2 and 3.3).

    Where a page can be copied to is up to the frontier (`CopyTargets`): pages by type go to one of their type, if one
    comes next. PCFTL's go to one of the same parity, so some are passed over. A collection that passes over as many as
    its victim has dead ones gains nothing, nor need the next: the never-ending collection of 3.4 and Fig. 8. The paper
    notices it afterwards. Here it is foreseen, as the parities of the valid pages and the write point are known: where
    copying back would waste more than the share `most_wasted` of the dead pages, the collection is a conventional one.
    Its pages go through the controller, to the same plane, where parity does not matter. So do single pages of another
    that cannot be copied or that, as writes of the host have come in between, would waste more.

    With at most as many pages wasted as are dead, the pages of a victim always fit into a block's worth of room.
    """

    most_wasted: float  # the share of a victim's dead pages that a collection may waste
    conventional: int  # collections that copied none back

    role = "copies"

    def __init__(self, *parts: Any) -> None:
        SingleMoves.__init__(self, *parts)
        self.most_wasted = self.config.copyback_waste
        self.conventional = 0

    @cfunc
    def begin(self, collection: Collection) -> None:
        """Settle how many pages the collection may waste; -1 if it would be too many."""
        blocks = self.blocks
        allowed: int = 0
        foreseen = 0
        for place in range(collection.victim_count):
            dead = blocks.pages_per_block - blocks.valid(collection.victims[place])
            allowed += min(int(self.most_wasted * dead + 1e-9), dead - 1) if dead else 0
            foreseen += self.foreseen(collection.victims[place])
        collection.to_waste = allowed if foreseen <= allowed else -1
        self.conventional += foreseen > allowed

    @cfunc
    def takes_controller(self, collection: Collection) -> bool:
        """Return whether this is a conventional collection."""
        return collection.to_waste < 0

    @cfunc
    def foreseen(self, victim: int) -> int:
        """Return how many pages are passed over if every valid page of `victim` is copied back, and no other comes."""
        blocks = self.blocks
        copies: list[tuple[int, int]] = []
        page = blocks.next_valid(victim, 0)
        while page >= 0:
            copies.append((page, kind_of(self, victim * blocks.pages_per_block + page)))
            page = blocks.next_valid(victim, page + 1)
        return self.frontier.copies.foreseen(blocks.plane_of(victim), copies)

    @cfunc
    def copies(self, collection: Collection, ppa: int, kind: int) -> bool:
        """Return whether the page at `ppa` is copied back, and count what that wastes."""
        blocks = self.blocks
        plane = blocks.plane_of(blocks.block_of(ppa))
        passed = self.frontier.copies.passed_over(plane, kind, ppa % blocks.pages_per_block)
        if passed < 0 or passed > collection.to_waste:
            return False
        collection.to_waste -= passed
        return True

    @cfunc
    def start(self, collection: Collection) -> bool:
        """Issue the next copy-back, or the next read."""
        ppa = collection.next_page()
        if ppa < 0:
            return False
        kind = kind_of(self, ppa)
        if not self.copies(collection, ppa, kind):
            return SingleMoves.start(self, collection)
        self.copy_back(collection, kind)
        return True

    @cfunc
    def copy_back(self, collection: Collection, kind: int) -> None:
        """Issue the copy-back of the next valid page of the victims to a page of its plane.

        It is mapped there from now on; until it is programmed, its data is read where it is copied from.
        """
        transactions = self.transactions
        ppa = collection.take_next()
        collection.placed += 1
        target = self.copy(ppa, kind)
        transaction = self.take(collection, COPYBACK, self.blocks.spare.get(ppa), target)
        transactions.before[transaction] = ppa
        self.reclaimer.copies[target] = ppa
        self.scheduler.submit(transaction)
        self.reclaimer.update_urgency(collection)

    @cfunc
    def copy(self, old_ppa: int, kind: int) -> int:
        """Give the data at `old_ppa` a new page of its plane that it can be copied back to, and return it."""
        lpa = self.blocks.spare.get(old_ppa)
        plane = self.blocks.plane_of(self.blocks.block_of(old_ppa))
        ppa = self.frontier.copies.allocate(plane, kind, lpa, old_ppa % self.blocks.pages_per_block)
        moved_to(self, lpa, old_ppa, ppa)
        self.reclaimer.copies_back += 1
        return ppa

    @cfunc
    def move_now(self, plane: int, ppa: int, collection: Collection) -> int:
        """Give a page a new one of its parity, or any."""
        kind = kind_of(self, ppa)
        return self.copy(ppa, kind) if self.copies(collection, ppa, kind) else self.move(ppa, plane, kind)
