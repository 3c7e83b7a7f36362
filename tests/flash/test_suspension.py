"""Suspended programs and erases on the tiny device: every time is a sum that is written here, in ns."""

import pytest

from support.requests import read, write, writes
from support.tiny_device import ERASE, ERASE_COMMAND, PROGRAM, READ, READ_PAGE, TRANSFER, WRITE_PAGE, merge

LATER = 1_000_000
BEGINS = LATER + WRITE_PAGE - PROGRAM
"""When the array begins with a write that arrives at LATER."""

STOP, STOP_ERASE, RESUME, LEAST = 7_000, 9_000, 3_000, 10_000
GONE = STOP + READ_PAGE + RESUME
"""How long a program's array is suspended for a read."""


def suspending(policy="always", **keys):
    hardware = {"program_suspend_us": 7.0, "erase_suspend_us": 9.0, "resume_us": 3.0}
    rules = {"policy": policy, "program_least_us": 10.0, "erase_least_us": 10.0}
    return {"hardware": hardware, "flash": {"suspension": rules | keys}, "metrics": {"blame": True}}


def test_a_program_stops_for_a_read_and_goes_on_after_it(run):
    out = run([write(0), write(1, LATER), read(0, BEGINS + 20_000)], suspending())
    assert out.done_at()[1:] == [LATER + WRITE_PAGE + GONE, BEGINS + 20_000 + STOP + READ_PAGE]
    _, written, seen = out.requests
    assert (written["array_ns"], written["queue_ns"], seen["queue_ns"]) == (PROGRAM, GONE, STOP)
    assert (written["blame_own_reads_ns"], written["blame_order_ns"]) == (READ_PAGE, STOP + RESUME)
    assert seen["blame_own_writes_ns"] == STOP
    assert [(c["suspensions"], c["suspended_ns"]) for c in out.commands] == [(0, 0), (0, 0), (1, GONE)]
    assert out.summary["suspension"]["programs"] == {"count": 1, "suspended_us": GONE / 1000}
    busy = out.summary["utilization"]
    elapsed = LATER + WRITE_PAGE + GONE
    assert busy["die"] == [pytest.approx((2 * WRITE_PAGE + GONE) / elapsed)]
    assert busy["plane"] == [pytest.approx((2 * PROGRAM + READ) / elapsed)]


def test_an_array_makes_its_least_progress_before_it_stops(run):
    """The second read comes right after the array has gone on; the third with too little left to be worth it."""
    goes_on = BEGINS + LEAST + GONE
    left_ns = PROGRAM - 2 * LEAST
    again = goes_on + LEAST + GONE
    third = again + left_ns - STOP
    out = run([write(0), write(1, LATER), *(read(0, at) for at in (BEGINS + 1, goes_on + 1, third))], suspending())
    ends = again + left_ns
    first, second = (at + LEAST + STOP + READ_PAGE for at in (BEGINS, goes_on))
    assert out.done_at()[1:] == [ends, first, second, ends + READ_PAGE]


def test_reads_that_come_meanwhile_pass_too_and_the_bound_is_kept(run):
    """Two reads pass in one suspension, which is all that there may be: a later one waits for the end."""
    arrives = BEGINS + LEAST
    rows = [write(0), write(1, LATER), read(0, arrives), read(0, arrives + 1), read(0, arrives + 50_000)]
    out = run(rows, suspending(most=1))
    ends = LATER + WRITE_PAGE + GONE + READ_PAGE
    passed = arrives + STOP + READ_PAGE
    assert out.done_at()[1:] == [ends, passed, passed + READ_PAGE, ends + READ_PAGE]


