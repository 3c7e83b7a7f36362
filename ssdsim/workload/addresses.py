"""What happens to addresses beyond the end of the device: `Wrap` or `Compact`.

A policy observes all requests once, which raises `ValueError` where they do not fit, before it maps any.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np


class Wrap:
    """Addresses count modulo the capacity; a request that then runs over the end is moved back by whole pages."""

    outcome = "wrapped"

    def __init__(self, capacity_bytes: int, page_bytes: int) -> None:
        self._capacity_bytes, self._page_bytes = capacity_bytes, page_bytes

    def observe(self, requests: Iterable[tuple[np.ndarray, np.ndarray]]) -> dict[str, Any]:
        """Count the bytes that are moved; raise `ValueError` for a request larger than the device can take."""
        moved = 0
        for offset, size in requests:
            wrapped = self(offset, size)
            if wrapped.min() < 0:  # less than nothing is left in front of it: the request is larger than the device
                raise ValueError(
                    f"a request of {size[wrapped < 0].max()} bytes does not fit into the device's "
                    f"{self._capacity_bytes}; take a larger device"
                )
            moved += int(size[wrapped != offset].sum())
        return {"moved_bytes": moved}

    def __call__(self, offset: np.ndarray, size: np.ndarray) -> np.ndarray:
        """Return the offsets on the device."""
        wrapped = offset % self._capacity_bytes
        beyond = np.maximum(wrapped + size - self._capacity_bytes, 0)  # bytes that would lie beyond the end
        # whole pages, rounded up: a request keeps its place within a page
        return wrapped - -(-beyond // self._page_bytes) * self._page_bytes


class Compact:
    """Pages that are touched move together, in order, so that no other page lies between them.

    The touched pages are kept as runs, so memory grows with the number of separate runs only, which are no more than
    the pages of the device.
    """

    outcome = "compacted"

    def __init__(self, capacity_bytes: int, page_bytes: int) -> None:
        self._capacity_bytes, self._page_bytes = capacity_bytes, page_bytes
        self._starts = self._ends = self._bases = np.zeros(0, np.int64)

    def observe(self, requests: Iterable[tuple[np.ndarray, np.ndarray]]) -> dict[str, Any]:
        """Collect the touched pages; raise `ValueError` if there are more than the device has."""
        for offset, size in requests:
            self._merge(offset // self._page_bytes, -(-(offset + size) // self._page_bytes))
        lengths = self._ends - self._starts
        self._bases = np.cumsum(lengths) - lengths  # pages of all runs before
        return {"footprint_bytes": int(lengths.sum()) * self._page_bytes}

    def _merge(self, starts: np.ndarray, ends: np.ndarray) -> None:
        """Add runs to those kept, and join runs that meet; raise `ValueError` once they are too long."""
        starts, ends = np.concatenate([self._starts, starts]), np.concatenate([self._ends, ends])
        order = np.argsort(starts, kind="stable")
        starts = starts[order]
        # how far the runs so far reach: one may lie within another
        reach = np.maximum.accumulate(ends[order])
        is_new = np.append(True, starts[1:] > reach[:-1])  # runs that meet are one
        self._starts = starts[is_new]
        self._ends = reach[np.append(is_new[1:], True)]
        footprint = int((self._ends - self._starts).sum()) * self._page_bytes
        if footprint > self._capacity_bytes:
            raise ValueError(
                f"it touches {footprint} bytes or more in pages of {self._page_bytes}, more than the device's "
                f"{self._capacity_bytes}; take a larger device, or set workload.addresses=wrap, .limit or .device"
            )

    def __call__(self, offset: np.ndarray, size: np.ndarray) -> np.ndarray:
        """Return the offsets on the device; a page keeps its place within its run, a byte its place in its page."""
        page = offset // self._page_bytes
        run = np.searchsorted(self._starts, page, side="right") - 1  # the run that begins last before the page
        return (self._bases[run] + page - self._starts[run]) * self._page_bytes + offset % self._page_bytes


POLICIES: dict[str, type[Wrap | Compact]] = {"wrap": Wrap, "compact": Compact}
"""The policies by the value of `workload.addresses`."""
