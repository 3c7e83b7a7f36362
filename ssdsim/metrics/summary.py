"""The summary of a run, `summary.json`, and the tables beside it, made of its counts."""

import hashlib
import json
import platform
import resource
from collections.abc import Sequence
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
from ssdsim.metrics.fields import schema
from ssdsim.metrics.recorder import Recorder
from ssdsim.metrics.requests import PERCENTILES as PERCENTILES
from ssdsim.metrics.requests import tallied
from ssdsim.metrics.tally import Tally
from ssdsim.workload.tracefile import file_sha256

OPERATIONS = {"reads": READ, "programs": PROGRAM, "erases": ERASE, "copybacks": COPYBACK}

FLASH_TOTALS = (
    *("multi_plane", "cases", "planes_at_work", "gc_array_ns", "gc_transfer_ns"),
    *("host_writes", "host_write_ns", "blocked_writes", "blocked_write_ns", "evictions"),
    *("suspensions", "suspended_ns"),
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


def write_amplification_by_bytes(change: dict[str, int], page_bytes: int, written_bytes: int) -> float | None:
    """Return the bytes of all pages written to flash for each of the `written_bytes` of the host; None without any.

    Unlike `write_amplification` it counts what a page holds beside a write that touches it in part.
    """
    return sum(change[name] for name in PAGE_WRITES) * page_bytes / written_bytes if written_bytes else None


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


def suspension(totals: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the number of suspensions of programs and of erases, and the time that they took."""
    return {
        name: {
            "count": int(sum(totals["suspensions"][ops])),
            "suspended_us": float(sum(totals["suspended_ns"][ops]) / 1000),
        }
        for name, ops in (("programs", [PROGRAM]), ("erases", [ERASE]))
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


@cache
def package_versions() -> dict[str, str]:
    """Return the versions that are loaded."""
    return {package.__name__: package.__version__ for package in (ssdsim, simpy, np, pa, attrs)}


def peak_rss_mib() -> float:
    """Return the most memory that this process has held."""
    status = Path("/proc/self/status")  # of Linux, whose resource usage has what the parent held, too
    if status.is_file():
        return int(status.read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) / 1024  # KiB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


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


def wear(erases: np.ndarray) -> dict[str, float]:
    """Return the mean, standard deviation and maximum of the erases of blocks."""
    return {"mean": float(erases.mean()), "std": float(erases.std()), "max": int(erases.max())}


def latency_table(recorder: Recorder, streams: Sequence[str]) -> pa.Table:
    """Return the histogram of response times, one row a stream, operation and bin that holds requests."""
    columns: dict[str, list[Any]] = {"stream": [], "op": [], "up_to_us": [], "count": []}
    for number, stream in enumerate(streams):
        for name, op in (("read", READ), ("write", WRITE)):
            # a single stream is the whole run
            response = recorder.response[op] if recorder.by_stream is None else recorder.by_stream.of(number, op)[0]
            if response is not None:
                edges, counts = response.distribution()
                columns["stream"] += [stream] * len(edges)
                columns["op"] += [name] * len(edges)
                columns["up_to_us"] += (edges / 1000).tolist()
                columns["count"] += counts.tolist()
    return pa.table(columns, schema=LATENCY)


LATENCY, PLANES = schema("latency"), schema("planes")

PLANE_COUNTS = ("writes_by_plane", "host_writes_by_plane", "erases_by_plane")
"""What `FlashCounters` counts by plane, each the name of an attribute."""


def planes_table(totals: dict[str, np.ndarray], timed: bool, pages_written: int) -> pa.Table:
    """Return the page writes and erases of each plane, given counts by plane.

    Without timing these come from the blocks, which do not tell whose a page was; nor how many there were, if blocks
    were erased before they were full or have pages that hold nothing, so that they do not add up to `pages_written`.
    """
    programs, host_programs, erases = (totals[name] for name in PLANE_COUNTS)
    nothing = [None] * len(erases)
    columns = {
        "plane": [*range(len(erases))],
        "host_programs": host_programs.tolist() if timed else nothing,
        "programs": programs.tolist() if timed or programs.sum() == pages_written else nothing,
        "erases": erases.tolist(),
    }
    return pa.table(columns, schema=PLANES)


def page_writes_std(planes: pa.Table) -> float | None:
    """Return the standard deviation of the page writes of the planes, None if these are not known.

    It is the SDWPP of PCFTL's paper, 5.1.
    """
    return None if planes["programs"].null_count else float(planes["programs"].to_numpy().std())
