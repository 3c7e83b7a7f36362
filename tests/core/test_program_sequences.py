"""flexFTL's program sequences: what FPS and RPS accept and refuse, and what a full wordline suffers under them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.papers.flexftl import beside_full
from ssdsim._core.cells import first_illegal
from ssdsim._core.program_order import ProgramOrder
from support.program_rules import RuleBook

RULES = ["strict", "relaxed", "fps", "rps"]
each_rule = pytest.mark.parametrize("rule", RULES)
SHAPES = st.tuples(st.integers(1, 24), st.integers(1, 4))
"""Wordlines, and types."""
WEIGHTS = st.lists(st.sampled_from([1, 10, 1000]), min_size=4, max_size=4)
"""How much a random order prefers pages of each type."""
SEEDS = st.integers(0, 2**32)


def numbers(order, names):
    """Return pages by number; `L1` is the LSB page of wordline 1."""
    return [order.page_of(int(name[1:]), "LM".index(name[0])) for name in names.split()]


def legal(book, weights, seed):
    """Return a random complete order that `book` allows, by legal steps."""
    drawn, done, sequence = random.Random(seed), set(), []
    while allowed := book.allowed(done):
        page = drawn.choices(allowed, [weights[page_type] for _, page_type in allowed])[0]
        done.add(page)
        sequence.append(book.number[page])
    return sequence


def shuffled(book, seed):
    """Return the pages in any order."""
    return random.Random(seed).sample(range(len(book.pages)), len(book.pages))


def test_the_order_of_figure_2b_is_the_only_one_that_fps_allows():
    order = ProgramOrder(5, 2, "fps")
    figure = numbers(order, "L0 L1 M0 L2 M1 L3 M2 L4 M3 M4")
    for place, page in enumerate(figure):
        legal_here = [each for each in range(10) if first_illegal(order, [*figure[:place], each]) < 0]
        assert legal_here == [page]


@pytest.mark.parametrize("rule", ["rps", "relaxed"])
@pytest.mark.parametrize(
    "names",
    [
        "L0 L1 L2 L3 L4 L5 L6 L7 M0 M1 M2 M3 M4 M5 M6 M7",
        "L0 L1 L2 L3 M0 L4 M1 L5 M2 L6 M3 L7 M4 M5 M6 M7",
        "L0 L1 M0 L2 L3 L4 M1 M2 M3 L5 M4 L6 L7 M5 M6 M7",
    ],
    ids=["RPS_full", "RPS_half", "neither"],
)
def test_rps_accepts_the_orders_of_figure_3(rule, names):
    order = ProgramOrder(8, 2, rule)
    sequence = numbers(order, names)
    assert sorted(sequence) == list(range(16))
    assert first_illegal(order, sequence) == -1
    assert beside_full(order, sequence) == [1] * 7 + [0]
    assert first_illegal(ProgramOrder(8, 2, "fps"), sequence) >= 0


@each_rule
@given(shape=SHAPES, weights=WEIGHTS, seed=SEEDS, data=st.data())
def test_the_first_illegal_page_is_the_first_that_the_paper_refuses(rule, shape, weights, seed, data):
    """In a legal order with a page put somewhere else, twice, or out of nowhere."""
    order, book = ProgramOrder(*shape, rule), RuleBook(rule, *shape)
    sequence = legal(book, weights, seed)
    for _ in range(data.draw(st.integers(0, 2))):
        page = data.draw(st.sampled_from(sequence) | st.integers(-2, order.pages + 1))
        if data.draw(st.booleans()) and page in sequence:
            sequence.remove(page)
        sequence.insert(data.draw(st.integers(0, len(sequence))), page)
    done, refused = set(), -1
    for place, number in enumerate(sequence):
        if not 0 <= number < order.pages or not book.allows(done, book.pages[number]):
            refused = place
            break
        done.add(book.pages[number])
    assert first_illegal(order, sequence) == refused
    assert first_illegal(order, iter(sequence)) == refused


@given(SHAPES, SEEDS)
def test_aggressors_are_what_comes_beside_a_wordline_after_its_last_page(shape, seed):
    order, book = ProgramOrder(*shape), RuleBook("strict", *shape)
    sequence = shuffled(book, seed)
    lines = [book.pages[number][0] for number in sequence]
    expected = []
    for wordline in range(order.wordlines):
        full = len(lines) - lines[::-1].index(wordline)
        expected.append(sum(abs(beside - wordline) == 1 for beside in lines[full:]))
    assert beside_full(order, sequence) == expected
