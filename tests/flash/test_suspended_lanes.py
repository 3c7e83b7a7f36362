"""Suspended programs on dies that read side by side: every time is a sum that is written here, in ns."""

import pytest

from support.requests import read, write
from support.tiny_device import PROGRAM, READ, READ_COMMAND, READ_PAGE, TRANSFER, WRITE_PAGE

LATER = 10_000_000
ARRIVES = LATER + WRITE_PAGE - PROGRAM + 20_000
"""When reads come, 20 us after the array has begun with a write that comes at LATER."""

STOP, RESUME, CACHE = 7_000, 3_000, 1_000
FREE = ARRIVES + STOP


def suspending(**hardware):
    """Return changes by which even and odd pages are in the two planes of a die, whose programs can be suspended."""
    times = {"program_suspend_us": STOP / 1000, "resume_us": RESUME / 1000}
    return {
        "hardware": {"planes_per_die": 2, "blocks_per_plane": 8} | times | hardware,
        "ftl": {"plane_allocation": "PCWD"},
        "flash": {"suspension": {"policy": "always", "program_least_us": 10.0}},
        "metrics": {"blame": True},
        "check": "recount",
    }


def ends(run, *reads, **hardware):
    """Return when the program of page 4 is over that `reads` suspend, and when these are; check that they do."""
    rows = [*(write(page) for page in range(4)), write(4, LATER), *reads]
    out = run(rows, suspending(**hardware))
    done = out.done_at()[4:]
    gone = done[0] - LATER - WRITE_PAGE
    assert [(c["suspensions"], c["suspended_ns"]) for c in out.commands if c["suspensions"]] == [(1, gone)]
    assert out.summary["utilization"]["die"] == [pytest.approx((5 * WRITE_PAGE + gone) / out.done_at()[4])]
    return done


def test_reads_of_two_planes_pass_a_program_together(run):
    reads = [read(2, ARRIVES), read(1, ARRIVES)]
    together = FREE + READ_PAGE + TRANSFER  # the array of the second works beside that of the first
    assert ends(run, *reads, plane_reads="independent") == [
        together + RESUME + LATER + WRITE_PAGE - ARRIVES,
        FREE + READ_PAGE,
        together,
    ]
    one_by_one = FREE + 2 * READ_PAGE
    assert ends(run, *reads)[0] == one_by_one + RESUME + LATER + WRITE_PAGE - ARRIVES


def test_a_read_that_comes_while_another_passes_joins_it(run):
    """It finds the die suspended, and the bus free."""
    *_, first, second = ends(run, read(2, ARRIVES), read(1, FREE + READ_COMMAND + 5_000), plane_reads="independent")
    assert first == FREE + READ_PAGE
    assert second == max(FREE + READ_COMMAND + 5_000 + READ_COMMAND + READ, first) + TRANSFER


def test_cache_reads_pass_a_program_one_behind_the_other(run):
    sensed = FREE + READ_COMMAND + READ
    follows = sensed + CACHE + READ_COMMAND  # its command goes before the data that it lets go
    first = follows + TRANSFER
    second = max(follows + READ, first) + CACHE + TRANSFER
    reads = [read(2, ARRIVES), read(2, ARRIVES)]
    assert ends(run, *reads, cache_read_us=CACHE / 1000) == [
        second + RESUME + LATER + WRITE_PAGE - ARRIVES,
        first,
        second,
    ]
