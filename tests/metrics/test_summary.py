"""The summary and the tables beside it, from counts written in the test."""

import math

import pytest

from ssdsim import SimulationConfig
from ssdsim.host.request import Request
from ssdsim.metrics import summary
from ssdsim.metrics.recorder import PARTS, Recorder, Sampled, Windows


def test_response_times_by_hand():
    recorder = Recorder(Windows(Sampled(7)))
    for response in range(1000, 11_000, 1000):
        done = Request()
        done.bus_ns = 600
        recorder.request_done(done, response)
    found = summary.requests([10, 0, 0, 0], [0] * 4, recorder)["read"]["response_us"]
    assert list(found) == ["mean", "std", "p50", "p95", "p99", "p99_9", "p99_99", "max", *PARTS]
    assert found["mean"] == 5.5 and found["p50"] == 5 and found["p95"] == found["max"] == 10
    assert found["std"] == pytest.approx(math.sqrt(8.25))
    assert found["queue"] == pytest.approx(4.9) and found["bus"] == 0.6
    table = summary.latency_table(recorder, ["main"]).to_pydict()
    assert table["op"] == ["read"] * 10 and table["count"] == [1] * 10
    assert all(0 <= edge - exact <= exact / 256 for edge, exact in zip(table["up_to_us"], range(1, 11), strict=True))


def test_equal_configurations_and_no_others_have_the_same_hash():
    first, second, other = (summary.provenance(SimulationConfig(seed=seed)) for seed in (1, 1, 2))
    assert first["config_hash"] == second["config_hash"] != other["config_hash"]
    assert first["seed"] == 1 and "numpy" in first["versions"]
