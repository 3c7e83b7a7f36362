"""Reads side by side in a die of the tiny device: every time is a sum that is written here, in ns."""

import pytest

from support.requests import read, write
from support.tiny_device import PROGRAM, PROGRAM_COMMAND, READ, READ_COMMAND, READ_PAGE, TRANSFER, WRITE_PAGE

LATER = 10_000_000
PLANES = {"planes_per_die": 2, "blocks_per_plane": 8}


def device(plane_reads="independent", policy="read_priority", **hardware):
    """Return changes by which pages 0 and 1 are in planes 0 and 1 of one die, and so on in turn."""
    return {
        "hardware": PLANES | {"plane_reads": plane_reads} | hardware,
        "ftl": {"plane_allocation": "PCWD"},
        "scheduler": {"policy": policy},
        "metrics": {"blame": True},
        "check": "recount",
    }


WRITTEN = [write(page) for page in range(4)]


def at(out, number):
    """Return when request `number` was complete, after LATER."""
    return out.done_at()[number] - LATER


def test_planes_read_unequal_pages_at_unequal_times(run):
    """Page 2 is the second of plane 0, page 1 the first of plane 1; page 0 waits for its plane, and together all do."""
    rows = [*WRITTEN, read(2, LATER), read(1, LATER + 3_000), read(0, LATER + 4_000)]
    first = READ_PAGE
    second = 3_000 + READ_COMMAND + READ + TRANSFER
    out = run(rows, device())
    # its command crosses the bus before the data of plane 1, which is ready by then
    third = first + READ_COMMAND + READ + TRANSFER
    assert [at(out, number) for number in (4, 5, 6)] == [first, max(second, first + READ_COMMAND + TRANSFER), third]
    assert out.requests[6]["blame_own_reads_ns"] == first - 4_000
    busy_ns = 4 * WRITE_PAGE + third
    assert out.summary["utilization"]["die"] == [pytest.approx(busy_ns / out.done_at()[6])]
    out = run(rows, device("together"))
    assert [at(out, number) for number in (4, 5, 6)] == [READ_PAGE, 2 * READ_PAGE, 3 * READ_PAGE]


def test_a_read_of_both_planes_takes_both(run):
    """Pages 0 and 1 are read by one command; page 2, of plane 0, begins when that has moved the data of page 0."""
    rows = [*WRITTEN, read(0, LATER, pages=2), read(2, LATER + 1_000)]
    out = run(rows, device() | {"flash": {"multi_plane": ["read"]}})
    ready = 2 * READ_COMMAND + READ
    begins = ready + TRANSFER + READ_COMMAND  # starts go first
    assert at(out, 4) == begins + TRANSFER
    assert at(out, 5) == begins + READ + TRANSFER


CACHE = 1_000


@pytest.mark.parametrize("sense", [READ, 500])
def test_the_array_reads_on_as_data_leaves_from_the_cache_register(run, sense):
    """Where data takes longer than the array, the second read waits for it in the page register."""
    rows = [write(0), *(read(0, LATER) for _ in range(3))]
    hardware = {"cache_read_us": CACHE / 1000, "read_us": [sense / 1000]}
    out = run(rows, {"hardware": hardware, "check": "recount"})
    done = []
    empty = sensed = READ_COMMAND + sense
    for _ in range(2):
        cached = max(sensed, empty) + CACHE
        sensed = cached + READ_COMMAND + sense
        empty = cached + READ_COMMAND + TRANSFER  # the command of the next goes first
        done.append(empty)
    done.append(max(sensed, empty) + CACHE + TRANSFER)
    assert [at(out, number) for number in (1, 2, 3)] == done
    assert at(run([write(0), read(0, LATER)], {"hardware": hardware}), 1) == READ_COMMAND + sense + TRANSFER


@pytest.mark.parametrize("policy", ["fcfs", "read_priority"])
def test_a_program_has_the_die_alone_when_it_has_its_turn(run, policy):
    """A write that comes between reads of two planes goes before the second with fcfs, and no read passes it."""
    rows = [*WRITTEN, read(0, LATER), write(4, LATER + 1_000), read(1, LATER + 2_000)]
    out = run(rows, device(policy=policy))
    beside = max(2_000 + READ_COMMAND + READ, READ_PAGE) + TRANSFER
    if policy == "fcfs":
        assert [at(out, number) for number in (4, 5, 6)] == [
            READ_PAGE,
            READ_PAGE + WRITE_PAGE,
            2 * READ_PAGE + WRITE_PAGE,
        ]
    else:
        assert [at(out, number) for number in (4, 6, 5)] == [READ_PAGE, beside, beside + WRITE_PAGE]


BUS = PROGRAM_COMMAND + TRANSFER


def test_the_next_program_comes_over_the_bus_while_the_array_works(run):
    """Its data waits for the array, and the third takes the bus only then; a read of the die goes after them all."""
    rows = [*(write(page) for page in range(3)), read(0, 3 * PROGRAM)]
    changes = {"hardware": {"cache_program_us": CACHE / 1000}, "scheduler": {"policy": "fcfs"}}
    out = run(rows, changes | {"check": "recount"})
    ends = [BUS + PROGRAM]
    ends += [ends[0] + CACHE + PROGRAM, ends[0] + 2 * (CACHE + PROGRAM)]
    assert out.done_at() == [*ends, ends[2] + READ_PAGE]
    first, second, third, _ = out.commands
    assert [c["bus_start_ns"] for c in (second, third)] == [BUS, ends[0] + CACHE]
    assert [c["cached_ns"] for c in (first, second, third)] == [0, ends[0] + CACHE - 2 * BUS, PROGRAM - BUS + CACHE]
    busy_ns = 3 * BUS + READ_COMMAND + TRANSFER
    assert out.summary["utilization"]["channel"] == [pytest.approx(busy_ns / out.done_at()[3])]


def test_a_page_of_another_mode_does_not_come_while_the_array_works(run):
    """The SLC cache has one block: the fifth page is one of MLC, and leaves the controller when the others are done."""
    cells = {"bits_per_cell": 2, "pages_per_block": 8, "blocks_per_plane": 16, "program_us": [100.0, 200.0]}
    cells |= {"read_us": [10.0], "slc_program_us": 40.0, "cache_program_us": CACHE / 1000}
    cache = {"slc_cache": {"blocks": 1}, "gc": {"idle_us": 1e9}}
    out = run([write(page) for page in range(5)], {"hardware": cells, "ftl": cache})
    ends = [BUS + 40_000 + number * (CACHE + 40_000) for number in range(4)]
    assert out.done_at() == [*ends, ends[-1] + BUS + PROGRAM]


def test_data_that_waits_for_the_array_is_not_programmed_when_power_is_lost(run):
    """Of three pages the first is in its array, the second on the chip and the third in the queue."""
    changes = {"hardware": {"cache_program_us": CACHE / 1000}, "power_loss": {"at_s": (2 * BUS + 1000) / 1e9}}
    lost = run([write(page) for page in range(3)], changes).summary["power_loss"]
    assert (lost["destroyed_programs"], lost["lost_in_flash"]) == (1, 0)
