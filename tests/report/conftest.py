"""A made-up result whose numbers are easy to find again."""

import pyarrow as pa
import pytest

from ssdsim.metrics.result import Result
from support.made_up import TIMES, summary_of


def served(first):
    """Return the summary of one operation, with response times `first`, `first + 1`, ... in the order of `TIMES`."""
    return {"count": 1000, "bytes": 8192, "response_us": {name: first + step for step, name in enumerate(TIMES)}}


@pytest.fixture
def result():
    summary = summary_of(
        served(100.0),
        served(2000.0),
        iops=4321.0,
        write_amplification=1.625,
        utilization={"channel": [0.25, 0.75], "die": [0.125] * 4, "plane": [0.125] * 8},
        seed=1,
        workload={"path": "traces/of_mine.csv"},
    )
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
