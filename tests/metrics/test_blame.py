"""What requests are said to have waited for, by hand; that it adds up on any device is in `test_properties`."""

import pytest
from test_parts import COLLECTING, FULL

from ssdsim.metrics.blame import CAUSES
from support.requests import GAP, read, write, writes
from support.tiny_device import ERASE_BLOCK, PROGRAM, READ, READ_COMMAND, READ_PAGE, WRITE_PAGE, buffered

BLAMED = {"metrics": {"blame": True}}
OWN_READ = {"array": READ, "transfer": READ_PAGE - READ}
OWN_WRITE = {"array": PROGRAM, "transfer": WRITE_PAGE - PROGRAM}


def causes(row):
    """Return what a request has waited for, without what is zero."""
    named = {name: row[f"blame_{name}_ns"] for name in CAUSES}
    return {name: wait for name, wait in named.items() if wait}


def test_a_read_waits_for_the_write_that_its_die_executes(run):
    rows = [write(0), write(1, GAP), read(0, GAP + 1)]
    out = run(rows, BLAMED)
    assert causes(out.requests[2]) == OWN_READ | {"own_writes": WRITE_PAGE - 1}
    blame = out.summary["requests"]["read"]["blame_us"]
    assert blame["own_writes"] == (WRITE_PAGE - 1) / 1000 and blame["collection"] == 0


def test_a_read_waits_for_those_of_another_stream(experiment):
    others = {"rows": [read(0, GAP + 1)]}
    out = experiment([{"rows": [write(0), write(1, GAP)]}, others], BLAMED)
    assert causes(out.requests[2]) == OWN_READ | {"other_writes": WRITE_PAGE - 1}
    of_streams = out.summary["streams"]
    assert of_streams["second"]["read"]["blame_us"]["other_writes"] == (WRITE_PAGE - 1) / 1000
    assert of_streams["main"]["write"]["blame_us"]["other_writes"] == 0


def test_the_bus_is_blamed_while_the_die_is_idle_and_while_data_stands_ready(run):
    """Two dies of a channel: the second gets its command after the first, and its data out after that of the first."""
    two = {"hardware": {"dies_per_chip": 2}}
    out = run([*writes(0, 1), read(0, GAP), read(1, GAP)], BLAMED | two)
    assert causes(out.requests[2]) == OWN_READ
    stood_ready = READ_PAGE - (READ_COMMAND + READ_COMMAND + READ)
    assert causes(out.requests[3]) == OWN_READ | {"bus": READ_COMMAND + stood_ready}


def test_a_wait_for_the_device_queue_is_divided_by_the_work_of_those_that_left_it(run):
    """The queue holds one request. The last comes when the read has taken 1000 ns, and both leave before it."""
    one = {"host": {"queue_depth": 1}}
    out = run([*writes(0, 1), read(0, GAP), write(1, GAP), read(1, GAP + 1000)], BLAMED | one)
    wait = READ_PAGE - 1000 + WRITE_PAGE
    own_reads = wait * READ_PAGE // (READ_PAGE + WRITE_PAGE)
    assert causes(out.requests[3]) == OWN_WRITE | {"own_reads": READ_PAGE}
    assert causes(out.requests[4]) == OWN_READ | {"own_reads": own_reads, "own_writes": wait - own_reads}


def test_a_wait_for_the_queue_is_passed_on(run):
    """The first read waits for the erase of a collection, the second for the place of the first."""
    arrival = 16 * GAP + WRITE_PAGE + 500_000
    out = run([*FULL, read(5, arrival), read(4, arrival)], COLLECTING | BLAMED | {"host": {"queue_depth": 1}})
    left = ERASE_BLOCK - 500_000
    assert causes(out.requests[17]) == OWN_READ | {"collection": left}
    assert causes(out.requests[18]) == OWN_READ | {"collection": left, "own_reads": READ_PAGE}


def test_a_write_waits_for_a_slot_of_the_buffer(run):
    """It holds one page: the second write has its slot when the first page is in flash."""
    out = run([*writes(0, 1), write(2, 1)], BLAMED | buffered(1))
    assert [causes(row) for row in out.requests] == [{}, {"room": WRITE_PAGE}, {"room": 2 * WRITE_PAGE - 1}]


@pytest.mark.parametrize("name", ["requests", "streams"])
def test_nothing_of_it_is_there_without_being_asked_for(run, name):
    out = run([write(0)])
    assert "blame_us" not in str(out.summary[name]) and "blame_array_ns" not in out.requests[0]
