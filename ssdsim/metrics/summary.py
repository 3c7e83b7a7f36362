"""From what a run counted to `summary.json` and the tables beside it."""

import hashlib
import json
import platform
import resource
from importlib.metadata import version
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from ssdsim._core.codes import COPYBACK, ERASE, FLUSH, PROGRAM, READ, SOURCES, TRIM, WRITE
from ssdsim.config import SimulationConfig
from ssdsim.metrics.recorder import Recorder

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999, "max": 1.0}
OPERATIONS = {"reads": READ, "programs": PROGRAM, "erases": ERASE, "copybacks": COPYBACK}


def response_us(recorder: Recorder, op: int) -> dict[str, Any]:
    """Return the distribution of the response time of `op` and the means of its parts, in microseconds."""
    latency = recorder.response[op]
    tail = latency.percentiles(PERCENTILES.values())
    parts = recorder.part_means_ns(op)
    return {
        "mean": latency.mean / 1000,
        "std": latency.std / 1000,
        **{name: value / 1000 for name, value in zip(PERCENTILES, tail, strict=True)},
        **{name: value / 1000 for name, value in parts.items()},
    }


def untimed_response() -> dict[str, None]:
    """Return the same keys without values: a run without timing has no response times."""
    return dict.fromkeys(["mean", "std", *PERCENTILES, "queue", "bus", "array", "gc"])


def requests(counts: Any, sizes: Any, responses: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the part of the summary on requests; `counts` and `sizes` are by operation."""
    return {
        **{
            name: {"count": int(counts[op]), "bytes": int(sizes[op]), "response_us": responses[op]}
            for name, op in (("read", READ), ("write", WRITE))
        },
        "trim": {"count": int(counts[TRIM]), "bytes": int(sizes[TRIM])},
        "flush": {"count": int(counts[FLUSH])},
    }


def flash(counts: np.ndarray) -> dict[str, dict[str, int]]:
    """Return the flash operations by source, given counts by operation and source."""
    return {name: {source: int(counts[op, at]) for at, source in enumerate(SOURCES)} for name, op in OPERATIONS.items()}


def provenance(config: SimulationConfig) -> dict[str, Any]:
    """Return what it takes to make the run again, and what it cost this process."""
    resolved = json.dumps(attrs.asdict(config), sort_keys=True, default=str)
    packages = ("ssdsim", "simpy", "numpy", "pyarrow", "attrs")
    return {
        "config_hash": hashlib.sha256(resolved.encode()).hexdigest(),
        "seed": config.seed,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in packages}},
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def wear(erases: np.ndarray) -> dict[str, float]:
    """Return how the erases are spread over the blocks."""
    return {"mean": float(erases.mean()), "std": float(erases.std()), "max": int(erases.max())}


def latency_table(recorder: Recorder) -> pa.Table:
    """Return the histogram of response times, one row a bin that holds requests."""
    columns: dict[str, list[Any]] = {"op": [], "up_to_us": [], "count": []}
    for name, op in (("read", READ), ("write", WRITE)):
        edges, counts = recorder.response[op].distribution()
        columns["op"] += [name] * len(edges)
        columns["up_to_us"] += (edges / 1000).tolist()
        columns["count"] += counts.tolist()
    return pa.table(columns, schema=pa.schema([("op", pa.string()), ("up_to_us", pa.float64()), ("count", pa.int64())]))


TIMESERIES = pa.schema(
    [("time_s", pa.float64()), ("window_s", pa.float64()), ("reads", pa.int64()), ("writes", pa.int64())]
    + [(name, pa.float64()) for name in ("iops", "bandwidth_mib_s", "read_response_us", "write_response_us")]
    + [(name, pa.int64()) for name in ("host_page_writes", "gc_page_moves", "erases")]
    + [("write_amplification", pa.float64()), ("free_blocks", pa.int64())]
)


def timeseries(rows: list[tuple[int, ...]], width_ns: int, first: tuple[int, ...]) -> pa.Table:
    """Return the time series from the rows of `Windows`; `first` is the device's sample when it started."""
    if not rows:
        return TIMESERIES.empty_table()
    table = np.array(rows, dtype=np.int64)
    window, reads, writes, read_ns, write_ns, read_bytes, write_bytes = table[:, :7].T
    sampled = np.vstack([first, table[:, 7:]])
    pages, moves, erases = np.diff(sampled[:, :3], axis=0).T
    seconds = width_ns / 1e9
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = {
            "time_s": window * seconds,
            "window_s": np.full(len(rows), seconds),
            "reads": reads,
            "writes": writes,
            "iops": (reads + writes) / seconds,
            "bandwidth_mib_s": (read_bytes + write_bytes) / 2**20 / seconds,
            "read_response_us": read_ns / reads / 1000,
            "write_response_us": write_ns / writes / 1000,
            "host_page_writes": pages,
            "gc_page_moves": moves,
            "erases": erases,
            "write_amplification": (pages + moves) / pages,
            "free_blocks": table[:, 10],
        }
    return pa.table(
        {name: pa.array(column, type=TIMESERIES.field(name).type, from_pandas=True) for name, column in columns.items()}
    )
