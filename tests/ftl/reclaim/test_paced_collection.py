"""Paced collection: the host's writes are given pages in step with the moves of a collection, once few are left."""

import numpy as np
import pytest

from ftl.reclaim.test_turns_of_collection import DEVICE, FIRST, assert_order
from support.requests import GAP, write, writes
from support.tiny_device import ERASE_BLOCK, PAGE, READ_PAGE, WRITE_PAGE, merge

MOVED = ["gc write", "gc read"]


def test_below_a_block_more_than_is_urgent_writes_are_given_what_the_moves_win(run):
    """Six writes come as the first of three pages is read; 15 pages are free, and below 12 writes wait.

    Four find room at once, which leaves 11. Each move takes a page, and wins four thirds: with the third page placed
    there are 8, and 4 to come, so that one more write goes. The last one goes with the third page of the next victim,
    which has three, too: once the first is erased 11 pages are free.
    """
    moves = ["gc read", *MOVED, *MOVED, "host write", "gc write"]
    order = [moves[0], *["host write"] * 4, *moves[1:], "gc erase", *moves]
    assert_order(run, {"paced": True}, writes(22, 20, 18, 16, 14, 12, at=FIRST + 1), order)


def test_no_write_waits_for_the_erase_of_a_victim_that_needs_no_moves(run):
    """As above, but pages 0 to 3 have been written twice more, so that nothing is valid in the first block."""
    written = [2 * page for page in (*range(12), *range(4), *range(4), 0)]
    then = writes(22, 20, 18, 16, 14, 12, at=FIRST + 1)
    out = run([write(1), *writes(*written, gap=GAP), *then], merge(DEVICE, {"ftl": {"gc": {"paced": True}}}))
    assert [command["source"] for command in out.commands if command["op"] == "erase"] == ["gc"]
    assert [request["urgent_gc_ns"] for request in out.requests[-6:]] == [0] * 6


PRESSED = {
    "buffer": {"replacement": "lru", "size_mib": 1.0, "write_back": "at_once", "pages_in_flight": 64},
    "precondition": {"mode": "fill"},
    "check": "end",
}
"""A full device, and a buffer that has it program 64 pages at a time."""


def random_requests(seed, pages, read_share):
    draws, count = np.random.default_rng(seed), 10_000
    places, reads = draws.integers(0, pages, count).tolist(), (draws.random(count) < read_share).tolist()
    kinds = ("write", "read")
    return [{"rows": [(0, kinds[r], at * PAGE, PAGE) for at, r in zip(places, reads, strict=True)], "queue_depth": 16}]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("soft", "paced"), [(4, True), (2, True), (4, False)])
def test_however_fast_writes_come_a_read_waits_for_a_command_and_not_for_a_collection(experiment, soft, paced, seed):
    """Not even where writes find no room, as with a soft threshold of 2: without pacing reads wait for urgent moves."""
    pages = 4 * 23 * 64
    hardware = {"channels": 2, "dies_per_chip": 2, "blocks_per_plane": 30, "pages_per_block": 64}
    hardware["over_provisioning"] = 1 - pages / (4 * 30 * 64)
    settings = {"hardware": hardware, "ftl": {"gc": {"paced": paced, "soft_threshold": soft}}, **PRESSED}
    out = experiment(random_requests(seed, pages, 0.2), settings)
    longest_ns = out.summary["requests"]["read"]["response_us"]["max"] * 1000
    assert (longest_ns < ERASE_BLOCK + WRITE_PAGE + 2 * READ_PAGE) == paced


@pytest.mark.parametrize("seed", [1, 2])
def test_writes_that_wait_go_on_by_the_row_and_fill_commands_of_all_planes(experiment, seed):
    pages = 4 * 23 * 32
    hardware = {"planes_per_die": 4, "blocks_per_plane": 30, "pages_per_block": 32}
    hardware["over_provisioning"] = 1 - pages / (4 * 30 * 32)
    settings = {"hardware": hardware, "flash": {"multi_plane": ["program"]}, **PRESSED}
    settings["ftl"] = {"unit": "superblock", "gc": {"paced": True, "soft_threshold": 4}}
    out = experiment(random_requests(seed, pages, 0), settings)
    assert out.summary["multi_plane"]["write_share"] > 0.9
