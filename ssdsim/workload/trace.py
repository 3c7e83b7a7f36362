"""Replay of a recorded trace: read, put in order and brought onto the device, in memory that does not grow with it.

The devices of a trace lie one after another, in the natural order of their names, each in a range of its own from its
address 0 to the end of its last request, rounded up to a page. Arrivals count from the first request. Each repetition
starts where the one before ended, plus the mean time between arrivals. With `arrival` other than `recorded` requests
keep their order, but come at times that are drawn (`ssdsim.workload.arrivals`), the repetitions one after another.
"""

import pickle
import re
from collections.abc import Callable, Iterator
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any

import numpy as np

from ssdsim.config import TraceConfig, nearest
from ssdsim.errors import TraceError, shown
from ssdsim.workload.addresses import POLICIES, Compact, Wrap
from ssdsim.workload.arrivals import by_kind, drawn, from_zero
from ssdsim.workload.chunk import CHUNK_ROWS, MAX_TIME_NS, OP_NAMES, READ, Chunk, merged
from ssdsim.workload.ordering import SteadyClock, sort, spread
from ssdsim.workload.reader import TraceReader
from ssdsim.workload.records import Records, RowError
from ssdsim.workload.tracefile import BLOCK_BYTES

_NAMES_REPORTED = 32

KEPT = 1 << 20
"""Requests that are kept in memory, some 40 MB; those of a longer trace that come later are in a temporary file."""


class KeptRequests:
    """The requests of a trace in order, counted and kept, `CHUNK_ROWS` at a time, for the passes over them."""

    def __init__(self) -> None:
        self.requests = self.hinted = 0
        self.by_op, self.bytes_by_op = np.zeros((2, len(OP_NAMES)), np.int64)
        self.extents = np.zeros(0, np.int64)
        """End of the last request of each device, by its code; -1 for one without requests."""
        self._held: list[Records] = []
        self._rest: list[Records] = []
        self._file: IO[bytes] | None = None
        self._end = 0

    def add(self, records: Records) -> None:
        """Keep some records; raise `OSError` if there is no room for them."""
        self.requests += len(records)
        if records.access_latency is not None:
            self.hinted += int(np.count_nonzero(records.access_latency))
        by_op = np.bincount(records.op, minlength=len(OP_NAMES))
        self.by_op += by_op
        for op in np.flatnonzero(by_op):
            self.bytes_by_op[op] += records.size_bytes[records.op == op].sum()
        missing = int(records.device.max()) + 1 - len(self.extents)
        self.extents = np.append(self.extents, np.full(max(missing, 0), -1))  # a device that has no requests so far
        np.maximum.at(self.extents, records.device, records.offset_bytes + records.size_bytes)
        whole = Records.joined([*self._rest, records])
        cut = len(whole) - len(whole) % CHUNK_ROWS
        for first in range(0, cut, CHUNK_ROWS):
            self._keep(whole[first : first + CHUNK_ROWS])
        self._rest = [whole[cut:]]

    def _keep(self, records: Records) -> None:
        if (len(self._held) + 1) * CHUNK_ROWS <= KEPT:
            self._held.append(records)
            return
        self._file = self._file or TemporaryFile()  # noqa: SIM115
        self._file.seek(self._end)
        pickle.dump(records, self._file, pickle.HIGHEST_PROTOCOL)
        self._file.flush()
        self._end = self._file.tell()

    def __iter__(self) -> Iterator[Records]:
        """Yield all records; several may go through them at once."""
        yield from self._held
        place = 0
        while self._file is not None and place < self._end:
            self._file.seek(place)
            records = pickle.load(self._file)  # of this process: the file has no name
            place = self._file.tell()
            yield records
        yield from filter(len, self._rest)


