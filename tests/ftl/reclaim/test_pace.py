"""Collections that pause for the host, or that move so many pages for each of the host's, by hand."""

import pytest

from support.requests import GAP, read, write, writes
from support.tiny_device import ERASE_BLOCK, READ_PAGE, WRITE_PAGE, merge

DEVICE = {
    "hardware": {"channels": 2, "blocks_per_plane": 9, "over_provisioning": 1 - 12 / 36},
    "ftl": {"gc": {"victim": "fifo", "soft_threshold": 4, "hard_threshold": 2, "moves_in_flight": 1}},
}
"""Two planes, each on a channel of its own, of 9 blocks of 4 pages, 12 of them logical."""

WRITTEN = [2 * page for page in (*range(12), 3, 7, 11, 3, 7, 11, 3, 7, 11)]
"""To the first plane: six blocks, so that three are free of four wanted; three pages of the first block are valid."""

BEGIN = (len(WRITTEN) - 1) * GAP
"""The last write, which calls for collection."""


def collected(run, device, then):
    """Return when the reads, programs and the erase of the first collection end."""
    out = run([write(1), *writes(*WRITTEN, gap=GAP), *then, read(1, BEGIN + 5 * GAP)], merge(DEVICE, device))
    ends = {
        op: [c["end_ns"] for c in out.commands if (c["op"], c["source"]) == (op, "gc")]
        for op in ("read", "program", "erase")
    }
    return ends["read"][:3], ends["program"][:3], ends["erase"][0]


def one_by_one(first, begin):
    """Return the same if the first page is read at `first`, and the others from `begin` on, each after the last."""
    move = READ_PAGE + WRITE_PAGE
    reads = [first + READ_PAGE, begin + READ_PAGE, begin + move + READ_PAGE]
    return reads, [end + WRITE_PAGE for end in reads], begin + 2 * move + ERASE_BLOCK


def test_each_page_waits_for_reads_of_the_host_on_other_dies_too(run):
    """Ten reads begin a ns before the first page is read, which has been called for, and outlast its program."""
    first = BEGIN + WRITE_PAGE
    then = [read(1, first - 1) for _ in range(10)]
    quiet = first - 1 + 10 * READ_PAGE
    assert collected(run, {"ftl": {"gc": {"pauses_for": "reads"}}}, then) == one_by_one(first, quiet)
    at_once = one_by_one(first, first + READ_PAGE + WRITE_PAGE)
    assert collected(run, {}, then) == at_once
    urgent = {"ftl": {"gc": {"pauses_for": "reads", "hard_threshold": 4}}}
    assert collected(run, urgent, then) == at_once  # the hard threshold is the end of patience


def test_each_page_waits_for_writes_of_the_host(run):
    """The one that called for collection, and one to the other die that ends a ns later; quiet begins 5 us after."""
    gc = {"pauses_for": "requests", "idle_us": 5.0}
    first = BEGIN + 1 + WRITE_PAGE + 5000
    expected = one_by_one(first, first + READ_PAGE + WRITE_PAGE)
    assert collected(run, {"ftl": {"gc": gc}}, [write(3, BEGIN + 1)]) == expected


@pytest.mark.parametrize(
    ("share", "begins"),
    [
        (1.0, [WRITE_PAGE, WRITE_PAGE + READ_PAGE + WRITE_PAGE, GAP + WRITE_PAGE]),
        (0.5, [WRITE_PAGE, 2 * GAP + WRITE_PAGE, 4 * GAP + WRITE_PAGE]),
    ],
)
def test_so_many_pages_are_moved_for_each_that_is_written(run, share, begins):
    """The first write pays for a page before it is written and for another after, or for half of each."""
    then = [write(22, BEGIN + number * GAP) for number in (1, 2, 3, 4)]
    reads, programs, erase = collected(run, {"ftl": {"gc": {"moves_per_write": share}}}, then)
    assert reads == [BEGIN + begin + READ_PAGE for begin in begins]
    assert programs == [end + WRITE_PAGE for end in reads]
    assert erase == programs[-1] + ERASE_BLOCK
