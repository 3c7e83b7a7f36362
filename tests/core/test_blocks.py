"""`Blocks` and every victim index against the same books kept in plain Python, in step."""

import random

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ssdsim._core.blocks import STATES, Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.recount import recount
from ssdsim._core.table import IndexTable
from ssdsim._core.victim_index import FillOrder, FullBlocks, ValidCountBuckets
from ssdsim.errors import FlashError
from support.program_rules import RuleBook

INDEXES = [ValidCountBuckets, FillOrder, FullBlocks]
COUNTS = st.integers(1, 70)
RANDOMS = st.integers(0, 2**32).map(random.Random)


class Books:
    """One block, as a model: the pages handed out, the valid ones of these, and those programmed."""

    def __init__(self):
        self.state, self.erases, self.readers = "free", 0, 0
        self.written, self.valid, self.programmed = set(), set(), set()
        self.filled = self.touched = 0


def with_blocks(*states):
    """Leave a rule out while no block is in one of the states."""
    return precondition(lambda machine: machine.of_state(*states))


class BlocksMachine(RuleBasedStateMachine):
    """Hand out, program, invalidate, collect, reclaim and erase in any order allowed, and try some that are not.

    Pages are (wordline, type) here and numbers there; `pages` is how many a block has.
    """

    @initialize(
        planes=st.integers(1, 2),
        blocks=st.integers(1, 4),
        types=st.integers(1, 4),
        wordlines=st.sampled_from([1, 2, 3, 5, 66]),
        program_rule=st.sampled_from(["strict", "relaxed"]),
        index=st.sampled_from(INDEXES),
        least_worn=st.booleans(),
    )
    def build(self, planes, blocks, types, wordlines, program_rule, index, least_worn):
        self.types, self.least_worn = types, least_worn
        self.wordlines = min(wordlines, 66 // types)  # up to more pages than a word of the bitmap has bits
        self.pages, self.rules = self.wordlines * types, RuleBook(program_rule, self.wordlines, types)
        self.index = index(planes, blocks, self.pages)
        order = ProgramOrder(self.wordlines, types, program_rule)
        self.blocks = Blocks(planes, blocks, self.pages, self.index, least_worn, order)
        self.books = [Books() for _ in range(planes * blocks)]
        self.free = [list(range(plane * blocks, (plane + 1) * blocks)) for plane in range(planes)]
        self.mapping = IndexTable(self.blocks.pages)
        self.lpas = iter(range(10**9))
        self.clock = self.wasted = 0

    def of_state(self, *states):
        return [block for block, book in enumerate(self.books) if book.state in states]

    def pick(self, data, *states):
        """Draw a block of one of the states, or any."""
        return data.draw(st.sampled_from(self.of_state(*states or STATES)))

    def ppa(self, block, page):
        return block * self.pages + self.rules.number[page]

    def given_to(self, block, page, ppa, lpa):
        """Write down that `page` was handed out for `lpa`."""
        assert ppa == self.ppa(block, page)
        assert self.blocks.spare.get(ppa) == lpa
        self.mapping.set(lpa, ppa)
        self.books[block].written.add(page)
        self.books[block].valid.add(page)

    def unmapped(self):
        return next(lpa for lpa in (each % self.blocks.pages for each in self.lpas) if self.mapping.get(lpa) < 0)

    def take(self, plane):
        free = self.free[plane]
        expected = -1
        if free:
            expected = min(free, key=lambda block: self.books[block].erases) if self.least_worn else free[0]
            free.remove(expected)
            self.books[expected].state = "active"
        assert self.blocks.take_free(plane) == expected

    def hand_out(self, block, count, drawn):
        """Hand out pages of the types that chance asks for, where the rule has one."""
        book = self.books[block]
        for _ in range(count):
            wanted = drawn.randrange(self.types)
            candidates = [page for page in self.rules.allowed(book.written) if page[1] == wanted]
            number = self.blocks.candidate(block, wanted)
            assert [number] == ([self.rules.number[page] for page in candidates] or [-1])
            if candidates:
                lpa = self.unmapped()
                self.given_to(block, candidates[0], self.blocks.hand_out(block, number, lpa), lpa)

    def program(self, block, count, drawn):
        """Program pages that were handed out, in any order that the rule has."""
        book = self.books[block]
        for _ in range(count):
            ready = [page for page in self.rules.allowed(book.programmed) if page in book.written]
            if ready:
                page = drawn.choice(ready)
                self.blocks.program(self.ppa(block, page))
                book.programmed.add(page)
        if len(book.programmed) == self.pages:
            book.state = "full"
            self.clock += 1
            book.filled = book.touched = self.clock

    def invalidate(self, block, count, drawn):
        book = self.books[block]
        for page in drawn.sample(sorted(book.valid), min(count, len(book.valid))):
            self.mapping.set(self.blocks.spare.get(self.ppa(block, page)), -1)
            self.blocks.invalidate(self.ppa(block, page))
            book.valid.remove(page)
            if book.state == "full":
                self.clock += 1
                book.touched = self.clock

    def collect(self, block):
        book = self.books[block]
        if book.state != "full":
            with pytest.raises(FlashError, match="only a full block can be collected"):
                self.blocks.collect(block)
            return
        self.blocks.collect(block)
        book.state = "collecting"

    def keep(self, block):
        book = self.books[block]
        if book.state != "collecting" or len(book.written) < self.pages:
            with pytest.raises(FlashError, match=f"block {block} was not taken for collection as a full block"):
                self.blocks.keep(block)
            return
        self.blocks.keep(block)
        book.state = "full"
        self.clock += 1
        book.filled = book.touched = self.clock

    def reclaim(self, block):
        book = self.books[block]
        pending = len(book.written - book.programmed)
        if book.state != "active" or pending:
            with pytest.raises(FlashError, match=f"block {block} is {book.state} with {pending} programs on their way"):
                self.blocks.reclaim(block)
            return
        self.blocks.reclaim(block)
        book.state = "collecting"
        self.wasted += self.pages - len(book.written)

    def erase(self, block):
        book = self.books[block]
        if book.state != "collecting" or book.valid or book.readers:
            with pytest.raises(FlashError, match=f"block {block} was erased while {book.state}"):
                self.blocks.erase(block)
            return
        self.blocks.erase(block)
        book.state = "free"
        book.written, book.programmed = set(), set()
        book.erases += 1
        self.free[self.blocks.plane_of(block)].append(block)

    @rule(data=st.data())
    def take_a_block(self, data):
        self.take(data.draw(st.integers(0, self.blocks.planes - 1)))

    @with_blocks("active")
    @rule(data=st.data(), count=COUNTS)
    def append(self, data, count):
        """Hand out pages in the order of their numbers, in a block that has been filled that way."""
        block = self.pick(data, "active")
        written = len(self.books[block].written)
        if self.books[block].written != set(self.rules.pages[:written]):
            return
        for page in self.rules.pages[written:][:count]:
            lpa = self.unmapped()
            self.given_to(block, page, self.blocks.append(block, lpa), lpa)

    @with_blocks("active")
    @rule(data=st.data(), what=st.sampled_from(["hand_out", "program"]), count=COUNTS, random=RANDOMS)
    def hand_out_or_program_some(self, data, what, count, random):
        getattr(self, what)(self.pick(data, "active"), count, random)

    @with_blocks("active", "full", "collecting")
    @rule(data=st.data(), count=COUNTS, random=RANDOMS)
    def invalidate_some(self, data, count, random):
        self.invalidate(self.pick(data, "active", "full", "collecting"), count, random)

    @rule(data=st.data(), what=st.sampled_from(["collect", "keep", "reclaim", "erase"]))
    def collect_keep_reclaim_or_erase(self, data, what):
        getattr(self, what)(self.pick(data))

    @rule(data=st.data(), random=RANDOMS)
    def live_a_life(self, data, random):
        """Take what is free, write to it here and there, and collect and erase one of the blocks written."""
        self.take(data.draw(st.integers(0, self.blocks.planes - 1)))
        for block in self.of_state("active"):
            for _ in range(random.randrange(8)):
                self.hand_out(block, random.randrange(self.pages + 1), random)
                self.program(block, random.randrange(self.pages + 1), random)
        block = self.pick(data)
        self.invalidate(block, self.pages, random)
        self.collect(block) if self.books[block].state == "full" else self.reclaim(block)
        self.erase(block)

    @rule(data=st.data())
    def program_out_of_order(self, data):
        block, number = self.pick(data), data.draw(st.integers(0, self.pages - 1))
        book, page = self.books[block], self.rules.pages[number]
        allowed = self.rules.allows(book.programmed, page)
        assert self.blocks.may_program(block, number) == allowed
        if not allowed or page not in book.written:
            with pytest.raises(FlashError, match=rf"block {block}: page {number} .* was programmed out of order"):
                self.blocks.program(self.ppa(block, page))

    @rule(data=st.data())
    def read(self, data):
        block = self.pick(data)
        book = self.books[block]
        change = self.blocks.remove_reader if book.readers else self.blocks.add_reader
        change(block)
        book.readers = 1 - book.readers

    @invariant()
    def the_books_agree(self):
        assert recount(self.blocks, self.mapping) is None
        for name in ("valid", "written", "programmed"):
            assert self.blocks.column(name).tolist() == [len(getattr(book, name)) for book in self.books]
        for name in ("erases", "readers"):
            assert self.blocks.column(name).tolist() == [getattr(book, name) for book in self.books]
        assert [STATES[state] for state in self.blocks.column("state")] == [book.state for book in self.books]

    @invariant()
    def the_pages_agree(self):
        numbers = range(self.pages)
        for block, book in enumerate(self.books):
            valid = sorted(self.rules.number[page] for page in book.valid)
            for start in {0, self.pages // 2, self.pages - 1, *valid}:
                following = next((number for number in valid if number >= start), -1)
                assert self.blocks.next_valid(block, start) == following
            assert [n for n in numbers if self.blocks.is_valid(block * self.pages + n)] == valid
            programmed = {page for page in self.rules.pages if self.blocks.is_programmed(self.ppa(block, page))}
            assert programmed == book.programmed

    @invariant()
    def the_counts_by_type_agree(self):
        unused = [0] * self.types
        for block, book in enumerate(self.books):
            for page_type in range(self.types):
                left = self.wordlines - sum(page[1] == page_type for page in book.written)
                assert self.blocks.unwritten_of(block, page_type) == left
                unused[page_type] += 0 if book.state == "collecting" else left
        assert [self.blocks.free_of_type(page_type) for page_type in range(self.types)] == unused
        assert self.blocks.wasted == self.wasted
        last = self.blocks.pages - self.pages
        assert [self.blocks.type_of(last + n) for n in range(self.pages)] == [page[1] for page in self.rules.pages]

    @invariant()
    def the_counts_of_a_plane_agree(self):
        for plane, free in enumerate(self.free):
            first = plane * self.blocks.blocks_per_plane
            books = self.books[first : first + self.blocks.blocks_per_plane]
            unused = sum(self.pages - len(book.written) for book in books if book.state != "collecting")
            assert self.blocks.free_blocks(plane) == len(free)
            assert self.blocks.free_pages(plane) == unused
            full = [book for book in books if book.state == "full"]
            assert self.blocks.dead_pages(plane) == sum(self.pages - len(book.valid) for book in full)

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
                assert all(self.index.valid(b) == len(self.books[b].valid) for b in full)
            else:
                self.check_buckets(plane, full)

    def check_buckets(self, plane, full):
        def age(block):
            return self.clock - self.books[block].touched

        def valid(block):
            return len(self.books[block].valid)

        def score(block):
            used = valid(block)
            return age(block) * (self.pages - used) / (2 * used) if used else float("inf")

        assert self.index.least_valid(plane) == min(full, key=lambda b: (valid(b), -age(b)), default=-1)
        assert self.index.lowest_least_valid(plane) == min(full, key=lambda b: (valid(b), b), default=-1)
        best = self.index.best_cost_benefit(plane)
        assert (best >= 0) == bool(full)
        assert best < 0 or score(best) == max(map(score, full))


TestBlocks = BlocksMachine.TestCase
