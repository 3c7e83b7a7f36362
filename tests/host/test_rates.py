"""Rates of streams: times worked out by hand, and no window with more than rate and burst allow."""

from math import ceil

import pytest

from support.requests import flush, read, trim, write, writes
from support.tiny_device import PAGE, WRITE_PAGE

MS = 1_000_000
COMMANDS = ("read_command_us", "program_command_us", "erase_command_us")
NO_TIME = {
    "read_us": [0.0],
    "program_us": [0.0],
    "erase_us": 0.0,
    "bus_ns_per_byte": 0.0,
    **dict.fromkeys(COMMANDS, 0.0),
}
PAGE_A_MS = PAGE * 1000 / 2**20
"""In MiB a second."""


TWO_PAGES, REQUESTS = {"bandwidth_mib_s": PAGE_A_MS, "burst_ms": 2.0}, {"iops": 500.0, "burst_ms": 0.0}
FIVE = [write(0), read(0, pages=4), trim(0), flush(), write(1)]


@pytest.mark.parametrize(
    ("rates", "rows", "sent_ms", "interface"),
    [
        # the bucket holds two pages, and gets one in a millisecond
        (TWO_PAGES, writes(0, 1, 2, 3, 4), [0, 0, 1, 2, 3], "none"),
        # it is full again after the pause, and holds no more than two
        (TWO_PAGES, [*writes(0, 1, 2), *writes(3, 4, 5, at=9 * MS)], [0, 0, 1, 9, 9, 10], "none"),
        # three pages wait until it is full, and what comes next for all that they have taken beyond it
        (TWO_PAGES, [write(0, pages=3), write(3)], [0, 2], "none"),
        (TWO_PAGES, [write(0), write(1, pages=3), write(4)], [0, 1, 3], "none"),
        # 500 requests a second, whatever their size; a flush is none, and waits for no token, but for its turn
        *((REQUESTS, FIVE, [0, 2, 4, 4, 6], interface) for interface in ("none", "nvme", "sata")),
        # both at once
        (TWO_PAGES | REQUESTS, [write(0, pages=3), write(3), write(4)], [0, 3, 5], "none"),
    ],
)
def test_requests_are_sent_when_there_are_tokens(rates, rows, sent_ms, interface, experiment):
    """On a device that takes no time a request is complete when it is sent; those of a stream without a rate at once.

    The wait is blamed on their turn.
    """
    limits = {key: {"main": rate} if key != "burst_ms" else rate for key, rate in rates.items()}
    changes = {"hardware": NO_TIME, "host": {"interface": interface, "rates": limits}, "metrics": {"blame": True}}
    loads = [{"rows": rows}, {"rows": writes(8, 9)}]
    run = experiment(loads, changes | {"check": "end"}, kernel="compiled" if interface == "none" else "simpy")
    answers = [row for row in run.requests if row["stream"] == 0]
    assert [row["arrival_ns"] + row["response_ns"] for row in answers] == [each * MS for each in sent_ms]
    assert all(row["blame_order_ns"] == row["queue_ns"] == row["response_ns"] for row in answers)
    assert all(row["response_ns"] == 0 for row in run.requests if row["stream"] == 1)


def test_a_closed_loop_waits_for_its_rate(experiment):
    """A write goes each millisecond, whoever waits; four are sent at the start, and one when the first is complete."""
    rates = {"iops": {"main": 1000.0}, "burst_ms": 0.0}
    run = experiment([{"rows": writes(*range(5)), "queue_depth": 4}], {"host": {"rates": rates}})
    assert [row["arrival_ns"] for row in run.requests] == [0, 0, 0, 0, WRITE_PAGE]
    assert run.done_at() == [number * MS + WRITE_PAGE for number in range(5)]


@pytest.mark.parametrize(
    ("key", "rate", "gap_ns"), [("bandwidth_mib_s", 3.0, PAGE * 10**9 / (3 * 2**20)), ("iops", 3e5, 1e4 / 3)]
)
def test_what_a_rate_owes_is_not_rounded(key, rate, gap_ns, experiment):
    """A request goes in the first whole nanosecond in which there are tokens, however many went before it."""
    limits = {key: {"main": rate}, "burst_ms": 0.0}
    run = experiment([{"rows": writes(*range(9))}], {"hardware": NO_TIME, "host": {"rates": limits}})
    assert [row["response_ns"] for row in run.requests] == [ceil(number * gap_ns) for number in range(9)]


def test_rates_outlast_a_loss_of_power(experiment):
    rates = {"iops": {"main": 1000.0}, "burst_ms": 0.0}
    run = experiment([{"rows": writes(*range(5))}], {"host": {"rates": rates}, "power_loss": {"at_s": 0.0025}})
    assert run.summary["power_loss"]["at_s"] == 0.0025 and len(run.requests) == 5
