"""A collection that holds its channel (`flash.collection_holds`): times in nanoseconds, each written out as a sum.

Two chips on a bus; even pages lie in chip 0, odd ones in chip 1. The last of the writes has a block of chip 0 collected
that has one valid page.
"""

import pytest

from support.requests import GAP, reads, writes
from support.tiny_device import (
    ERASE_BLOCK,
    ERASE_COMMAND,
    PROGRAM,
    PROGRAM_COMMAND,
    READ,
    READ_COMMAND,
    READ_PAGE,
    TRANSFER,
    WRITE_PAGE,
    merge,
)

WRITTEN = [1, *range(0, 40, 2), 0, 2, 4, 8, 10, 16, 18, 24, 26]
AT = (len(WRITTEN) - 1) * GAP
START = AT + WRITE_PAGE
"""The last page is programmed, and the collection begins."""
MOVED = START + READ_PAGE + WRITE_PAGE
"""Its page is moved, and the erase begins."""


def run_with(run, holds, rows, changes=None, written=WRITTEN):
    """Run the writes, then `rows`, and then a read that comes later; a collection, which is not urgent, holds this."""
    device = {
        "hardware": {"chips_per_channel": 2, "blocks_per_plane": 10},
        "flash": {"bus": "command_first", "collection_holds": holds},
        "ftl": {"plane_allocation": "CWDP", "gc": {"soft_threshold": 3, "hard_threshold": 2}},
    }
    return run([*writes(*written, gap=GAP), *rows, *reads(1, at=100 * GAP)], merge(device, changes or {}))


@pytest.mark.parametrize(
    ("holds", "done"),
    [
        ("die", START + READ_COMMAND + READ_COMMAND + READ + 2 * TRANSFER - 100),
        ("channel", MOVED + ERASE_COMMAND + READ_PAGE),
    ],
)
def test_a_read_of_another_chip_waits_for_the_moves_and_not_for_the_erase(run, holds, done):
    out = run_with(run, holds, reads(1, at=START + 1))
    assert out.done_at()[-2] == done
    assert out.ends("erase")[0] >= MOVED + ERASE_BLOCK


def test_the_host_goes_first_on_the_whole_channel_before_a_collection_begins(run):
    """Its read of the other chip is under way as the write is programmed."""
    read_at = START - READ_COMMAND
    data_out = read_at + READ_PAGE
    out = run_with(run, "channel", reads(1, at=read_at))
    assert out.done_at()[-2] == data_out
    assert out.ends("read")[0] == data_out + READ_PAGE
    assert run_with(run, "die", reads(1, at=read_at)).ends("read")[0] == data_out + TRANSFER  # begun at once


def test_an_urgent_collection_does_not_wait_for_reads_of_other_chips(run):
    read_at = START - READ_COMMAND - 10
    out = run_with(run, "channel", reads(1, at=read_at), {"ftl": {"gc": {"hard_threshold": 3}}})
    assert out.ends("read")[0] == START + READ_PAGE
    assert out.done_at()[-2] == MOVED + ERASE_COMMAND + TRANSFER


def test_a_collection_that_waits_for_the_host_lets_it_start_on_its_own_chip(run):
    """The read of the other chip puts it off, and the write that comes meanwhile is sent while that one is sensed."""
    read_at, write_at = START - READ_COMMAND, START + 1000
    out = run_with(run, "channel", [*reads(1, at=read_at), *writes(22, at=write_at)])
    assert out.done_at()[-2] == write_at + WRITE_PAGE
    assert out.ends("read")[0] == write_at + PROGRAM_COMMAND + TRANSFER + PROGRAM + READ_PAGE


def test_a_page_of_the_host_that_comes_before_one_of_the_collection_goes_first_and_the_channel_stays_held(run):
    """Both go to one block, whose pages are programmed in order; a read of the other chip waits for both."""
    rows = [*writes(22, at=START + 1), *reads(1, at=START + 2)]
    out = run_with(run, "channel", rows, {"ftl": {"active_blocks": "shared"}})
    written = START + READ_PAGE + WRITE_PAGE
    assert out.done_at()[-3:-1] == [written, written + WRITE_PAGE + ERASE_COMMAND + READ_PAGE]
