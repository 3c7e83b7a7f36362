"""Requests that have been read, kept to be gone through again: in memory, or in a temporary file if they are many."""

import tempfile
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ssdsim.workload.traceformat import Records

COLUMNS: dict[str, np.dtype[Any]] = {
    **dict.fromkeys(("time", "offset", "size"), np.dtype(np.int64)),
    "device": np.dtype(np.int32),
    **dict.fromkeys(("op", "access_latency", "fua"), np.dtype(np.uint8)),
}
"""What is kept of `Records`, the widest first, so that each is aligned."""

ROW_BYTES = sum(kind.itemsize for kind in COLUMNS.values())


class Spool:
    """Records block by block; where they are more than `rows_in_memory`, all of them are in a temporary file.

    That lies where Python's `tempfile` puts it, as TMPDIR says, and is gone with the spool or the process; it is
    without the numbers of lines. All records have an optional column or none has.
    """

    def __init__(self, rows_in_memory: int) -> None:
        self._rows_left = rows_in_memory
        self._held: list[Records] = []
        self._file: Any = None
        self._lengths: list[int] = []
        self._absent: set[str] = set()

    def append(self, records: Records) -> None:
        """Keep a block; raise OSError where there is no room for it."""
        self._held.append(records)
        self._rows_left -= len(records)
        if self._rows_left >= 0:
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115
            weakref.finalize(self, self._file.close)
        for held in self._held:
            self._write(held)
        self._file.flush()  # what is in a buffer may find no room later
        self._held.clear()

    def _write(self, records: Records) -> None:
        for name, kind in COLUMNS.items():
            column = getattr(records, name)
            if column is None:
                self._absent.add(name)
                column = np.zeros(len(records))
            self._file.write(np.ascontiguousarray(column, kind).data)
        self._lengths.append(len(records))

    def __iter__(self) -> Iterator[Records]:
        """Yield the blocks; several may go through them at once."""
        yield from self._held
        start = 0
        for rows in self._lengths:
            self._file.seek(start)
            block, place = self._file.read(rows * ROW_BYTES), 0
            start += len(block)
            columns: dict[str, Any] = {}
            for name, kind in COLUMNS.items():
                columns[name] = None if name in self._absent else np.frombuffer(block, kind, rows, place)
                place += rows * kind.itemsize
            yield Records(row=np.broadcast_to(0, rows), **columns)
