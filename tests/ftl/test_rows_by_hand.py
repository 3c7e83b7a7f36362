"""SPD's Figs. 5, 6 and 8 and its odd last page, step by step: times are sums written here, on both kernels."""

import pytest

from ssdsim.assembly.device import Device
from ssdsim.ftl.writes import WritePath
from support.requests import GAP, flush, writes
from support.rows import AT_LAST, ERASE_TWO, READ_TWO, WRITE_TWO, device, steps
from support.tiny_device import PAGE, READ_PAGE, merge, tiny_config


def row(at, *pages):
    """Return requests that have pages written to flash at once: into the buffer with them, and out again."""
    return [*writes(*pages, at=at), flush(at)]


FOUR_PAGES = {
    "blocks": 6,
    "logical": 8,
    "buffer": 4,
    "ftl": {"active_blocks": "shared", "bac": True, "gc": {"victim": "fifo"}},
}
"""Six aligned blocks of four rows, eight pages of each plane logical: the 17th row leaves one of them free.

BAC, else a page of the host's and a moved one may make a command where they happen to have the same page offset.
"""
START = 16 * GAP + WRITE_TWO


def until_collection(*rewritten):
    """Return 17 rows, the last of which has the first aligned blocks collected, with all but these pages valid."""
    first = [(0, 1), (2, 3), (4, 5), (6, 7)]
    others = [*rewritten, *range(8, 16), *rewritten, *range(8, 16), *range(8, 16)][: 2 * 13]
    pairs = [*first, *zip(others[::2], others[1::2], strict=True)]
    return [*(each for number, pair in enumerate(pairs) for each in row(number * GAP, *pair)), AT_LAST]


def test_fig_6_a_die_is_collected_by_rows(run):
    """Page 0 of plane 0 and page 1 of plane 1 are read in turn, pages 2 of both at once; two rows are written."""
    out = run(until_collection(1, 2, 6, 7), device("die", **FOUR_PAGES))
    assert steps(out, "gc") == [
        ("read", [(0, 0, 0)]),
        ("read", [(3, 1, 1)]),
        ("read", [(4, 0, 2), (5, 1, 2)]),
        ("program", [(0, 0, 1), (3, 1, 1)]),
        ("program", [(4, 0, 2), (5, 1, 2)]),
        ("erase", [(-1, 0, 0), (-1, 1, 0)]),
    ]
    assert out.ends("erase") == [START + 2 * READ_PAGE + READ_TWO + 2 * WRITE_TWO + ERASE_TWO] * 2
    assert (out.summary["gc"]["collections"], out.summary["gc"]["page_moves"]) == (1, 4)
    assert out.summary["padded_pages"] == 0


def test_an_odd_last_page_is_completed_with_a_dirty_page_of_the_die(run):
    late = (16 * GAP + 1, "write", 9 * PAGE, PAGE)
    rows = until_collection(1, 2, 5, 6, 7, 1)
    out = run([*rows[:-1], late, rows[-1]], device("die", **FOUR_PAGES))
    collected = steps(out, since=START)
    assert collected[:3] == [("read", [(0, 0, 0)]), ("read", [(3, 1, 1)]), ("read", [(4, 0, 2)])]
    assert collected[3:] == [
        ("program", [(0, 0, 1), (3, 1, 1)]),
        ("program", [(4, 0, 2), (9, 1, 2)]),
        ("erase", [(-1, 0, 0), (-1, 1, 0)]),
    ]
    assert out.ends("erase") == [START + 3 * READ_PAGE + 2 * WRITE_TWO + ERASE_TWO] * 2
    assert out.requests[-2]["response_ns"] == 0 and out.summary["padded_pages"] == 0
    asked_for = [c for c in out.commands if c["lpa"] == 9 and c["op"] == "program" and c["queued_ns"] > START]
    host = [c for c in out.commands if c["op"] == "program" and c["source"] == "host" and c not in asked_for]
    assert len(asked_for) == 1 and out.summary["gc"]["blocked_writes"] == 0
    assert out.summary["gc"]["write_us"] == sum(c["end_ns"] - c["queued_ns"] for c in host) / 1000


