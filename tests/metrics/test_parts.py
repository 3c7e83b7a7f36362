"""What requests waited for, on a device whose times can be added up."""

from ssdsim.ftl.mapping import dftl
from ssdsim.metrics.recorder import PARTS
from support.requests import GAP, read, write, writes
from support.tiny_device import ERASE_BLOCK, PAGE, READ_PAGE, WRITE_PAGE

COLLECTING = {"hardware": {"blocks_per_plane": 6, "over_provisioning": 2 / 3}, "ftl": {"gc": {"victim": "fifo"}}}
"""A plane of 6 blocks of 4 pages, 8 of them logical: the 17th page written takes the second last free block."""

FULL = writes(*range(8), *range(8), 7, gap=GAP)
"""The last of them has the oldest block erased, which holds nothing valid any more."""

MISSING = {
    "hardware": {"blocks_per_plane": 11, "over_provisioning": 1 - 16 / 44},
    "ftl": {"gc": {"victim": "fifo"}, "mapping": {"scheme": "dftl", "cache_kib": 8 / 1024}},
    "precondition": {"mode": "fill", "fill_share": 4 / 11, "valid_reads": False},
}
"""A table in flash of which one entry is cached."""


def parts_of(row):
    """Return the parts of a request's row."""
    return {name: row[f"{name}_ns"] for name in PARTS}


def test_a_read_waits_for_the_erase_of_an_urgent_collection(run):
    """The plane has one free block, fewer than the hard threshold."""
    out = run([*FULL, read(5, 16 * GAP + WRITE_PAGE + 500_000)], COLLECTING)
    left = ERASE_BLOCK - 500_000
    parts = parts_of(out.requests[17])
    assert (parts["gc"], parts["urgent_gc"], parts["queue"]) == (left, left, 0)
    assert out.summary["requests"]["read"]["response_us"]["urgent_gc"] == left / 1000


def test_a_read_waits_for_the_erase_of_a_collection_that_is_not_urgent(run):
    calm = {
        "hardware": {"blocks_per_plane": 7, "over_provisioning": 1 - 8 / 28},
        "ftl": {"gc": {"victim": "fifo", "soft_threshold": 3, "hard_threshold": 2}},
    }
    out = run([*FULL, read(5, 16 * GAP + WRITE_PAGE + 500_000)], calm)
    parts = parts_of(out.requests[17])
    assert (parts["gc"], parts["urgent_gc"]) == (ERASE_BLOCK - 500_000, 0)


def test_a_miss_waits_for_its_mapping(run, monkeypatch):
    """A dirty entry leaves first: its translation page is read and programmed, then that of the read is read."""
    monkeypatch.setattr(dftl, "entry_bytes", lambda pages: PAGE // 4)
    out = run([write(0), read(8, GAP), read(8, 2 * GAP), (3 * GAP, "trim", 4 * PAGE, PAGE)], MISSING)
    waits = [READ_PAGE, READ_PAGE + WRITE_PAGE + READ_PAGE, 0, READ_PAGE]
    assert [row["mapping_ns"] for row in out.requests] == waits
    assert [row["queue_ns"] for row in out.requests] == [0, 0, 0, 0]
    assert out.summary["requests"]["read"]["response_us"]["mapping"] == waits[1] / 2 / 1000


def test_a_request_that_is_held_until_a_collection_is_over_says_so(run):
    """The collection moves a page through the controller; a read that comes meanwhile is let go when it is over."""
    held = {"ftl": {"gc": {"victim": "fifo", "holds_requests": True}}}
    rows = [*writes(*range(8), *range(3), *range(4, 8), 0, 7, gap=GAP), read(5, 16 * GAP + WRITE_PAGE + 1)]
    out = run(rows, COLLECTING | held)
    parts = parts_of(out.requests[17])
    assert parts["gc"] == parts["urgent_gc"] == out.requests[17]["response_ns"] - READ_PAGE > WRITE_PAGE
    assert parts["queue"] == 0
