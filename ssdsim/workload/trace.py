"""Replay of a recorded trace: read, put in order and brought onto the device, some 25 bytes of memory a request.

The devices of a trace lie one after another, in the natural order of their names, each in a range of its own from its
address 0 to the end of its last request, rounded up to a page. Arrivals count from the first request. Each repetition
starts where the one before ended, plus the mean time between arrivals. With `arrival` other than `recorded` requests
keep their order, but come at times that are drawn (`ssdsim.workload.arrivals`), the repetitions one after another.
"""

import re
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from ssdsim.config import MOST_NS, TraceConfig, nearest
from ssdsim.errors import shown
from ssdsim.workload.arrivals import Times, arrival_times, arrival_times_by_kind
from ssdsim.workload.chunk import CHUNK_ROWS, OP_NAMES, READ, Chunk, merged
from ssdsim.workload.layouts import Records
from ssdsim.workload.reader import TraceReader
from ssdsim.workload.tracefile import BLOCK_BYTES

MOST_GAP_NS = 30 * 86_400 * 10**9
"""The longest time between two requests, thirty days: a longer one is a jump of the clock, and is left out."""

_NAMES_REPORTED = 32


class TraceWorkload:
    """The requests of the trace file that a `TraceConfig` names, as it says, on a device of whole pages.

    The file is read on construction, once, and its requests are kept for the passes of `chunks`. The seed is of the
    times that are drawn. Raise a `TraceError` or `ConfigError` that says what is wrong and what to do.
    """

    queue_depth = None

    def __init__(
        self, config: TraceConfig, capacity_bytes: int, page_bytes: int, seed: int = 0, block_bytes: int = BLOCK_BYTES
    ) -> None:
        self._config, self._seed = config, seed
        self._reader = TraceReader(config, block_bytes)
        blocks = list(self._reader.records())
        if not blocks:
            raise self._reader.file.fault(self._absence())
        records = Records.joined(blocks)
        self._reordered = int(np.count_nonzero(np.diff(records.arrival_ns) < 0))
        if self._reordered:
            records = records[np.argsort(records.arrival_ns, kind="stable")]  # those of one time stay as they were
        times_ns = records.arrival_ns
        if self._reader.format.has_whole_seconds:
            times_ns = spread(times_ns, 10**9)
        times_ns, self._jumps = without_gaps(times_ns)
        # the mean gap comes between two passes over it
        self._span_ns, count = int(times_ns[-1]), len(records)
        self._period_ns = self._span_ns + self._span_ns // max(count - 1, 1)
        self._rate_iops = config.speedup * (config.rate_iops or 1e9 / max(self._period_ns, 1) * count)
        self._check_length(count)
        self.requests = count * config.repeat
        self._device_names, offset = self._side_by_side(records, page_bytes)
        offset = self._fitted(offset, records.size_bytes, capacity_bytes // page_bytes * page_bytes, page_bytes)
        offset[records.size_bytes == 0] = 0  # a flush has no place
        self._kept = Chunk(times_ns, records.op, offset, records.size_bytes, records.access_latency, records.fua)

    def _absence(self) -> str:
        """Return why there are no requests."""
        device = self._config.device
        if device is not None and self._reader.rows:
            names = [shown(name) for name in sorted(self._reader.devices, key=_natural)]
            listed = ", ".join(names[:_NAMES_REPORTED]) or "null, as its rows name none"
            return f"it has no device '{device}'{nearest(device, names)}; set workload.device to {listed}"
        skipped = ", ".join(f"{count} {reason}" for reason, count in self._reader.skipped.items())
        return f"it holds no requests{f' (skipped: {skipped})' if skipped else ''}; choose another file or format"

    def _check_length(self, count: int) -> None:
        """Raise a `TraceError` for times that are longer than can be simulated."""
        config = self._config
        # twice the mean length, as draws may take longer
        drawn_ns = 2 * count * config.repeat * 1e9 / self._rate_iops
        whole_ns = self._period_ns * config.repeat / config.speedup if config.arrival == "recorded" else drawn_ns
        if whole_ns >= MOST_NS:
            raise self._reader.file.fault(
                f"its requests span {whole_ns / 86400e9:.0f} days, more than the {MOST_NS / 86400e9:.0f} that can "
                "be simulated; set workload.time_unit, .limit, .repeat or .speedup"
            )

    def _side_by_side(self, records: Records, page_bytes: int) -> tuple[list[str | None], np.ndarray]:
        """Return the names of the devices that have requests, and offsets with these devices one after another."""
        ends = np.full(int(records.device.max()) + 1, -1)
        np.maximum.at(ends, records.device, records.offset_bytes + records.size_bytes)
        names = {code: name for name, code in self._reader.devices.items()}
        codes = sorted(np.flatnonzero(ends >= 0).tolist(), key=lambda code: _natural(names.get(code, "")))
        lengths = -(-ends[codes] // page_bytes) * page_bytes  # in whole pages
        bases = np.zeros(len(ends), np.int64)
        bases[codes] = np.cumsum(lengths) - lengths
        self._extent_bytes = int(lengths.sum())
        return [names.get(code) for code in codes], records.offset_bytes + bases[records.device]

    def _fitted(self, offset: np.ndarray, size: np.ndarray, capacity_bytes: int, page_bytes: int) -> np.ndarray:
        """Return the offsets on the device, by the policy of addresses if any lies beyond it."""
        self._outcome, self._moved = "unchanged", 0
        if self._extent_bytes <= capacity_bytes:
            return offset
        policy = POLICIES[self._config.addresses]
        try:
            fitting = policy(offset, size, capacity_bytes, page_bytes)
        except ValueError as error:
            raise self._reader.file.fault(f"{error}") from None
        self._outcome, self._moved = policy.__name__, int(np.count_nonzero(fitting != offset))
        return fitting

    def chunks(self) -> Iterator[Chunk]:
        """Start a fresh pass; every pass yields the same requests."""
        config, rng = self._config, np.random.default_rng(self._seed)
        read_share = np.count_nonzero(self._kept.op == READ) / len(self._kept)
        if config.arrival == "recorded":
            return self._pass(None, None)
        if not config.parts_writes or read_share in (0.0, 1.0):
            return self._pass(arrival_times(config, self._rate_iops, rng), None)
        of_reads, of_others = arrival_times_by_kind(config, self._rate_iops, read_share, rng)
        return merged((self._pass(of_reads, True), self._pass(of_others, False)))

    def _pass(self, times: Times | None, is_read: bool | None) -> Iterator[Chunk]:
        """Yield all requests, or the reads alone, or the others, at `times` if those recorded are not kept."""
        for turn in range(self._config.repeat):
            for first in range(0, len(self._kept), CHUNK_ROWS):
                chunk = self._kept[first : first + CHUNK_ROWS]
                if is_read is not None:
                    chunk = chunk[(chunk.op == READ) == is_read]
                if not len(chunk):
                    continue
                # times within what can be simulated are exact as floats
                recorded_ns = (chunk.arrival_ns + turn * self._period_ns) / self._config.speedup
                arrival = recorded_ns.astype(np.int64) if times is None else times(len(chunk))
                yield attrs.evolve(chunk, arrival_ns=arrival)

    def describe(self) -> dict[str, Any]:
        """Return the facts on one pass over the file: the records read, skipped and changed; sizes in bytes."""
        reader, kept = self._reader, self._kept
        sizes = [kept.size_bytes[kept.op == op] for op in range(len(OP_NAMES))]
        return {
            "kind": "trace",
            "path": str(reader.file.path),
            "format": reader.format.name,
            "format_reason": reader.reason,
            "rows": reader.rows,
            "skipped": dict(reader.skipped),
            "requests": len(kept),
            **dict(zip(("reads", "writes", "trims", "flushes"), map(len, sizes), strict=True)),
            "bytes": dict(zip(OP_NAMES, (int(size_bytes.sum()) for size_bytes in sizes), strict=True)),
            "devices": len(self._device_names),
            "device_names": list(filter(None, self._device_names[:_NAMES_REPORTED])),
            "reordered_rows": self._reordered,
            "clock_jumps": self._jumps,
            "span_s": self._span_ns / 1e9,
            "addresses": {
                "policy": self._config.addresses,
                "extent_bytes": self._extent_bytes,
                "outcome": self._outcome,
                "moved_requests": self._moved,
            },
            "repeat": self._config.repeat,
            "speedup": self._config.speedup,
            "arrival": self._config.arrival,
        }


def wrapped(offset: np.ndarray, size: np.ndarray, capacity_bytes: int, page_bytes: int) -> np.ndarray:
    """Return offsets modulo the capacity; a request that then runs over the end is moved back by whole pages."""
    within = offset % capacity_bytes
    beyond = np.maximum(within + size - capacity_bytes, 0)  # bytes that would lie beyond the end
    # whole pages, rounded up: a request keeps its place within a page
    within -= -(-beyond // page_bytes) * page_bytes
    if (within < 0).any():  # less than nothing is left in front of it
        raise ValueError(
            f"a request of {size[within < 0].max()} bytes does not fit into the device's {capacity_bytes}; take a "
            "larger device"
        )
    return within


def compacted(offset: np.ndarray, size: np.ndarray, capacity_bytes: int, page_bytes: int) -> np.ndarray:
    """Return offsets with no untouched page between touched ones, whose order stays, as do places within a page."""
    touching = size > 0
    first, end = offset[touching] // page_bytes, -(-(offset + size)[touching] // page_bytes)
    order = np.argsort(first, kind="stable")
    first, reach = first[order], np.maximum.accumulate(end[order])  # one run may lie within another
    is_new = np.append(True, first[1:] > reach[:-1])  # runs that meet are one
    starts, ends = first[is_new], reach[np.append(is_new[1:], True)]
    pages = np.cumsum(ends - starts)
    if (footprint := int(pages[-1]) * page_bytes) > capacity_bytes:
        raise ValueError(
            f"it touches {footprint} bytes in pages of {page_bytes}, more than the device's {capacity_bytes}; take a "
            "larger device, or set workload.addresses=wrap, .limit or .device"
        )
    page = offset // page_bytes
    run = np.searchsorted(starts, page, side="right") - 1  # the run that begins last before the page
    return (pages[run] - ends[run] + page) * page_bytes + offset % page_bytes


POLICIES = {"wrap": wrapped, "compact": compacted}
"""Functions that bring addresses beyond the end onto the device, by the value of `workload.addresses`."""


def spread(times_ns: np.ndarray, tick_ns: int) -> np.ndarray:
    """Return times in order with those of each tick spread evenly over it, in whole ns from its start."""
    _, start, group, count = np.unique(times_ns, return_index=True, return_inverse=True, return_counts=True)
    return times_ns + (np.arange(len(times_ns)) - start[group]) * tick_ns // count[group]


def without_gaps(times_ns: np.ndarray, most_ns: int = MOST_GAP_NS) -> tuple[np.ndarray, int]:
    """Return times in order from 0 on, with gaps longer than `most_ns` left out, and how many these were."""
    gaps = np.diff(times_ns, prepend=times_ns[0])
    is_long = gaps > most_ns
    return np.cumsum(np.where(is_long, 0, gaps)), int(np.count_nonzero(is_long))


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts `disk2` before `disk10`, however long the numbers are."""
    parts = [part.lstrip("0") if part.isdecimal() else part for part in re.split(r"(\d+)", name)]
    # numbers by their length first, then by their digits
    return [(len(part) if place % 2 else 0, part) for place, part in enumerate(parts)]
