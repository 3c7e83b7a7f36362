"""What happens to addresses beyond the end of the device: they are wrapped, or pages that are touched move together.

Each policy returns the offsets on the device, and raises `ValueError` where the requests do not fit.
"""

from collections.abc import Callable

import numpy as np


def wrapped(offset: np.ndarray, size: np.ndarray, capacity_bytes: int, page_bytes: int) -> np.ndarray:
    """Return offsets modulo the capacity; a request that then runs over the end is moved back by whole pages."""
    within = offset % capacity_bytes
    beyond = np.maximum(within + size - capacity_bytes, 0)  # bytes that would lie beyond the end
    # whole pages, rounded up: a request keeps its place within a page
    within -= -(-beyond // page_bytes) * page_bytes
    if (within < 0).any():  # less than nothing is left in front of it
        raise ValueError(
            f"a request of {size[within < 0].max()} bytes does not fit into the device's {capacity_bytes}; take a "
            "larger device"
        )
    return within


def compacted(offset: np.ndarray, size: np.ndarray, capacity_bytes: int, page_bytes: int) -> np.ndarray:
    """Return offsets with no untouched page between touched ones, whose order stays, as do places within a page."""
    touching = size > 0
    first, end = offset[touching] // page_bytes, -(-(offset + size)[touching] // page_bytes)
    order = np.argsort(first, kind="stable")
    first, reach = first[order], np.maximum.accumulate(end[order])  # one run may lie within another
    is_new = np.append(True, first[1:] > reach[:-1])  # runs that meet are one
    starts, ends = first[is_new], reach[np.append(is_new[1:], True)]
    pages = np.cumsum(ends - starts)
    if (footprint := int(pages[-1]) * page_bytes) > capacity_bytes:
        raise ValueError(
            f"it touches {footprint} bytes in pages of {page_bytes}, more than the device's {capacity_bytes}; take a "
            "larger device, or set workload.addresses=wrap, .limit or .device"
        )
    page = offset // page_bytes
    run = np.searchsorted(starts, page, side="right") - 1  # the run that begins last before the page
    return (pages[run] - ends[run] + page) * page_bytes + offset % page_bytes


POLICIES: dict[str, Callable[[np.ndarray, np.ndarray, int, int], np.ndarray]] = {"wrap": wrapped, "compact": compacted}
"""The policies by the value of `workload.addresses`."""
