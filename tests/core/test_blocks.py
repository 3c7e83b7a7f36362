"""`Blocks` and every victim index against the same books kept in plain Python, in step."""

import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ssdsim._core.blocks import STATES, Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.recount import recount
from ssdsim._core.table import IndexTable
from ssdsim._core.victim_index import FillOrder, FullBlocks, ValidCountBuckets
from ssdsim.errors import FlashError
from support.program_rules import RuleBook

COUNTS = st.integers(1, 70)
RANDOMS = st.integers(0, 2**32).map(random.Random)


class Books:
    """One block, as a model: the pages handed out, the valid ones of these, and those programmed."""

    def __init__(self):
        self.state, self.erases, self.readers = "free", 0, 0
        self.written, self.valid, self.programmed = set(), set(), set()


def with_blocks(*states):
    """Leave a rule out while no block is in one of the states."""
    return precondition(lambda machine: machine.of_state(*states))


class BlocksMachine(RuleBasedStateMachine):
    """Hand out, program, invalidate, collect, reclaim and erase in any order allowed, and try some that are not.

    Pages are (wordline, type) here and numbers there; `pages` is how many a block has. A unit is a plane, or `span`
    planes whose blocks of the same offset are aligned: taken and collected together; `members` has them by number.
    """

    @initialize(
        units=st.integers(1, 2),
        span=st.sampled_from([1, 1, 2, 3]),
        blocks=st.integers(1, 4),
        types=st.integers(1, 4),
        wordlines=st.sampled_from([1, 2, 3, 5, 66]),
        program_rule=st.sampled_from(["strict", "relaxed"]),
        index=st.sampled_from([ValidCountBuckets, FillOrder, FullBlocks]),
        by_least=st.booleans(),
        least_worn=st.booleans(),
    )
    def build(self, units, span, blocks, types, wordlines, program_rule, index, by_least, least_worn):
        self.units, self.span, self.types, self.by_least, self.least_worn = units, span, types, by_least, least_worn
        self.wordlines = min(wordlines, 66 // types)  # up to more pages than a word of the bitmap has bits
        self.pages, self.rules = self.wordlines * types, RuleBook(program_rule, self.wordlines, types)
        self.index = index(units, blocks, self.pages * span)
        order = ProgramOrder(self.wordlines, types, program_rule)
        self.blocks = Blocks(units * span, blocks, self.pages, self.index, least_worn, order, span, by_least)
        self.books = [Books() for _ in range(units * span * blocks)]
        self.members = {
            unit * blocks + offset: [(unit * span + place) * blocks + offset for place in range(span)]
            for unit in range(units)
            for offset in range(blocks)
        }
        self.free = [list(range(unit * blocks, (unit + 1) * blocks)) for unit in range(units)]
        self.mapping = IndexTable(self.blocks.pages)
        self.lpas = iter(range(10**9))
        self.clock, self.filled, self.touched = 0, {}, {}
        self.wasted = 0

    def of_state(self, *states):
        return [block for block, book in enumerate(self.books) if book.state in states]

    def pick(self, data, *states):
        """Draw a block of one of the states, or any."""
        return data.draw(st.sampled_from(self.of_state(*states or STATES)))

    def of(self, aligned):
        return [self.books[block] for block in self.members[aligned]]

    def aligned_of(self, block):
        return next(aligned for aligned, members in self.members.items() if block in members)

    def all_in(self, state, unit=None):
        """Return the numbers of aligned blocks, of a unit or of all, that are all in one state."""
        numbers = self.members if unit is None else self.members.keys() & self.numbers_of(unit)
        return sorted(each for each in numbers if all(book.state == state for book in self.of(each)))

    def numbers_of(self, unit):
        return set(range(unit * self.blocks.blocks_per_plane, (unit + 1) * self.blocks.blocks_per_plane))

    def rank(self, aligned):
        return (min if self.by_least else sum)(len(book.valid) for book in self.of(aligned))

    def tick(self, aligned, *clocks):
        self.clock += 1
        for times in clocks:
            times[aligned] = self.clock

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

    def take(self, unit):
        free = self.free[unit]
        expected = -1
        if free:
            expected = min(free, key=lambda each: self.of(each)[0].erases) if self.least_worn else free[0]
            free.remove(expected)
            for book in self.of(expected):
                book.state = "active"
        assert self.blocks.take_free(unit) == expected

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
        if len(book.programmed) == self.pages and book.state == "active":
            book.state = "full"
            if self.aligned_of(block) in self.all_in("full"):
                self.tick(self.aligned_of(block), self.filled, self.touched)

    def invalidate(self, block, count, drawn):
        book, aligned = self.books[block], self.aligned_of(block)
        for page in drawn.sample(sorted(book.valid), min(count, len(book.valid))):
            before = self.rank(aligned)
            self.mapping.set(self.blocks.spare.get(self.ppa(block, page)), -1)
            self.blocks.invalidate(self.ppa(block, page))
            book.valid.remove(page)
            if aligned in self.all_in("full") and self.rank(aligned) != before:
                self.tick(aligned, self.touched)

    def collect(self, block):
        aligned = self.aligned_of(block)
        if aligned not in self.all_in("full"):
            with pytest.raises(FlashError, match="only a full block can be collected"):
                self.blocks.collect(aligned)
            return
        self.blocks.collect(aligned)
        for book in self.of(aligned):
            book.state = "collecting"

    def reclaim(self, block):
        book = self.books[block]
        pending = len(book.written - book.programmed)
        if self.span > 1:  # nor taken back before they are full
            return
        if book.state != "active" or pending:
            with pytest.raises(FlashError, match=f"block {block} is {book.state} with {pending} programs on their way"):
                self.blocks.reclaim(block)
            return
        self.blocks.reclaim(block)
        book.state = "collecting"
        self.wasted += self.pages - len(book.written)

    def erase(self, block):
        book, aligned = self.books[block], self.aligned_of(block)
        if book.state != "collecting" or book.valid or book.readers:
            with pytest.raises(FlashError, match=f"block {block} was erased while {book.state}"):
                self.blocks.erase(block)
            return
        self.blocks.erase(block)
        book.state = "free"
        book.written, book.programmed = set(), set()
        book.erases += 1
        if aligned in self.all_in("free"):
            self.free[aligned // self.blocks.blocks_per_plane].append(aligned)

    @rule(data=st.data())
    def take_a_block(self, data):
        self.take(data.draw(st.integers(0, self.units - 1)))

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

    @rule(data=st.data(), what=st.sampled_from(["collect", "reclaim", "erase"]))
    def collect_reclaim_or_erase(self, data, what):
        getattr(self, what)(self.pick(data))

    @rule(data=st.data(), random=RANDOMS)
    def live_a_life(self, data, random):
        """Take what is free, write to it here and there, and collect and erase some of the blocks written."""
        self.take(data.draw(st.integers(0, self.units - 1)))
        is_whole = random.random() < 0.6
        for block in self.of_state("active"):
            for _ in range(random.randrange(8)):
                self.hand_out(block, random.randrange(self.pages + 1), random)
                self.program(block, random.randrange(self.pages + 1), random)
            while is_whole and len(self.books[block].programmed) < self.pages:
                self.hand_out(block, self.pages, random)
                self.program(block, self.pages, random)
        for block in self.of_state("full"):
            self.invalidate(block, random.randrange(3), random)
        block = self.pick(data)
        self.collect(block) if self.aligned_of(block) in self.all_in("full") else self.reclaim(block)
        for each in random.sample(self.members[self.aligned_of(block)], random.randint(1, self.span)):
            self.invalidate(each, self.pages, random)
            self.erase(each)

    @rule(data=st.data())
    def program_out_of_order(self, data):
        block, number = self.pick(data), data.draw(st.integers(0, self.pages - 1))
        book, page = self.books[block], self.rules.pages[number]
        allowed = self.rules.allows(book.programmed, page)
        assert self.blocks.cells.may_program(block, number) == allowed
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
    def the_numbers_agree(self):
        for aligned, members in self.members.items():
            assert [self.blocks.member(aligned, place) for place in range(self.span)] == members
            awaited = any(book.readers for book in self.of(aligned))
            for block in members:
                assert self.blocks.aligned_of(block) == aligned and self.blocks.may_erase(block) != awaited
                assert self.blocks.unit_of(block) == aligned // self.blocks.blocks_per_plane

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
    def the_counts_agree(self):
        """Of unused pages by type and by unit, of free blocks, and of dead pages in full ones."""
        by_type = [0] * self.types
        for unit, free in enumerate(self.free):
            unused = 0
            for aligned in self.numbers_of(unit):
                for block in self.members[aligned]:
                    book = self.books[block]
                    is_open = book.state in ("active", "full") or aligned in free
                    unused += is_open * (self.pages - len(book.written))
                    for page_type in range(self.types):
                        left = self.wordlines - sum(page[1] == page_type for page in book.written)
                        assert self.blocks.unwritten_of(block, page_type) == left
                        by_type[page_type] += is_open * left
            dead = [self.pages - len(book.valid) for aligned in self.all_in("full", unit) for book in self.of(aligned)]
            counts = self.blocks.free_blocks(unit), self.blocks.free_pages(unit), self.blocks.dead_pages(unit)
            assert counts == (len(free), unused, sum(dead))
        assert [self.blocks.free_of_type(page_type) for page_type in range(self.types)] == by_type
        assert self.blocks.wasted == self.wasted
        last = self.blocks.pages - self.pages
        assert [self.blocks.type_of(last + n) for n in range(self.pages)] == [page[1] for page in self.rules.pages]

    @invariant()
    def the_index_holds_the_full_blocks_and_chooses_well(self):
        def age(aligned):
            return self.clock - self.touched[aligned]

        def score(aligned):
            used = self.rank(aligned)
            return age(aligned) * (self.pages * self.span - used) / (2 * used) if used else float("inf")

        for unit in range(self.units):
            full, index = self.all_in("full", unit), self.index
            if isinstance(index, FillOrder):
                assert index.oldest(unit) == min(full, key=self.filled.get, default=-1)
                continue
            if isinstance(index, FullBlocks):
                assert sorted(index.at(unit, i) for i in range(index.count(unit))) == full
                assert all(index.valid(aligned) == self.rank(aligned) for aligned in full)
                continue
            assert index.least_valid(unit) == min(full, key=lambda each: (self.rank(each), -age(each)), default=-1)
            assert index.lowest_least_valid(unit) == min(full, key=lambda each: (self.rank(each), each), default=-1)
            best = index.best_cost_benefit(unit)
            assert (best >= 0) == bool(full)
            assert best < 0 or score(best) == max(map(score, full))


TestBlocks = BlocksMachine.TestCase
TestBlocks.settings = settings(max_examples=2 * settings.default.max_examples)
