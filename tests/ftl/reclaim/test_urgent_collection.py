"""Below the hard threshold reads pass a collection, as long as the host's writes find room."""

import numpy as np
import pytest

from support.tiny_device import PAGE, merge

PLANES = {"planes_per_die": 2, "dies_per_chip": 2, "blocks_per_plane": 12}
"""Two dies of two planes of 12 blocks of 4 pages."""
URGENT = {"hardware": PLANES, "check": "end", "ftl": {"gc": {"soft_threshold": 3, "hard_threshold": 3}}}
"""Whatever is collected is urgent."""


def load(reads, seed=3, pages=64, requests=600):
    """Return all pages written in order and then random ones, so many at a time that queues form and empty again."""
    random = np.random.default_rng(seed)
    at = np.cumsum(np.where(random.random(requests) < 0.05, 3_000_000, random.integers(0, 60_000, requests)))
    ops = np.where(random.random(requests) < reads, "read", "write").tolist()
    lpas = random.integers(0, pages, requests).tolist()
    rows = [(0, "write", lpa * PAGE, PAGE) for lpa in range(pages)]
    return [*rows, *((10_000_000 + t, op, lpa * PAGE, PAGE) for t, op, lpa in zip(at.tolist(), ops, lpas, strict=True))]


def test_reads_pass_an_urgent_collection_and_writes_do_not(run):
    """So the longest read is shorter than a collection, and it costs the writes something."""
    longest = {}
    for yields in (True, False):
        out = run(load(reads=0.5), merge(URGENT, {"ftl": {"gc": {"yields_to_reads": yields}}}))
        longest[yields] = max(r["response_ns"] for r in out.requests if r["op"] == "read")
    assert 2 * longest[True] < longest[False]


@pytest.mark.parametrize("at_once", [1, 4])
def test_reads_without_end_hold_up_a_collection_no_longer_than_the_write_that_needs_it(experiment, at_once):
    """First come, first served, writes get through beside reads that keep the die busy.

    A single one waits for its turn, which the collection has in its place; where several come at once they run out of
    room, and the collection goes before the reads, too.
    """
    writes = [(0, "write", lpa * PAGE, PAGE) for lpa in [*range(16), *range(0, 16, 3)] * 5]
    reads = [(0, "read", lpa % 16 * PAGE, PAGE) for lpa in range(8_000)]
    streams = [{"rows": reads, "queue_depth": 4}, {"rows": writes, "queue_depth": at_once}]
    settings = {"scheduler": {"policy": "fcfs"}, "precondition": {"mode": "fill"}, "check": "end"}
    out = experiment(streams, settings)
    done = {r["op"]: r["arrival_ns"] + r["response_ns"] for r in sorted(out.requests, key=lambda r: r["arrival_ns"])}
    assert out.summary["gc"]["collections"] > 20
    assert done["write"] < done["read"] / 2
