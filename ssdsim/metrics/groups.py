"""Response times by group of requests: by stream, and by size."""

from array import array

import cython

if cython.compiled:
    from cython.cimports.ssdsim._core.latency import LatencyRecorder
else:
    from ssdsim._core.latency import LatencyRecorder

if not cython.compiled:
    SIZE_CLASSES = 7

EXACT = 1 << 14
"""How many response times of an operation a group keeps as they are; beyond, percentiles come from the histogram."""


class Groups:
    """Requests by group, numbered from 0, and operation: how many, their bytes, and how long they took.

    What no request fell into takes no memory.
    """

    def __init__(self, count):
        self.response = [None] * (4 * count)
        self.bytes = array("q", [0] * (4 * count))

    def add(self, group, op, response_ns, size_bytes):
        """Count in a request of `op` that took `response_ns`."""
        at = 4 * group + op
        latency = self.response[at]
        if latency is None:
            latency = self.response[at] = LatencyRecorder(EXACT)
        latency.add(response_ns)
        self.bytes[at] += size_bytes

    def of(self, group, op):
        """Return the distribution of response times, None without requests, and the bytes of `op` in a group."""
        return self.response[4 * group + op], self.bytes[4 * group + op]


def size_class(size_bytes):
    """Return the class of a size: the smallest power of two of KiB, from 4 up, that holds it, and one above 128."""
    number = 0
    limit = 4096
    while number < SIZE_CLASSES - 1 and size_bytes > limit:
        limit *= 2
        number += 1
    return number
