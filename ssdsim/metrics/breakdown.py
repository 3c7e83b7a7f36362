"""The parts of the summary on streams and on sizes of requests."""

from collections.abc import Iterable, Sequence
from typing import Any

from ssdsim._core.codes import FLUSH, REQUESTS
from ssdsim._core.latency import LatencyGroups
from ssdsim.metrics.groups import SIZE_CLASSES
from ssdsim.metrics.recorder import Recorder
from ssdsim.metrics.summary import PERCENTILES

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


def of_operation(latency: Any, size_bytes: int) -> dict[str, Any]:
    """Return the count, bytes and response times of an operation's requests; of no requests, the times are None."""
    count = 0 if latency is None else latency.count
    return {"count": count, "bytes": size_bytes, "response_us": distribution_us(latency if count else None)}


def by_operation(groups: LatencyGroups, group: int, operations: Iterable[int]) -> dict[str, Any]:
    """Return the statistics of a group in `groups`, by the names of `operations`."""
    return {REQUESTS[op]: of_operation(*groups.of(group, op)) for op in operations}


def breakdown(recorder: Recorder | None, streams: Sequence[str]) -> dict[str, Any]:
    """Return `streams` and `sizes` of the summary, both None without response times; a flush is of no size."""
    if recorder is None:
        return {"streams": None, "sizes": None}
    every = range(len(REQUESTS))
    if recorder.by_stream is None:
        # a single stream is the whole run
        whole = {REQUESTS[op]: of_operation(recorder.response[op], recorder.size_bytes(op)) for op in every}
        of_streams = dict.fromkeys(streams, whole)
    else:
        of_streams = {name: by_operation(recorder.by_stream, index, every) for index, name in enumerate(streams)}
    sized = [op for op in every if op != FLUSH]
    of_sizes = {name: by_operation(recorder.by_size, index, sized) for index, name in enumerate(SIZES)}
    return {"streams": of_streams, "sizes": of_sizes}
