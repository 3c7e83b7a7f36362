"""Chips that are commanded as one, and maps of page types: times and places, each written out as a sum.

The tiny device of `support/tiny_device.py` with two dies: times in nanoseconds. Neighbouring pages lie in other dies.
"""

import pytest

from support.requests import GAP, writes
from support.tiny_device import PAGE, PROGRAM, PROGRAM_COMMAND, READ_PAGE, TRANSFER, WRITE_PAGE

BUS = PROGRAM_COMMAND + TRANSFER  # command and data of a program
CHIP = {"dies_per_chip": 2, "command_unit": "chip"}
TLC = {"bits_per_cell": 3, "pages_per_block": 12, "program_us": [100.0, 300.0, 700.0], "over_provisioning": 0.8}
LSB, CSB, MSB = range(3)


@pytest.mark.parametrize(("unit", "second"), [("die", BUS + WRITE_PAGE), ("chip", 2 * WRITE_PAGE)])
def test_the_dies_of_a_chip_wait_for_each_other_where_it_is_commanded_as_one(run, unit, second):
    out = run(writes(0, 1), {"hardware": CHIP | {"command_unit": unit}})
    assert [row["response_ns"] for row in out.requests] == [WRITE_PAGE, second]
    assert [(c["chip"], c["die"]) for c in out.commands] == [(0, 0), (0, 1)]
    busy = {"die": [WRITE_PAGE, WRITE_PAGE], "chip": [2 * WRITE_PAGE]}[unit]
    assert out.summary["utilization"]["die"] == [ns / second for ns in busy]


def test_a_chip_reads_first_whatever_the_die(run):
    """A write of die 0 arrives before a read of die 1, while die 0 programs: the read goes first."""
    late = GAP + WRITE_PAGE  # when the program is over
    rows = [*writes(1), (GAP, "write", 0, PAGE), (GAP + 1, "write", 2 * PAGE, PAGE), (GAP + 2, "read", PAGE, PAGE)]
    out = run(rows, {"hardware": CHIP})
    ends = [row["arrival_ns"] + row["response_ns"] for row in out.requests]
    assert ends == [WRITE_PAGE, late, late + READ_PAGE + WRITE_PAGE, late + READ_PAGE]


def test_planes_join_within_a_die_of_the_chip_only(run):
    """Four pages in the planes of two dies: a program of two planes for each die, one after the other."""
    changes = {"hardware": CHIP | {"planes_per_die": 2}, "flash": {"multi_plane": ["program"]}}
    out = run([(0, "write", 0, 4 * PAGE)], changes)
    assert out.requests[0]["response_ns"] == 2 * (2 * BUS + PROGRAM)
    assert [(c["die"], c["plane"]) for c in out.commands] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [c["bus_start_ns"] for c in out.commands] == [0, 0, 2 * BUS + PROGRAM, 2 * BUS + PROGRAM]


@pytest.mark.parametrize(("policy", "order"), [("read_priority", [1, 3, 2]), ("lowest_die_first", [1, 2, 3])])
def test_ssdsim_starts_the_writes_of_the_lowest_die_first(run, policy, order):
    """A write of die 1 and then one of die 0 arrive while die 1 programs."""
    rows = [(0, "write", PAGE, PAGE), (1, "write", 3 * PAGE, PAGE), (2, "write", 2 * PAGE, PAGE)]
    out = run(rows, {"hardware": CHIP, "scheduler": {"policy": policy}})
    assert [c["lpa"] for c in out.commands] == order


@pytest.mark.parametrize(
    ("page_map", "types"),
    [
        ("diagonal", [LSB, LSB, CSB, LSB, CSB, MSB, LSB, CSB, MSB, CSB, MSB, MSB]),
        ("modulo", [LSB, CSB, MSB] * 4),
        ("mqsim", [LSB] * 6 + [CSB, CSB, LSB, LSB, CSB, CSB]),
    ],
)
def test_a_page_has_the_time_of_its_type(run, page_map, types):
    changes = {"hardware": TLC | {"page_type_map": page_map}, "flash": {"program_order": "strict"}}
    out = run(writes(*range(12), gap=GAP), changes)
    assert [c["page_type"] for c in out.commands] == types
    assert [row["response_ns"] - BUS for row in out.requests] == [[100_000, 300_000, 700_000][each] for each in types]
