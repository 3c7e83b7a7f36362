"""The results of a run in the shape of fio's JSON, for scripts that read those of drives.

A job is a stream; streams of a group with group_reporting are one. Times are response times, as fio's `lat` and `clat`
(there is no submission before a simulated queue). What a host measures of itself, such as CPU time, is 0.
"""

from typing import Any

import numpy as np

from ssdsim import __version__
from ssdsim.metrics.result import Result

PERCENTILES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
"""The percentiles that fio reports if nothing else is said."""


def fio_json(result: Result) -> dict[str, Any]:
    """Return the results; raise `NotRecordedError` if the run has not kept its requests."""
    table = result.requests
    columns = {name: table[name].to_numpy() for name in ("stream", "arrival_ns", "response_ns", "size_bytes")}
    columns["op"] = np.array(table["op"].to_pylist(), object)
    groups: dict[Any, list[tuple[int, str, dict[str, Any]]]] = {}
    for index, (name, told) in enumerate({"main": result.summary["workload"], **result.summary["workloads"]}.items()):
        is_grouped = told.get("kind") == "fio" and told["grouped"]
        groups.setdefault((told["path"], told["group"]) if is_grouped else name, []).append((index, name, told))
    jobs = []
    for number, streams in enumerate(groups.values()):
        chosen = np.isin(columns["stream"], [index for index, _, _ in streams])
        mine = {key: column[chosen] for key, column in columns.items()}
        _, name, told = streams[0]
        jobs.append({"jobname": told.get("job") or name, "groupid": told.get("group", number), **_job(told, mine)})
    return {"fio version": f"ssdsim-{__version__}", "timestamp": 0, "time": "simulated", "jobs": jobs}


def _job(told: dict[str, Any], mine: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the results of some requests, whose load was `told`."""
    response, ends = mine["response_ns"], mine["arrival_ns"] + mine["response_ns"]
    length_ns = int(ends.max() - mine["arrival_ns"].min()) if len(ends) else 0
    random = "" if told.get("pattern") == "sequential" else "rand"
    kind = random + {0: "write", 1: "read"}.get(told.get("read_share", 0.5), "rw")
    drawn = {"iodepth": str(told.get("queue_depth") or 1), "rw": kind}
    is_flush = mine["op"] == "flush"
    return {
        "error": 0,
        "job options": {"iodepth": "1", "numjobs": "1", "bs": "4k", "rw": "read"} | (told.get("options") or drawn),
        **{op: _direction(mine, mine["op"] == op, length_ns) for op in ("read", "write", "trim")},
        "sync": {"total_ios": int(is_flush.sum()), "lat_ns": _times(response[is_flush])},
        "job_runtime": length_ns // 10**6,
        **dict.fromkeys(("usr_cpu", "sys_cpu", "ctx", "majf", "minf"), 0),
    }


def _direction(mine: dict[str, np.ndarray], is_op: np.ndarray, length_ns: int) -> dict[str, Any]:
    """Return the results of one operation."""
    response, size = mine["response_ns"][is_op], int(mine["size_bytes"][is_op].sum())
    seconds = length_ns / 1e9 or 1.0
    whole = _times(response)
    if len(response):
        values = np.percentile(response, PERCENTILES, method="inverted_cdf").tolist()
        whole |= {"percentile": {f"{p:.6f}": value for p, value in zip(PERCENTILES, values, strict=True)}}
    return {
        "io_bytes": size,
        "io_kbytes": size // 1024,
        "bw_bytes": int(size / seconds),
        "bw": int(size / seconds / 1024),  # KiB/s
        "iops": len(response) / seconds,
        "runtime": length_ns // 10**6 if len(response) else 0,
        "total_ios": len(response),
        "slat_ns": _times(response[:0]),
        "clat_ns": whole,
        "lat_ns": whole,
    }


def _times(response: np.ndarray) -> dict[str, Any]:
    if not len(response):
        return {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    ends = {"min": int(response.min()), "max": int(response.max())}
    return {**ends, "mean": float(response.mean()), "stddev": float(response.std()), "N": len(response)}
