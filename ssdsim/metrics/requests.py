"""The part of the summary on requests: counts, response times and tails by operation, stream and size."""

from collections.abc import Iterable, Sequence
from typing import Any

from ssdsim._core.codes import FLUSH, REQUESTS
from ssdsim._core.latency import LatencyGroups
from ssdsim.metrics.groups import SIZE_CLASSES
from ssdsim.metrics.queues import QueueTally
from ssdsim.metrics.recorder import Recorder
from ssdsim.metrics.tally import PARTS, Tally

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999, "max": 1.0}

TAILS = {"slowest_1_percent": 0.01, "slowest_0_1_percent": 0.001}
"""The shares of the requests of an operation, by name."""

# in KiB: 4 to 128, and above
SIZES = (*(f"up_to_{4 << number}_kib" for number in range(SIZE_CLASSES - 1)), f"above_{2 << SIZE_CLASSES - 1}_kib")
"""The classes of `size_class`, by name: each holds what is larger than the one before it."""


def distribution_us(latency: Any) -> dict[str, float | None]:
    """Return mean, deviation and percentiles of recorded nanoseconds, in microseconds; None where there are none."""
    if latency is None:
        return dict.fromkeys(("mean", "std", *PERCENTILES))
    tail = latency.percentiles(PERCENTILES.values())
    return {
        "mean": latency.mean / 1000,
        "std": latency.std / 1000,
        **{name: value / 1000 for name, value in zip(PERCENTILES, tail, strict=True)},
    }


def response_us(tally: Tally, op: int) -> dict[str, Any]:
    """Return the distribution of the response time of `op` and the means of its parts, in microseconds."""
    parts = {name: value / 1000 for name, value in tally.part_means_ns(op).items()}
    return distribution_us(tally.response[op]) | parts


def tail(tally: Tally, op: int) -> dict[str, dict[str, Any]]:
    """Return, for each of `TAILS`, how many requests of `op` that is and the means of their response times and parts.

    In microseconds, None without requests. There is at least one request, and else as many as the share is rounded
    down: those beyond the percentile.
    """
    count, by_share = tally.count(op), {}
    for name, share in TAILS.items():
        slowest = max(int(share * count + 1e-9), 1) if count else 0  # 1e-9: 0.01 of 100 is 1, for all its binary digits
        mean, parts = tally.slowest(op, slowest)
        means = {"response_us": mean, **parts}
        by_share[name] = {
            "requests": slowest,
            **{part: value / 1000 if slowest else None for part, value in means.items()},
        }
    return by_share


def untimed_tail() -> dict[str, dict[str, None]]:
    """Return the same for a run without response times."""
    return {name: dict.fromkeys(("requests", "response_us", *PARTS)) for name in TAILS}


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


def of_operation(latency: Any, size_bytes: int) -> dict[str, Any]:
    """Return the count, bytes and response times of an operation's requests; of no requests, the times are None."""
    count = 0 if latency is None else latency.count
    return {"count": count, "bytes": size_bytes, "response_us": distribution_us(latency if count else None)}


def by_operation(groups: LatencyGroups, group: int, operations: Iterable[int]) -> dict[str, Any]:
    """Return the statistics of a group in `groups`, by the names of `operations`."""
    return {REQUESTS[op]: of_operation(*groups.of(group, op)) for op in operations}


def of_queues(tally: QueueTally, names: Sequence[str], simulated_s: float) -> dict[str, Any]:
    """Return the statistics of each queue pair, by name."""
    pairs = {}
    for queue, name in enumerate(names):
        requests = tally.requests[queue]
        operations = {op_name: of_operation(*tally.latencies(queue, op)) for op, op_name in enumerate(REQUESTS)}
        size_bytes = sum(operations[op]["bytes"] for op in ("read", "write"))
        elapsed = simulated_s or None
        pairs[name] = {
            "depth": {
                "mean": elapsed and tally.outstanding_ns[queue] / 1e9 / elapsed,
                "max": tally.most[queue],
            },
            "bandwidth_mib_s": elapsed and size_bytes / 2**20 / elapsed,
            "fetch_wait_us": tally.fetch_wait_ns[queue] / requests / 1000 if requests else None,
            "interrupt_wait_us": tally.interrupt_wait_ns[queue] / requests / 1000 if requests else None,
            "interrupts": tally.interrupts[queue],
            **operations,
        }
    return pairs


def breakdown(recorder: Recorder | None, streams: Sequence[str]) -> dict[str, Any]:
    """Return `streams` and `sizes` of the summary, both None without response times; a flush is of no size."""
    if recorder is None:
        return {"streams": None, "sizes": None}
    every = range(len(REQUESTS))
    of_streams: dict[str, Any]
    if recorder.by_stream is None:
        # a single stream is the whole run
        whole = {REQUESTS[op]: of_operation(recorder.response[op], recorder.size_bytes(op)) for op in every}
        of_streams = dict.fromkeys(streams, whole)
    else:
        of_streams = {name: by_operation(recorder.by_stream, index, every) for index, name in enumerate(streams)}
    sized = [op for op in every if op != FLUSH]
    of_sizes = {name: by_operation(recorder.by_size, index, sized) for index, name in enumerate(SIZES)}
    return {"streams": of_streams, "sizes": of_sizes}
