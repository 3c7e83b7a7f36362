"""Multi-plane commands, on a die of two or four planes whose every time can be added up."""

from itertools import groupby

import pytest

from support.planes import ARRAY, COMMAND, LATER, device
from support.requests import read, reads, write, writes
from support.tiny_device import READ_PAGE, TRANSFER, WRITE_PAGE


def together(out, op="program"):
    """Return the planes of each command of one operation, in order of its start."""
    rows = sorted((row for row in out.commands if row["op"] == op), key=lambda row: (row["bus_start_ns"], row["plane"]))
    return [[row["plane"] for row in rows] for _, rows in groupby(rows, key=lambda row: row["bus_start_ns"])]


def test_two_aligned_programs_cost_two_transfers_and_one_program(run):
    out = run([write(0, pages=2)], device())
    assert out.done_at() == [2 * (COMMAND["program"] + TRANSFER) + ARRAY["program"]]
    assert together(out) == [[0, 1]]
    assert [(row["bus_ns"], row["array_ns"]) for row in out.requests] == [(2 * (200 + TRANSFER), 100_000)]


def test_of_requests_of_one_nanosecond_the_first_is_started_alone_and_those_that_wait_are_joined(run):
    out = run(writes(0, 3, 4, 5), device())
    one, two = WRITE_PAGE, 2 * (COMMAND["program"] + TRANSFER) + ARRAY["program"]
    assert together(out) == [[0], [1], [0, 1]]
    assert out.done_at() == [one, 2 * one, 2 * one + two, 2 * one + two]


def test_reads_share_the_array_and_take_turns_on_the_bus(run):
    out = run([write(0, pages=2), *reads(0, 0, 1, at=LATER)], device())
    ready = LATER + READ_PAGE + 2 * COMMAND["read"] + ARRAY["read"]  # behind the first read
    assert out.done_at()[2:] == [ready + TRANSFER, ready + 2 * TRANSFER]


@pytest.mark.parametrize(("plane_data", "turns"), [("in_turn", (1, 3, 2)), ("together", (1, 2, 3))])
def test_another_die_moves_data_between_those_of_two_planes_or_after_both(run, plane_data, turns):
    changes = device(channels=1, chips_per_channel=2)
    changes["flash"] |= {"bus": "fcfs", "plane_data": plane_data}
    rows = [*writes(0, 1, 2), read(0, LATER), *reads(0, 1, at=LATER + 1), read(2, LATER + READ_PAGE)]
    out = run(rows, changes)
    first_ready = LATER + READ_PAGE + 2 * COMMAND["read"] + ARRAY["read"]
    assert out.done_at()[4:] == [first_ready + n * TRANSFER for n in turns]


@pytest.mark.parametrize(("bac", "expected"), [(False, [[0, 1]]), (True, [[0], [1]])])
def test_block_addresses_have_to_agree_only_where_the_flash_wants_it(run, bac, expected):
    filled = [row for turn in range(4) for row in writes(0, at=turn * LATER)]
    out = run([*filled, write(0, 5 * LATER, pages=2)], device(bac=bac))
    assert together(out)[4:] == expected


@pytest.mark.parametrize(("groups", "expected"), [(None, [[0, 1, 2, 3]]), (2, [[0, 1], [2, 3]])])
def test_a_die_of_four_planes_may_join_only_pairs(run, groups, expected):
    assert together(run([write(0, pages=4)], device(4, groups=groups))) == expected
    for other in (2, 3):
        apart = [[0, other]] if groups is None else [[0], [other]]
        busy = [write(1), *writes(0, other, at=1)]
        assert together(run(busy, device(4, groups=groups)))[1:] == apart


def test_further_planes_hold_the_bus_for_their_dummy_busy_time(run):
    busy = {"program_plane_busy_us": 0.5, "read_plane_busy_us": 0.7}
    out = run([write(0, pages=2), *reads(0, 0, 1, at=LATER)], device(**busy))
    written = 2 * (COMMAND["program"] + TRANSFER) + 500 + ARRAY["program"]
    ready = LATER + READ_PAGE + 2 * COMMAND["read"] + 700 + ARRAY["read"]
    assert out.done_at() == [written, LATER + READ_PAGE, ready + TRANSFER, ready + 2 * TRANSFER]


def test_of_programs_complete_with_their_transfer_each_page_is_with_its_own(run):
    changes = device(program_plane_busy_us=0.5)
    changes["flash"]["write_complete"] = "transfer_end"
    out = run([write(0, pages=2), read(0, LATER), *writes(0, 1, at=LATER + 1), read(0, 2 * LATER)], changes)
    one = COMMAND["program"] + TRANSFER
    free = LATER + READ_PAGE
    assert out.done_at()[2:4] == [free + one, free + one + 500 + one]
    assert out.ends("program", "host")[2:] == [free + 2 * one + 500 + ARRAY["program"]] * 2


@pytest.mark.parametrize(
    ("order", "expected"), [("strict", [[0], [0], [0], [1], [1], [1]]), ("free", [[0], [0, 1], [0, 1], [1]])]
)
def test_a_younger_page_joins_where_pages_of_a_block_are_programmed_in_any_order(run, order, expected):
    changes = device()
    changes["flash"]["program_order"] = order
    out = run([*writes(0, 2), *writes(4, 1, 3, 5, at=1)], changes)
    assert together(out) == expected


def test_programs_of_any_pages_are_joined_in_the_order_of_planes(run):
    changes = device()
    changes["flash"] |= {"joined_programs": "any_page", "write_complete": "transfer_end"}
    out = run([write(1), *writes(3, 0, at=1), read(0, LATER)], changes)
    assert together(out) == [[1], [0, 1]]
    one = COMMAND["program"] + TRANSFER
    assert out.done_at()[:3] == [one, WRITE_PAGE + 2 * one, WRITE_PAGE + one]
