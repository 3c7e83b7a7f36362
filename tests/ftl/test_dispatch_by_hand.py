"""Planes that are given when a die is free: who goes where and when, what waits in line, and what goes first."""

import pytest

from support.requests import GAP
from support.rows import AT_LAST, WRITE_TWO, device
from support.tiny_device import PAGE, READ_PAGE, TRANSFER, WRITE_PAGE, merge

LEVELS = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"]
BUS = 200 + TRANSFER
READS = 20


def shape_of(*sizes, at="dispatch", allocation="f", **changes):
    """Return changes that make a device of so many channels, chips, dies and planes."""
    ftl = {"plane_allocation": allocation, "plane_allocation_at": at}
    return merge({"hardware": dict(zip(LEVELS, sizes, strict=True)), "ftl": ftl}, changes)


def write(at, page):
    return at, "write", page * PAGE, PAGE


def read(at, page):
    return at, "read", page * PAGE, PAGE


def programs(out, source="host"):
    """Return the logical page and the die of the programs, and their start, in order of that."""
    rows = [row for row in out.commands if (row["op"], row["source"]) == ("program", source)]
    rows.sort(key=lambda row: (row["bus_start_ns"], row["plane"]))
    return [(row["lpa"], (row["channel"], row["die"]), row["bus_start_ns"]) for row in rows]


@pytest.mark.parametrize(
    ("at", "channel", "start"),
    [("admission", 1, GAP + READS * READ_PAGE), ("dispatch", 0, GAP + WRITE_PAGE)],
)
def test_a_write_goes_where_a_die_is_free_first(run, at, channel, start):
    """One channel has reads to do, the other a write; the next in turn is the one with the reads."""
    rows = [write(0, 0), write(0, 1), *[read(GAP, 1)] * READS, write(GAP, 2), write(GAP, 3)]
    out = run(rows, shape_of(2, 1, 1, 1, at=at))
    assert programs(out)[-1] == (3, (channel, 0), start)
    last = out.requests[-1]
    assert (last["response_ns"], last["gc_ns"]) == (start - GAP + WRITE_PAGE, 0)
    assert out.summary["gc"]["write_us"] == pytest.approx((3 * WRITE_PAGE + start - GAP + WRITE_PAGE) / 1000)


def test_f_gives_a_die_one_write_at_a_time(run):
    out = run([write(0, page) for page in range(4)], shape_of(1, 1, 2, 2, flash={"multi_plane": ["program"]}))
    second = [(2, (0, 0), WRITE_PAGE), (3, (0, 1), BUS + WRITE_PAGE)]
    assert programs(out) == [(0, (0, 0), 0), (1, (0, 1), BUS), *second]


@pytest.mark.parametrize(
    ("allocation", "expected"),
    [("f2", [(0, 0), (1, 0), (2, 1), (3, 1), (4, 0), (5, 0)]), ("d", [(0, 0), (2, 0), (1, 1), (3, 1), (4, 0), (5, 1)])],
)
def test_f2_and_d_give_a_die_a_write_for_each_plane(run, allocation, expected):
    changes = shape_of(1, 1, 2, 2, allocation=allocation, flash={"multi_plane": ["program"]})
    out = run([(0, "write", 0, 6 * PAGE)], changes)
    assert [(lpa, die) for lpa, (_, die), _ in programs(out)] == expected
    starts = [start for *_, start in programs(out)]
    assert starts[:5] == [0, 0, 2 * BUS, 2 * BUS, WRITE_TWO]


def test_f2_goes_on_with_the_row_that_moved_pages_have_begun(run):
    """Collection leaves the die in the middle of a row; the next write ends it, and the two after it share one."""
    filled = [write(number * GAP, page) for number, page in enumerate([*range(8), *[*range(5), *range(8, 16)] * 2])]
    rows = [*filled, *(write(60 * GAP, page) for page in (0, 1, 2)), AT_LAST]
    six = {"blocks": 6, "logical": 8}
    ftl = {"active_blocks": "shared", "plane_allocation": "f2", "plane_allocation_at": "dispatch"}
    out = run(rows, device("page", **six, ftl={**ftl, "gc": {"victim": "fifo"}}))
    moved = [row for row in out.commands if (row["op"], row["source"]) == ("program", "gc")]
    assert len(moved) % 2, "as many pages are moved as leave a row begun"
    at, later = 60 * GAP, 60 * GAP + WRITE_PAGE
    assert [row[::2] for row in programs(out)[-3:]] == [(0, at), (1, later), (2, later)]


def test_what_waits_in_line_is_read_from_memory_and_flushed_with_the_rest(run):
    """A newer write of page 1 comes into line when the older one is placed, behind page 2; the trim takes no time."""
    rows = [write(0, 0), write(0, 1), read(0, 1), (0, "flush", 0, 0), write(0, 1), (0, "trim", PAGE, PAGE), write(0, 2)]
    out = run(rows, shape_of(1, 1, 1, 1))
    ends = [WRITE_PAGE, 2 * WRITE_PAGE, 0, 2 * WRITE_PAGE, 4 * WRITE_PAGE, 3 * WRITE_PAGE, 3 * WRITE_PAGE]
    assert {row["id"]: row["arrival_ns"] + row["response_ns"] for row in out.requests} == dict(enumerate(ends))


@pytest.mark.parametrize("hard", [2, 3])
def test_collection_goes_before_the_line_only_where_it_is_urgent(run, hard):
    """Seven blocks are full; the write that takes the eighth of ten calls for a collection, and three stand in line."""
    pages = [*range(8), *range(1, 8), *range(1, 8), *range(1, 7)]
    rows = [write(number * GAP, page) for number, page in enumerate(pages)]
    rows += [write(30 * GAP, page) for page in (1, 2, 3, 4)]
    ten = {"blocks_per_plane": 10, "over_provisioning": 0.6}
    changes = {"hardware": ten, "ftl": {"gc": {"soft_threshold": 3, "hard_threshold": hard, "victim": "fifo"}}}
    out = run([*rows, AT_LAST], shape_of(1, 1, 1, 1, **changes))
    erase = min(row["bus_start_ns"] for row in out.commands if row["op"] == "erase")
    assert [lpa for lpa, _, start in programs(out, "gc") if start < erase] == [0]
    before = [lpa for lpa, _, start in programs(out) if 30 * GAP <= start < erase]
    assert before == ([1] if hard == 3 else [1, 2, 3, 4])


def test_writes_in_line_are_not_acknowledged_when_power_is_lost(experiment):
    rows = [write(0, page) for page in range(6)]
    changes = shape_of(1, 1, 1, 1, power_loss={"at_s": 1.5 * WRITE_PAGE / 1e9})
    out = experiment([{"rows": rows}], changes)
    assert out.summary["power_loss"]["lost_acknowledged"] == 0
    assert len(out.requests) == 1
