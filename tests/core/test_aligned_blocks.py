"""`Blocks` whose units are several planes: aligned blocks against the same books in plain Python, in step."""

import random

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ssdsim._core.blocks import STATES, Blocks
from ssdsim._core.rebuild import Rebuild, programmed_pages, take_cells
from ssdsim._core.recount import recount
from ssdsim._core.table import IndexTable
from ssdsim._core.victim_index import FillOrder, FullBlocks, ValidCountBuckets
from ssdsim.errors import FlashError

COUNTS = st.integers(1, 70)
RANDOMS = st.integers(0, 2**32).map(random.Random)


class Books:
    """One block, as a model."""

    def __init__(self):
        self.state, self.erases, self.readers = "free", 0, 0
        self.written = self.programmed = 0
        self.valid = set()


class AlignedMachine(RuleBasedStateMachine):
    """Take, fill, collect and erase aligned blocks in any order allowed, and try what is not.

    Aligned blocks are (unit, offset) here; `members` are the numbers of their blocks, by plane.
    """

    @initialize(
        units=st.integers(1, 2),
        span=st.integers(1, 4),
        blocks=st.integers(1, 4),
        pages=st.sampled_from([1, 2, 3, 65]),
        index=st.sampled_from([ValidCountBuckets, FillOrder, FullBlocks]),
        by_least=st.booleans(),
        least_worn=st.booleans(),
    )
    def build(self, units, span, blocks, pages, index, by_least, least_worn):
        self.units, self.span, self.per_plane, self.pages = units, span, blocks, pages
        self.by_least, self.least_worn = by_least, least_worn
        self.index = index(units, blocks, pages * span)
        self.blocks = Blocks(units * span, blocks, pages, self.index, least_worn, None, span, by_least)
        self.books = [Books() for _ in range(units * span * blocks)]
        self.members = {
            (unit, offset): [(unit * span + place) * blocks + offset for place in range(span)]
            for unit in range(units)
            for offset in range(blocks)
        }
        self.numbers = {aligned: aligned[0] * blocks + aligned[1] for aligned in self.members}
        self.free = [[(unit, offset) for offset in range(blocks)] for unit in range(units)]
        self.mapping = IndexTable(self.blocks.pages)
        self.lpas = iter(range(10**9))
        self.clock, self.filled, self.touched = 0, {}, {}

    def of(self, aligned):
        return [self.books[block] for block in self.members[aligned]]

    def all_in(self, state):
        return [aligned for aligned in self.members if all(book.state == state for book in self.of(aligned))]

    def rank(self, aligned):
        return (min if self.by_least else sum)(len(book.valid) for book in self.of(aligned))

    def aligned_of(self, block):
        return next(aligned for aligned, members in self.members.items() if block in members)

    def tick(self, *clocks, aligned):
        self.clock += 1
        for times in clocks:
            times[aligned] = self.clock

    def take(self, unit):
        free, number = self.free[unit], self.blocks.take_free(unit)
        if not free:
            assert number == -1
            return
        taken = min(free, key=lambda each: self.of(each)[0].erases) if self.least_worn else free[0]
        assert number == self.numbers[taken]
        free.remove(taken)
        for book in self.of(taken):
            book.state = "active"

    def write(self, block, count):
        book = self.books[block]
        for _ in range(min(count, self.pages - book.written)):
            lpa = next(lpa for lpa in (each % self.blocks.pages for each in self.lpas) if self.mapping.get(lpa) < 0)
            ppa = self.blocks.append(block, lpa)
            assert ppa == block * self.pages + book.written
            self.mapping.set(lpa, ppa)
            book.valid.add(book.written)
            book.written += 1

    def program(self, block, count):
        book = self.books[block]
        for _ in range(min(count, book.written - book.programmed)):
            self.blocks.program(block * self.pages + book.programmed)
            book.programmed += 1
            if book.programmed == self.pages:
                book.state = "full"
                aligned = self.aligned_of(block)
                if aligned in self.all_in("full"):
                    self.tick(self.filled, self.touched, aligned=aligned)

    def invalidate(self, block, count, drawn):
        book, aligned = self.books[block], self.aligned_of(block)
        for page in drawn.sample(sorted(book.valid), min(count, len(book.valid))):
            before = self.rank(aligned)
            self.mapping.set(self.blocks.spare.get(block * self.pages + page), -1)
            self.blocks.invalidate(block * self.pages + page)
            book.valid.remove(page)
            if aligned in self.all_in("full") and self.rank(aligned) != before:
                self.tick(self.touched, aligned=aligned)

    def collect(self, aligned):
        if aligned not in self.all_in("full"):
            with pytest.raises(FlashError, match="only a full block can be collected"):
                self.blocks.collect(self.numbers[aligned])
            return
        self.blocks.collect(self.numbers[aligned])
        for book in self.of(aligned):
            book.state = "collecting"

    def erase(self, block):
        book, aligned = self.books[block], self.aligned_of(block)
        if book.state != "collecting" or book.valid or book.readers:
            with pytest.raises(FlashError, match=f"block {block} was erased while {book.state}"):
                self.blocks.erase(block)
            return
        self.blocks.erase(block)
        book.state, book.written, book.programmed = "free", 0, 0
        book.erases += 1
        if aligned in self.all_in("free"):
            self.free[aligned[0]].append(aligned)

    @rule(data=st.data())
    def take_some(self, data):
        self.take(data.draw(st.integers(0, self.units - 1)))

    @rule(data=st.data(), what=st.sampled_from(["write", "program"]), count=COUNTS)
    def write_or_program_some(self, data, what, count):
        active = [block for block, book in enumerate(self.books) if book.state == "active"]
        if active:
            getattr(self, what)(data.draw(st.sampled_from(active)), count)

    @rule(data=st.data(), count=COUNTS, drawn=RANDOMS)
    def invalidate_some(self, data, count, drawn):
        self.invalidate(data.draw(st.integers(0, len(self.books) - 1)), count, drawn)

    @rule(data=st.data())
    def collect_some(self, data):
        self.collect(data.draw(st.sampled_from(sorted(self.members))))

    @rule(data=st.data())
    def erase_or_read_some(self, data):
        block = data.draw(st.integers(0, len(self.books) - 1))
        self.erase(block)
        book = self.books[block]
        (self.blocks.remove_reader if book.readers else self.blocks.add_reader)(block)
        book.readers = 1 - book.readers

    @rule(data=st.data(), drawn=RANDOMS)
    def live_a_life(self, data, drawn):
        """Write what is free full, rewrite some of it, and collect and erase aligned blocks, if not all of them."""
        self.take(data.draw(st.integers(0, self.units - 1)))
        for aligned in self.all_in("active"):
            for block in self.members[aligned]:
                self.write(block, self.pages)
                self.program(block, self.pages)
                self.invalidate(block, drawn.randrange(self.pages + 1), drawn)
        aligned = data.draw(st.sampled_from(sorted(self.members)))
        self.collect(aligned)
        for block in drawn.sample(self.members[aligned], drawn.randrange(self.span + 1)):
            self.invalidate(block, self.pages, drawn)
            self.erase(block)

    @invariant()
    def the_books_agree(self):
        assert recount(self.blocks, self.mapping) is None
        for name in ("written", "programmed", "erases", "readers"):
            assert self.blocks.column(name).tolist() == [getattr(book, name) for book in self.books]
        assert self.blocks.column("valid").tolist() == [len(book.valid) for book in self.books]
        assert [STATES[state] for state in self.blocks.column("state")] == [book.state for book in self.books]

    @invariant()
    def the_numbers_agree(self):
        for aligned, members in self.members.items():
            assert [self.blocks.member(self.numbers[aligned], place) for place in range(self.span)] == members
            assert {self.blocks.aligned_of(block) for block in members} == {self.numbers[aligned]}
            assert {self.blocks.unit_of(block) for block in members} == {aligned[0]}

    @invariant()
    def the_counts_of_a_unit_agree(self):
        unused = 0
        for unit, free in enumerate(self.free):
            mine = [aligned for aligned in self.members if aligned[0] == unit]
            open_pages = [
                self.pages - book.written
                for aligned in mine
                for book in self.of(aligned)
                if book.state in ("active", "full") or aligned in free
            ]
            full = [aligned for aligned in mine if aligned in self.all_in("full")]
            dead = sum(self.pages - len(book.valid) for aligned in full for book in self.of(aligned))
            assert self.blocks.free_blocks(unit) == len(free)
            assert self.blocks.free_pages(unit) == sum(open_pages)
            assert self.blocks.dead_pages(unit) == dead
            unused += sum(open_pages)
        assert self.blocks.free_of_type(0) == unused

    @invariant()
    def the_index_ranks_the_full_ones(self):
        for unit in range(self.units):
            full = [aligned for aligned in self.all_in("full") if aligned[0] == unit]
            held = dict(self.index.holdings(unit))
            assert set(held) == {self.numbers[aligned] for aligned in full}
            if isinstance(self.index, FillOrder):
                oldest = min(full, key=self.filled.get, default=None)
                assert self.index.oldest(unit) == self.numbers.get(oldest, -1)
                continue
            assert held == {self.numbers[aligned]: self.rank(aligned) for aligned in full}
            if isinstance(self.index, ValidCountBuckets):
                best = min(full, key=lambda each: (self.rank(each), self.touched[each]), default=None)
                assert self.index.least_valid(unit) == self.numbers.get(best, -1)


