"""Completion times of the flash back end, each equal to a sum written here, on both kernels.

The tiny device of `tiny_device.py`: times in nanoseconds.
"""

import pytest

from support.requests import read, write
from support.tiny_device import PROGRAM, PROGRAM_COMMAND, READ, READ_COMMAND, READ_PAGE, TRANSFER, WRITE_PAGE

LATER = 1_000_000  # by then the device is idle again


def on(**hardware):
    return {"hardware": hardware}


def test_a_read_of_part_of_a_page_moves_that_part_only(run):
    done = run([write(0), (LATER, "read", 512, 1024)]).done_at()
    assert done[1] == LATER + READ_COMMAND + READ + 1024


@pytest.mark.parametrize("level", ["chips_per_channel", "dies_per_chip"])
def test_two_writes_on_one_channel_share_its_bus_and_overlap_in_the_array(run, level):
    bus = PROGRAM_COMMAND + TRANSFER
    assert run([write(0), write(1)], on(**{level: 2})).done_at() == [bus + PROGRAM, 2 * bus + PROGRAM]


@pytest.mark.parametrize("level", ["chips_per_channel", "dies_per_chip"])
def test_two_reads_on_one_channel_interleave(run, level):
    done = run([write(0), write(1), read(0, LATER), read(1, LATER)], on(**{level: 2})).done_at()
    first = LATER + READ_COMMAND + READ + TRANSFER
    assert done[2:] == [first, first + TRANSFER]  # the second array time ends 100 ns later, the bus is taken by then


def test_a_data_out_waits_for_the_transfer_of_another_dies_program(run):
    rows = [write(0), read(0, LATER), write(1, LATER + 7000)]
    done = run(rows, on(dies_per_chip=2)).done_at()
    bus_free = LATER + 7000 + PROGRAM_COMMAND + TRANSFER
    assert bus_free > LATER + READ_COMMAND + READ
    assert done[1:] == [bus_free + TRANSFER, bus_free + PROGRAM]


def test_a_die_starts_its_next_read_before_another_moves_data_out(run):
    """It asks for the bus in the instant in which it gives it away."""
    rows = [write(0), write(1), write(2), read(0, LATER), read(1, LATER), read(2, LATER)]
    done = run(rows, on(chips_per_channel=2)).done_at()
    first = LATER + READ_COMMAND + READ + TRANSFER
    assert done[3:] == [first, first + READ_COMMAND + TRANSFER, first + READ_COMMAND + READ + TRANSFER]


def test_requests_of_one_nanosecond_are_started_one_by_one(run):
    """The write goes first, although `command_first` prefers a read and the other rule would begin with chip 0."""
    rows = [write(0), write(1, LATER), read(0, LATER)]
    bus = PROGRAM_COMMAND + TRANSFER
    for rule in ("command_first", "data_out_first"):
        done = run(rows, {"flash": {"bus": rule}} | on(chips_per_channel=2)).done_at()
        assert done[1:] == [LATER + WRITE_PAGE, LATER + bus + READ_PAGE]


def test_the_bus_is_given_away_once_all_dies_that_a_request_wakes_have_asked(run):
    """The pages of one request: chip 0 is tried first, although the first page is of chip 1."""
    done = run([(0, "write", TRANSFER, 2 * TRANSFER)], {"flash": {"bus": "data_out_first"}} | on(chips_per_channel=2))
    assert [(row["chip"], row["bus_start_ns"]) for row in done.commands] == [(0, 0), (1, PROGRAM_COMMAND + TRANSFER)]


def test_a_read_behind_a_program_waits_for_the_die(run):
    rows = [write(0), write(1, LATER), read(0, LATER + 1000)]
    row = run(rows).requests[2]
    assert row["response_ns"] == WRITE_PAGE - 1000 + READ_PAGE
    parts = {name: row[f"{name}_ns"] for name in ("queue", "bus", "array", "gc")}
    assert parts == {"queue": WRITE_PAGE - 1000, "bus": READ_COMMAND + TRANSFER, "array": READ, "gc": 0}


def test_first_come_first_served_or_reads_first(run):
    rows = [write(0), write(1, LATER), write(2, LATER), read(0, LATER + 1000)]
    write_1, write_2 = LATER + WRITE_PAGE, LATER + 2 * WRITE_PAGE
    assert run(rows, {"scheduler": {"policy": "fcfs"}}).done_at()[1:] == [write_1, write_2, write_2 + READ_PAGE]
    read_first = run(rows, {"scheduler": {"policy": "read_priority"}}).done_at()
    assert read_first[1:] == [write_1, write_1 + READ_PAGE + WRITE_PAGE, write_1 + READ_PAGE]


def test_reads_of_each_page_type_take_their_time(run):
    hardware = {"pages_per_block": 6, "bits_per_cell": 3, "read_us": [10.0, 20.0, 40.0], "ready_busy_us": 1.0}
    rows = [write(i, LATER * i) for i in range(6)] + [read(i, LATER * (6 + i)) for i in range(6)]
    arrays = [11_000, 11_000, 21_000, 21_000, 41_000, 41_000]
    out = run(rows, {"hardware": hardware})
    assert [row["response_ns"] for row in out.requests[6:]] == [READ_COMMAND + time + TRANSFER for time in arrays]


def test_a_write_may_be_complete_when_its_data_is_on_the_chip(run):
    rows = [write(0), write(1), read(0, LATER)]
    out = run(rows, {"flash": {"write_complete": "transfer_end"}})
    assert out.done_at()[:2] == [PROGRAM_COMMAND + TRANSFER, WRITE_PAGE + PROGRAM_COMMAND + TRANSFER]
    assert [row["array_ns"] for row in out.requests[:2]] == [0, 0]
    assert out.ends("program", "host") == [WRITE_PAGE, 2 * WRITE_PAGE]
    assert out.summary["write_complete"] == "transfer_end"


def test_without_any_latency_everything_takes_no_time(run):
    times = dict.fromkeys(("erase_us", "bus_ns_per_byte", "read_command_us", "program_command_us"), 0.0)
    rows = [write(i % 3, 10 * i) for i in range(40)] + [read(1, 1000)]
    assert run(rows, on(read_us=[0.0], program_us=[0.0], erase_command_us=0.0, **times)).done_at() == [
        row[0] for row in rows
    ]


def test_a_transfer_is_rounded_to_the_nearest_nanosecond(run):
    done = run([write(0), (LATER, "read", 0, 512)], on(bus_ns_per_byte=0.3)).done_at()
    assert done == [200 + 1229 + 100_000, LATER + 100 + 10_000 + 154]  # 1228.8 and 153.6
