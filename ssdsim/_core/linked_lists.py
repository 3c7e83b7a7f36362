# cython: infer_types=True
"""Doubly linked lists of numbered items, such as blocks or cached entries, from which any can be taken at once."""

from __future__ import annotations

from array import array
from typing import Any, final

import numpy as np

from ssdsim._core.columns import Int32s


@final
class LinkedLists:
    """Lists of items; an item stands in one of them at most."""

    first: Int32s  # by list: its ends, -1 if empty
    last: Int32s
    before: Int32s  # by item: its neighbours in the list
    after: Int32s

    def __init__(self, lists: int, items: int) -> None:
        self.first = array("i", [-1]) * lists
        self.last = array("i", [-1]) * lists
        neighbours: Any = np.empty((2, items), np.int32)  # whose memory is taken as it is written to
        self.before, self.after = neighbours

    def append(self, number: int, item: int) -> None:
        """Put `item` at the end of list `number`."""
        tail: int = self.last[number]
        self.before[item] = tail
        self.after[item] = -1
        if tail < 0:
            self.first[number] = item
        else:
            self.after[tail] = item
        self.last[number] = item

    def remove(self, number: int, item: int) -> None:
        """Take `item` out of list `number`, wherever it stands."""
        before: int = self.before[item]
        after: int = self.after[item]
        if before < 0:
            self.first[number] = after
        else:
            self.after[before] = after
        if after < 0:
            self.last[number] = before
        else:
            self.before[after] = before

    def head(self, number: int) -> int:
        """Return the first item of list `number`, or -1."""
        return self.first[number]

    def following(self, item: int) -> int:
        """Return the item behind `item` in its list, or -1."""
        return self.after[item]