TestAlignedBlocks = AlignedMachine.TestCase


@pytest.mark.parametrize(("by_least", "expected"), [(False, 1), (True, 0)])
def test_ranking_by_the_least_valid_block_takes_its_twins_along_whatever_they_hold(by_least, expected):
    """Of aligned blocks with 0 and 4 valid pages, and with 1 and 1: TwinBlk chooses the first, SPD the second."""
    index = ValidCountBuckets(1, 2, 8)
    blocks = Blocks(2, 2, 4, index, span=2, by_least=by_least)
    for offset, kept in enumerate([(0, 4), (1, 1)]):
        blocks.take_free(0)
        for place, valid in enumerate(kept):
            for page in range(4):
                ppa = blocks.append(blocks.member(offset, place), page)
                blocks.program(ppa)
                if page >= valid:
                    blocks.invalidate(ppa)
    assert index.least_valid(0) == expected


def test_none_of_aligned_blocks_may_be_erased_while_one_is_awaited():
    """Blocks 0 and 2 are aligned, and so are 1 and 3."""
    blocks = Blocks(2, 2, 1, span=2)
    blocks.add_reader(2)
    assert [blocks.may_erase(block) for block in range(4)] == [False, True, False, True]
    blocks.remove_reader(2)
    assert all(blocks.may_erase(block) for block in range(4))


