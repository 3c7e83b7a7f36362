"""Rows of a trace on their way to becoming requests."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import attrs
import numpy as np


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

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, rows: slice | np.ndarray) -> Self:
        columns: tuple[Any, ...] = attrs.astuple(self, recurse=False)
        chosen: Iterator[Any] = (None if column is None else column[rows] for column in columns)
        return type(self)(*chosen)

    def at(self, time: np.ndarray) -> Self:
        """Return the same rows at other times."""
        return attrs.evolve(self, time=time)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of all `parts`, one part after another; all of them have hints or none has."""
        columns: Iterator[Any] = zip(*(attrs.astuple(part, recurse=False) for part in parts), strict=True)
        joined: Iterator[Any] = (None if column[0] is None else np.concatenate(column) for column in columns)
        return cls(*joined)
