# cython: noexcept
"""Tables of page numbers: the mapping (LPA to PPA) and the spare area (PPA to LPA)."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ssdsim._core.bits import fetch
from ssdsim._core.columns import Uint32s


@final
class IndexTable:
    """`size` page numbers, or -1 for none, at 4 bytes an entry.

    Memory that was never written to is not touched, so an empty table of any size costs next to nothing.
    Positions are not checked: the caller owes 0 <= index < size.
    """

    entries: Uint32s  # the number + 1, so that 0, what fresh memory holds, means none

    def __init__(self, size: int) -> None:
        memory: Any = np.zeros(max(size, 1), np.uint32)
        self.size = size
        self.entries = memory

    def get(self, index: int) -> int:
        """Return the entry at `index`, or -1."""
        entry: int = self.entries[index]
        return entry - 1

    def set(self, index: int, value: int) -> None:
        """Write `value`, or -1 for none, at `index`."""
        self.entries[index] = value + 1

    def swap(self, index: int, value: int) -> int:
        """Write `value` at `index` and return what stood there."""
        entry: int = self.entries[index]
        self.entries[index] = value + 1
        return entry - 1

    def prefetch(self, index: int) -> None:
        """Prefetch the entry at `index` into the processor's cache."""
        fetch(self.entries, index)

    def to_numpy(self, first: int = 0, last: int = -1) -> np.ndarray:
        """Return a copy of the table, or of its entries from `first` to before `last`, as int64, -1 for none."""
        return np.asarray(self.entries)[first : self.size if last < 0 else last].astype(np.int64) - 1

    def load(self, values: Any) -> None:
        """Write all entries: `values`, or -1 for none."""
        np.asarray(self.entries)[: self.size] = np.asarray(values) + 1
