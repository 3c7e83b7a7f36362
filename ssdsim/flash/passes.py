# cython: infer_types=True
"""Coarse-fine programs: a wordline is programmed twice, and its data waits in controller memory in between."""

from __future__ import annotations

from collections import deque
from itertools import chain
from typing import Any, final

from ssdsim._core.codes import COARSE, PROGRAM
from ssdsim._core.inlined import now
from ssdsim._core.pass_order import last_coarse
from ssdsim.flash.scheduler import TransactionSchedulingUnit
from ssdsim.flash.transactions import Transactions
from ssdsim.flash.wordlines import OneShotWordlines


@final
class CoarseFineWordlines(OneShotWordlines):
    """Programs each wordline in a coarse and a fine pass, in the order of `ssdsim._core.pass_order`.

    When its pages are complete, a wordline is programmed coarsely. These commands have transactions of their own, whose
    data crosses the bus. The programs of the pages wait on, in controller memory, until that other wordline has had its
    coarse pass which disturbs this one; then they are the fine pass, the data crosses again, and the pages are in flash
    when it is over. The next pass of a block is queued when the one before is over.

    After Western Digital: data is written "foggy" and later "fine", the second time from SLC blocks, DRAM or SRAM (US
    patents 11,137,944 and 11,211,119).
    """

    scheduler: TransactionSchedulingUnit
    awaited: list[int]  # by wordline: the one whose coarse pass comes before its fine one
    held: dict[int, deque[int]]  # by block: the first program of each wordline that waits for another one
    steps: dict[int, deque[int]]  # by block: the first transaction of each pass in turn, that at work first
    owner: int  # of the transactions of coarse passes
    pages_held: int  # pages of data in controller memory until their fine pass is over
    most_held: int  # the largest of these; whoever measures starts it anew

    observes = ("programmed",)

    def __init__(self, transactions: Transactions, scheduler: TransactionSchedulingUnit, hardware: Any) -> None:
        OneShotWordlines.__init__(self, transactions, hardware.page_types)
        self.scheduler = scheduler
        self.awaited = last_coarse(hardware.wordlines, hardware.strings, hardware.string_order)
        self.held = {}
        self.steps = {}
        self.owner = transactions.add_owner(self)
        self.pages_held = self.most_held = 0

    def add(self, transaction: int) -> int:
        """Take over the program of a page; return the first of a pass that can be queued now, or 0."""
        if self.transactions.lpa[transaction] >= 0:
            self.pages_held += 1
            self.most_held = max(self.most_held, self.pages_held)
        first = OneShotWordlines.add(self, transaction)
        if not first:
            return 0
        block = self.transactions.block[first]
        held: deque[int] = self.held.setdefault(block, deque())
        steps: deque[int] = self.steps.setdefault(block, deque())
        is_free: bool = not steps
        held.append(first)
        steps.append(self.coarse_pass(first))
        wordline = self.transactions.page[first] // self.pages
        while held:
            oldest: int = held[0]
            if self.awaited[self.transactions.page[oldest] // self.pages] > wordline:
                break
            steps.append(held.popleft())
        if not held:
            del self.held[block]
        return steps[0] if is_free else 0

    def coarse_pass(self, first: int) -> int:
        """Return the first transaction of the coarse pass of a wordline, given its first program."""
        transactions = self.transactions
        now_ns: int = now(self.scheduler.env)
        begin = before = 0
        page = first
        while page:
            step = transactions.take(transactions.source[page], self.owner, transactions.lpa[page])
            transactions.op[step] = COARSE
            transactions.ppa[step] = transactions.ppa[page]
            transactions.block[step] = transactions.block[page]
            transactions.page[step] = transactions.page[page]
            transactions.page_type[step] = transactions.page_type[page]
            transactions.plane[step] = transactions.plane[page]
            transactions.die[step] = transactions.die[page]
            transactions.bytes[step] = transactions.bytes[page]
            transactions.stream[step] = transactions.stream[page]
            transactions.passed[step] = 0
            transactions.queued_ns[step] = now_ns
            self.scheduler.dies.begin_wait(transactions.die[step], step, now_ns)
            if before:
                transactions.partner[before] = step
            else:
                begin = step
            before = step
            page = transactions.partner[page]
        return begin

    def end_pass(self, transaction: int) -> None:
        """Queue the next pass of a block if `transaction` is the last of the one at work."""
        block = self.transactions.block[transaction]
        if (self.transactions.page[transaction] + 1) % self.pages:
            return
        steps: deque[int] = self.steps[block]
        steps.popleft()
        if not steps:
            del self.steps[block]
            self.listener.passes_over(block)
            return
        following: int = steps[0]
        self.transactions.sequence[following] = self.scheduler.sequence
        self.scheduler.sequence += 1
        self.scheduler.enqueue(following)

    def programmed(self, transactions: Transactions, number: int) -> None:
        """Go on with a block, where a fine pass is over."""
        if transactions.op[number] == PROGRAM and transactions.page_type[number] >= 0:
            self.pages_held -= transactions.lpa[number] >= 0
            self.end_pass(number)

    def done(self, transaction: int) -> None:
        """Go on with a block, where a coarse pass is over."""
        self.end_pass(transaction)
        self.transactions.give_back(transaction)

    # For whoever pads.

    def blocks_waiting(self) -> list[int]:
        """Return the blocks in which programs wait for other pages."""
        return list({**self.held, **self.begun})

    def waiting_in(self, block: int) -> list[int]:
        """Return the programs of `block` that wait for other pages, in the order of pages."""
        waiting: list[int] = []
        first: int
        for first in self.held.get(block, ()):
            waiting += self.pages_of(first)
        return waiting + self.begun.get(block, [])

    def pages_needed(self, page: int) -> int:
        """Return how many pages of a block have to be written before `page` can have its fine pass."""
        wordline: int = self.awaited[page // self.pages]
        return (wordline + 1) * self.pages

    def is_at_work(self, block: int) -> bool:
        """Return whether passes of other wordlines of `block` are under way."""
        return block in self.steps

    def all_waiting(self) -> list[int]:
        """Return all programs that stand in no queue, and are not executed, and coarse passes that are not queued."""
        of_blocks = [self.waiting_in(block) for block in self.blocks_waiting()]
        steps = [self.pages_of(first) for steps in self.steps.values() for first in list(steps)[1:]]
        return list(chain(*of_blocks, *steps))

    def pages_of(self, first: int) -> list[int]:
        """Return the transactions of a pass, given the first."""
        pages = []
        while first:
            pages.append(first)
            first = self.transactions.partner[first]
        return pages

    def half_programmed(self) -> set[int]:
        """Return the pages that have had their coarse pass, and whose fine pass is not over."""
        transactions = self.transactions
        held = chain(*self.held.values(), *self.steps.values())
        passes = [page for first in held for page in self.pages_of(first)]
        coarse = {transactions.ppa[page] for page in passes if transactions.op[page] == COARSE}
        return {transactions.ppa[page] for page in passes} - coarse
