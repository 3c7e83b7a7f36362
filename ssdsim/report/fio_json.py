"""The results of a run in the shape of fio's JSON, for scripts that read those of drives.

A job is a stream; streams of a group with group_reporting are one. Times are response times, as fio's `lat` and `clat`
(there is no submission before a simulated queue). What a host measures of itself, such as CPU time, is 0.
"""

from typing import Any

import numpy as np

from ssdsim.errors import NotRecordedError
from ssdsim.metrics.result import Result

PERCENTILES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
"""The percentiles that fio reports if nothing else is said."""

DEPTHS = ("1", "2", "4", "8", "16", "32", ">=64")
UNITS = {"latency_ns": 1, "latency_us": 1_000, "latency_ms": 1_000_000}
BOUNDS = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)
BEYOND = ("2000", ">=2000")
"""Names of the last two shares of `latency_ms`."""


def fio_json(result: Result) -> dict[str, Any]:
    """Return the results; raise `NotRecordedError` if the run has not kept its requests."""
    try:
        table = result.requests
    except NotRecordedError:
        raise NotRecordedError(
            f"{result.folder}: fio's JSON has the times of requests by job; run it again with record=[requests]."
        ) from None
    columns = {name: table[name].to_numpy() for name in ("stream", "arrival_ns", "response_ns", "size_bytes")}
    columns["op"] = np.array(table["op"].to_pylist(), object)
    facts = {"main": result.summary["workload"], **result.summary["workloads"]}
    groups: dict[Any, list[int]] = {}
    for index, (name, told) in enumerate(facts.items()):
        is_grouped = told.get("kind") == "fio" and told["grouped"]
        groups.setdefault((told["path"], told["group"]) if is_grouped else name, []).append(index)
    described = list(facts.items())
    jobs = [_job(*described[indices[0]], number, columns, indices) for number, indices in enumerate(groups.values())]
    return {
        "fio version": f"ssdsim-{_version()}",
        "timestamp": 0,
        "timestamp_ms": 0,
        "time": "simulated",
        "global options": {},
        "jobs": jobs,
    }


def _version() -> str:
    from ssdsim import __version__  # which imports this package

    return __version__


