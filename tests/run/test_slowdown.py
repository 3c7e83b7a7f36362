"""Slowdown and fairness of streams: worked out by hand, and equal to runs of each stream alone."""

import pytest

from support.requests import writes
from support.tiny_device import PROGRAM, PROGRAM_COMMAND, TRANSFER, WRITE_PAGE


def test_slowdowns_of_two_streams_on_one_die(experiment):
    """Two streams write a page each at once; the die takes the first, then the second: twice the time of one alone.

    The third stream writes when both are done, and is as fast as alone. Fairness is 1 over 2, and the weighted speedup
    1 + 1 / 2 + 1.
    """
    loads = [{"rows": writes(0)}, {"rows": writes(1)}, {"rows": writes(2, at=10**6)}]
    wait_ns = PROGRAM_COMMAND + TRANSFER + PROGRAM
    for kernel in ("compiled", "simpy"):
        found = experiment(loads, {"metrics": {"slowdown": True}}, kernel=kernel).summary["slowdown"]
        assert found["fairness"] == 0.5 and found["weighted_speedup"] == 2.5
        slowdowns = {"main": 1.0, "second": (wait_ns + WRITE_PAGE) / WRITE_PAGE, "third": 1.0}
        assert found["streams"] == {name: {"slowdown": ratio} for name, ratio in slowdowns.items()}


def test_a_stream_alone_has_the_device_and_the_namespace_that_it_has_beside_others(experiment):
    """The whole run is as without the runs alone, and these are those of `host.only_stream`, with closed loops, too."""
    loads = [
        {"rows": writes(*(i * 7 % 6 for i in range(60))), "queue_depth": 2},
        {"rows": writes(*(i * 5 % 6 for i in range(40)), gap=40_000)},
    ]
    changes = {"host": {"namespace_share": {"main": 0.5}}, "precondition": {"mode": "fill"}}
    whole = experiment(loads, changes | {"metrics": {"slowdown": True}})
    assert whole.requests == experiment(loads, changes).requests
    for name, of_stream in whole.summary["slowdown"]["streams"].items():
        alone = experiment(loads, {**changes, "host": changes["host"] | {"only_stream": name}})
        assert {row["stream"] for row in alone.requests} == {("main", "second").index(name)}
        assert alone.summary["gc"]["collections"] > 0
        rows = [row for row in whole.requests if row["stream"] == ("main", "second").index(name)]
        means_ns = [sum(row["response_ns"] for row in of) / len(of) for of in (rows, alone.requests)]
        assert of_stream["slowdown"] == pytest.approx(means_ns[0] / means_ns[1])
        assert of_stream["slowdown"] > 1
