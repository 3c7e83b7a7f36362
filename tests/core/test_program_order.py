"""Program-order rules: the figures of the PA-SSD paper, and all tables against the rules as the papers word them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.blocks import Blocks
from ssdsim._core.cells import first_illegal
from ssdsim._core.program_order import ProgramOrder, diagonal_order
from ssdsim.errors import FlashError
from support.program_rules import RuleBook

LSB, CSB, MSB = range(3)
FIGURE_8 = {LSB: [0, 1, 3, 6, 9, 12], CSB: [2, 4, 7, 10, 13, 15], MSB: [5, 8, 11, 14, 16, 17]}
WORDLINES = st.integers(1, 64)
WALKS = {
    "wordlines": WORDLINES,
    "weights": st.lists(st.sampled_from([1, 10, 1000]), min_size=4, max_size=4),
    "seed": st.integers(0, 2**32),
}
"""A block, and a random order that prefers some types; a weight of 1000 means nearly always."""

each_type_count = pytest.mark.parametrize("types", [1, 2, 3, 4])
each_rule = pytest.mark.parametrize("rule", ["strict", "relaxed", "fps", "rps"])


def one_block(wordlines, types, rule):
    """Return `Blocks` with one block, which is active."""
    blocks = Blocks(1, 1, wordlines * types, order=ProgramOrder(wordlines, types, rule))
    blocks.take_free(0)
    return blocks


def candidates(blocks, types):
    """Return by type the page that can be handed out next."""
    found = {page_type: blocks.candidate(0, page_type) for page_type in range(types)}
    return {page_type: page for page_type, page in found.items() if page >= 0}


def program(blocks, page):
    blocks.hand_out(0, page, 0)
    blocks.program(page)


def walk(blocks, types, weights, seed, steps):
    """Program so many pages in a random order that the block itself offers, yielding each page."""
    drawn = random.Random(seed)
    for _ in range(steps):
        offered = candidates(blocks, types)
        page = offered[drawn.choices(list(offered), [weights[page_type] for page_type in offered])[0]]
        program(blocks, page)
        yield page


@each_type_count
@given(wordlines=st.integers(1, 40), seed=st.integers(0, 2**32))
def test_the_free_rule_takes_each_page_once_that_was_handed_out(types, wordlines, seed):
    """Pages are handed out in order, some are programmed, then the rest, in any order, and some of them twice."""
    drawn, blocks = random.Random(seed), one_block(wordlines, types, "free")
    handed = [blocks.append(0, lpa) for lpa in range(drawn.randint(0, blocks.pages_per_block))]
    done = drawn.sample(handed, drawn.randint(0, len(handed)))
    for page in done:
        assert blocks.cells.may_program(0, page)
        blocks.program(page)
    assert [page for page in range(blocks.pages_per_block) if blocks.is_programmed(page)] == sorted(done)
    for page in [*done[:3], *range(len(handed), blocks.pages_per_block)][:5]:
        with pytest.raises(FlashError, match="twice, or without being handed out"):
            blocks.program(page)
    handed += [blocks.append(0, lpa) for lpa in range(len(handed), blocks.pages_per_block)]
    for page in drawn.sample(handed, len(handed)):
        if page not in done:
            blocks.program(page)
        blocks.invalidate(page)
    assert blocks.column("programmed")[0] == blocks.pages_per_block
    blocks.collect(0)
    blocks.erase(0)
    blocks.take_free(0)
    assert not any(blocks.is_programmed(page) for page in handed)
    assert first_illegal(blocks.order, reversed(range(blocks.pages_per_block))) == -1
    assert first_illegal(blocks.order, [*done, *done[:1]]) == (len(done) if done else -1)
    assert first_illegal(blocks.order, [*done, -1]) == len(done)


@each_rule
def test_six_wordlines_are_numbered_as_in_figure_8(rule):
    order = ProgramOrder(6, 3, rule)
    for page_type, numbers in FIGURE_8.items():
        assert [order.page_of(wordline, page_type) for wordline in range(6)] == numbers


@given(st.integers(1, 40), st.integers(1, 4))
def test_every_page_once_and_never_before_what_it_needs(wordlines, bits):
    order = diagonal_order(wordlines, bits)
    assert sorted(order) == [(line, bit) for line in range(wordlines) for bit in range(bits)]
    place = {page: at for at, page in enumerate(order)}
    for line, bit in order:
        if bit:
            assert place[line, bit - 1] < place[line, bit]
            if line + 1 < wordlines:  # the neighbour's lower bit comes first, so that this one is disturbed no more
                assert place[line + 1, bit - 1] < place[line, bit]
        if line:
            assert place[line - 1, bit] < place[line, bit]


@pytest.mark.parametrize(
    ("programmed", "expected"),
    [
        ((3, 2, 1), {LSB: 6}),
        ((4, 2, 1), {LSB: 9, CSB: 7}),
        ((4, 3, 1), {LSB: 9, MSB: 8}),
        ((5, 3, 1), {LSB: 12, CSB: 10, MSB: 8}),
        ((6, 3, 1), {CSB: 10, MSB: 8}),
        ((6, 6, 1), {MSB: 8}),
    ],
    ids=list("abcdef"),
)
def test_the_candidates_of_figure_8(programmed, expected):
    """Each case by its numbers of LSB, CSB and MSB pages programmed."""
    blocks = one_block(6, 3, "relaxed")
    for page_type, count in enumerate(programmed):
        for page in FIGURE_8[page_type][:count]:
            program(blocks, page)
    assert candidates(blocks, 3) == expected


@each_rule
@each_type_count
@given(steps=st.integers(0, 255), **WALKS)
def test_what_may_be_programmed_is_what_the_papers_say(rule, types, wordlines, weights, seed, steps):
    """After so many steps of a random legal order; pages handed out and pages programmed follow one rule."""
    book, blocks = RuleBook(rule, wordlines, types), one_block(wordlines, types, rule)
    done = {book.pages[page] for page in walk(blocks, types, weights, seed, steps % (wordlines * types))}
    allowed = {book.number[page] for page in book.allowed(done)}
    assert {page for page in range(wordlines * types) if blocks.cells.may_program(0, page)} == allowed
    assert set(candidates(blocks, types).values()) == allowed
    for page in set(range(wordlines * types)) - allowed:
        with pytest.raises(FlashError):
            blocks.program(page)


@pytest.mark.parametrize(
    ("rule", "before", "page", "text"),
    [
        ("relaxed", [0], 2, r"block 1: page 2 \(CSB of wordline 0\) was programmed out of order"),
        ("relaxed", [0], 3, r"block 1: page 3 \(LSB of wordline 2\) was programmed out of order"),
    ],
    ids=["neighbour missing", "one left out"],
)
def test_an_illegal_program_is_an_error_that_says_where_and_why(rule, before, page, text):
    blocks = Blocks(1, 2, 18, order=ProgramOrder(6, 3, rule))
    blocks.take_free(0)
    block = blocks.take_free(0)
    for each in before:
        blocks.program(blocks.hand_out(block, each, 0))
    if page not in before:
        blocks.hand_out(block, page, 0)
    with pytest.raises(FlashError, match=text):
        blocks.program(block * 18 + page)
    assert blocks.column("programmed")[block] == len(before)
