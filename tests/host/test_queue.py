"""The device queue: admission, arbitration, open and closed loop, by hand."""

import pytest

from support.requests import writes
from support.tiny_device import PAGE, WRITE_PAGE


def test_a_closed_loop_request_arrives_when_it_is_admitted(run):
    out = run(writes(*range(4)), {"hardware": {"channels": 4}}, queue_depth=2)
    assert [row["arrival_ns"] for row in out.requests] == [0, 0, WRITE_PAGE, WRITE_PAGE]
    assert [row["response_ns"] for row in out.requests] == [WRITE_PAGE] * 4


def test_bursts_and_idle_times_of_a_closed_loop_by_hand(run):
    """Three writes two at a time, 500 ns of rest, then two and, after 1000 ns, one."""
    idle_ns = [0, 0, 0, 500, 0, 1000]
    rows = [(idle, "write", lpa * PAGE, PAGE) for lpa, idle in enumerate(idle_ns)]
    out = run(rows, {"hardware": {"channels": 4}}, queue_depth=2)
    second, third = 2 * WRITE_PAGE + 500, 3 * WRITE_PAGE + 1500
    assert [row["arrival_ns"] for row in out.requests] == [0, 0, WRITE_PAGE, second, second, third]
    assert [row["response_ns"] for row in out.requests] == [WRITE_PAGE] * 6
    assert out.summary["simulated_s"] == pytest.approx((4 * WRITE_PAGE + 1500) / 1e9)


def test_reads_that_take_no_time_do_not_stop_the_loop(run):
    rows = [(0, "read", 0, PAGE)] * 50
    assert run(rows, {"host": {"queue_depth": 2}}, queue_depth=1).done_at() == [0] * 50


@pytest.mark.parametrize(
    ("arbitration", "weights", "expected"),
    [
        ("round_robin", {}, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]),
        ("weighted", {}, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]),
        ("weighted", {"main": 2, "third": 3}, [0, 0, 1, 2, 2, 2, 0, 0, 1, 2, 1, 1]),
    ],
)
def test_streams_are_served_in_turn(experiment, arbitration, weights, expected):
    host = {"queue_depth": 1, "arbitration": arbitration, "weights": weights}
    out = experiment([{"rows": writes(*range(4)), "queue_depth": 4}] * 3, {"host": host})
    assert [row["stream"] for row in out.requests] == expected


def test_the_depth_of_the_queue_over_time(run):
    gap = 10_000_000
    out = run([*writes(*range(3)), (gap, "write", 0, PAGE)], {"hardware": {"channels": 4}})
    windows = out.result.timeseries.to_pydict()
    # Windows of a millisecond: three writes at once, then none for nine, and in the last, until it is done, one.
    assert windows["queue_depth"] == pytest.approx([3 * WRITE_PAGE / 1e6, *[0.0] * 9, 1.0])
