"""Replay of a recorded trace: read, put in order and brought onto the device, in memory that does not grow with it.

The devices of a trace lie one after another, in the natural order of their names, each in a range of its own from its
address 0 to the end of its last request, rounded up to a page. Arrivals count from the first request. Each repetition
starts where the one before ended, plus the mean time between arrivals. With `arrival` other than `recorded` requests
keep their order, but come at times that are drawn (`ssdsim.workload.arrivals`), the repetitions one after another.
"""

import re
from collections.abc import Callable, Iterator
from tempfile import SpooledTemporaryFile, gettempdir
from typing import Any

import attrs
import numpy as np

from ssdsim.config import TraceConfig, nearest
from ssdsim.errors import TraceError, shown
from ssdsim.workload.addresses import Compact, Device, FitError, Wrap
from ssdsim.workload.arrivals import ARRIVALS, by_kind, from_zero
from ssdsim.workload.chunk import CHUNK_ROWS, MAX_TIME_NS, OP_NAMES, READ, Chunk, merged
from ssdsim.workload.ordering import ORDERS, SteadyClock, spread
from ssdsim.workload.reader import Tally, TraceReader
from ssdsim.workload.records import RECORD, RowError
from ssdsim.workload.tracefile import BLOCK_BYTES

_NAMES_REPORTED = 32

KEPT = 1 << 20
"""Requests that are kept in memory, some 40 MB; those of a longer trace are in a temporary file."""


@attrs.define(eq=False)
class Survey:
    """What a whole pass over the trace, once, has shown."""

    clock: SteadyClock
    tally: Tally = attrs.field(factory=Tally)
    requests: int = 0
    hinted: int = 0
    """Requests with an access-latency hint."""

    by_op: np.ndarray = attrs.field(factory=lambda: np.zeros(len(OP_NAMES), np.int64))
    bytes_by_op: np.ndarray = attrs.field(factory=lambda: np.zeros(len(OP_NAMES), np.int64))
    extents: np.ndarray = attrs.field(factory=lambda: np.zeros(0, np.int64))
    """End of the last request of each device, by its code; -1 for one without requests."""

    def add(self, records: np.ndarray) -> None:
        """Count in some records."""
        self.requests += len(records)
        self.hinted += int(np.count_nonzero(records["access_latency"]))
        by_op = np.bincount(records["op"], minlength=len(OP_NAMES))
        self.by_op += by_op
        for op in np.flatnonzero(by_op):
            self.bytes_by_op[op] += records["size"] @ (records["op"] == op)  # of whole numbers, exact up to 2**63
        missing = int(records["device"].max()) + 1 - len(self.extents)
        self.extents = np.append(self.extents, np.full(max(missing, 0), -1))  # a device that has no requests so far
        np.maximum.at(self.extents, records["device"], records["offset"] + records["size"])