def test_an_odd_last_page_is_padded_if_the_buffer_has_none(run):
    out = run(until_collection(1, 2, 5, 6, 7, 1), device("die", **FOUR_PAGES))
    assert steps(out, "gc")[-2:] == [
        ("program", [(4, 0, 2), (-1, 1, 2)]),
        ("erase", [(-1, 0, 0), (-1, 1, 0)]),
    ]
    assert out.ends("erase") == [START + 3 * READ_PAGE + 2 * WRITE_TWO + ERASE_TWO] * 2
    assert (out.summary["gc"]["page_moves"], out.summary["padded_pages"]) == (3, 1)


EIGHT_PAGES = {
    "blocks": 7,
    "buffer": 8,
    "hardware": {"pages_per_block": 10, "over_provisioning": 1 - 12 / 70},
    "ftl": {"bac": True, "gc": {"victim": "fifo", "soft_threshold": 3, "hard_threshold": 3}},
}
"""Seven aligned blocks of ten rows, twelve pages of each plane logical: the 41st row leaves two of them free."""
SHARED_AND_HELD = {"ftl": {"active_blocks": "shared", "gc": {"holds_writes": True}}}
ARRIVAL = 40 * GAP + 1
READS = 3 * READ_TWO + 2 * READ_PAGE
FIG_8_START = 40 * GAP + WRITE_TWO


def figure_8(kept=(0, 2, 4, 1, 3, 5, 7, 9)):
    """Return 41 rows, the last of which has three pages of one and five of the other block moved, and four more."""
    others = [page for page in range(24) if page not in kept] * 4
    pairs = [(2 * n, 2 * n + 1) for n in range(10)] + list(zip(others[0:62:2], others[1:62:2], strict=True))
    rows = [each for number, pair in enumerate(pairs) for each in row(number * GAP, *pair)]
    return [*rows, *row(ARRIVAL, *others[:8]), AT_LAST]


def test_fig_8_die_writes_wait_for_the_collection_of_their_die(run):
    out = run(figure_8(), merge(device("die", **EIGHT_PAGES), SHARED_AND_HELD))
    erased = FIG_8_START + READS + 4 * WRITE_TWO + ERASE_TWO
    assert out.ends("program") == [FIG_8_START + READS + n * WRITE_TWO for n in (1, 1, 2, 2, 3, 3, 4, 4)]
    assert out.ends("erase") == [erased] * 2
    host = [end for end in out.ends("program", "host") if end > FIG_8_START]
    assert host == [erased + n * WRITE_TWO for n in (1, 1, 2, 2, 3, 3, 4, 4)]
    assert out.done_at()[-2] == erased + 4 * WRITE_TWO


@pytest.mark.parametrize("more", [{}, SHARED_AND_HELD], ids=["separate", "shared and held"])
def test_fig_8_with_combined_writes_they_go_along_in_rows_of_one_each(run, more):
    """In all it takes as long, but the host's writes are done before the erase."""
    out = run(figure_8(), merge(device("spd_plus", **EIGHT_PAGES), more))
    rows = [FIG_8_START + READS + n * WRITE_TWO for n in range(1, 9)]
    assert out.ends("program") == rows
    assert [end for end in out.ends("program", "host") if end > FIG_8_START] == rows
    assert out.ends("erase")[:2] == [rows[-1] + ERASE_TWO] * 2
    assert out.done_at()[-2] == rows[-1]
    combined = [pages for op, pages in steps(out, since=FIG_8_START) if op == "program"]
    assert [[plane for _, plane, _ in pages] for pages in combined] == [[0, 1]] * 8


