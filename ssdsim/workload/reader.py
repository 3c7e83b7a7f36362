"""From the bytes of a trace file to requests in the order of the file, block by block."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np

from ssdsim.config import TraceConfig
from ssdsim.workload.columns import RowError
from ssdsim.workload.formats import chosen
from ssdsim.workload.layouts import TIME_UNITS, Records
from ssdsim.workload.tracefile import BLOCK_BYTES, TraceFile

HEAD_LINES = 1000
"""Enough to tell a format."""

FARTHEST_NS = (1 << 62) - 1
"""Times lie within this of the first row's, so that the difference of any two fits 64 bits."""


class TraceReader:
    """Requests of the devices that a `TraceConfig` asks for, past those skipped and up to its limit.

    `reason` is why the file is taken to be in its `format`. Times are in ns from the file's first row. Raise a
    `TraceError` for a file that is not there, is empty, or fits no format, and for a row that is wrong.
    """

    def __init__(self, config: TraceConfig, block_bytes: int = BLOCK_BYTES) -> None:
        self.file = TraceFile(config.path)
        self.devices: dict[str, int] = {}
        self.rows = 0
        self.skipped: Counter[str] = Counter()
        self._config, self._block_bytes = config, block_bytes
        self._is_table = self.file.codec == "parquet"
        head = self._head()
        with self._place_told():
            self.format, self.reason = chosen(config, head, self._is_table)
            self.format = self.format.bind(head)

    def _head(self) -> Any:
        """Return the first lines of the file, or its first batch."""
        head = next(self.file.table.iter_batches(HEAD_LINES) if self._is_table else self.file.lines(), b"")
        if not len(head if self._is_table else head.strip()):
            raise self.file.fault("the file is empty; fetch it again, or correct workload.path")
        if self._is_table:
            return head
        if b"\0" in head:
            raise self.file.fault("this is binary, no text; convert it to text or Parquet")
        return head.split(b"\n", HEAD_LINES)[:HEAD_LINES]

    @contextmanager
    def _place_told(self) -> Iterator[None]:
        """Within it, an error of a row becomes one of the file, with the row and a remedy."""
        try:
            yield
        except RowError as error:
            place = f"row {error.row}: " if error.row else ""
            raise self.file.fault(f"{place}{error.reason}; {error.remedy or self.format.remedy}") from None

    def records(self) -> Iterator[Records]:
        """Read the file, once; no block is empty."""
        left, skip = self._config.limit, self._config.skip
        with self._place_told():
            for records in self._timed():
                if self._config.device is not None:
                    # -1: a device that no row has named yet
                    records = records[records.device == self.devices.get(str(self._config.device), -1)]
                skipped = min(skip, len(records))
                skip -= skipped  # skipped rows count before the limit does
                if skipped or left is not None:
                    records = records[skipped:][:left]
                if len(records):
                    yield records
                if left is not None and (left := left - len(records)) == 0:  # the rest of the file is not read
                    return

    def _timed(self) -> Iterator[Records]:
        """Yield the requests with their times in ns from the first one, whatever its device."""
        _, tick_ps = TIME_UNITS[self.format.time_unit]
        most = FARTHEST_NS // max(tick_ps // 1000, 1)  # in ticks, before they are multiplied
        first_row, origin = 1, None
        for block, rows in self._blocks():
            records, skipped = self.format.parse(block, first_row, rows, self.devices)
            first_row += rows
            self.skipped.update(skipped)
            if not records:
                continue
            self.rows += len(records)
            origin = int(records.arrival_ns[0]) if origin is None else origin
            times = records.arrival_ns - origin
            is_far = np.abs(times) > most
            if is_far.any():
                row = records.row[np.argmax(is_far)]
                raise RowError("its time is over a century away from that of the first row", row)
            # ps to ns: finer ones are cut off
            times = times * (tick_ps // 1000) if tick_ps >= 1000 else times // 1000
            yield attrs.evolve(records, arrival_ns=times)

    def _blocks(self) -> Iterator[tuple[Any, int]]:
        """Yield the blocks of the file, each with its number of rows."""
        if self._is_table:
            batch_rows = max(self._block_bytes // 32, 1)
            for batch in self.file.table.iter_batches(batch_rows, columns=list(self.format.types)):
                yield batch, len(batch)
            return
        for block in self.file.lines(self._block_bytes):
            line_ends = np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n"))
            yield block, int(line_ends) + (not block.endswith(b"\n"))
