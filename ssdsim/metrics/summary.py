"""The summary of a run, `summary.json`, and the tables beside it, made of its counts."""

import hashlib
import json
import platform
import resource
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from ssdsim._core.codes import COPYBACK, ERASE, FLUSH, PROGRAM, READ, REQUESTS, SOURCES, WRITE
from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.config import SimulationConfig, TraceConfig
from ssdsim.flash.counters import CASES
from ssdsim.metrics.fields import described
from ssdsim.metrics.tails import tail, untimed_tail
from ssdsim.metrics.tally import PARTS, Tally
from ssdsim.metrics.timeseries import PERCENTILES as PERCENTILE_COLUMNS
from ssdsim.metrics.timeseries import Served
from ssdsim.workload.tracefile import file_sha256

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999, "max": 1.0}
OPERATIONS = {"reads": READ, "programs": PROGRAM, "erases": ERASE, "copybacks": COPYBACK}

FLASH_TOTALS = (
    *("multi_plane", "cases", "planes_at_work", "gc_array_ns", "gc_transfer_ns"),
    *("host_writes", "host_write_ns", "blocked_writes", "blocked_write_ns", "evictions"),
)
"""What `FlashCounters` adds up, each the name of an attribute."""

HOST_OPERATIONS = ("host_programs", "host_programs_joined", "host_reads", "host_reads_joined")
"""Flash operations of the host, and those of them done by multi-plane commands."""

SAMPLED = (
    *("host_page_writes", "page_moves", "extra_pages", "collections", "erases"),
    *("free_blocks", "depth_ns", "now_ns", *HOST_OPERATIONS),
    *("backup_pages", "requested_page_writes", "buffer_used", "lsb_quota", "backlog", "in_flight"),
)
"""What a sample holds before its unused pages by type: counts so far, and the requests in the queue summed over time.
The host's page writes are those to flash, the requested ones those that came from the host: a write buffer is between
them. Extra pages were written only to complete a row or a super page, or to back up others."""

PAGE_WRITES = ("host_page_writes", "page_moves", "extra_pages")
"""What of it adds up to all pages written, those of the host first."""

STATES = ("free_blocks", "now_ns", "buffer_used", "lsb_quota", "backlog", "in_flight")
"""What of it is a state and not a count; unused pages are too."""

NONE = -(1 << 62)
"""What stands in a sample for a quota that there is none of."""

Sample = tuple[int, ...]
"""What only the device and its queue know at one moment."""


def response_us(tally: Tally, op: int) -> dict[str, Any]:
    """Return the distribution of the response time of `op` and the means of its parts, in microseconds."""
    latency = tally.response[op]
    tail = latency.percentiles(PERCENTILES.values())
    parts = tally.part_means_ns(op)
    return {
        "mean": latency.mean / 1000,
        "std": latency.std / 1000,
        **{name: value / 1000 for name, value in zip(PERCENTILES, tail, strict=True)},
        **{name: value / 1000 for name, value in parts.items()},
    }


