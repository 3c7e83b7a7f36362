"""The parts of the summary of a run, `summary.json`, and the tables beside it, made of its counts."""

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
from ssdsim._core.codes import COPYBACK, ERASE, PROGRAM, READ, SOURCES, WRITE
from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.config import FioConfig, SimulationConfig, TraceConfig
from ssdsim.flash.counters import CASES
from ssdsim.metrics.course import PAGE_WRITES
from ssdsim.metrics.fields import schema
from ssdsim.metrics.recorder import Recorder
from ssdsim.workload.tracefile import file_sha256

OPERATIONS = {"reads": READ, "programs": PROGRAM, "erases": ERASE, "copybacks": COPYBACK}

LATENCY = schema("latency")

Totals = Mapping[str, Any]
"""By how much each count has grown, by its name (`ssdsim.run.measurement`)."""


def share(part: Any, whole: Any) -> float | None:
    """Return `part` as a share of `whole`, None without any."""
    return float(part / whole) if whole else None


def type_shares(writes_by_type: Sequence[int], types: int) -> dict[str, float | None]:
    """Return the shares of writes whose slowest page was of the fastest type, of one between, and of the slowest."""
    writes, fast = int(sum(writes_by_type)), int(writes_by_type[0])
    slow = int(writes_by_type[types - 1]) if types > 1 else 0
    counts = {"fast": fast, "medium": writes - fast - slow, "slow": slow}
    return {name: share(count, writes) for name, count in counts.items()}


def free_pages(free_by_type: Any) -> dict[str, Any]:
    """Return the unused pages by name of their type, None for a type that the device does not have."""
    free = dict(zip(TYPE_NAMES[len(free_by_type)], free_by_type, strict=True))
    return {f"free_{name}": free.get(name) for name in dict.fromkeys((*TYPE_NAMES[3], *free))}


def write_amplification(change: Mapping[str, int], over: str = "requested_page_writes") -> float | None:
    """Return all page writes to flash for each of those that `over` names; None without any.

    Over `requested_page_writes` it is the write amplification of the device: pages written to flash, for whatever
    reason, over pages that the host's writes touched, one that they touch in part or again counted each time. Over
    `host_page_writes` it is that of the flash: over the pages of the host's data that were written to it, which are
    those that leave the write buffer. Without a buffer the two are the same.
    """
    return share(sum(change[name] for name in PAGE_WRITES), change[over])


def flash_operations(counts: np.ndarray) -> dict[str, dict[str, int]]:
    """Return the flash operations by source, given counts by operation and source."""
    return {name: dict(zip(SOURCES, counts[op].tolist(), strict=False)) for name, op in OPERATIONS.items()}


def multi_plane(total: Totals) -> dict[str, Any]:
    """Return the shares of writes, reads and erases done by multi-plane commands.

    `cases` has the shares of the host's page programs by what the other planes of their die were doing (see
    `MultiPlaneCommands.case_of`), None where programs are not joined.
    """
    joined, counts = total["counters.multi_plane"], total["counters.operations"].sum(axis=1)
    ops, cases = {"write": PROGRAM, "read": READ, "erase": ERASE}, total["counters.cases"]
    shares: dict[str, Any] = {f"{name}_share": share(joined[op], counts[op]) for name, op in ops.items()}
    return shares | {"cases": {name: share(count, cases.sum()) for name, count in zip(CASES, cases, strict=True)}}


def suspension(total: Totals) -> dict[str, Any]:
    """Return the number of suspensions of programs and of erases, and the time that they took."""
    counts, times_ns = total["counters.suspensions"].tolist(), total["counters.suspended_ns"].tolist()
    ops = {"programs": PROGRAM, "erases": ERASE}
    return {name: {"count": counts[op], "suspended_us": times_ns[op] / 1000} for name, op in ops.items()}


def collection_times(total: Totals, timed: bool) -> dict[str, Any]:
    """Return the time that collection cost and held writes up, in microseconds; all None if the run is not `timed`.

    `cost_us` sums up the array times of commands that had a page for collection, one of several planes counted once,
    even if it had a page of the host too, and the time that the data of its own pages was on the bus. `write_us` sums
    up the page writes of the host, from being queued for their die or waiting for room to being programmed, but not of
    pages that collection asked for, and `blocked_write_us` those of the `blocked_writes` for which collection made them
    wait (see `FlashCounters`).
    """
    array_ns = total["counters.gc_array_ns"]
    cost_ns = {
        "read": array_ns[READ],
        "write": array_ns[PROGRAM] + array_ns[COPYBACK],
        "transfer": total["counters.gc_transfer_ns"],
        "erase": array_ns[ERASE],
    }
    held_ns = {"blocked_write_us": total["counters.blocked_write_ns"], "write_us": total["counters.host_write_ns"]}
    return {
        "cost_us": {name: float(ns / 1000) if timed else None for name, ns in cost_ns.items()},
        "blocked_writes": total["counters.blocked_writes"] if timed else None,
        **{name: ns / 1000 if timed else None for name, ns in held_ns.items()},
    }


def wear(erases: np.ndarray) -> dict[str, float]:
    """Return the mean, standard deviation and maximum of the erases of blocks."""
    return {"mean": float(erases.mean()), "std": float(erases.std()), "max": int(erases.max())}


@cache
def package_versions() -> dict[str, str]:
    """Return the versions that are loaded."""
    return {package.__name__: package.__version__ for package in (ssdsim, simpy, np, pa, attrs)}


def provenance(config: SimulationConfig) -> dict[str, Any]:
    """Return the facts needed to repeat the run."""
    resolved = json.dumps(attrs.asdict(config), sort_keys=True, default=str)  # the hash is of values, in any order
    loads = {"main": config.workload, **config.workloads}.items()
    return {
        "config_hash": hashlib.sha256(resolved.encode()).hexdigest(),
        "seed": config.seed,
        "versions": {"python": platform.python_version(), **package_versions()},
        "traces": {
            name: file_sha256(Path(load.path)) for name, load in loads if isinstance(load, TraceConfig | FioConfig)
        },
    }


def latency_table(recorder: Recorder, streams: Sequence[str]) -> pa.Table:
    """Return the histogram of response times, one row a stream, operation and bin that holds requests."""
    rows: list[dict[str, Any]] = []
    for number, stream in enumerate(streams):
        for name, op in (("read", READ), ("write", WRITE)):
            latency, _ = recorder.of_stream(number, op)
            bins = () if latency is None else zip(*latency.distribution(), strict=True)
            rows += [{"stream": stream, "op": name, "up_to_us": edge / 1000, "count": count} for edge, count in bins]
    return pa.Table.from_pylist(rows, schema=LATENCY)
