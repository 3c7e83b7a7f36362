"""The parts of the summary of a run, `summary.json`, and the histogram beside it, made of its counts.

What each field means, and its unit, stands in `fields.tsv` beside this.
"""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import simpy

import ssdsim
from ssdsim._core import codes
from ssdsim._core.codes import ERASE, FLUSH, OPERATIONS, PROGRAM, READ, REQUESTS, SOURCES, WRITE
from ssdsim.config import FioConfig, SimulationConfig, TraceConfig
from ssdsim.flash.counters import CASES
from ssdsim.host.request import PARTS
from ssdsim.metrics import confidence
from ssdsim.metrics.fields import schema
from ssdsim.metrics.recorder import Recorder
from ssdsim.workload.tracefile import file_sha256

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999, "max": 1.0}

Growth = Mapping[str, Any]
"""By how much each count has grown, by its name (`ssdsim.run.measurement`)."""


def share(part: Any, whole: Any) -> float | None:
    """Return `part` as a share of `whole`, None without any."""
    return float(part / whole) if whole else None


def requests(counts: Sequence[int], sizes: Sequence[int], recorder: Recorder | None) -> dict[str, Any]:
    """Return the requests of a run by operation; `recorder` is None where there were no response times."""
    by_op = {}
    for op, name in enumerate(REQUESTS):
        counted = {"count": counts[op]} if op == FLUSH else {"count": counts[op], "bytes": sizes[op]}
        latency = None if recorder is None else recorder.response(op)
        parts = dict.fromkeys(PARTS) if recorder is None else recorder.parts_us(op)
        by_op[name] = counted | {"response_us": distribution_us(latency) | parts}
        if op in (READ, WRITE):
            by_op[name]["response_us_ci95"] = {"mean": None if latency is None else confidence.of_latency(latency)}
    return by_op


def distribution_us(latency: Any) -> dict[str, float | None]:
    """Return mean, deviation and percentiles of recorded nanoseconds, in microseconds; None where there are none."""
    if latency is None:
        return dict.fromkeys(("mean", "std", *PERCENTILES))
    reached = latency.percentiles(PERCENTILES.values())
    percentiles = {name: value / 1000 for name, value in zip(PERCENTILES, reached, strict=True)}
    return {"mean": latency.mean / 1000, "std": latency.std / 1000, **percentiles}


def streams(recorder: Recorder, names: Sequence[str]) -> dict[str, Any]:
    """Return the requests of each stream by operation; those of a single stream are all."""
    groups, by_stream = recorder.by_stream or recorder.times, dict[str, Any]()
    for number, stream in enumerate(names):
        by_op = by_stream[stream] = dict[str, Any]()
        for op, name in enumerate(REQUESTS):
            latency = groups[len(REQUESTS) * number + op]
            response_us = distribution_us(latency if latency.count else None)
            by_op[name] = {"count": latency.count, "bytes": latency.bytes, "response_us": response_us}
    return by_stream


def latency_table(recorder: Recorder, streams: Sequence[str]) -> pa.Table:
    """Return the histogram of response times, one row a stream, operation and bin that holds requests."""
    rows, groups = list[dict[str, Any]](), recorder.by_stream or recorder.times
    for number, stream in enumerate(streams):
        for name, op in (("read", READ), ("write", WRITE)):
            bins = zip(*groups[len(REQUESTS) * number + op].distribution(), strict=True)
            rows += [{"stream": stream, "op": name, "up_to_us": edge / 1000, "count": count} for edge, count in bins]
    return pa.Table.from_pylist(rows, schema=schema("latency"))


def type_shares(writes_by_type: Sequence[int], types: int) -> dict[str, float | None]:
    """Return the shares of writes whose slowest page was of the fastest type, of one between, and of the slowest."""
    writes, fast = int(sum(writes_by_type)), int(writes_by_type[0])
    slow = int(writes_by_type[types - 1]) if types > 1 else 0
    counts = {"fast": fast, "medium": writes - fast - slow, "slow": slow}
    return {name: share(count, writes) for name, count in counts.items()}


def flash_operations(counts: np.ndarray) -> dict[str, dict[str, int]]:
    """Return the flash operations by source, given counts by operation and source."""
    by_op = zip(OPERATIONS, counts.tolist(), strict=True)
    return {f"{name}s": dict(zip(SOURCES, by_source, strict=True)) for name, by_source in by_op}


def multi_plane(growth: Growth) -> dict[str, Any]:
    """Return the shares of writes, reads and erases done by multi-plane commands, and the cases of the host's writes.

    The cases are those of `MultiPlaneCommands.case_of`, None where programs are not joined.
    """
    joined, counts = growth["counters.multi_plane"], growth["counters.operations"].sum(axis=1)
    ops, cases = {"write": PROGRAM, "read": READ, "erase": ERASE}, growth["counters.cases"]
    shares: dict[str, Any] = {f"{name}_share": share(joined[op], counts[op]) for name, op in ops.items()}
    return shares | {"cases": {name: share(count, cases.sum()) for name, count in zip(CASES, cases, strict=True)}}


def suspension(growth: Growth) -> dict[str, Any]:
    """Return the number of suspensions of programs and of erases, and the time that they took."""
    counts, times_ns = growth["counters.suspensions"].tolist(), growth["counters.suspended_ns"].tolist()
    ops = {"programs": PROGRAM, "erases": ERASE}
    return {name: {"count": counts[op], "suspended_us": times_ns[op] / 1000} for name, op in ops.items()}


def collection_times(growth: Growth, timed: bool) -> dict[str, Any]:
    """Return the time that collection cost and held writes up, in microseconds; all None if the run is not `timed`."""
    array_ns = growth["counters.gc_array_ns"]
    cost_ns = {
        "read": array_ns[READ],
        "write": sum(array_ns[op] for op in codes.operations_with(codes.PROGRAMS)),
        "transfer": growth["counters.gc_transfer_ns"],
        "erase": array_ns[ERASE],
    }
    held_ns = {"blocked_write_us": growth["counters.blocked_write_ns"], "write_us": growth["counters.host_write_ns"]}
    return {
        "cost_us": {name: float(ns / 1000) if timed else None for name, ns in cost_ns.items()},
        "blocked_writes": growth["counters.blocked_writes"] if timed else None,
        **{name: ns / 1000 if timed else None for name, ns in held_ns.items()},
    }


@cache
def package_versions() -> dict[str, str]:
    """Return the versions that are loaded."""
    return {package.__name__: package.__version__ for package in (ssdsim, simpy, np, pa, attrs)}


def provenance(config: SimulationConfig) -> dict[str, Any]:
    """Return the facts needed to repeat the run."""
    resolved = json.dumps(attrs.asdict(config), sort_keys=True, default=str)  # the hash is of values, in any order
    loads = {"main": config.workload, **config.workloads}.items()
    files = {name: Path(load.path) for name, load in loads if isinstance(load, TraceConfig | FioConfig)}
    return {
        "config_hash": hashlib.sha256(resolved.encode()).hexdigest(),
        "seed": config.seed,
        "versions": {"python": platform.python_version(), **package_versions()},
        "traces": {name: file_sha256(path) for name, path in files.items()},
    }
