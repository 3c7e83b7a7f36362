"""A made-up result whose numbers are easy to find again."""

import pyarrow as pa
import pytest

from ssdsim.metrics.result import SCHEMA, Result

TIMES = ("mean", "std", "p50", "p95", "p99", "p99_9", "p99_99", "max", "queue", "bus", "array", "gc")


def served(first, count=1000):
    """Return the summary of one operation, with response times `first`, `first + 1`, ... in the order of `TIMES`."""
    return {
        "count": count,
        "bytes": count * 8192,
        "response_us": {name: first + step if count else None for step, name in enumerate(TIMES)},
    }


@pytest.fixture
def result():
    summary = {
        "schema": SCHEMA,
        "requests": {"read": served(100.0), "write": served(2000.0), "trim": {"count": 0}, "flush": {"count": 0}},
        "iops": 4321.0,
        "bandwidth_mib_s": 33.7,
        "write_amplification": 1.625,
        "flash": {name: {"host": 700, "gc": 77} for name in ("reads", "programs", "erases", "copybacks")},
        "gc": {"collections": 11, "page_moves": 625},
        "utilization": {"channel": [0.25, 0.75], "die": [0.125] * 4, "plane": [0.125] * 8},
        "wear": {"mean": 0.25, "std": 0.5, "max": 2},
        "simulated_s": 4.0,
        "simulator": {"wall_s": 1.5, "transactions_per_s": 654321.0},
        "partial": False,
        "seed": 1,
        "validity": [],
        "workload": {"path": "traces/of_mine.csv"},
    }
    windows = 8
    series = {
        "time_s": [0.5 * at for at in range(windows)],
        "window_s": [0.5] * windows,
        "reads": [1, 0, 3, 0, 0, 0, 2, 2],
        "writes": [1, 1, 0, 0, 2, 2, 2, 2],
        "iops": [4.0, 2.0, 6.0, 0.0, 4.0, 4.0, 8.0, 8.0],
        "read_response_us": [100.0, None, 300.0, None, None, None, 50.0, 150.0],
        "write_response_us": [2000.0, 2000.0, None, None, 3000.0, 5000.0, 1.0, 1.0],
        "host_page_writes": [1, 1, 0, 0, 2, 2, 2, 2],
        "gc_page_moves": [0, 0, 0, 0, 5, 5, 5, 5],
    }
    bins = {"op": ["read", "read", "write"], "up_to_us": [100.0, 200.0, 4000.0], "count": [900, 100, 1000]}
    return Result(summary, tables={"timeseries": pa.table(series), "latency": pa.table(bins)})
