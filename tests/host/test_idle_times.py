"""Idle times in closed loops: they begin when all earlier requests are complete, and hold back one stream alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.kernel import make_environment
from support.constant_server import Timed, expected, serve, streams_of
from support.tiny_device import PAGE, WRITE_PAGE

idle_times = st.lists(st.sampled_from([0, 0, 0, 1, 70, 1000]), min_size=1, max_size=30)
closed_loops = st.builds(Timed, idle_times, st.integers(1, 5), st.integers(1, 4))


def test_bursts_by_hand(run):
    """Three writes two at a time, 500 ns of rest, then two and, after 1000 ns, one."""
    idle_ns = [0, 0, 0, 500, 0, 1000]
    rows = [(idle, "write", lpa * PAGE, PAGE) for lpa, idle in enumerate(idle_ns)]
    out = run(rows, {"hardware": {"channels": 4}}, queue_depth=2)
    second, third = 2 * WRITE_PAGE + 500, 3 * WRITE_PAGE + 1500
    assert [row["arrival_ns"] for row in out.requests] == [0, 0, WRITE_PAGE, second, second, third]
    assert [row["response_ns"] for row in out.requests] == [WRITE_PAGE] * 6
    assert out.summary["simulated_s"] == pytest.approx((4 * WRITE_PAGE + 1500) / 1e9)


@given(st.lists(closed_loops, min_size=1, max_size=3), st.integers(1, 200), st.sampled_from(["compiled", "simpy"]))
def test_streams_keep_their_own_idle_times(loads, service_ns, kernel):
    sent, env = [], make_environment(kernel)
    queue = serve(env, streams_of(loads), service_ns, sent)
    env.run(until=queue.finished)
    for index, load in enumerate(loads):
        own = [(page, at) for stream, page, at in sent if stream == index]
        assert own == list(enumerate(expected(load, service_ns)))
