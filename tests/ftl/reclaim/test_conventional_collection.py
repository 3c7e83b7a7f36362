"""Conventional collection (PCFTL, 3.3): a victim of all planes, one active block a chip, requests held meanwhile."""

import pytest

from support.requests import GAP, flush, read, writes
from support.tiny_device import ERASE_BLOCK, READ_PAGE, WRITE_PAGE, merge

ONE_CHIP = {
    "hardware": {"planes_per_die": 2, "blocks_per_plane": 6},
    "ftl": {
        "plane_allocation": "chip",
        "active_blocks": "shared",
        "gc": {"scope": "device", "moves": "chip", "moves_in_flight": 1},
    },
}
"""A die of two planes of six blocks of four pages: 24 logical pages fill six blocks, and four are to be free."""

AGAIN = [4, 5, 6, 0, 1, 8, 9, 12, 13]
"""Written after pages 0 to 23 they fill two more blocks and begin a third, of plane 0, which leaves three free.

Of the block with pages 4 to 7, in plane 1, only page 7 is valid then; all others have at least two.
"""
BEGUN = 32 * GAP
"""When the last of them comes."""
OVER = BEGUN + WRITE_PAGE + READ_PAGE + WRITE_PAGE + ERASE_BLOCK
"""When page 7 has been moved behind page 13 and its block erased, all on one die."""


def collected(run, *rows, **gc):
    """Run those writes one by one, then `rows`, and a flush when all is over."""
    return run([*writes(*range(24), *AGAIN, gap=GAP), *rows, flush(99 * GAP)], merge(ONE_CHIP, {"ftl": {"gc": gc}}))


def places(out, source, op):
    """Return the planes, blocks and pages of commands, in order of their ends."""
    return [(c["plane"], c["block"], c["page"]) for c in out.commands if (c["op"], c["source"]) == (op, source)]


def test_a_chip_fills_one_block_at_a_time_and_next_one_of_the_plane_with_the_most_free_ones(run):
    out = run(writes(*range(12), gap=GAP), ONE_CHIP)
    assert places(out, "host", "program") == [
        *((0, 0, page) for page in range(4)),
        *((1, 0, page) for page in range(4)),
        *((0, 1, page) for page in range(4)),
    ]


def test_the_victim_is_the_best_of_the_device_and_its_page_goes_to_the_block_being_filled(run):
    out = collected(run)
    assert places(out, "gc", "read") == [(1, 0, 3)]
    assert places(out, "host", "program")[-1] == (0, 4, 0)
    assert places(out, "gc", "program") == [(0, 4, 1)]
    assert places(out, "gc", "erase") == [(1, 0, 0)]
    assert out.ends("erase") == [OVER]
    assert out.summary["gc"]["collections"] == 1


def test_planes_that_are_each_collected_for_themselves_take_their_own_victims(run):
    """Plane 0 has one free block, and plane 1 two: of plane 0 the block with pages 0 to 3 has two dead ones."""
    out = collected(run, scope="unit", moves="controller", soft_threshold=2, hard_threshold=2)
    assert places(out, "gc", "erase") == [(0, 0, 0)]


@pytest.mark.parametrize("holds", [True, False])
def test_requests_that_come_meanwhile_wait_for_the_end_if_they_are_held(run, holds):
    """Two reads, one as the collection has just begun and one in the erase; held, they go one after another."""
    late = OVER - ERASE_BLOCK // 2
    out = collected(run, read(20, BEGUN + 1), read(21, late), holds_requests=holds)
    held = [OVER + READ_PAGE, OVER + 2 * READ_PAGE]
    assert out.done_at()[-3:-1] == held if holds else out.done_at()[-3] == BEGUN + WRITE_PAGE + READ_PAGE


@pytest.mark.parametrize(("holds", "done"), [(False, BEGUN + WRITE_PAGE), (True, OVER)])
def test_the_write_that_called_for_a_collection_is_complete_at_its_end_if_it_is_held(run, holds, done):
    assert collected(run, holds_cause=holds).done_at()[-2] == done