def requests(counts: Any, sizes: Any, responses: list[dict[str, Any]], tails: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the part of the summary on requests; all that is given is by operation."""
    return {
        name: {
            "count": int(counts[op]),
            **({} if op == FLUSH else {"bytes": int(sizes[op])}),
            "response_us": responses[op],
            "tail": tails[op],
        }
        for op, name in enumerate(REQUESTS)
    }


def tallied(tally: Tally) -> dict[str, Any]:
    """Return the part of the summary on the requests of `tally`."""
    counts, sizes = ([counter(op) for op in range(4)] for counter in (tally.count, tally.size_bytes))
    responses, tails = ([measure(tally, op) for op in range(4)] for measure in (response_us, tail))
    return requests(counts, sizes, responses, tails)


def untimed_requests(counts: Any, sizes: Any) -> dict[str, Any]:
    """Return the same for a run without timing, which has no response times: all of these are None."""
    responses = [dict.fromkeys(["mean", "std", *PERCENTILES, *PARTS]) for _ in REQUESTS]
    return requests(counts, sizes, responses, [untimed_tail() for _ in REQUESTS])


def type_shares(writes_by_type: Sequence[int], types: int) -> dict[str, float | None]:
    """Return the shares of writes whose slowest page was of the fastest type, of one between, and of the slowest."""
    writes, fast = int(sum(writes_by_type)), int(writes_by_type[0])
    slow = int(writes_by_type[types - 1]) if types > 1 else 0
    counts = {"fast": fast, "medium": writes - fast - slow, "slow": slow}
    return {name: count / writes if writes else None for name, count in counts.items()}


def free_pages(free_by_type: Any) -> dict[str, Any]:
    """Return the unused pages by name of their type, None for a type that the device does not have."""
    free = dict(zip(TYPE_NAMES[len(free_by_type)], free_by_type, strict=True))
    return {f"free_{name}": free.get(name) for name in dict.fromkeys((*TYPE_NAMES[3], *free))}


def page_types(
    writes_by_type: Sequence[int], types: int, success_rate: float | None, free_by_type: Sequence[int]
) -> dict[str, float | None]:
    """Return the part of the summary on page types, of which the device has `types`."""
    return {**type_shares(writes_by_type, types), "success_rate": success_rate, **free_pages(free_by_type)}


def changes(before: Sample, after: Sample) -> dict[str, int]:
    """Return by how much each thing sampled has grown."""
    # without strict: unused pages by type follow in a sample
    return {name: b - a for name, a, b in zip(SAMPLED, before, after, strict=False)}


def free_by_type(sample: Sample) -> Sample:
    """Return the unused pages of each type."""
    return sample[len(SAMPLED) :]


def carried(last: Sample) -> Sample:
    """Return the counts that a device that has lost power adds to those of the one that went on from it."""
    # a state is read of the new device, and not added up
    return tuple(0 if name in STATES else count for name, count in zip(SAMPLED, last, strict=False))


def write_amplification(change: dict[str, int], over: str = "requested_page_writes") -> float | None:
    """Return all page writes to flash for each of those that `over` names; None without any.

    Over `requested_page_writes` it is the write amplification of the device: pages written to flash, for whatever
    reason, over pages that the host's writes touched, one that they touch in part or again counted each time. Over
    `host_page_writes` it is that of the flash: over the pages of the host's data that were written to it, which are
    those that leave the write buffer. Without a buffer the two are the same.
    """
    return sum(change[name] for name in PAGE_WRITES) / change[over] if change[over] else None


def queue_depth(before: Sample, after: Sample, maximum: int | None) -> dict[str, float | None]:
    """Return the mean number of requests in the device queue between two samples, and the largest."""
    change = changes(before, after)
    # ns of requests over ns
    return {"mean": change["depth_ns"] / change["now_ns"] if change["now_ns"] else None, "max": maximum}


def round_report(tally: Tally, before: Sample, after: Sample) -> dict[str, Any]:
    """Return an entry of the summary's `rounds`: the requests of `tally`, and what the device did meanwhile."""
    change, free = changes(before, after), free_by_type(after)
    return {
        "requests": tallied(tally),
        "page_types": type_shares(tally.writes_by_type(), len(free)),
        "gc_collections": change["collections"],
        "write_amplification": write_amplification(change),
        **free_pages(free),
    }


def flash(counts: np.ndarray) -> dict[str, dict[str, int]]:
    """Return the flash operations by source, given counts by operation and source."""
    return {
        name: {source: int(counts[op, index]) for index, source in enumerate(SOURCES)}
        for name, op in OPERATIONS.items()
    }


def share(part: Any, whole: Any) -> float | None:
    """Return `part` as a share of `whole`, None without any."""
    return float(part / whole) if whole else None


def multi_plane(totals: dict[str, np.ndarray], counts: np.ndarray) -> dict[str, Any]:
    """Return the shares of writes, reads and erases done by multi-plane commands, given counts by operation.

    `cases` has the shares of the host's page programs by what the other planes of their die were doing (see
    `MultiPlaneCommands.case_of`), None where programs are not joined.
    """
    shares = {"write_share": PROGRAM, "read_share": READ, "erase_share": ERASE}
    cases = totals["cases"]
    return {
        **{name: share(totals["multi_plane"][op], counts[op]) for name, op in shares.items()},
        "cases": {name: share(cases[index], cases.sum()) for index, name in enumerate(CASES)},
    }


def planes_at_work(totals: dict[str, np.ndarray], maximum: int) -> dict[str, float | None]:
    """Return how many planes were at work when an eviction from the buffer was complete: the mean and the largest."""
    samples = totals["evictions"]
    return {"mean": share(totals["planes_at_work"], samples), "max": maximum if samples else None}


def collection_times(totals: dict[str, np.ndarray], timed: bool) -> dict[str, Any]:
    """Return the time that collection cost and held writes up, in microseconds; all None if the run is not `timed`.

    `cost_us` sums up the array times of commands that had a page for collection, one of several planes counted once,
    even if it had a page of the host too, and the time that the data of its own pages was on the bus. `write_us` sums
    up the page writes of the host, from being queued for their die or waiting for room to being programmed, but not of
    pages that collection asked for, and `blocked_write_us` those of the `blocked_writes` for which collection made them
    wait (see `FlashCounters`).
    """

    def us(name: str, *op: int) -> float | None:
        return float(totals[name][op] / 1000) if timed else None

    return {
        "cost_us": {
            "read": us("gc_array_ns", READ),
            "write": float(sum(totals["gc_array_ns"][[PROGRAM, COPYBACK]]) / 1000) if timed else None,
            "transfer": us("gc_transfer_ns"),
            "erase": us("gc_array_ns", ERASE),
        },
        "blocked_writes": int(totals["blocked_writes"]) if timed else None,
        "blocked_write_us": us("blocked_write_ns"),
        "write_us": us("host_write_ns"),
    }


def buffer(read_hits: int, write_hits: int, accesses: int) -> dict[str, float | None]:
    """Return the page accesses that the write buffer served: their share, None without a buffer, and how many."""
    return {
        "hit_ratio": share(read_hits + write_hits, accesses),
        "read_hits": int(read_hits),
        "write_hits": int(write_hits),
    }


@cache
def package_versions() -> dict[str, str]:
    """Return the versions that are installed; looking them up takes as long as a tiny run."""
    return {name: version(name) for name in ("ssdsim", "simpy", "numpy", "pyarrow", "attrs")}


def peak_rss_mib() -> float:
    """Return the most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux counts in KiB


def provenance(config: SimulationConfig) -> dict[str, Any]:
    """Return the facts needed to repeat the run; where it was saved, or went on from, changes none of its results."""
    settled = {name: value for name, value in attrs.asdict(config).items() if name != "checkpoint"}
    resolved = json.dumps(settled, sort_keys=True, default=str)  # sorted: the hash is of values, not of their order
    loads = {"main": config.workload, **config.workloads}.items()
    return {
        "config_hash": hashlib.sha256(resolved.encode()).hexdigest(),
        "seed": config.seed,
        "versions": {"python": platform.python_version(), **package_versions()},
        "traces": {name: file_sha256(Path(load.path)) for name, load in loads if isinstance(load, TraceConfig)},
    }


def wear(erases: np.ndarray) -> dict[str, float]:
    """Return the mean, standard deviation and maximum of the erases of blocks."""
    return {"mean": float(erases.mean()), "std": float(erases.std()), "max": int(erases.max())}


def latency_table(tally: Tally) -> pa.Table:
    """Return the histogram of response times, one row a bin that holds requests."""
    columns: dict[str, list[Any]] = {"op": [], "up_to_us": [], "count": []}
    for name, op in (("read", READ), ("write", WRITE)):
        edges, counts = tally.response[op].distribution()
        columns["op"] += [name] * len(edges)
        columns["up_to_us"] += (edges / 1000).tolist()
        columns["count"] += counts.tolist()
    return pa.table(columns, schema=LATENCY)


LATENCY = described("latency", pa.schema([("op", pa.string()), ("up_to_us", pa.float64()), ("count", pa.int64())]))

TIMESERIES = described(
    "timeseries",
    pa.schema(
        [("time_s", pa.float64()), ("window_s", pa.float64()), ("reads", pa.int64()), ("writes", pa.int64())]
        + [(name, pa.float64()) for name in ("iops", "bandwidth_mib_s", "write_bandwidth_mib_s")]
        + [(name, pa.float64()) for name in ("read_response_us", "write_response_us")]
        + [(name, pa.int64()) for name in ("requested_page_writes", "host_page_writes")]
        + [(name, pa.int64()) for name in ("gc_page_moves", "gc_collections", "erases")]
        + [(name, pa.int64()) for name in (*HOST_OPERATIONS, "backup_pages")]
        + [("write_amplification", pa.float64()), ("free_blocks", pa.int64()), ("queue_depth", pa.float64())]
        + [("buffer_utilization", pa.float64()), ("lsb_quota", pa.int64())]
        + [("backlog", pa.int64()), ("in_flight", pa.int64())]
        + [(name, pa.float64()) for name in PERCENTILE_COLUMNS]
        + [(f"free_{name}", pa.int64()) for name in TYPE_NAMES[4]]
    ),
)


def timeseries(
    rows: list[tuple[int, ...]], width_ns: int, first: Sample, buffer_pages: int = 0, served: Served | None = None
) -> pa.Table:
    """Return the time series from the rows of `Windows`; `first` is the device's sample when it started.

    There is a row for every window up to the end of the run. As in the summary, `iops` counts reads and writes, and
    `write_amplification` is over `requested_page_writes`, without a value where there are none. `buffer_pages` is the
    capacity of the write buffer. The mean queue depth is that since the row before; it has no value where the simulated
    clock did not move. `backlog` are the requests that have arrived and are not in the device, `in_flight` those in it,
    at the end of the window; `served` is what response times it had (`Windows`).
    """
    if not rows:
        return TIMESERIES.empty_table()
    table = np.array(rows, dtype=np.int64)
    window, reads, writes, read_ns, write_ns, read_bytes, write_bytes = table[:, :7].T
    sampled = np.vstack([first, table[:, 7:]])  # the sample at the start, so that the first window has a change, too
    change = dict(zip(SAMPLED, np.diff(sampled, axis=0).T, strict=False))
    state = {name: sampled[1:, SAMPLED.index(name)] for name in STATES}
    written = sum(change[name] for name in PAGE_WRITES)
    requested = change["requested_page_writes"]
    seconds = width_ns / 1e9
    # a window without requests has no mean: NaN, which becomes None
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = {
            "time_s": window * seconds,
            "window_s": np.full(len(rows), seconds),
            "reads": reads,
            "writes": writes,
            "iops": (reads + writes) / seconds,
            "bandwidth_mib_s": (read_bytes + write_bytes) / 2**20 / seconds,
            "write_bandwidth_mib_s": write_bytes / 2**20 / seconds,
            "read_response_us": read_ns / reads / 1000,
            "write_response_us": write_ns / writes / 1000,
            **change,
            "buffer_utilization": state["buffer_used"] / buffer_pages if buffer_pages else None,
            # no quota in one window is none in all
            "lsb_quota": None if state["lsb_quota"][0] == NONE else state["lsb_quota"],
            "gc_page_moves": change["page_moves"],
            "gc_collections": change["collections"],
            "write_amplification": np.where(requested > 0, written / requested, np.nan),
            **{name: state[name] for name in ("free_blocks", "backlog", "in_flight")},
            **({} if served is None else served.percentile_columns()),
            "queue_depth": change["depth_ns"] / change["now_ns"],
            **free_pages(sampled[1:, len(SAMPLED) :].T),
        }
    nothing = [None] * len(rows)
    return pa.table(
        [
            pa.array(nothing if column is None else column, type=field.type, from_pandas=True)  # NaN as None
            for field, column in ((field, columns.get(field.name)) for field in TIMESERIES)
        ],
        schema=TIMESERIES,
    )