class TraceWorkload:
    """The requests of the trace file that a `TraceConfig` names, as it says, on a device of whole pages.

    The file is read on construction, once, and its requests are kept for the passes of `chunks`. The seed is of the
    times that are drawn. Raise a `TraceError` or `ConfigError` that says what is wrong and what to do.
    """

    queue_depth = None

    def __init__(
        self, config: TraceConfig, capacity_bytes: int, page_bytes: int, seed: int = 0, block_bytes: int = BLOCK_BYTES
    ) -> None:
        self._config, self._seed, self._page_bytes = config, seed, page_bytes
        self._reader = TraceReader(config, block_bytes)
        self._clock = SteadyClock()
        self._kept = KeptRequests()
        self._read()
        # the mean gap comes between two rounds
        span_ns = self._clock.span_ns
        self._period_ns = span_ns + span_ns // max(self._kept.requests - 1, 1)
        self._rate_iops = config.speedup * (config.rate_iops or 1e9 / max(self._period_ns, 1) * self._kept.requests)
        self._check_length()
        self.requests, self.rounds = self._kept.requests * config.repeat, config.repeat
        self._names = {code: name for name, code in self._reader.devices.items()}
        # of devices that have requests
        codes = np.flatnonzero(self._kept.extents >= 0).tolist()
        self._codes = sorted(codes, key=lambda code: _natural(self._names.get(code, "")))
        lengths = -(-self._kept.extents[self._codes] // page_bytes) * page_bytes  # in whole pages
        self._bases = np.zeros(len(self._kept.extents), np.int64)  # each device begins where the one before ends
        self._bases[self._codes] = np.cumsum(lengths) - lengths
        self._policy, self._address_report = self._fitted(int(lengths.sum()), capacity_bytes // page_bytes * page_bytes)

    def _read(self) -> None:
        """Read the file, put its requests in order, timed from the first one, and keep them."""
        path = self._reader.file.path
        records = sort(self._reader.records())
        if self._reader.format.has_whole_seconds:
            records = spread(records, 10**9)
        try:
            for block in self._clock.over(records):
                self._kept.add(block)
        except RowError as error:
            raise self._reader.explained(error) from None
        except OSError as error:
            raise TraceError(
                f"{path}: there is no room to keep its requests in {gettempdir()} ({error.strerror}); set the "
                "environment's TMPDIR to a folder on a larger disk."
            ) from error
        if not self._kept.requests:
            raise TraceError(f"{path}: {self._absence()}.")

    def _absence(self) -> str:
        """Return why there are no requests."""
        device = self._config.device
        if device is not None and self._reader.rows:
            names = [shown(name) for name in sorted(self._reader.devices, key=_natural)]
            listed = ", ".join(names[:_NAMES_REPORTED]) or "null, as its rows name none"
            return f"it has no device '{device}'{nearest(device, names)}; set workload.device to {listed}"
        skipped = ", ".join(f"{count} {reason}" for reason, count in self._reader.skipped.items())
        return f"it holds no requests{f' (skipped: {skipped})' if skipped else ''}; choose another file or format"

    def _check_length(self) -> None:
        """Raise a `TraceError` for times that are longer than can be simulated."""
        config = self._config
        whole_ns = self._period_ns * config.repeat / config.speedup
        if config.arrival != "recorded":
            # twice the mean length, as draws may take longer
            whole_ns = 2 * self._kept.requests * config.repeat * 1e9 / self._rate_iops
        if whole_ns >= MAX_TIME_NS:
            raise TraceError(
                f"{self._reader.file.path}: its requests span {whole_ns / 86400e9:.0f} days, more than the "
                f"{MAX_TIME_NS / 86400e9:.0f} that can be simulated; set workload.time_unit, .limit, "
                ".repeat or .speedup."
            )

    def _fitted(self, extent_bytes: int, capacity_bytes: int) -> tuple[Wrap | Compact | None, dict[str, Any]]:
        """Return the policy of addresses, if any lies beyond the device, and what it reports."""
        report = {"policy": self._config.addresses, "extent_bytes": extent_bytes}
        if extent_bytes <= capacity_bytes:
            return None, {**report, "outcome": "unchanged"}
        policy = POLICIES[self._config.addresses](capacity_bytes, self._page_bytes)
        placed = (records[records.size_bytes > 0] for records in self._kept)
        try:
            seen = policy.observe((self._places(records), records.size_bytes) for records in placed if len(records))
        except ValueError as error:
            raise TraceError(f"{self._reader.file.path}: {error}.") from None
        return policy, {**report, "outcome": policy.outcome, **seen}

    def _places(self, records: Records) -> np.ndarray:
        """Return the offsets of requests with the devices one after another."""
        return records.offset_bytes + self._bases[records.device]

    def chunks(self) -> Iterator[Chunk]:
        """Start a fresh pass; every pass yields the same requests."""
        config, rng = self._config, np.random.default_rng(self._seed)
        read_share = float(self._kept.by_op[READ]) / self._kept.requests
        if config.arrival == "recorded":
            return self._pass(None, None)
        if not config.parts_writes or read_share in (0.0, 1.0):
            return self._pass(from_zero(drawn(config, self._rate_iops, rng)), None)
        kinds = by_kind(config, self._rate_iops, read_share, rng)
        return merged(self._pass(from_zero(kind), is_read) for kind, is_read in zip(kinds, (True, False), strict=True))

    def _pass(self, times: Callable[[int], np.ndarray] | None, is_read: bool | None) -> Iterator[Chunk]:
        """Yield all requests, or the reads alone, or the others, at `times` if those recorded are not kept."""
        for turn in range(self._config.repeat):
            for block in self._kept:
                records = block if is_read is None else block[(block.op == READ) == is_read]
                if not len(records):
                    continue
                arrival = records.arrival_ns + turn * self._period_ns if times is None else times(len(records))
                if times is None and self._config.speedup != 1:
                    arrival = (arrival / self._config.speedup).astype(np.int64)
                size, offset = records.size_bytes, self._places(records)
                if self._policy is not None:
                    offset = self._policy(offset, size)
                offset = np.where(size > 0, offset, 0)  # a flush has no place
                yield Chunk(arrival, records.op, offset, size, records.access_latency, records.fua)

    def describe(self) -> dict[str, Any]:
        """Return the facts on one pass over the file: the records read, skipped and changed; sizes in bytes."""
        reader, kept = self._reader, self._kept
        return {
            "kind": "trace",
            "path": str(reader.file.path),
            "format": reader.format.name,
            "format_reason": reader.reason,
            "rows": reader.rows,
            "skipped": dict(reader.skipped),
            "requests": kept.requests,
            **dict(zip(("reads", "writes", "trims", "flushes"), kept.by_op.tolist(), strict=True)),
            "bytes": dict(zip(OP_NAMES, kept.bytes_by_op.tolist(), strict=True)),
            "access_latency_hints": kept.hinted,
            "devices": len(self._codes),
            "device_names": [self._names[code] for code in self._codes[:_NAMES_REPORTED] if code in self._names],
            "reordered_rows": reader.reordered,
            "clock_jumps": self._clock.jumps,
            "span_s": self._clock.span_ns / 1e9,
            "addresses": self._address_report,
            "repeat": self._config.repeat,
            "speedup": self._config.speedup,
            "arrival": self._config.arrival,
        }


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts `disk2` before `disk10`, however long the numbers are."""
    parts = [part.lstrip("0") if part.isdecimal() else part for part in re.split(r"(\d+)", name)]
    # numbers by their length first, then by their digits
    return [(len(part) if place % 2 else 0, part) for place, part in enumerate(parts)]