@pytest.mark.parametrize(("rounds", "free"), [((1, 0, 0, 0), 2), ((0, 0, 255, 0), 2), ((0, 0, 0, 0), 1)])
def test_an_erase_that_a_loss_of_power_cut_short_is_finished(rounds, free):
    """Block 2 still holds a page, which a trim may have been about; if block 0 was erased, so is block 2."""
    blocks = Blocks(2, 2, 1, span=2)
    spare, mapping = IndexTable(4), IndexTable(1)
    spare.set(2, 0)
    programmed = np.zeros((4, 4), np.uint16)
    programmed[2, 0] = 1
    take_cells(
        blocks, spare, programmed, np.array([5, 0, 3, 0], np.int32), np.array(rounds, np.uint8), np.zeros(4, np.uint8)
    )
    held, nothing = np.array([0, 0, 1, 0]), np.zeros(0, np.int64)
    _, erased = Rebuild(blocks, mapping, held, held, nothing, {}).run()
    assert erased == ([2] if free == 2 else [])
    assert (blocks.free_blocks(0), mapping.get(0)) == (free, -1 if free == 2 else 2)
    assert (blocks.erases(0), blocks.erases(2), blocks.wear(0)) == (5, 3 + (free == 2), 5)


def test_aligned_blocks_that_are_set_aside_are_erased_one_by_one_and_given_back_together():
    """Of two planes of two blocks of one page each."""
    blocks = Blocks(2, 2, 1, span=2)
    aside = blocks.set_aside(0)
    assert (aside, blocks.free_blocks(0), blocks.free_pages(0), blocks.free_of_type(0)) == (0, 1, 2, 2)
    blocks.program(blocks.hand_out(2, 0, -1))
    with pytest.raises(FlashError, match="not erased"):
        blocks.give_back(0)
    blocks.erase(2)
    assert [STATES[blocks.state(block)] for block in range(4)] == ["set aside", "free", "set aside", "free"]
    blocks.give_back(0)
    assert (blocks.free_blocks(0), blocks.free_pages(0), blocks.erases(0), blocks.erases(2)) == (2, 4, 0, 1)
    assert recount(blocks, IndexTable(1)) is None
    with pytest.raises(FlashError, match="not set aside"):
        blocks.give_back(0)


def test_blocks_that_were_set_aside_hold_data_after_a_loss_of_power_whatever_their_erases():
    """Block 1 was erased more often than block 0; both hold a page of data now."""
    blocks = Blocks(2, 1, 1, span=2)
    for _ in range(2):
        assert blocks.set_aside(0) == 0
        blocks.program(blocks.hand_out(1, 0, -1))
        blocks.erase(1)
        blocks.give_back(0)
    blocks.take_free(0)
    for lpa, block in enumerate((0, 1)):
        blocks.program(blocks.append(block, lpa))
    again = Blocks(2, 1, 1, span=2)
    take_cells(again, blocks.spare, *programmed_pages(blocks))
    versions = np.array([1, 1])
    mapping = IndexTable(2)
    _, erased = Rebuild(again, mapping, versions, versions, np.zeros(0, np.int64), {}).run()
    assert (erased, mapping.get(0), mapping.get(1)) == ([], 0, 1)
    assert (again.erases(0), again.erases(1)) == (0, 2)
