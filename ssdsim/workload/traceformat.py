"""What every trace format owes its reader, text or binary, and the rows that it reads."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self

import attrs
import numpy as np

from ssdsim.workload.chunk import FLUSH
from ssdsim.workload.tracefile import TraceFile


class RowError(Exception):
    """A row of a trace cannot be used; who knows the file adds its path, and the remedy if it is the usual one.

    `place` is where in the row, such as "column 5", if that is known.
    """

    def __init__(self, row: int, reason: str, remedy: str = "", place: str = "") -> None:
        super().__init__(row, reason, remedy, place)
        self.row = int(row)
        self.reason = reason
        self.remedy = remedy
        self.place = place


@attrs.frozen(eq=False)
class Records:
    """Rows of a trace, as columns of equal length."""

    row: np.ndarray
    """int64, line number in the file, from 1: for messages."""

    time: np.ndarray
    """int64, in ticks of the format as read; ns from the file's first row once scaled."""

    op: np.ndarray
    """uint8, as `Chunk.op`."""

    device: np.ndarray
    """int64, code of the device's name."""

    offset: np.ndarray
    """int64, bytes from the start of the device."""

    size: np.ndarray
    """int64, bytes."""

    access_latency: np.ndarray | None = None
    """uint8, as `Chunk.access_latency`."""

    fua: np.ndarray | None = None
    """uint8, as `Chunk.fua`."""

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, rows: slice | np.ndarray) -> Self:
        columns: tuple[Any, ...] = attrs.astuple(self, recurse=False)
        chosen: Iterator[Any] = (None if column is None else column[rows] for column in columns)
        return type(self)(*chosen)

    def with_times(self, time: np.ndarray) -> Self:
        """Return the same rows at other times."""
        return attrs.evolve(self, time=time)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of all `parts`, one part after another; all of them have an optional column or none has."""
        columns: Iterator[Any] = zip(*(attrs.astuple(part, recurse=False) for part in parts), strict=True)
        joined: Iterator[Any] = (None if column[0] is None else np.concatenate(column) for column in columns)
        return cls(*joined)


PICOSECONDS = {"s": 10**12, "ms": 10**9, "us": 10**6, "100ns": 10**5, "ns": 1000, "ps": 1}
"""Units of time that a trace may use."""

MAX_BYTES = 1 << 53
"""Addresses and sizes above this (8 PiB) are taken for damage; sums of them stay far from overflow."""

SECTOR = 512

SKIP = 255
"""In place of a `Chunk.op`: the row holds no request."""

ROUNDED = "rounded"
"""Counted beside the reasons to skip a row: rows that are read, though some program has rounded their numbers."""

Ops = Callable[[str], int | str | None]
"""What an operation's token means: a `Chunk.op`, or a reason to skip the row, or None if the token is unknown."""


@attrs.frozen(kw_only=True)
class TraceFormat:
    """A trace format: how its records are told from others, cut out of a file, and read."""

    row_name: ClassVar[str] = "row"
    """What a record is called in messages."""

    has_ops: ClassVar[bool] = True
    """Whether records say what is asked for; if not, `every_op` does."""

    name: str
    time_unit: str
    ops: Ops = lambda token: None
    every_op: int = 0
    address_unit_bytes: int = 1
    size_unit_bytes: int = 1

    @property
    def tick_ps(self) -> int:
        """The unit of `Records.time` as `parse` returns it, in picoseconds."""
        return PICOSECONDS[self.time_unit]

    @property
    def coarse(self) -> bool:
        """Whether ticks are so long that requests within one are spread evenly over it."""
        return self.tick_ps >= PICOSECONDS["s"]

    @property
    def remedy(self) -> str:
        """What to do about a record that cannot be read."""
        raise NotImplementedError

    def claims(self, head: bytes) -> float:
        """Return the share, 0 to 1, of the records in `head`, the start of a file, that this format would take."""
        raise NotImplementedError

    def bind(self, head: bytes, device: str | None) -> Self:
        """Return the format as it is in a file that begins with `head` and of which only `device` is asked for, if any.

        Raise a `RowError` for a file that does not begin as it should.
        """
        return self

    def blocks(self, file: TraceFile, block_bytes: int) -> Iterator[bytes]:
        """Yield the content of `file` in blocks of whole records, each of about `block_bytes`."""
        raise NotImplementedError

    def rows_in(self, block: bytes) -> int:
        """Return by how many rows the block after `block` begins later."""
        raise NotImplementedError

    def parse(self, block: bytes, first_row: int, devices: dict[str, int]) -> tuple[Records, Counter[str]]:
        """Return the records of a block, and how many it skipped for which reason (and how many are `ROUNDED`).

        Add the devices not seen before to `devices`. Raise a `RowError` for the first row that is no record.
        """
        raise NotImplementedError

    def kept(self, records: Records, skipped: Counter[str]) -> Records:
        """Return the records without those to skip; a flush has neither place nor size."""
        is_flush = records.op == FLUSH
        if is_flush.any():
            records.size[is_flush] = records.offset[is_flush] = 0  # whatever stands there in the file
        is_request = records.op != SKIP
        keep = is_request & ((records.size != 0) | is_flush)
        if keep.all():
            return records
        if count := int(np.count_nonzero(is_request & ~keep)):
            skipped["zero size"] += count
        return records[keep]
