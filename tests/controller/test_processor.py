"""The time of commands on the controller's cores, each equal to a sum written here, on both kernels."""

from support.requests import GAP, flush, read, trim, write
from support.tiny_device import READ_PAGE

TIMES = {"read_ns": 1000, "write_ns": 3000, "trim_ns": 70}


def on_cores(cores=1, **changes):
    return {"controller": {"cores": cores, **TIMES, **changes}}


def test_a_command_takes_the_time_of_its_kind(run):
    out = run([write(0, 0, 2), read(0, GAP, 2), trim(0, 2 * GAP), flush(3 * GAP)], on_cores())
    taken = [3000, 1000, 70, 0]
    assert [row["processor_ns"] for row in out.requests] == taken
    assert [row["response_ns"] for row in out.requests][2:] == taken[2:]
    assert out.requests[1]["response_ns"] == taken[1] + 2 * READ_PAGE
    assert out.summary["requests"]["read"]["response_us"]["processor"] == taken[1] / 1000


def test_commands_wait_for_a_core_in_the_order_in_which_they_come(run):
    reads = [read(lpa) for lpa in range(3)]
    assert [row["processor_ns"] for row in run(reads, on_cores()).requests] == [1000, 2000, 3000]
    assert [row["processor_ns"] for row in run(reads, on_cores(2)).requests] == [1000, 1000, 2000]


def test_what_changes_data_does_not_overtake_on_another_core(run):
    """The trim is done with long before the write, and waits for it; the read does not."""
    out = run([write(0), trim(0), read(1), read(0, GAP)], on_cores(3))
    assert [row["processor_ns"] for row in out.requests][:3] == [3000, 3000, 1000]
    assert out.requests[3]["bus_ns"] == 0  # nothing is left to be read
