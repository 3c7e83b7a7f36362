"""TBM's two algorithms, step by step: the current page index, and equal-index pages that stay together."""

import pytest

from support.requests import GAP, write, writes
from support.rows import AT_LAST, ERASE_TWO, READ_TWO, WRITE_TWO, device, steps
from support.tiny_device import PAGE, READ_PAGE, WRITE_PAGE, merge

SIX_BLOCKS = {"blocks": 6, "logical": 8, "ftl": {"active_blocks": "shared", "gc": {"victim": "fifo"}}}


@pytest.mark.parametrize("bac", [False, True])
def test_algorithm_1_the_planes_of_a_die_take_turns_at_the_current_page_index(run, bac):
    """Whatever plane the pages' numbers stand for: 0, 2, 4 and 6 are all of plane 0's."""
    out = run(writes(0, 2, 4, 6, gap=GAP), device("page", ftl={"bac": bac}))
    assert [(r["plane"], r["block"], r["page"]) for r in out.commands] == [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)]


def test_two_writes_of_a_row_cost_two_transfers_and_one_program_and_two_rows_two_of_each(run):
    assert run([write(0, pages=2)], device("page")).done_at() == [WRITE_TWO]
    apart = [write(0), write(2, GAP, pages=2)]
    assert run(apart, device("page")).done_at() == [WRITE_PAGE, GAP + 2 * WRITE_PAGE]


def until_collection(*rewritten):
    """Return 33 writes, the last of which has the first aligned blocks collected, with all but these pages valid.

    Of those, pages 2n and 2n + 1 lie in row n, in planes 0 and 1; the last write is the first of a row.
    """
    others = [*rewritten, *range(8, 16)] * 4
    return [*writes(*range(8), *others[:25], gap=GAP), AT_LAST]


def test_algorithm_2_equal_index_pages_move_together(run):
    """Page 0 fills the row that the host has begun, and pages 2 and 3, both at index 1, begin another."""
    out = run(until_collection(1, 4, 5, 6, 7), device("page", **SIX_BLOCKS))
    assert steps(out, "gc") == [
        ("read", [(0, 0, 0)]),
        ("read", [(2, 0, 1), (3, 1, 1)]),
        ("program", [(0, 1, 0)]),
        ("program", [(2, 0, 1), (3, 1, 1)]),
        ("erase", [(-1, 0, 0), (-1, 1, 0)]),
    ]
    start = 32 * GAP + WRITE_PAGE
    assert out.ends("erase") == [start + READ_PAGE + READ_TWO + WRITE_PAGE + WRITE_TWO + ERASE_TWO] * 2


def test_a_pair_waits_while_single_pages_fill_the_row(run):
    """Pages 0 and 1, the first in the blocks, do not fit behind the host's last page; page 2 does."""
    out = run(until_collection(3, 4, 5, 6, 7), device("page", **SIX_BLOCKS))
    assert [pages for op, pages in steps(out, "gc") if op == "program"] == [[(2, 1, 0)], [(0, 0, 1), (1, 1, 1)]]


def test_one_by_one_a_pair_is_torn_apart_as_write_points_differ(run):
    """SPD's TwinBlk (6.2): the same as above, without waiting, and without joining pages of different indices."""
    gc = {"moves": "controller", "joins": "same_page"}
    out = run(until_collection(3, 4, 5, 6, 7), device("page", **merge(SIX_BLOCKS, {"ftl": {"gc": gc}})))
    moved = [(0, 1, 0), (1, 0, 1), (2, 1, 1)]
    assert [pages for op, pages in steps(out, "gc") if op == "program"] == [[page] for page in moved]


def test_single_pages_of_both_planes_share_a_row(run):
    """0 completes the host's row; 3 and 4, of different indices, make up the next."""
    out = run(until_collection(1, 2, 5, 6, 7), device("page", **SIX_BLOCKS))
    moved = [pages for op, pages in steps(out, "gc") if op == "program"]
    assert sorted(page for pages in moved for page in pages) == [(0, 1, 0), (3, 0, 1), (4, 1, 1)]


@pytest.mark.parametrize(("joins", "apart"), [("any", []), ("same_page", [[(4, 1, 1)]])])
def test_pages_of_different_indices_share_a_row_but_a_command_only_where_any_do(run, joins, apart):
    """3 and 4 come from the indices 1 and 2; 2 and 3, of an earlier test, from one."""
    changes = merge(device("page", **SIX_BLOCKS), {"ftl": {"gc": {"joins": joins}}})
    moved = [pages for op, pages in steps(run(until_collection(1, 2, 5, 6, 7), changes), "gc") if op == "program"]
    assert moved[-1:] == (apart or [[(3, 0, 1), (4, 1, 1)]])
    paired = [pages for op, pages in steps(run(until_collection(1, 4, 5, 6, 7), changes), "gc") if op == "program"]
    assert paired == [[(0, 1, 0)], [(2, 0, 1), (3, 1, 1)]]


@pytest.mark.parametrize(("margin", "expected"), [(None, {0}), (0.1, {0}), (0.2, {0, 1})])
def test_a_die_near_its_threshold_is_collected_along_with_another_of_its_chip(run, margin, expected):
    """Two chips of two dies; one die falls below 2 of 10 free blocks, and all others have 3, and dead pages."""
    shape = {"channels": 2, "dies_per_chip": 2, "over_provisioning": 0.6}
    ftl = {"active_blocks": "shared", "plane_allocation": "DCWP", "gc": {"victim": "fifo", "chip_margin": margin}}
    dies = range(4)  # DCWP: page n goes to die n % 2 of channel n // 2 % 2
    seven = [(at * 10_000, "write", (die + 4 * (at % 16)) * PAGE, PAGE) for at in range(7 * 8) for die in dies]
    more = [(GAP + at * 10_000, "write", 4 * at * PAGE, PAGE) for at in range(9)]
    out = run([*seven, *more, AT_LAST], device("page", 2, hardware=shape, ftl=ftl))
    erased = {(r["channel"], r["die"]) for r in out.commands if r["op"] == "erase"}
    assert erased == {(0, die) for die in expected}
