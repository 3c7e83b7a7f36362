"""Paced collection: the host's writes are given pages in step with the moves of a collection, once few are left."""

import numpy as np
import pytest

from ftl.reclaim.test_turns_of_collection import FIRST, assert_order
from support.requests import writes
from support.tiny_device import ERASE_BLOCK, PAGE, READ_PAGE, WRITE_PAGE

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


@pytest.mark.parametrize("seed", [1, 2])
def test_however_fast_writes_come_a_read_waits_for_a_command_and_not_for_a_collection(experiment, seed):
    """A closed loop of writes, and a fifth of reads: without pacing, these wait for urgent moves."""
    draws, pages = np.random.default_rng(seed), 4 * 23 * 64
    places, kinds = draws.integers(0, pages, 10000).tolist(), draws.choice(["read", "write"], 10000, p=[0.2, 0.8])
    rows = [(0, kind, place * PAGE, PAGE) for kind, place in zip(kinds.tolist(), places, strict=True)]
    longest = {}
    for paced in (False, True):
        settings = {
            "hardware": {"channels": 2, "dies_per_chip": 2, "blocks_per_plane": 30, "pages_per_block": 64},
            "ftl": {"gc": {"paced": paced, "soft_threshold": 4}},
            "buffer": {"replacement": "lru", "size_mib": 1.0, "write_back": "at_once", "pages_in_flight": 64},
            "precondition": {"mode": "fill"},
            "check": "end",
        }
        settings["hardware"]["over_provisioning"] = 1 - pages / (4 * 30 * 64)
        out = experiment([{"rows": rows, "queue_depth": 16}], settings)
        longest[paced] = out.summary["requests"]["read"]["response_us"]["max"] * 1000
    assert longest[True] < ERASE_BLOCK + WRITE_PAGE + 2 * READ_PAGE < longest[False]
