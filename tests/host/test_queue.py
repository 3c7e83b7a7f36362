"""The device queue: admission, arbitration, open and closed loop, by hand and with short chunks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ssdsim.host.queue
from ssdsim.host.arbitration import RoundRobin, Weighted
from ssdsim.host.stream import stream_of
from ssdsim.workload import Chunk
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


class Load:
    """A workload of so many reads: a closed loop in which all of them may be outstanding, or an open one."""

    def __init__(self, count, is_closed):
        self.requests, self.queue_depth = count, count if is_closed else None

    def chunks(self):
        zeros = np.zeros(self.requests, np.int64)
        yield Chunk(zeros, zeros.astype(np.uint8), zeros, zeros + PAGE)


def streams_of(weights, count, is_closed=True):
    return [stream_of(index, str(index), weight, Load(count, is_closed)) for index, weight in enumerate(weights)]


@given(
    st.lists(st.integers(1, 3), min_size=2, max_size=5),
    st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=60),
)
def test_the_turn_goes_to_the_next_stream_that_is_ready(weights, steps):
    """Against a look at all streams; a step is an arrival at one of the streams, or an admission."""
    for policy in (RoundRobin, Weighted):
        streams, last, credit = streams_of(weights, 100, is_closed=False), len(weights) - 1, 0
        chooser = policy()
        chooser.bind(streams)
        if policy is Weighted:
            last, credit = 0, weights[0]
        for step in steps:
            if step is not None:
                stream = streams[step % len(streams)]
                stream.arrived += 1
                chooser.update(stream)
                continue
            ready = [stream.index for stream in streams if stream.ready()]
            chosen = chooser.choose()
            if not ready:
                assert chosen is None
                continue
            if not (credit and last in ready):
                last = min(ready, key=lambda index: (index - last - 1) % len(streams))
                credit = weights[last] if policy is Weighted else 0
            credit -= policy is Weighted
            assert chosen is streams[last]
            chosen.admitted += 1
            chooser.update(chosen)


@pytest.mark.parametrize("limit", [1, 3, 1000])
def test_arrivals_far_ahead_of_admission_wait_without_any_difference(run, monkeypatch, limit):
    rows = [(100 * i, "write", i % 16 * PAGE, PAGE) for i in range(100)]
    """But in the backlog, which is known only as far as arrivals are followed."""
    expected = run(rows, {"host": {"queue_depth": 1}}).facts()
    monkeypatch.setattr(ssdsim.host.queue, "BACKLOG_LIMIT", limit)
    found = run(rows, {"host": {"queue_depth": 1}}).facts()
    backlogs = [facts["tables"]["timeseries"].pop("backlog") for facts in (found, expected)]
    assert found == expected
    assert all(known <= whole for known, whole in zip(*backlogs, strict=True))
