# cython: infer_types=True
"""How a collection moves its pages: each by itself, within its plane or chip or by copy-back; the base of rows, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import COPYBACK, ERASE, READ
from ssdsim.flash.port import Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from ssdsim.ftl.padding import WordlinePadding
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.interface import Reclaimer, give_up, is_current, moved_to
from ssdsim.ftl.rows import RowWritePath
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner

if TYPE_CHECKING:
    from ssdsim.config import SimulationConfig


class PageMoves(TransactionOwner):
    """Takes collections from their first read to their last erase, and tells the reclaimer when one is `over`.

    Valid pages are read and programmed, `moves_in_flight` at a time (the copy buffer); where they go is up to the
    subclass. A page that the host rewrites meanwhile is left where the host put it. The victims are erased when all
    their pages have been programmed elsewhere.
    """

    role = ""  # what the frontier has to have, if anything (`WriteFrontier.roles`)

    reclaimer: Reclaimer
    blocks: Blocks
    frontier: WriteFrontier
    transactions: Transactions
    scheduler: TransactionSchedulingUnit
    kinds: int
    planes_per_chip: int
    moves_in_flight: int
    fewest_moves: int  # that are in flight at a time, of a collection that can be stopped
    moved_kind: int  # that all pages are of, or -1 if the frontier is asked
    can_stop: bool  # pages read are not held back, and can be left where they are at any time
    quiet: bool  # the host
    padding: WordlinePadding | None  # None where pages are programmed one by one
    rows: RowWritePath | None  # the host's pages that are written along with moved ones

    def __init__(self, reclaimer: Reclaimer, config: SimulationConfig, victims_at_once: int) -> None:
        hardware = config.hardware
        self.reclaimer = reclaimer
        self.blocks = reclaimer.blocks
        self.frontier = reclaimer.frontier
        self.scheduler = reclaimer.scheduler
        self.transactions = reclaimer.transactions
        reclaimer.owner = self.transactions.add_owner(self)
        self.kinds = reclaimer.kinds
        self.moved_kind = -1 if reclaimer.mapping.translation_pages else self.frontier.moved_kind
        self.planes_per_chip = hardware.dies_per_chip * hardware.planes_per_die
        self.fewest_moves = 1
        if hardware.pages_programmed > 1:  # a wordline of each kind can be filled at once
            self.fewest_moves = self.kinds * hardware.pages_open(self.blocks.span, self.frontier.by_rows)
        two_programs = 2 * hardware.pages_programmed * victims_at_once if victims_at_once > 1 else 1  # a plane
        self.moves_in_flight = max(config.ftl.gc.moves_in_flight, two_programs, self.fewest_moves)
        self.can_stop = self.quiet = False
        self.padding = self.rows = None

    # Where pages go: up to the subclass.

    @cfunc
    def begin(self, collection: Collection) -> None:
        """React when a collection begins: its victims have been chosen."""

    @cfunc
    def takes_controller(self, collection: Collection) -> bool:
        """Return whether pages of a collection that has begun go through the controller, as a rule."""
        return True

    @cfunc
    def start(self, collection: Collection) -> bool:
        """Issue the reads of the next page or row and return whether there was one."""
        page = self.read(collection)
        if page:
            self.scheduler.submit(page)
        return page != 0

    @cfunc
    def arrived(self, collection: Collection, page: int) -> None:
        """Take over a page that has been read, to be placed now, or later along with others."""
        raise NotImplementedError

    @cfunc
    def dropped(self, collection: Collection, page: int) -> None:
        """React when a page was rewritten by the host while it was read, and need not be moved."""

    @cfunc
    def no_more(self, collection: Collection) -> None:
        """Place the pages that are held back, as nothing more can be read before."""

    @cfunc
    def move_now(self, plane: int, ppa: int, collection: Collection) -> int:
        """Move a page of `plane` where no time passes, and return its new PPA."""
        return self.reclaimer.move(ppa, plane, self.kind_of(ppa))

    @cfunc
    def moved_now(self, collection: Collection) -> None:
        """React when all pages of a collection have been moved where no time passes."""

    @cfunc
    def takes(self, collection: Collection, group: WriteGroup) -> bool:
        """Return whether the host's `group` of pages is taken over, to be written in rows with moved ones."""
        return False

    @cfunc
    def complete(self, collection: Collection, group: WriteGroup) -> None:
        """Take over the host's pages that this asked for, to complete a row."""
        raise NotImplementedError

    # What it does with them.

    @cfunc
    def kind_of(self, ppa: int) -> int:
        """Return the kind of blocks that the data at `ppa` is moved to; the last kind is for the mapping table."""
        return self.frontier.kind_of(self.blocks.spare.get(ppa), self.reclaimer.source, -1, ppa)

    @cfunc
    def kind_of_read(self, page: int) -> int:
        """Return the kind of blocks that a page that was read is moved to."""
        return self.kind_of(self.transactions.ppa[page])

    def plane_of_read(self, page: int) -> int:
        """Return the plane that a page was read from."""
        return self.transactions.plane[page]

    @cfunc
    def read(self, collection: Collection) -> int:
        """Return the read of the next valid page of the victims, to be submitted, or 0."""
        ppa = collection.next_page()
        if ppa < 0:
            return 0
        collection.next_of[collection.next_victim] += 1
        collection.reading += 1
        transaction = self.reclaimer.take(collection, READ, self.blocks.spare.get(ppa), ppa)
        self.transactions.before[transaction] = ppa
        return transaction

    @cfunc
    def current(self, collection: Collection, pages: list[int]) -> list[int]:
        """Return the `pages` read that the host has not rewritten since, and give up the others."""
        found: list[int] = []
        page: int
        for page in pages:
            if is_current(self.reclaimer, page):
                found.append(page)
            else:
                give_up(self.reclaimer, collection, page)
        return found

    @cfunc
    def place(self, collection: Collection, page: int, plane: int, kind: int) -> None:
        """Program a page that was read to its new place, in `plane` if the frontier heeds it."""
        collection.placed += 1
        self.reclaimer.program(page, plane, kind)
        self.reclaimer.update_urgency(collection, -1)

    # From step to step.

    @cfunc
    def resume(self, collection: Collection) -> None:
        """Take the next steps of a collection: its moves, unless it is stopped, then the erases, and then it is over.

        Its last wordlines are padded, which nothing more comes to.
        """
        if not (collection.all_read and collection.moving and (collection.reading or self.can_stop)):
            self.proceed(collection)
        padding = self.padding
        if padding is not None and (collection.placed or padding.overdue) and collection.is_placed():
            padding.complete_moved(self.reclaimer.owner, collection.index)

    @cfunc
    def proceed(self, collection: Collection) -> None:
        """Take the next steps, whatever has been read."""
        if not collection.erasing:
            self.move_pages(collection)
            if collection.moving or is_stopped(self, collection):
                return
            collection.background = False  # nothing is left to be stopped
            collection.erasing = True
            for place in range(collection.victim_count):
                self.reclaimer.erase(collection, collection.victims[place])
        if not collection.moving:
            self.reclaimer.over(collection)

    @cfunc
    def move_pages(self, collection: Collection) -> None:
        """Read on, as far as the copy buffer goes; place the pages held back if nothing more can come before.

        That is at the end, and when the copy buffer is full of it; as some of it may turn out to have been rewritten,
        there may be room to read on then.
        """
        while not is_stopped(self, collection):
            move_limit = self.fewest_moves if collection.background and self.can_stop else self.moves_in_flight
            while collection.moving < move_limit and not collection.all_read and self.start(collection):
                pass
            if collection.reading:
                return
            over = collection.all_read or collection.next_page() < 0
            if not over and self.is_moving(collection):
                return
            self.no_more(collection)
            if over:
                return

    @cfunc
    def is_moving(self, collection: Collection) -> bool:
        """Return whether pages of a collection are about to be programmed, and do not all wait for those held back."""
        placed = collection.placed
        if placed and self.padding is not None:
            return placed > self.padding.pages_waiting(self.reclaimer.owner, collection.index, -1)
        return placed > 0

    def done(self, transaction: int) -> None:
        """Take the next steps of a collection, whose page has been read or programmed, or its victim erased."""
        transactions = self.transactions
        reclaimer = self.reclaimer
        collection = cast(Collection, reclaimer.tasks[transactions.task[transaction]])
        op = transactions.op[transaction]
        if op == READ:
            collection.reading -= 1
            # where a wordline is programmed as a whole, other reads are under way, too
            if collection.background and self.can_stop and self.padding is None and is_stopped(self, collection):
                collection.put_back(transactions.ppa[transaction])
            elif self.blocks.is_valid(transactions.ppa[transaction]):
                self.arrived(collection, transaction)
                transaction = 0
            else:
                self.dropped(collection, transaction)
        elif op != ERASE:
            collection.placed -= 1
            if op == COPYBACK:
                del reclaimer.copies[transactions.ppa[transaction]]
        if transaction:
            collection.moving -= 1
            transactions.give_back(transaction)
        self.resume(collection)
        if reclaimer.heeds_steps:
            reclaimer.step_done(collection.number)

    # The same without flash timing.

    @cfunc
    def run_now(self, collection: Collection) -> None:
        """Move the pages of the victims and erase these, at once."""
        reclaimer = self.reclaimer
        self.expect_moves(collection)
        plane = collection.plane
        ppa = collection.take_next()
        while ppa >= 0:
            if collection.width > 1:
                plane = self.blocks.plane_of(self.blocks.block_of(ppa))
            reclaimer.instant.move(reclaimer.source, ppa, self.move_now(plane, ppa, collection))
            ppa = collection.take_next()
        self.moved_now(collection)
        for place in range(collection.victim_count):
            reclaimer.instant.erase(reclaimer.source, collection.victims[place])
            reclaimer.victims.pop(collection.victims[place])

    @cfunc
    def expect_moves(self, collection: Collection) -> None:
        """Tell the mapping which logical pages will be asked for: their entries are fetched from memory meanwhile."""
        for place in range(collection.victim_count):
            block = collection.victims[place]
            page = self.blocks.next_valid(block, 0)
            while page >= 0:
                self.reclaimer.mapping.table.prefetch(self.blocks.spare.get(block * self.blocks.pages_per_block + page))
                page = self.blocks.next_valid(block, page + 1)


