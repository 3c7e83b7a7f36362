"""Collection that a page written calls for, as SSDSim has it, and not for as long as too little is free."""

import pytest

from support.requests import GAP, flush, write, writes
from support.tiny_device import merge

DEVICE = {
    "hardware": {"blocks_per_plane": 10, "over_provisioning": 1 - 12 / 40},
    "ftl": {"gc": {"victim": "fifo", "soft_threshold": 5, "hard_threshold": 2}},
}
"""A plane of 10 blocks of 4 pages, 12 of them logical."""

AGAIN = 20 * GAP
"""When 16 pages are written at once: four blocks hold nothing valid then, and three are free of five."""


@pytest.mark.parametrize(("begin", "then", "erased"), [("below", 0, 2), ("per_write", 0, 1), ("per_write", 1, 2)])
def test_blocks_are_collected_until_enough_are_free_or_one_for_each_write_that_finds_too_few(run, begin, then, erased):
    pages = [*writes(*range(12), gap=GAP), *(write(page % 12, AGAIN) for page in range(16))]
    later = [write(page, AGAIN + (9 + page) * GAP) for page in range(then)]
    out = run([*pages, *later, flush(99 * GAP)], merge(DEVICE, {"ftl": {"gc": {"begin": begin}}}))
    assert len([command for command in out.commands if command["op"] == "erase"]) == erased