def _job(
    name: str, told: dict[str, Any], number: int, columns: dict[str, np.ndarray], streams: list[int]
) -> dict[str, Any]:
    """Return the results of the requests of some streams, of which the first is called `name`."""
    chosen = np.isin(columns["stream"], streams)
    mine = {key: column[chosen] for key, column in columns.items()}
    ends = mine["arrival_ns"] + mine["response_ns"]
    length_ns = int(ends.max() - mine["arrival_ns"].min()) if len(ends) else 0
    options = told.get("options") or {"iodepth": str(told.get("queue_depth") or 1), "rw": _kind(told), "bs": "4k"}
    options = {"iodepth": "1", "numjobs": "1", "bs": "4k", "rw": "read"} | options
    response = mine["response_ns"]
    return {
        "jobname": told.get("job") or name,
        "groupid": told.get("group", number),
        "error": 0,
        "eta": 0,
        "elapsed": -(-length_ns // 10**9),
        "job options": options,
        **{op: _direction(mine, op, length_ns) for op in ("read", "write", "trim")},
        "sync": {"total_ios": int((mine["op"] == "flush").sum()), "lat_ns": _times(response[mine["op"] == "flush"])},
        "job_runtime": length_ns // 10**6,
        **dict.fromkeys(("usr_cpu", "sys_cpu"), 0.0),
        **dict.fromkeys(("ctx", "majf", "minf"), 0),
        "iodepth_level": _depths(mine["stream"], mine["arrival_ns"], ends),
        "iodepth_submit": dict.fromkeys(("0", "4", "8", "16", "32", "64", ">=64"), 0.0),
        "iodepth_complete": dict.fromkeys(("0", "4", "8", "16", "32", "64", ">=64"), 0.0),
        **_shares(response),
        "latency_depth": int(options["iodepth"]) if options["iodepth"].isdecimal() else 1,
        "latency_target": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
    }


def _kind(told: dict[str, Any]) -> str:
    """Return the value of fio's `rw` for a load that is none of fio."""
    share, random = told.get("read_share", 0.5), "" if told.get("pattern") == "sequential" else "rand"
    return f"{random}{ {0: 'write', 1: 'read'}.get(share, 'rw') }"


def _direction(mine: dict[str, np.ndarray], op: str, length_ns: int) -> dict[str, Any]:
    """Return the results of one operation."""
    is_op = mine["op"] == op
    response, size = mine["response_ns"][is_op], int(mine["size_bytes"][is_op].sum())
    length_s = length_ns / 1e9
    iops, rate = (len(response) / length_s, size / length_s) if length_s and len(response) else (0.0, 0.0)
    bandwidth = rate / 1024  # KiB/s
    samples = _samples(mine, is_op, length_ns)
    times = _times(response)
    whole = times
    if len(response):
        values = np.percentile(response, PERCENTILES, method="inverted_cdf").tolist()
        titles = (f"{percent:.6f}" for percent in PERCENTILES)
        whole = times | {"percentile": dict(zip(titles, values, strict=True))}
    return {
        "io_bytes": size,
        "io_kbytes": size // 1024,
        "bw_bytes": int(rate),
        "bw": int(bandwidth),
        "iops": iops,
        "runtime": length_ns // 10**6 if len(response) else 0,
        "total_ios": len(response),
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": _times(response[:0]),
        "clat_ns": whole,
        "lat_ns": whole,
        **{f"bw_{name}": value for name, value in samples["bw"].items()},
        "bw_agg": 100.0 if len(response) else 0.0,
        **{f"iops_{name}": value for name, value in samples["iops"].items()},
    }


def _samples(mine: dict[str, np.ndarray], is_op: np.ndarray, length_ns: int) -> dict[str, dict[str, Any]]:
    """Return the distribution over windows of half a second, or a tenth of a shorter run, of KiB/s and requests/s."""
    width = min(500_000_000, max(length_ns // 10, 1))
    ends = (mine["arrival_ns"] + mine["response_ns"])[is_op]
    start = int(mine["arrival_ns"].min()) if len(is_op) else 0
    windows = max(length_ns // width, 1)
    place = np.minimum((ends - start) // width, windows - 1)
    values = {
        "bw": np.bincount(place, mine["size_bytes"][is_op], windows) / 1024 / width * 1e9,
        "iops": np.bincount(place, minlength=windows) / width * 1e9,
    }
    deviation = {"bw": "dev", "iops": "stddev"}
    return {
        name: {
            "min": int(rates.min()),
            "max": int(rates.max()),
            "mean": float(rates.mean()),
            deviation[name]: float(rates.std()),
            "samples": windows,
        }
        for name, rates in values.items()
    }


def _times(response: np.ndarray) -> dict[str, Any]:
    if not len(response):
        return {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    return {
        "min": int(response.min()),
        "max": int(response.max()),
        "mean": float(response.mean()),
        "stddev": float(response.std()),
        "N": len(response),
    }


def _depths(streams: np.ndarray, arrivals: np.ndarray, ends: np.ndarray) -> dict[str, float]:
    """Return the percentage of requests that came when so many of their job were outstanding, they among them."""
    counts = np.zeros(len(DEPTHS), np.int64)
    for stream in np.unique(streams):
        came, ended = np.sort(arrivals[streams == stream]), np.sort(ends[streams == stream])
        outstanding = np.arange(1, len(came) + 1) - np.searchsorted(ended, came, "right")
        classes = np.minimum(np.log2(np.maximum(outstanding, 1)).astype(np.int64), len(DEPTHS) - 1)
        counts += np.bincount(classes, minlength=len(DEPTHS))
    return dict(zip(DEPTHS, (counts * 100 / max(len(arrivals), 1)).tolist(), strict=True))


def _shares(response: np.ndarray) -> dict[str, dict[str, float]]:
    """Return the percentage of requests in each class of response times: from the bound before, up to its own."""
    edges = np.concatenate([[0], *(np.array(BOUNDS) * unit for unit in UNITS.values()), [2 * 10**9, np.inf]])
    counts, _ = np.histogram(response, edges)
    shares = iter((counts * 100 / max(len(response), 1)).tolist())
    return {
        name: {title: next(shares) for title in (*map(str, BOUNDS), *(BEYOND if name == "latency_ms" else ()))}
        for name in UNITS
    }
