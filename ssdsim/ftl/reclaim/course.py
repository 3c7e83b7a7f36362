# cython: infer_types=True
"""The course of a collection: how its pages are read and placed, and its victims erased."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import COPYBACK, ERASE, READ
from ssdsim.ftl.padding import WordlinePadding
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.reclaim.moves.interface import PageMoves
from ssdsim.ftl.reclaim.pace import Pace
from ssdsim.ftl.reclaim.port import MovePort
from ssdsim.stage import TransactionOwner


@final
class Course(TransactionOwner):
    """Takes collections from their first read to their last erase, and then calls `over` with them.

    Up to `moves_in_flight` valid pages are read and programmed at a time (the copy buffer); where they go is up to
    `moves`. A page that the host rewrites while it is being moved is left where the host put it. The victims are erased
    when all their pages have been programmed elsewhere.

    Each step follows from the completion of the one before, so that it stands in the die's queue before the die takes
    its next command. A collection in the background waits for the host to be `quiet`: a command that has been started
    is finished, and nothing else is. Where there is a `pace`, it may hold a collection before any page, and the erases.
    """

    blocks: Blocks
    quiet: bool  # the host
    over: Callable[[Collection], None]  # to be called with a collection that is over
    padding: WordlinePadding | None  # None where pages are programmed one by one
    fewest_moves: int  # that are in flight at a time, of a collection that can be stopped
    pace: Pace | None  # None where collections go as fast as they can
    tasks: list[Collection]  # of the reclaimer, as their transactions know them

    def __init__(
        self,
        reclaimer: Reclaimer,
        tasks: list[Collection],
        moves: PageMoves,
        port: MovePort,
        moves_in_flight: int,
        pace: Pace | None,
        over: Callable[[Collection], None],
    ) -> None:
        self.reclaimer = reclaimer
        self.tasks = tasks
        self.blocks = reclaimer.blocks
        self.moves = moves
        self.port = port
        self.moves_in_flight = moves_in_flight
        self.fewest_moves = 1
        self.padding = None
        self.pace = pace
        self.quiet = False
        self.over = over

    @inline
    def is_stopped(self, collection: Collection) -> bool:
        """Return whether a collection waits for the host to be quiet, and none of its writes waits for that."""
        return collection.background and not self.quiet and not self.reclaimer.is_awaited(collection.number)

    @inline
    def is_held(self, collection: Collection) -> bool:
        """Return whether a collection waits for its pace to let it go on."""
        return self.pace is not None and self.pace.holds(collection)

    @inline
    def resume(self, collection: Collection) -> None:
        """Go on with a collection if anything can be begun, and have its last wordlines padded."""
        if not (collection.all_read and collection.moving and (collection.reading or self.moves.can_stop)):
            self.proceed(collection)
        if self.padding is not None:
            self.pad(collection)

    @cfunc
    def pad(self, collection: Collection) -> None:
        """Have the wordlines of a collection padded which nothing more comes to."""
        if (collection.placed or self.padding.overdue) and collection.is_placed():
            self.padding.complete_moved(self.port.owner, collection.index)

    @cfunc
    def proceed(self, collection: Collection) -> None:
        """Go on with a collection: with its moves, unless it is stopped, then the erases, and then it is over."""
        if not collection.erasing:
            self.go_on(collection)
            if collection.moving or self.is_stopped(collection) or self.is_held(collection):
                return
            collection.background = False  # nothing is left to be stopped
            collection.erasing = True
            self.erase_victims(collection)
        if not collection.moving:
            self.over(collection)

    @cfunc
    def go_on(self, collection: Collection) -> None:
        """Read on, as far as the copy buffer goes; have what is held back placed if nothing more can come before.

        That is at the end, and when the copy buffer is full of it; as some of it may turn out to have been rewritten,
        there may be room to read on then.
        """
        while not (self.is_stopped(collection) or self.is_held(collection)):
            move_limit = self.fewest_moves if collection.background and self.moves.can_stop else self.moves_in_flight
            while collection.moving < move_limit and not collection.all_read and self.begin_moves(collection):
                pass
            if collection.reading:
                return
            over = collection.all_read or collection.next_page() < 0
            if not over and (self.is_held(collection) or self.is_moving(collection)):
                return
            self.moves.no_more(collection)
            if over:
                return

    @cfunc
    def is_moving(self, collection: Collection) -> bool:
        """Return whether pages of a collection are about to be programmed, and do not all wait for those held back."""
        placed = collection.placed
        if placed and self.padding is not None:
            return placed > self.padding.pages_waiting(self.port.owner, collection.index)
        return placed > 0

    @inline
    def begin_moves(self, collection: Collection) -> bool:
        """Begin to move the next page or row, if it may be; return whether there is another one to be tried."""
        if self.pace is None:
            return self.moves.start(collection)
        before = collection.moving
        if self.pace.holds(collection) or not self.moves.start(collection):
            return False
        self.pace.moved(collection, collection.moving - before)
        return True

    def erase_victims(self, collection: Collection) -> None:
        """Issue the erases."""
        for place in range(collection.victim_count):
            self.port.erase(collection, collection.victims[place])

    def done(self, transaction: int) -> None:
        """Go on with a collection, whose page has been read or programmed, or its victim erased."""
        transactions = self.port.transactions
        collection = cast(Collection, self.tasks[transactions.task[transaction]])
        op = transactions.op[transaction]
        if op == READ:
            collection.reading -= 1
            if (
                self.is_stopped(collection) and self.moves.can_stop and self.padding is None
            ):  # else others are read, too
                collection.put_back(transactions.ppa[transaction])
            elif self.port.is_current(transaction):
                self.moves.arrived(collection, transaction)
                transaction = 0
            else:
                self.moves.dropped(collection, transaction)
        elif op != ERASE:
            collection.placed -= 1
            if op == COPYBACK:
                del self.reclaimer.copies[transactions.ppa[transaction]]
        if transaction:
            self.port.give_up(collection, transaction)
        self.resume(collection)
        self.reclaimer.step_done(collection.number)

    # The same without flash timing.

    def run_now(self, collection: Collection) -> None:
        """Move the pages of the victims and erase these, at once."""
        self.expect_moves(collection)
        instant = self.reclaimer.instant
        plane = collection.plane
        ppa = collection.take_next()
        while ppa >= 0:
            if collection.width > 1:
                plane = self.blocks.plane_of(self.blocks.block_of(ppa))
            instant.move(self.reclaimer.source, ppa, self.moves.move_now(collection, plane, ppa))
            ppa = collection.take_next()
        self.moves.moved_now(collection)
        for place in range(collection.victim_count):
            self.reclaimer.instant.erase(self.reclaimer.source, collection.victims[place])
            self.reclaimer.victims.pop(collection.victims[place])

    @cfunc
    def expect_moves(self, collection: Collection) -> None:
        """Tell the mapping which logical pages the moving of the victims will ask for."""
        for place in range(collection.victim_count):
            block = collection.victims[place]
            page = self.blocks.next_valid(block, 0)
            while page >= 0:
                self.port.mapping.expect(self.blocks.spare.get(block * self.blocks.pages_per_block + page))
                page = self.blocks.next_valid(block, page + 1)
