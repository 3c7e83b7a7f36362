"""Schemes that look at the request: at its hint, its size, or the queue that it finds."""

from ssdsim.config import check_option, is_count, is_number
from ssdsim.errors import ConfigError
from ssdsim.ftl.page_type.interface import PASS, PageTypeScheme


def is_size(value):
    """Return whether `value` is a size in KiB of at least a byte."""
    return is_number(value) and value * 1024 >= 1 and value <= 1e12


def is_threshold(value):
    """Return whether `value` is a number of requests, or none."""
    return is_count(value, 0)


class HostGuided(PageTypeScheme):
    """sHG: by the access latency that the host asks for (NVMe dataset management); without a hint, the next scheme.

    PA-SSD, 4.2.

    Low is the fastest type, idle the slowest, normal the one in the middle.
    """

    may_pass = True

    def choose(self, request):
        """Return the type for the request's hint."""
        hint = 0 if request is None else request.access_latency
        if hint == 0:
            return PASS
        if hint == 3:
            return 0
        return self.types // 2 if hint == 2 else self.types - 1


class SizeBased(PageTypeScheme):
    """sSB: the fastest type for requests of at most so many KiB or pages touched; larger ones pass (PA-SSD, 4.2)."""

    may_pass = True

    def __init__(self, kib=None, sub_requests=None):
        key = "ftl.page_type_options.size_based"
        if kib is not None:
            check_option(f"{key}.kib", kib, is_size, "a size of at least a byte, at most 1e12 KiB")
        if sub_requests is not None:
            check_option(
                f"{key}.sub_requests", sub_requests, is_count, "a whole number of at least 1, at most 2147483647"
            )
        if kib is not None and sub_requests is not None:
            raise ConfigError("ftl.page_type_options.size_based: has both kib and sub_requests; give one of them.")
        self.most_bytes = 0 if kib is None else int(kib * 1024)
        self.most_pages = 1 if sub_requests is None else sub_requests

    def choose(self, request):
        """Return LSB for a small request."""
        if request is None:
            return PASS
        if self.most_bytes:
            return 0 if request.size_bytes <= self.most_bytes else PASS
        first = request.offset_bytes // self.page_bytes
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        return 0 if last - first < self.most_pages else PASS


class QueueDepth(PageTypeScheme):
    """sQD: the fastest type while over `threshold` requests are in the device queue, else PASS (PA-SSD, 4.2)."""

    may_pass = True

    def __init__(self, threshold=10):
        key = "ftl.page_type_options.queue_depth.threshold"
        check_option(key, threshold, is_threshold, "a whole number of at least 0, at most 2147483647")
        self.threshold = threshold

    def choose(self, request):
        """Return LSB for a request that finds the queue long, itself included."""
        return PASS if request is None or request.queue_length <= self.threshold else 0
