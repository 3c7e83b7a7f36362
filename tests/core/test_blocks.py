"""`Blocks` and every victim index against the same books kept in plain Python, in step."""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ssdsim._core.blocks import STATES, Blocks
from ssdsim._core.fill import recount
from ssdsim._core.table import IndexTable
from ssdsim._core.victim_index import FillOrder, FullBlocks, ValidCountBuckets, VictimIndex
from ssdsim.errors import FlashError

INDEXES = [ValidCountBuckets, FillOrder, FullBlocks]


class Books:
    """One block, as a model: the pages handed out, whether each is valid, and how many are programmed."""

    def __init__(self):
        self.state, self.valid, self.programmed, self.erases, self.readers = "free", [], 0, 0, 0
        self.filled = self.touched = 0


class BlocksMachine(RuleBasedStateMachine):
    """Hand out, program, invalidate, collect and erase in any order that is allowed, and try some that are not."""

    @initialize(
        planes=st.integers(1, 3),
        blocks=st.integers(1, 6),
        pages=st.sampled_from([1, 2, 3, 64, 65]),
        index=st.sampled_from(INDEXES),
        least_worn=st.booleans(),
    )
    def build(self, planes, blocks, pages, index, least_worn):
        self.pages = pages
        self.index = index(planes, blocks, pages)
        self.blocks = Blocks(planes, blocks, pages, self.index, least_worn)
        self.books = [Books() for _ in range(planes * blocks)]
        self.free = [list(range(plane * blocks, (plane + 1) * blocks)) for plane in range(planes)]
        self.least_worn = least_worn
        self.mapping = IndexTable(self.blocks.pages, self.blocks.pages)
        self.lpas = iter(range(10**9))
        self.clock = 0

    def of_state(self, *states):
        return [block for block, book in enumerate(self.books) if book.state in states]

    def pick(self, data, blocks):
        return data.draw(st.sampled_from(blocks)) if blocks else None

    @rule(data=st.data())
    def take_free(self, data):
        plane = data.draw(st.integers(0, self.blocks.planes - 1))
        free = self.free[plane]
        expected = -1
        if free:
            expected = min(free, key=lambda block: self.books[block].erases) if self.least_worn else free[0]
            free.remove(expected)
            self.books[expected].state = "active"
        assert self.blocks.take_free(plane) == expected

    @rule(data=st.data(), count=st.integers(1, 70))
    def append(self, data, count):
        block = self.pick(data, [b for b in self.of_state("active") if len(self.books[b].valid) < self.pages])
        if block is None:
            return
        for _ in range(min(count, self.pages - len(self.books[block].valid))):
            lpa = next(self.lpas) % self.blocks.pages
            while self.mapping.get(lpa) >= 0:
                lpa = next(self.lpas) % self.blocks.pages
            ppa = self.blocks.append(block, lpa)
            assert ppa == block * self.pages + len(self.books[block].valid)
            assert self.blocks.spare.get(ppa) == lpa
            self.mapping.set(lpa, ppa)
            self.books[block].valid.append(True)

    @rule(data=st.data(), count=st.integers(1, 70))
    def program(self, data, count):
        block = self.pick(data, self.of_state("active"))
        if block is None:
            return
        book = self.books[block]
        for _ in range(min(count, len(book.valid) - book.programmed)):
            self.blocks.program(block * self.pages + book.programmed)
            book.programmed += 1
        if book.programmed == self.pages:
            book.state = "full"
            self.clock += 1
            book.filled = book.touched = self.clock

    @rule(data=st.data(), page=st.integers(0, 64))
    def program_out_of_order(self, data, page):
        block = self.pick(data, self.of_state("active", "full", "free"))
        if block is None or page >= self.pages:
            return
        book = self.books[block]
        if page != book.programmed or page >= len(book.valid):
            with pytest.raises(FlashError, match=f"page {page} was programmed out of order"):
                self.blocks.program(block * self.pages + page)

    @rule(data=st.data())
    def invalidate(self, data):
        candidates = [(b, p) for b, book in enumerate(self.books) for p, valid in enumerate(book.valid) if valid]
        chosen = self.pick(data, candidates)
        if chosen is None:
            return
        block, page = chosen
        ppa = block * self.pages + page
        self.mapping.set(self.blocks.spare.get(ppa), -1)
        self.blocks.invalidate(ppa)
        self.books[block].valid[page] = False
        if self.books[block].state == "full":
            self.clock += 1
            self.books[block].touched = self.clock

    @rule(data=st.data())
    def collect(self, data):
        block = self.pick(data, range(len(self.books)))
        if self.books[block].state != "full":
            with pytest.raises(FlashError, match="only a full block can be collected"):
                self.blocks.collect(block)
            return
        self.blocks.collect(block)
        self.books[block].state = "collecting"

    @rule(data=st.data())
    def erase(self, data):
        block = self.pick(data, range(len(self.books)))
        book = self.books[block]
        if book.state != "collecting" or any(book.valid) or book.readers:
            with pytest.raises(FlashError, match=f"block {block} was erased while {book.state}"):
                self.blocks.erase(block)
            return
        self.blocks.erase(block)
        book.state, book.valid, book.programmed = "free", [], 0
        book.erases += 1
        self.free[self.blocks.plane_of(block)].append(block)

    @rule(data=st.data())
    def read(self, data):
        block = self.pick(data, range(len(self.books)))
        book = self.books[block]
        if book.readers:
            self.blocks.remove_reader(block)
            book.readers -= 1
        else:
            self.blocks.add_reader(block)
            book.readers += 1

    @invariant()
    def the_books_agree(self):
        assert recount(self.blocks, self.mapping) is None
        assert self.blocks.column("valid").tolist() == [sum(book.valid) for book in self.books]
        assert self.blocks.column("written").tolist() == [len(book.valid) for book in self.books]
        assert self.blocks.column("programmed").tolist() == [book.programmed for book in self.books]
        assert self.blocks.column("erases").tolist() == [book.erases for book in self.books]
        assert [STATES[state] for state in self.blocks.column("state")] == [book.state for book in self.books]
        for block, book in enumerate(self.books):
            valid = [page for page, current in enumerate(book.valid) if current]
            for start in {0, self.pages // 2, self.pages - 1, *valid}:
                following = next((page for page in valid if page >= start), -1)
                assert self.blocks.next_valid(block, start) == following
            assert [self.blocks.is_valid(block * self.pages + p) for p in range(len(book.valid))] == book.valid

    @invariant()
    def the_counts_of_a_plane_agree(self):
        for plane, free in enumerate(self.free):
            first = plane * self.blocks.blocks_per_plane
            books = self.books[first : first + self.blocks.blocks_per_plane]
            assert self.blocks.free_blocks(plane) == len(free)
            assert self.blocks.free_pages(plane) == sum(self.pages - len(book.valid) for book in books)
            full = [book for book in books if book.state == "full"]
            assert self.blocks.dead_pages(plane) == sum(self.pages - sum(book.valid) for book in full)

    @invariant()
    def the_index_holds_the_full_blocks_and_chooses_well(self):
        for plane in range(self.blocks.planes):
            first = plane * self.blocks.blocks_per_plane
            full = [b for b in self.of_state("full") if 0 <= b - first < self.blocks.blocks_per_plane]
            held = {block for block, _ in self.index.holdings(plane)}
            assert held == set(full)
            if isinstance(self.index, FillOrder):
                assert self.index.oldest(plane) == min(full, key=lambda b: self.books[b].filled, default=-1)
            elif isinstance(self.index, FullBlocks):
                assert sorted(self.index.at(plane, i) for i in range(self.index.count(plane))) == full
                assert all(self.index.valid(b) == sum(self.books[b].valid) for b in full)
            else:
                self.check_buckets(plane, full)

    def check_buckets(self, plane, full):
        def age(block):
            return self.clock - self.books[block].touched

        def valid(block):
            return sum(self.books[block].valid)

        def score(block):
            used = valid(block)
            return age(block) * (self.pages - used) / (2 * used) if used else float("inf")

        assert self.index.least_valid(plane) == min(full, key=lambda b: (valid(b), -age(b)), default=-1)
        best = self.index.best_cost_benefit(plane)
        assert (best >= 0) == bool(full)
        assert best < 0 or score(best) == max(map(score, full))


TestBlocks = BlocksMachine.TestCase


def wear_out(blocks, times):
    """Use and erase `times` blocks, one after another, and return them."""
    used = []
    for _ in range(times):
        block = blocks.take_free(0)
        ppa = blocks.append(block, 0)
        blocks.program(ppa)
        blocks.invalidate(ppa)
        blocks.collect(block)
        blocks.erase(block)
        used.append(block)
    return used


@pytest.mark.parametrize("least_worn", [False, True])
def test_free_blocks_take_turns(least_worn):
    assert wear_out(Blocks(1, 3, 1, least_worn_first=least_worn), 7) == [0, 1, 2, 0, 1, 2, 0]


def test_the_least_worn_free_block_comes_first():
    blocks = Blocks(1, 3, 1, least_worn_first=True)
    kept = blocks.take_free(0)
    assert wear_out(blocks, 4) == [1, 2, 1, 2]
    ppa = blocks.append(kept, 0)
    blocks.program(ppa)
    blocks.invalidate(ppa)
    blocks.collect(kept)
    blocks.erase(kept)
    assert wear_out(blocks, 3) == [0, 1, 2]  # in order of release it would have come last


def test_without_an_index_nothing_is_held():
    assert VictimIndex().holdings(0) is None
    blocks = Blocks(2, 2, 2)
    assert recount(blocks, IndexTable(1, 8)) is None


@pytest.mark.parametrize("pages", [1, 63, 64, 65, 256])
def test_the_last_page_of_a_block_is_found(pages):
    blocks = Blocks(1, 1, pages)
    block = blocks.take_free(0)
    for page in range(pages):
        blocks.append(block, page)
        blocks.program(page)
    for page in range(pages - 1):
        blocks.invalidate(page)
    assert blocks.next_valid(block, 0) == pages - 1
    assert blocks.next_valid(block, pages) == -1
    assert np.count_nonzero([blocks.is_valid(page) for page in range(pages)]) == 1
