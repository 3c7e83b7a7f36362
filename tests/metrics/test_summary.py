"""The summary and the tables beside it, from counts written in the test."""

import math

import numpy as np
import pytest

from ssdsim import SimulationConfig
from ssdsim.host.request import Request
from ssdsim.metrics import summary
from ssdsim.metrics.recorder import Recorder, Windows


def test_the_time_series_by_hand():
    rows = [(0, 2, 1, 4000, 3000, 1 << 20, 1 << 19, 10, 5, 1, 9), (3, 0, 1, 0, 1000, 0, 512, 12, 5, 1, 8)]
    table = summary.timeseries(rows, 500_000_000, (4, 2, 0, 10)).to_pydict()
    assert table["time_s"] == [0.0, 1.5] and table["window_s"] == [0.5, 0.5]
    assert table["iops"] == [6.0, 2.0]
    assert table["bandwidth_mib_s"] == [3.0, 2 * 512 / 2**20]
    assert table["read_response_us"] == [2.0, None] and table["write_response_us"] == [3.0, 1.0]
    assert table["host_page_writes"] == [6, 2] and table["gc_page_moves"] == [3, 0] and table["erases"] == [1, 0]
    assert table["write_amplification"] == [1.5, 1.0] and table["free_blocks"] == [9, 8]


def test_an_empty_time_series_has_its_columns():
    table = summary.timeseries([], 1, (0, 0, 0, 0))
    assert len(table) == 0 and table.schema == summary.TIMESERIES


def test_response_times_by_hand():
    recorder = Recorder(Windows(lambda: (0, 0, 0, 0)))
    for response in range(1000, 11_000, 1000):
        done = Request()
        done.bus_ns = 600
        recorder.request_done(done, response)
    found = summary.response_us(recorder, 0)
    assert list(found) == ["mean", "std", "p50", "p95", "p99", "p99_9", "p99_99", "max", "queue", "bus", "array", "gc"]
    assert found["mean"] == 5.5 and found["p50"] == 5 and found["p95"] == found["max"] == 10
    assert found["std"] == pytest.approx(math.sqrt(8.25))
    assert found["queue"] == pytest.approx(4.9) and found["bus"] == 0.6
    assert list(summary.untimed_response()) == list(found)
    table = summary.latency_table(recorder).to_pydict()
    assert table["op"] == ["read"] * 10 and table["count"] == [1] * 10
    assert all(0 <= edge - exact <= exact / 256 for edge, exact in zip(table["up_to_us"], range(1, 11), strict=True))


def test_counts_by_operation_and_source():
    counts = np.arange(24).reshape(4, 6)
    found = summary.flash(counts)
    assert list(found) == ["reads", "programs", "erases", "copybacks"]
    assert found["programs"] == {"host": 6, "gc": 7, "mapping": 8, "backup": 9, "merge": 10, "refresh": 11}
    assert summary.wear(np.array([1, 3])) == {"mean": 2.0, "std": 1.0, "max": 3}


def test_equal_configurations_and_no_others_have_the_same_hash():
    first, second, other = (summary.provenance(SimulationConfig(seed=seed)) for seed in (1, 1, 2))
    assert first["config_hash"] == second["config_hash"] != other["config_hash"]
    assert first["seed"] == 1 and first["peak_rss_mib"] > 1 and "numpy" in first["versions"]