class TraceWorkload:
    """The requests of the trace file that a `TraceConfig` names, as it says, on a device of whole pages.

    The file is read on construction, once, and its requests are kept (`KEPT`) for the passes of `chunks`. The seed is
    of the times that are drawn. Raise a `TraceError` or `ConfigError` that says what is wrong and what to do.
    """

    queue_depth = None

    def __init__(
        self,
        config: TraceConfig,
        capacity_bytes: int,
        page_bytes: int,
        seed: int = 0,
        *,
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        self._config = config
        self._seed = seed
        self._device = Device(capacity_bytes // page_bytes * page_bytes, page_bytes)
        self._reader = TraceReader(config, block_bytes)
        self._survey = self._surveyed()
        self.requests = self._survey.requests * config.repeat
        self.rounds = config.repeat
        self._names = {code: name for name, code in self._reader.devices.items()}
        # of devices that have requests
        codes = np.flatnonzero(self._survey.extents >= 0).tolist()
        self._codes = sorted(codes, key=lambda code: _natural(self._names.get(code, "")))
        lengths = -(-self._survey.extents[self._codes] // page_bytes) * page_bytes  # in whole pages
        self._bases = np.zeros(len(self._survey.extents), np.int64)  # each device begins where the one before ends
        self._bases[self._codes] = np.cumsum(lengths) - lengths
        self._extent_bytes = int(lengths.sum())
        self._policy, self._address_report = self._address_policy()

    def _surveyed(self) -> Survey:
        config, path = self._config, self._reader.file.path
        survey = Survey(SteadyClock(int(min(config.max_gap_s, 1e9) * 1e9)))  # a max_gap_s of infinity is 30 years
        self._spool = SpooledTemporaryFile(KEPT * RECORD.itemsize, buffering=0)  # noqa: SIM115
        for records in self._arrivals(survey):
            survey.add(records)
            try:
                self._spool.write(np.ascontiguousarray(records).view(np.uint8).data)
            except OSError as error:
                raise TraceError(
                    f"{path}: there is no room to keep its requests in {gettempdir()} ({error.strerror}); set the "
                    "environment's TMPDIR to a folder on a larger disk."
                ) from error
        if not survey.requests:
            raise TraceError(f"{path}: {self._absence(survey)}.")
        # the mean gap comes between two rounds
        self._period_ns = survey.clock.span_ns + survey.clock.span_ns // max(survey.requests - 1, 1)
        self._rate_iops = config.rate_iops or 1e9 / max(self._period_ns, 1) * survey.requests
        self._rate_iops *= config.speedup
        if config.arrival == "recorded":
            whole_ns = (self._period_ns * config.repeat) / config.speedup
        else:
            config.check_periods(self._rate_iops)
            # twice the mean length, as draws may take longer
            whole_ns = 2 * survey.requests * config.repeat * 1e9 / self._rate_iops
        if whole_ns >= MAX_TIME_NS:
            raise TraceError(
                f"{path}: its requests span {whole_ns / 86400e9:.0f} days, more than the "
                f"{MAX_TIME_NS / 86400e9:.0f} that can be simulated; set workload.time_unit, .max_gap_s, .limit, "
                ".repeat or .speedup."
            )
        return survey

    def _absence(self, survey: Survey) -> str:
        device, names = self._config.device, sorted(self._reader.devices, key=_natural)
        if device is not None and survey.tally.rows and not names:
            return "its rows name no devices; set workload.device=null"
        if device is not None and survey.tally.rows:
            first = [shown(name) for name in names[: 32 * _NAMES_REPORTED]]
            listed = ", ".join(first[:_NAMES_REPORTED]) + (", ..." if len(names) > _NAMES_REPORTED else "")
            return f"it has no device '{device}'{nearest(device, first)}; set workload.device to one of {listed}"
        skipped = ", ".join(f"{count} {reason}" for reason, count in survey.tally.skipped.items())
        return f"it holds no requests{f' (skipped: {skipped})' if skipped else ''}; choose another file or format"

    def _arrivals(self, survey: Survey) -> Iterator[np.ndarray]:
        """Read all records, in order, timed from the first one."""
        records = ORDERS[self._config.order](self._reader.records(survey.tally))
        if self._reader.format.tick_ps >= 10**12:
            records = spread(records, self._reader.format.tick_ps // 1000)
        try:
            yield from survey.clock.over(records)
        except RowError as error:
            raise self._reader.explained(error) from None

    def _kept(self) -> Iterator[np.ndarray]:
        """Yield all records, some at a time; several may go through them at once."""
        place, length = 0, CHUNK_ROWS * RECORD.itemsize
        while self._spool.seek(place) >= 0 and (data := self._spool.read(length)):
            place += len(data)
            yield np.frombuffer(data, RECORD)

    def _address_policy(self) -> tuple[Wrap | Compact | None, dict[str, Any]]:
        """Return the policy, if it has to act, and what it reports."""
        report = {"policy": self._config.addresses, "extent_bytes": self._extent_bytes}
        if self._extent_bytes <= self._device.capacity_bytes:
            # the policies act only where something lies beyond the device
            return None, {**report, "outcome": "unchanged"}
        try:
            if self._config.addresses == "refuse":
                raise FitError(
                    f"its addresses reach to {self._extent_bytes} bytes, beyond the device's "
                    f"{self._device.capacity_bytes}; set workload.addresses to compact or wrap, or take a larger device"
                )
            policy = Wrap(self._device) if self._config.addresses == "wrap" else Compact(self._device)
            seen = policy.observe(self._extents())
        except FitError as error:
            raise TraceError(f"{self._reader.file.path}: {error}.") from None
        return policy, {**report, "outcome": policy.outcome, **seen}

    def _extents(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield offset and size of all requests that have a place, before the policy."""
        for records in self._kept():
            placed = records[records["size"] > 0]
            if len(placed):
                yield placed["offset"] + self._bases[placed["device"]], placed["size"]

    def chunks(self) -> Iterator[Chunk]:
        """Start a fresh pass; every pass yields the same requests."""
        config, rng = self._config, np.random.default_rng(self._seed)
        read_share = float(self._survey.by_op[READ]) / self._survey.requests
        if config.arrival == "recorded":
            return self._pass(None, None)
        if not config.write_levels or read_share in (0.0, 1.0):
            drawn = ARRIVALS[config.arrival](config, self._rate_iops, rng)
            return self._pass(from_zero(drawn), None)
        kinds = by_kind(config, self._rate_iops, read_share, rng)
        return merged(self._pass(from_zero(kind), is_read) for kind, is_read in zip(kinds, (True, False), strict=True))

    def _pass(self, times: Callable[[int], np.ndarray] | None, is_read: bool | None) -> Iterator[Chunk]:
        """Yield all requests, or the reads alone, or the others, at `times` if those recorded are not kept."""
        for turn in range(self._config.repeat):
            for records in self._kept():
                chosen = records if is_read is None else records[(records["op"] == READ) == is_read]
                if len(chosen):
                    chunk = self._chunk(chosen, turn * self._period_ns)
                    yield chunk if times is None else attrs.evolve(chunk, arrival_ns=times(len(chunk)))

    def _chunk(self, records: np.ndarray, start_ns: int) -> Chunk:
        arrival = records["time"] + start_ns
        if self._config.speedup != 1:
            arrival = (arrival / self._config.speedup).astype(np.int64)
        size = records["size"].copy()
        offset = records["offset"] + self._bases[records["device"]]
        if self._policy is not None:
            offset = self._policy(offset, size)
        offset = np.where(size > 0, offset, 0)  # a flush has no place
        optional = [
            records[name].copy() if name in self._reader.format.meanings else None for name in ("access_latency", "fua")
        ]
        return Chunk(arrival, records["op"].copy(), offset, size, *optional)

    def describe(self) -> dict[str, Any]:
        """Return the facts on one pass over the file: the records read, skipped and changed; sizes in bytes."""
        survey = self._survey
        return {
            "kind": "trace",
            "path": str(self._reader.file.path),
            "format": self._reader.format.name,
            "format_reason": self._reader.reason,
            "sha256": survey.tally.digest.hexdigest(),
            "sha256_of_bytes": survey.tally.bytes,
            "rows": survey.tally.rows,
            "skipped": dict(survey.tally.skipped),
            "requests": survey.requests,
            **dict(zip(("reads", "writes", "trims", "flushes"), survey.by_op.tolist(), strict=True)),
            "bytes": dict(zip(OP_NAMES, survey.bytes_by_op.tolist(), strict=True)),
            "access_latency_hints": survey.hinted,
            "devices": len(self._codes),
            "device_names": [self._names[code] for code in self._codes[:_NAMES_REPORTED] if code in self._names],
            "reordered_rows": survey.tally.reordered,
            "order": self._config.order,
            "clock_jumps": survey.clock.jumps,
            "span_s": survey.clock.span_ns / 1e9,
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
