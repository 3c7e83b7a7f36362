"""Mappings of the user's own: what they ask for is read first, what they keep in flash is written, and both count."""

from support.requests import GAP, read, trim, write
from support.tiny_device import READ_PAGE, WRITE_PAGE, merge

DEVICE = {"hardware": {"blocks_per_plane": 16, "over_provisioning": 3 / 4}}
"""A plane of 16 blocks of 4 pages, 16 of them logical."""


def mapped(name, *changes):
    """Return the device with a mapping of `support.mappings`."""
    device = merge(DEVICE, {"ftl": {"mapping": {"scheme": f"support.mappings.{name}"}}})
    for change in changes:
        device = merge(device, change)
    return device


def times(out):
    """Return the response times."""
    return [row["response_ns"] for row in out.requests]


def test_a_wrong_guess_costs_the_read_of_another_page(run):
    rows = [write(3), write(4, GAP), read(3, 2 * GAP), read(4, 3 * GAP), read(5, 4 * GAP)]
    out = run(rows, mapped("WrongByOne"))
    assert times(out) == [WRITE_PAGE, WRITE_PAGE, READ_PAGE, READ_PAGE + READ_PAGE, 0]
    assert [row["mapping_ns"] for row in out.requests] == [0, 0, 0, READ_PAGE, 0]
    assert out.summary["flash"]["reads"]["mapping"] == 1


def test_pages_of_the_map_are_read_before_and_written_after_each_write(run):
    """The first write finds no page of the map in flash; that is written behind it, and read before all that follow."""
    out = run([write(5), read(6, GAP), read(5, 2 * GAP), write(7, 3 * GAP)], mapped("MapInFlash"))
    assert times(out) == [WRITE_PAGE, READ_PAGE, READ_PAGE + READ_PAGE, READ_PAGE + WRITE_PAGE]
    mapping = out.summary["mapping"]
    assert tuple(mapping[name] for name in ("hits", "misses", "reads", "writes")) == (1, 3, 3, 2)
    assert [(row["op"], row["source"]) for row in out.commands[:2]] == [("program", "host"), ("program", "mapping")]


def test_pages_of_the_map_are_moved_by_collection(run):
    """That of the pages from 4 on is written early, and does not change again while the others are."""
    rows = [write(lpa, at * GAP) for at, lpa in enumerate([*range(16), *[0, 1] * 40])]
    fifo = {"ftl": {"gc": {"victim": "fifo"}}}
    out = run([*rows, read(9, 100 * GAP), trim(9, 101 * GAP)], mapped("MapInFlash", fifo))
    moved = [row for row in out.commands if row["source"] == "gc" and row["op"] == "program" and row["lpa"] >= 16]
    assert moved
    assert times(out)[-2:] == [2 * READ_PAGE, READ_PAGE]


def test_a_guess_may_be_a_page_of_a_block_that_is_being_erased(run):
    """While a die erases, lookups on the other one go on, and guess at the block: nothing is read from that."""
    rows = [write(lpa % 32) for lpa in range(200)] + [(read, write)[at % 2](at % 9) for at in range(600)]
    out = run(rows, mapped("Anywhere", {"hardware": {"channels": 2}}), queue_depth=8)
    assert len(times(out)) == len(rows) and out.summary["flash"]["erases"]["gc"] > 0
