"""The theory against itself: published values, limits in which two models meet, and a simulation without ssdsim."""

import random
from math import e, exp, inf

import pytest

from support.closed_forms import d_choices, fifo, greedy, lambert_w, random_selection

LEVELS = [0.75, 0.85, 0.92]


@pytest.mark.parametrize("x", [-0.9999 / e, -0.3, -0.01, 0.0])
def test_lambert_w_inverts_w_exp_w(x):
    assert lambert_w(x) * exp(lambert_w(x)) == pytest.approx(x, abs=1e-13)
    assert lambert_w(x) > -1


def test_fifo_is_the_value_published_for_30_percent_over_provisioning():
    """X. Luojie and B. M. Kurkoski, "An improved analytic expression for write amplification", ICNC 2012: 2.36."""
    assert fifo(1 / 1.3) == pytest.approx(2.36, abs=0.005)


@pytest.mark.parametrize("utilization", LEVELS)
def test_one_choice_is_random_selection(utilization):
    assert d_choices(utilization, 64, 1) == pytest.approx(random_selection(utilization), rel=1e-9)


@pytest.mark.parametrize("utilization", LEVELS)
@pytest.mark.parametrize("pages", [32, 64, 128])
def test_all_choices_are_greedy(utilization, pages):
    assert d_choices(utilization, pages, inf) == pytest.approx(greedy(utilization, pages), rel=2e-3)


@pytest.mark.parametrize("choices", [1, 2, 8, inf])
def test_a_bare_simulation_of_full_blocks_agrees(choices):
    """Blocks, and the block each page is in; a victim's survivors stay in it and new data fills it up."""
    blocks, pages, utilization = 200, 16, 0.8
    draw = random.Random(5)
    where = [lpa % blocks for lpa in range(round(blocks * pages * utilization))]
    holds = [set(range(block, len(where), blocks)) for block in range(blocks)]
    moves = writes = 0
    for turn in range(40_000):
        candidates = range(blocks) if choices == inf else [draw.randrange(blocks) for _ in range(choices)]
        victim = min(candidates, key=lambda block: len(holds[block]))
        measured = turn >= 10_000
        moves += measured * len(holds[victim])
        for _ in range(pages - len(holds[victim])):
            lpa = draw.randrange(len(where))
            holds[where[lpa]].discard(lpa)
            holds[victim].add(lpa)
            where[lpa] = victim
            writes += measured
    assert 1 + moves / writes == pytest.approx(d_choices(utilization, pages, choices), rel=0.02)
