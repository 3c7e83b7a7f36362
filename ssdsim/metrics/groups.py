# cython: infer_types=True
"""What requests are grouped by, beside their streams: their sizes."""

from __future__ import annotations

from typing import Final

from ssdsim._core.calls import ccall

SIZE_CLASSES: Final = 7

EXACT = 1 << 14
"""How many response times of an operation a group keeps as they are; beyond, percentiles come from the histogram."""


@ccall
def size_class(size_bytes: int) -> int:
    """Return the class of a size: the smallest power of two of KiB, from 4 up, that holds it, and one above 128."""
    number = 0
    limit = 4096  # bytes: 4 KiB
    while number < SIZE_CLASSES - 1 and size_bytes > limit:  # the last class has no limit
        limit *= 2
        number += 1
    return number