@inline
def is_stopped(moves: PageMoves, collection: Collection) -> bool:
    """Return whether a collection waits for the host to be quiet, and none of its writes waits for that.

    A command that has been started is finished, and nothing else is.
    """
    return collection.background and not moves.quiet and not moves.reclaimer.is_awaited(collection.number)


class SingleMoves(PageMoves):
    """Every page moves on its own as soon as it has been read, within its plane if the frontier heeds planes.

    In a superblock the next page, and so its die, is not a matter of where a page lay: all dies are kept at work.
    """

    def __init__(self, reclaimer: Reclaimer, config: SimulationConfig, victims_at_once: int) -> None:
        PageMoves.__init__(self, reclaimer, config, victims_at_once)
        self.can_stop = True

    @cfunc
    def arrived(self, collection: Collection, page: int) -> None:
        """Place a page."""
        kind = self.moved_kind if self.moved_kind >= 0 else self.kind_of(self.transactions.ppa[page])
        self.place(collection, page, self.transactions.plane[page], kind)


class ChipMoves(SingleMoves):
    """Every page moves on its own to the chip's active block, which mostly lies in another plane (PCFTL, 3.3).

    Where no plane of the chip has room but its reserve, one of the next chip that has takes the page, and if there is
    none, its own plane, where a victim always fits (`RESERVED_BLOCKS`). So do pages of the mapping table, each plane of
    which has its share.
    """

    role = "points"

    @cfunc
    def arrived(self, collection: Collection, page: int) -> None:
        """Place a page."""
        kind = self.kind_of(self.transactions.ppa[page])
        self.place(collection, page, self.plane_for(self.transactions.plane[page], kind), kind)

    @cfunc
    def move_now(self, plane: int, ppa: int, collection: Collection) -> int:
        """Move a page of `plane` where no time passes, and return its new PPA."""
        kind = self.kind_of(ppa)
        return self.reclaimer.move(ppa, self.plane_for(plane, kind), kind)

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
    notices it afterwards. Here it is foreseen: where copying back would waste more than the share `most_wasted` of the
    dead pages, the collection is a conventional one, through the controller, to the same plane, where parity does not
    matter. So are single pages of another that cannot be copied or that, as writes of the host have come in between,
    would waste more. So the pages of a victim always fit into a block's worth of room.
    """

    most_wasted: float  # the share of a victim's dead pages that a collection may waste
    conventional: int  # collections that copied none back

    role = "copies"

    def __init__(self, reclaimer: Reclaimer, config: SimulationConfig, victims_at_once: int) -> None:
        SingleMoves.__init__(self, reclaimer, config, victims_at_once)
        self.most_wasted = config.ftl.gc.copyback_waste
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
            copies.append((page, self.kind_of(victim * blocks.pages_per_block + page)))
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
        kind = self.kind_of(ppa)
        if not self.copies(collection, ppa, kind):
            return SingleMoves.start(self, collection)
        collection.take_next()
        collection.placed += 1
        target = self.copy(ppa, kind)
        transaction = self.reclaimer.take(collection, COPYBACK, self.blocks.spare.get(ppa), target)
        self.transactions.before[transaction] = ppa
        self.reclaimer.copies[target] = ppa  # until it is programmed, its data is read where it is copied from
        self.scheduler.submit(transaction)
        self.reclaimer.update_urgency(collection, -1)
        return True

    @cfunc
    def copy(self, old_ppa: int, kind: int) -> int:
        """Give the data at `old_ppa` a new page of its plane that it can be copied back to, and return it."""
        lpa = self.blocks.spare.get(old_ppa)
        plane = self.blocks.plane_of(self.blocks.block_of(old_ppa))
        ppa = self.frontier.copies.allocate(plane, kind, lpa, old_ppa % self.blocks.pages_per_block)
        moved_to(self.reclaimer, lpa, old_ppa, ppa)
        self.reclaimer.copies_back += 1
        return ppa

    @cfunc
    def move_now(self, plane: int, ppa: int, collection: Collection) -> int:
        """Give a page a new one of its parity, or any."""
        kind = self.kind_of(ppa)
        return self.copy(ppa, kind) if self.copies(collection, ppa, kind) else self.reclaimer.move(ppa, plane, kind)