def test_as_many_writes_are_combined_as_there_are_pages_to_move(run):
    """Two of the host's eight, in rows of one each; the others are held until the erase is done."""
    out = run(figure_8((0, 1)), merge(device("spd_plus", **EIGHT_PAGES), SHARED_AND_HELD))
    assert steps(out, since=FIG_8_START) == [
        ("read", [(0, 0, 0), (1, 1, 0)]),
        ("program", [(0, 0, 1), (2, 1, 1)]),
        ("program", [(1, 0, 2), (3, 1, 2)]),
        ("erase", [(-1, 0, 0), (-1, 1, 0)]),
        *(("program", [(lpa, 0, page), (lpa + 1, 1, page)]) for lpa, page in ((4, 3), (6, 4), (8, 5))),
    ]
    assert out.ends("program", "gc") == [FIG_8_START + READ_TWO + n * WRITE_TWO for n in (1, 2)]


def test_algorithm_1_one_victim_is_emptied_after_the_other_while_writes_wait(run):
    """Five pages of the first victim and three of the second; the first four were being read before the writes came."""
    fewest = {"ftl": {"gc": {"moves_in_flight": 1}}}
    changes = merge(device("spd_plus", **EIGHT_PAGES), merge(SHARED_AND_HELD, fewest))
    out = run(figure_8((0, 2, 4, 6, 8, 1, 3, 5)), changes)
    assert [c["lpa"] for c in out.commands if c["op"] == "read" and c["source"] == "gc"] == [0, 1, 2, 3, 4, 6, 8, 5]
    alone = run(figure_8((0, 2, 4, 6, 8, 1, 3, 5)), merge(changes, {"ftl": {"gc": {"combine_writes": False}}}))
    assert [c["lpa"] for c in alone.commands if c["op"] == "read" and c["source"] == "gc"] == [0, 1, 2, 3, 4, 5, 6, 8]


def test_fig_5_the_dies_in_turn_each_with_enough_pages_for_a_row(run):
    """Die 1 has one page and is passed over; six pages make room for five."""
    dirty = [0, 4, 8, 1, 2, 6, 3, 7]
    rows = writes(*dirty)
    shape = {"channels": 4, "over_provisioning": 0.5}
    out = run([*rows, (GAP, "write", 16 * PAGE, 5 * PAGE)], device("die", 2, 12, buffer=8, hardware=shape))
    assert steps(out) == [
        ("program", [(0, 0, 0), (4, 1, 0)]),
        ("program", [(2, 0, 0), (6, 1, 0)]),
        ("program", [(3, 0, 0), (7, 1, 0)]),
    ]
    assert [r["channel"] for r in out.commands] == [0, 0, 2, 2, 3, 3]
    assert out.done_at() == [0] * 8 + [GAP + WRITE_TWO]


def test_a_row_that_no_die_has_the_pages_for_is_padded(run):
    """It is the only one that can make room."""
    out = run([(0, "write", 0, PAGE), (0, "write", PAGE, PAGE)], device("die", buffer=1))
    assert steps(out) == [("program", [(-1, 0, 0), (0, 1, 0)])]
    assert out.done_at() == [0, WRITE_TWO]
    assert out.summary["padded_pages"] == 1


@pytest.mark.parametrize("unit", ["die", "super_page", "spd_plus"])
def test_a_die_of_one_plane_has_no_rows(run, unit):
    """Sixteen logical pages, each written four times in all, through collections that are checked."""
    changes = device(unit, planes=1, buffer=4, check="always")
    assert type(Device(tiny_config(changes)).layer.writes) is WritePath
    rows = [(at * 200_000, "write", page * PAGE, PAGE) for at, page in enumerate([*range(16)] * 4)]
    out = run([*rows, (64 * 200_000, "flush", 0, 0)], changes)
    assert out.summary["gc"]["collections"] > 0
    assert out.summary["flash"]["programs"]["host"] == 64
    assert out.summary["write_amplification"] == 1 + out.summary["gc"]["page_moves"] / 64