def test_a_read_of_the_wordline_that_is_programmed_waits_for_it(run):
    """Pages 0 and 2 of a block share the first wordline: the read of page 1 suspends, that of page 0 does not."""
    mlc = merge(suspending(), {"hardware": {"bits_per_cell": 2, "program_us": [100.0]}})
    rows = [*writes(0, 1, gap=LATER // 4), write(2, LATER)]
    out = run([*rows, read(0, BEGINS + 20_000), read(1, BEGINS + 30_000)], mlc)
    ends = LATER + WRITE_PAGE + GONE
    assert {c["page"]: c["page_type"] for c in out.commands if c["op"] == "program"} == {0: 0, 1: 0, 2: 1}
    assert out.done_at()[2:] == [ends, ends + READ_PAGE, BEGINS + 30_000 + STOP + READ_PAGE]


@pytest.mark.parametrize("page", [0, 1])
def test_a_read_of_the_wordline_in_any_plane_of_a_program_waits_for_it(run, page):
    """Pages 0, 2 and 4 of the host are in plane 0, the others in plane 1; 0 and 4, and 1 and 5, share a wordline."""
    planes = {
        "hardware": {"planes_per_die": 2, "bits_per_cell": 2, "program_us": [100.0]},
        "ftl": {"plane_allocation": "PCWD"},
        "flash": {"multi_plane": ["program"]},
    }
    rows = [*writes(0, 1, 2, 3, gap=LATER // 8), write(4, LATER, pages=2)]
    second = BEGINS + WRITE_PAGE - PROGRAM
    out = run([*rows, read(page, second + 20_000), read(3, second + 30_000)], merge(suspending(), planes))
    ends = second + PROGRAM + GONE
    assert out.done_at()[4:] == [ends, ends + READ_PAGE, second + 30_000 + STOP + READ_PAGE]


FILLED = {
    "precondition": {"mode": "fill", "valid_share": 0, "valid_reads": False},
    "ftl": {"gc": {"soft_threshold": 3}},
    "hardware": {"blocks_per_plane": 10, "over_provisioning": 0.6},
}
"""On this device the first write calls for the erase of a block that is all dead, which is not urgent."""

ERASES = WRITE_PAGE + ERASE_COMMAND
"""When the array begins with that."""


@pytest.mark.parametrize(("ask", "takes", "suspends"), [(read, READ_PAGE, True), (write, WRITE_PAGE, False)])
def test_an_erase_stops_for_reads(run, ask, takes, suspends):
    arrives = ERASES + 50_000
    changes = merge(FILLED, suspending())
    out = run([write(0), ask(0, arrives), read(0, 2 * LATER)], changes)
    (erase,) = [c for c in out.commands if c["op"] == "erase"]
    if suspends:
        assert out.done_at()[1] == arrives + STOP_ERASE + takes
        assert erase["end_ns"] == ERASES + ERASE + STOP_ERASE + takes + RESUME
    else:
        assert (out.done_at()[1], erase["end_ns"]) == (ERASES + ERASE + takes, ERASES + ERASE)
    assert out.summary["suspension"]["erases"]["count"] == suspends


def test_power_lost_while_a_program_is_suspended_destroys_its_page(run):
    """It is cut as the read's data is on the bus; a cut before the array began does no harm to that page."""
    arrives = BEGINS + 20_000
    rows = [write(0), write(1, LATER), read(0, arrives), read(1, 3 * LATER)]
    cut_ns = arrives + STOP + READ_PAGE - TRANSFER // 2
    out = run(rows, merge(suspending(), {"power_loss": {"at_s": cut_ns / 1e9}}))
    assert out.summary["power_loss"]["destroyed_programs"] == 1
    assert out.summary["power_loss"]["lost_in_flash"] == 0  # the write had not been answered


def test_the_read_of_the_table_that_a_request_needs_suspends(run):
    """The entry of page 8 is not in the cache: its read stops the program, and that of the page behind it does, too."""
    dftl = {
        "hardware": {"blocks_per_plane": 11, "over_provisioning": 1 - 16 / 44},
        "ftl": {"mapping": {"scheme": "dftl", "cache_kib": 3 * 8 / 1024}, "gc": {"victim": "fifo"}},
        "precondition": {"mode": "fill", "fill_share": 4 / 11, "valid_reads": False},
    }
    arrives = WRITE_PAGE - PROGRAM + 20_000
    out = run([write(0), read(8, READ_PAGE + arrives)], merge(suspending(), dftl))
    assert out.done_at()[1] == READ_PAGE + arrives + STOP + 2 * READ_PAGE
