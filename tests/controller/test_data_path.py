"""The DRAM that all data shares, each time equal to a sum written here, on both kernels."""

import pytest

from support.requests import GAP, flush, read, trim, write, writes
from support.tiny_device import ERASE_BLOCK, PAGE, READ_PAGE, TRANSFER, WRITE_PAGE, buffered, merge

MOVE = 4 + 2 * PAGE
"""Of a page: a latency of 4 ns, and 2 ns a byte."""
LOOK_UP = 4 + 2 * 64


def through(**changes):
    """Return changes that give the tiny device a DRAM of 2 ns a byte and 4 ns an access."""
    return {"dram": {"bandwidth_mib_s": 1e9 / 2**20 / 2, "latency_ns": 4.0, **changes}}


def dram_ns(out):
    return [row["buffer_ns"] for row in out.requests]


def test_data_is_moved_in_before_it_is_written_and_out_after_it_is_read(run):
    """A page is moved in as it leaves the bus, which takes half as long, and goes out behind that."""
    out = run([write(0), read(0, GAP), trim(0, 2 * GAP), flush(3 * GAP)], through())
    assert dram_ns(out) == [LOOK_UP + MOVE, LOOK_UP + (MOVE - TRANSFER) + MOVE, LOOK_UP, 0]
    work = [WRITE_PAGE, READ_PAGE, 0, 0]
    assert [row["response_ns"] for row in out.requests] == [*map(sum, zip(dram_ns(out), work, strict=True))]
    assert out.summary["requests"]["read"]["response_us"]["buffer"] == (LOOK_UP + 2 * MOVE - TRANSFER) / 1000


def test_one_after_another_and_a_flush_overtakes_nothing(run):
    """The read is looked up behind both writes and the flush, and goes out behind the page that leaves for its program.

    The bus waits for that to begin until the look-up is over; the flush is complete after both programs.
    """
    out = run([write(0), write(1), flush(0), read(5)], through())
    into = LOOK_UP + MOVE
    assert dram_ns(out)[:3] == [into, 2 * into, 2 * into]
    assert dram_ns(out)[3] == 2 * into + LOOK_UP + MOVE + MOVE
    assert out.done_at()[2] == 2 * into + LOOK_UP + 2 * WRITE_PAGE


def test_a_buffer_answers_in_the_time_of_the_dram(run):
    """The second of two writes is answered after both, and read back from there; the buffer's own times are not."""
    out = run([write(0), write(1), read(1, GAP, 1)], merge(through(), buffered(4, access_ns=1000.0)))
    assert out.done_at() == [LOOK_UP + MOVE, 2 * (LOOK_UP + MOVE), GAP + LOOK_UP + MOVE]


@pytest.mark.parametrize("accesses", [1, 3])
def test_what_collection_moves_holds_up_others(run, accesses):
    """Every page of the device is written, and then each second one again: collection moves pages meanwhile.

    All that crosses the bus, and the requests, make up the time for which the DRAM was busy.
    """
    rows = writes(*range(16), *range(0, 16, 2), *range(0, 16, 2), gap=GAP)
    out = run([*rows, flush(len(rows) * GAP)], through(table_accesses=accesses))
    look_up = accesses * LOOK_UP
    moved = [row for row in out.commands if row["source"] == "gc" and row["op"] == "program"]
    crossing = sum(row["op"] in ("read", "program") for row in out.commands)
    busy = crossing * MOVE + len(moved) * look_up + len(rows) * (look_up + MOVE)
    assert moved and out.ends("erase")[0] > ERASE_BLOCK
    assert out.summary["utilization"]["dram"] == [busy / out.done_at()[-1]]
