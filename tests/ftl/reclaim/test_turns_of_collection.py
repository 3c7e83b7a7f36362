"""Whose turn a die is, a collection's or the host's, by hand."""

from itertools import accumulate

import pytest

from support.requests import GAP, read, write, writes
from support.tiny_device import ERASE_BLOCK, PAGE, READ_PAGE, WRITE_PAGE, merge

DEVICE = {
    "hardware": {"channels": 2, "blocks_per_plane": 9, "over_provisioning": 1 - 12 / 36},
    "ftl": {"gc": {"victim": "fifo", "soft_threshold": 4, "hard_threshold": 2, "moves_in_flight": 1}},
}
"""Two planes, each on a channel of its own, of 9 blocks of 4 pages, 12 of them logical."""

WRITTEN = [2 * page for page in (*range(12), 3, 7, 11, 3, 7, 11, 3, 7, 11)]
"""To the first plane: six blocks, so that three are free of four wanted; three pages of the first block are valid."""

BEGIN = (len(WRITTEN) - 1) * GAP
"""The last write, which calls for collection."""

FIRST = BEGIN + WRITE_PAGE
"""The last write is done, and collection begins with the first of three pages, which it moves one by one."""

TIMES = {"read": READ_PAGE, "write": WRITE_PAGE, "erase": ERASE_BLOCK}
COLLECTION = ["gc read", "gc write", "gc read", "gc write", "gc read", "gc write", "gc erase"]


def assert_order(run, gc, then, order, **more):
    """Assert that the die of the first plane carries out commands in this order, one right after another."""
    changes = merge(DEVICE, {"ftl": {"gc": gc}, **more})
    out = run([write(1), *writes(*WRITTEN, gap=GAP), *then, read(1, FIRST + GAP)], changes)
    names = {"program": "write"}
    found = sorted(
        (c["bus_start_ns"], f"{c['source']} {names.get(c['op'], c['op'])}")
        for c in out.commands
        if c["plane"] == 0 and c["bus_start_ns"] >= FIRST
    )
    begins = accumulate((TIMES[name.split()[1]] for name in order[:-1]), initial=FIRST)
    assert found[: len(order)] == list(zip(begins, order, strict=True))


@pytest.mark.parametrize(
    ("gc", "order"),
    [
        ({}, [COLLECTION[0], *["host write"] * 3, *COLLECTION[1:]]),
        ({"hard_threshold": 4}, COLLECTION),
    ],
)
def test_collection_goes_after_writes_or_before_them_where_it_is_urgent(run, gc, order):
    """Three writes come as the first page is read."""
    assert_order(run, gc, writes(22, 20, 18, at=FIRST + 1), order)


@pytest.mark.parametrize(("yields", "hard"), [(True, 2), (False, 2), (True, 4)])
def test_reads_pass_a_collection_unless_it_is_urgent_and_does_not_yield(run, yields, hard):
    """A read comes as the first page is read."""
    order = [COLLECTION[0], "host read", *COLLECTION[1:]]
    assert_order(run, {"yields_to_reads": yields, "hard_threshold": hard}, [read(22, FIRST + 1)], order)


@pytest.mark.parametrize("policy", ["read_priority", "fcfs", "erases_last"])
@pytest.mark.parametrize("gc", [{}, {"holds_writes": True}, {"trigger": "free_pages", "soft_threshold": 0.44}])
@pytest.mark.parametrize("yields", [True, False])
def test_no_write_comes_between_the_steps_of_urgent_collections_nor_between_two(run, policy, gc, yields):
    """Three writes come as the first page is read, and a read that is not to pass; the next one is urgent, too."""
    urgent = {**gc, "hard_threshold": gc.get("soft_threshold", 4), "yields_to_reads": yields}
    then = [*writes(22, 20, 18, at=FIRST + 1), *([] if yields else [read(16, FIRST + 1)])]
    assert_order(run, urgent, then, [*COLLECTION, *COLLECTION[:2]], scheduler={"policy": policy})


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
