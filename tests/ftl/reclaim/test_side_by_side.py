"""Several victims of a plane at once, and active blocks that are taken when the last one is filled: by hand."""

import pytest

from ssdsim._core.blocks import Blocks
from ssdsim.config import FtlConfig, GarbageCollectionConfig
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from support.bound import HOST_DATA, MOVED_DATA, bound, given_page
from support.requests import GAP, write
from support.tiny_device import ERASE_BLOCK, READ_PAGE, WRITE_PAGE, merge

GC = {"victim": "fifo", "soft_threshold": 3, "hard_threshold": 3, "reserved_blocks": 2}
DEVICE = {
    "hardware": {"blocks_per_plane": 8, "over_provisioning": 1 - 12 / 32},
    "ftl": {"next_block": "filled", "gc": GC},
}
"""A plane of 8 blocks of 4 pages, 12 of them logical, of which two free ones are kept from the host."""

WRITTEN = [*range(12), 0, 1, 2, 4, 5, 6, 8, 9]
"""Five blocks: one, one and two valid pages are left in the first three; the last write leaves two blocks free."""


def collecting(*then):
    """Return the writes after which blocks are collected, and others that come a ns after the last of them."""
    last = (len(WRITTEN) - 1) * GAP
    return [*(write(lpa, at * GAP) for at, lpa in enumerate(WRITTEN)), *(write(lpa, last + 1) for lpa in then)]


START = (len(WRITTEN) - 1) * GAP + WRITE_PAGE
"""The last write is done, which called for collection and went first."""


@pytest.mark.parametrize("scheduler", ["erases_last", "read_priority"])
def test_the_second_victim_is_read_when_the_first_has_taken_a_block_and_the_third_when_that_is_erased(run, scheduler):
    """Two are under way when the page of the first takes a block; at its erase the host has no room, so a third begins.

    By `erases_last` its reads and programs go before the erase of the second, else that goes before the programs.
    """
    out = run(collecting(3), merge(DEVICE, {"scheduler": {"policy": scheduler}}))
    two_moved = START + 2 * READ_PAGE + 2 * WRITE_PAGE
    assert out.ends("read") == [
        *(START + READ_PAGE, START + 2 * READ_PAGE),
        *(two_moved + ERASE_BLOCK + READ_PAGE, two_moved + ERASE_BLOCK + 2 * READ_PAGE),
    ]
    third_read = two_moved + ERASE_BLOCK + 2 * READ_PAGE
    if scheduler == "erases_last":
        erases = [third_read + 2 * WRITE_PAGE + ERASE_BLOCK, third_read + 2 * WRITE_PAGE + 2 * ERASE_BLOCK]
    else:
        erases = [third_read + ERASE_BLOCK, third_read + 2 * WRITE_PAGE + 2 * ERASE_BLOCK]
    assert out.ends("erase") == [two_moved + ERASE_BLOCK, *erases]
    assert out.done_at()[-1] == erases[-1] + WRITE_PAGE  # three blocks are free then
    assert out.summary["gc"]["page_moves"] == 4


@pytest.mark.parametrize("reserved", [1, 2])
@pytest.mark.parametrize("next_block", ["needed", "filled"])
def test_when_the_next_active_block_is_taken(next_block, reserved):
    """At the last page of one or the first of the next; for the host it is never one of the reserved ones."""
    gc = GarbageCollectionConfig(reserved_blocks=reserved, soft_threshold=4, hard_threshold=4)
    blocks = Blocks(1, 5, 4)
    frontier = bound(SequentialFrontier, blocks, FtlConfig(next_block=next_block, gc=gc))
    free = []
    while frontier.has_room(0):
        given_page(frontier, 0, HOST_DATA, 0)
        free.append(blocks.free_blocks(0))
    early = next_block == "filled"
    of_block = {1: [4, 4, 4, 3 if early else 4], 2: [3, 3, 3, 2 if early else 3], 3: [2, 2, 2, 1 if early else 2]}
    if reserved == 1:
        last = [1, 1, 1, 1]
        assert free == [*of_block[1], *of_block[2], *of_block[3], *last]
    else:  # at two free blocks the host waits, whatever its own has left
        assert free == [*of_block[1], *of_block[2][:4], *([] if early else [2])]
    for _ in range(4):
        given_page(frontier, 0, MOVED_DATA, 0)
    assert blocks.free_blocks(0) == reserved - 1
