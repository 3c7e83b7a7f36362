"""From the bytes of a trace file to requests in the order of the file, block by block."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from ssdsim.config import TraceConfig
from ssdsim.errors import ConfigError, TraceError
from ssdsim.workload.formats import chosen, configured
from ssdsim.workload.layouts import Table
from ssdsim.workload.ordering import FARTHEST_NS, descents
from ssdsim.workload.records import RowError
from ssdsim.workload.tracefile import BLOCK_BYTES, TraceFile, line_ends

HEAD_LINES = 1000
"""Enough to tell a format."""


@attrs.define(eq=False)
class Tally:
    """What one reading of the file met."""

    rows: int = 0
    """Requests, without those that were skipped."""

    skipped: Counter[str] = attrs.field(factory=Counter)
    """Requests and other lines skipped, by reason."""

    reordered: int = 0
    """Requests that are earlier than the one before."""

    bytes: int = 0
    digest: Any = attrs.field(factory=hashlib.sha256)


class TraceReader:
    """Requests of the devices that a `TraceConfig` asks for, past those skipped and up to its limit.

    `reason` is why the file is taken to be in its `format`. Times are in ns from the file's first row. Raise a
    `TraceError` for a file that is not there, is empty, or fits no format.
    """

    def __init__(self, config: TraceConfig, block_bytes: int = BLOCK_BYTES) -> None:
        self.file = TraceFile(config.path)
        self.devices: dict[str, int] = {}
        self._config = config
        self._block_bytes = block_bytes
        is_table = self.file.codec == "parquet"
        head = [] if is_table else self._head()
        has_unit = config.time_unit is not None
        try:
            layout, self.reason = chosen(config, head, is_table)
            self.format = configured(layout, config)
            if isinstance(self.format, Table):
                self.format = self.format.bind_to(self.file.table.schema_arrow)
            else:
                self.format = self.format.bind(head, config.device, has_unit)  # type: ignore[attr-defined]
        except ValueError as error:
            raise TraceError(f"{self.file.path}: {error}.") from None
        except RowError as error:
            raise self.explained(error) from None
        if self.format.is_own and not has_unit and not all(map(pa.types.is_timestamp, self.format.time_types)):
            raise ConfigError("workload.time_unit=null: must be given with columns or a pattern, as us.")

    def _head(self) -> list[bytes]:
        """Return the first lines of the file."""
        block = next(self.file.lines(), b"")
        if not block.strip():
            raise TraceError(f"{self.file.path}: the file is empty; fetch it again, or correct workload.path.")
        if b"\0" in block:
            raise TraceError(f"{self.file.path}: this is binary, no text; convert it to text or Parquet.")
        return block.split(b"\n", HEAD_LINES)[:HEAD_LINES]

    def explained(self, error: RowError) -> TraceError:
        """Return the one sentence for a row that is wrong."""
        remedy = error.remedy or self.format.remedy
        return TraceError(f"{self.file.path}: row {error.row}: {error.reason}; {remedy}.")

    def records(self, tally: Tally) -> Iterator[np.ndarray]:
        """Start a fresh reading; no block is empty. Raise a `RowError` for a row that is wrong."""
        left, skip, last_ns = self._config.limit, self._config.skip, -FARTHEST_NS
        for records in self._scaled(tally):
            if self._config.device is not None:
                # -1: a device that no row has named yet
                records = records[records["device"] == self.devices.get(str(self._config.device), -1)]
            skipped = min(skip, len(records))
            skip -= skipped  # skipped rows count before the limit does
            records = records[skipped:][:left]
            if len(records):
                tally.reordered += descents(records["time"], last_ns)
                last_ns = int(records["time"][-1])
                yield records
            if left is not None and (left := left - len(records)) == 0:  # the rest of the file is not read
                return

    def _blocks(self, tally: Tally) -> Iterator[tuple[Any, int]]:
        """Yield the blocks of the file, each with its number of rows, and take the checksum of what is read."""
        is_table = isinstance(self.format, Table)
        for block in self.file.pieces(BLOCK_BYTES) if is_table else self.file.lines(self._block_bytes):
            tally.digest.update(block)
            tally.bytes += len(block)
            if not is_table:
                yield block, line_ends(block)
        if is_table:
            for batch in self.file.table.iter_batches(max(self._block_bytes // 32, 1), columns=list(self.format.types)):
                yield batch, len(batch)

    def _scaled(self, tally: Tally) -> Iterator[np.ndarray]:
        tick_ps = self.format.tick_ps
        limit = FARTHEST_NS // max(tick_ps // 1000, 1)  # in ticks, before they are multiplied
        first_row, origin = 1, None
        for block, rows in self._blocks(tally):
            records, skipped = self.format.parse(block, first_row, self.devices)
            first_row += rows
            tally.skipped.update(skipped)
            tally.rows += len(records)
            if not len(records):
                continue
            # of the first row that is a request, whatever its device
            time = records["time"]
            origin = int(time[0]) if origin is None else origin
            time -= origin
            if max(int(time.max()), -int(time.min())) > limit:
                far = np.argmax(np.abs(time) > limit)
                raise RowError(records["row"][far], "its time is over a century away from that of the first row")
            # ps to ns: finer ones are cut off
            records["time"] = time * (tick_ps // 1000) if tick_ps >= 1000 else time // 1000
            yield records
