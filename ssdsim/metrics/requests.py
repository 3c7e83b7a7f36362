"""The parts of the summary on requests: counts, response times and tails by operation, and by stream."""

from collections.abc import Sequence
from typing import Any

from ssdsim._core.codes import FLUSH, REQUESTS
from ssdsim.metrics.recorder import Recorder
from ssdsim.metrics.tally import PARTS, Tally

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999, "max": 1.0}

TAILS = {"slowest_1_percent": 0.01, "slowest_0_1_percent": 0.001}
"""The shares of the requests of an operation, by name."""


def timed_requests(tally: Tally) -> dict[str, Any]:
    """Return the requests of `tally` by operation."""
    by_op = {}
    for op, name in enumerate(REQUESTS):
        count = tally.count(op)
        parts = {part: ns / 1000 for part, ns in tally.slowest(op, count)[1].items()}  # of all of them
        measured = {"response_us": distribution_us(tally.response(op)) | parts, "tail": tail(tally, op)}
        by_op[name] = _counted(op, count, tally.size_bytes(op)) | measured
    return by_op


def untimed_requests(counts: Sequence[int], sizes: Sequence[int]) -> dict[str, Any]:
    """Return the same for a run without timing, which has no response times: all of these are None."""
    return {
        name: _counted(op, counts[op], sizes[op])
        | {"response_us": dict.fromkeys(["mean", "std", *PERCENTILES, *PARTS])}
        | {"tail": {share: dict.fromkeys(["requests", "response_us", *PARTS]) for share in TAILS}}
        for op, name in enumerate(REQUESTS)
    }


def _counted(op: int, count: int, size_bytes: int) -> dict[str, Any]:
    return {"count": count} if op == FLUSH else {"count": count, "bytes": size_bytes}


def distribution_us(latency: Any) -> dict[str, float | None]:
    """Return mean, deviation and percentiles of recorded nanoseconds, in microseconds; None where there are none."""
    if latency is None:
        return dict.fromkeys(("mean", "std", *PERCENTILES))
    reached = latency.percentiles(PERCENTILES.values())
    percentiles = {name: value / 1000 for name, value in zip(PERCENTILES, reached, strict=True)}
    return {"mean": latency.mean / 1000, "std": latency.std / 1000, **percentiles}


def tail(tally: Tally, op: int) -> dict[str, dict[str, Any]]:
    """Return, for each of `TAILS`, how many requests of `op` that is and the means of their response times and parts.

    In microseconds, None without requests. There is at least one request, and else as many as the share is rounded
    down: those beyond the percentile.
    """
    count, by_share = tally.count(op), {}
    for name, share in TAILS.items():
        slowest = max(int(share * count + 1e-9), 1) if count else 0  # 1e-9: 0.01 of 100 is 1, for all its binary digits
        mean, parts = tally.slowest(op, slowest)
        means = {part: ns / 1000 if slowest else None for part, ns in {"response_us": mean, **parts}.items()}
        by_share[name] = {"requests": slowest, **means}
    return by_share


def streams(recorder: Recorder, names: Sequence[str]) -> dict[str, Any]:
    """Return the requests of each stream by operation."""
    return {
        name: {op_name: _of_stream(recorder, number, op) for op, op_name in enumerate(REQUESTS)}
        for number, name in enumerate(names)
    }


def _of_stream(recorder: Recorder, stream: int, op: int) -> dict[str, Any]:
    latency, size_bytes = recorder.of_stream(stream, op)
    count = 0 if latency is None else latency.count
    return {"count": count, "bytes": size_bytes, "response_us": distribution_us(latency)}
