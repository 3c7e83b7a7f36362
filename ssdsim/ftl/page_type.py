# cython: infer_types=True
"""Which type of page a write is given: the schemes of PA-SSD (4.2) and flexFTL (3.2), and their composition."""

from __future__ import annotations

from array import array
from typing import Any, Final, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int8s
from ssdsim._core.random import RandomStream
from ssdsim.config.validators import SHARE, check_option, number, whole
from ssdsim.device_view import Policy
from ssdsim.errors import ConfigError
from ssdsim.host.request import Request

PASS: Final = -1
"""The answer of a scheme that leaves a write to the next one."""


class PageTypeScheme(Policy):
    """One scheme: `choose` is called once a write request, as it is admitted, and once a page, or row, that is moved.

    It returns a page type, 0 for LSB up to `types` - 1, or `PASS` if it `may_pass`. With one that decides `by_page` all
    schemes of the list are asked as each page is placed. It changes its own state alone, and draws from `random`.
    """

    # Given by the device, once it has them:
    blocks: Blocks
    types: int  # of pages
    buffer: Any  # or None
    random: RandomStream

    owed = ("choose(request, plane) -> a whole number",)
    may_pass = False
    by_page = False

    def choose(self, request: Request | None, plane: int) -> int:
        """Return the type of page for the write `request`, or for moved data if it is None.

        `plane` is where a page is written now, or -1 where all of a request is asked about, as it is admitted.
        """
        raise NotImplementedError

    def quota_left(self) -> int | None:
        """Return the quota of LSB pages that the scheme goes by, or None if it goes by none; for what is measured."""


class Uniform(PageTypeScheme):
    """sU: every type alike, in turn or at random (PA-SSD, 4.2)."""

    def __init__(self, order: str = "round_robin") -> None:
        orders = ("round_robin", "random")
        check_option("ftl.page_type_options.uniform.order", order, orders.__contains__, "round_robin or random")
        self.at_random: bool = order == "random"
        self.last = -1

    def choose(self, request: Request | None, plane: int) -> int:
        """Return the type after the last one, or any."""
        self.last = self.random.below(self.types) if self.at_random else (self.last + 1) % self.types
        return self.last


class LsbFirst(PageTypeScheme):
    """sLF: the fastest type, always (PA-SSD, 4.2)."""

    def choose(self, request: Request | None, plane: int) -> int:
        """Return LSB."""
        return 0


class SlowestFirst(PageTypeScheme):
    """The slowest type, always: where rtfFTL moves data, for the next pages to be fast ones (flexFTL, 4.1)."""

    def choose(self, request: Request | None, plane: int) -> int:
        """Return MSB."""
        return self.types - 1


class WriteBuffer(PageTypeScheme):
    """sWB: the fastest type while the write buffer is full; without a buffer, always (PA-SSD, 4.2)."""

    may_pass = True

    def choose(self, request: Request | None, plane: int) -> int:
        """Return LSB if the buffer is full."""
        return 0 if self.buffer is None or self.buffer.used >= self.buffer.capacity else PASS


class Utilization(PageTypeScheme):
    """sUB: each type with a probability in proportion to its unused pages on the device (PA-SSD, 4.2)."""

    def choose(self, request: Request | None, plane: int) -> int:
        """Draw a type."""
        unused = 0
        for page_type in range(self.types):
            unused += self.blocks.free_of_type(page_type)
        if unused == 0:
            return 0
        place = self.random.below(unused)
        page_type = 0
        while place >= self.blocks.free_of_type(page_type):
            place -= self.blocks.free_of_type(page_type)
            page_type += 1
        return page_type


class HostGuided(PageTypeScheme):
    """sHG: by the access latency that the host asks for (NVMe dataset management; PA-SSD, 4.2).

    Low is the fastest type, idle the slowest, normal the one in the middle; without a hint the write passes.
    """

    may_pass = True

    def choose(self, request: Request | None, plane: int) -> int:
        """Return the type for the request's hint."""
        by_hint: list[int] = [PASS, self.types - 1, self.types // 2, 0]  # none, idle, normal, low
        return PASS if request is None else by_hint[request.access_latency]


class SizeBased(PageTypeScheme):
    """sSB: the fastest type for requests of at most so many KiB, or else that touch one page (PA-SSD, 4.2)."""

    most_bytes: int  # 0: a page

    may_pass = True

    def __init__(self, kib: float | None = None) -> None:
        if kib is not None:
            key = "ftl.page_type_options.size_based.kib"
            check_option(key, kib, number(1.0 / 1024).test, "a size of at least a byte, at most 1e12 KiB")
        self.most_bytes = int((kib or 0) * 1024)

    def choose(self, request: Request | None, plane: int) -> int:
        """Return LSB for a small request."""
        if request is None:
            return PASS
        if self.most_bytes:
            return 0 if request.size_bytes <= self.most_bytes else PASS
        page_bytes, last = self.device.hardware.page_bytes, request.offset_bytes + request.size_bytes - 1
        return 0 if request.offset_bytes // page_bytes == last // page_bytes else PASS


class QueueDepth(PageTypeScheme):
    """sQD: the fastest type while over `threshold` requests are in the device queue, else PASS (PA-SSD, 4.2)."""

    may_pass = True

    def __init__(self, threshold: int = 10) -> None:
        key = "ftl.page_type_options.queue_depth.threshold"
        check_option(key, threshold, whole(0).test, "a whole number of at least 0, at most 2147483647")
        self.threshold = threshold

    def choose(self, request: Request | None, plane: int) -> int:
        """Return LSB for a request that finds the queue long, itself included."""
        return PASS if request is None or request.queue_length <= self.threshold else 0


class Adaptive(PageTypeScheme):
    """flexFTL's adaptive page allocation (3.2): by the utilization u of the write buffer and a quota q of LSB pages.

    Above `u_high` a page is LSB while q is positive, below `u_low` it is MSB, and otherwise the types of a plane take
    turns. `quota` is what q is at first, as a share of all LSB pages of the device.
    """

    last: Int8s  # by plane: the type given last in turn

    by_page = True

    def __init__(self, u_high: float = 0.8, u_low: float = 0.1, quota: float = 0.05) -> None:
        for key, value in (("u_high", u_high), ("u_low", u_low), ("quota", quota)):
            check_option(f"ftl.page_type_options.adaptive.{key}", value, SHARE.test, "a share between 0 and 1")
        self.u_high = u_high
        self.u_low = u_low
        self.quota = quota
        hardware = self.device.hardware
        self.last = array("b", [hardware.page_types - 1] * hardware.planes)

    def choose(self, request: Request | None, plane: int) -> int:
        """Return the type by u and q."""
        utilization: float = self.buffer.utilization()
        if utilization > self.u_high and self.quota_left() > 0:
            return 0
        if utilization < self.u_low:
            return self.types - 1
        self.last[plane] = (self.last[plane] + 1) % self.types
        return self.last[plane]

    def quota_left(self) -> int | None:
        """Return the quota q, in pages; below zero, more LSB pages than it allows were used in turn."""
        # each LSB page takes one of it, and each MSB page gives one back
        initial = int(self.quota * self.blocks.count * self.blocks.order.wordlines)
        return initial - self.blocks.free_of_type(self.types - 1) + self.blocks.free_of_type(0)


@final
class PageTypeSpecifier:
    """Asks a list of schemes in order: one for the host's requests, one for moved data."""

    by_page: bool  # the types of a request are decided as its pages are placed

    def __init__(self, host: list[PageTypeScheme], moved: list[PageTypeScheme]) -> None:
        self.host = host
        self.moved = moved
        self.by_page = len([scheme for scheme in host if scheme.by_page]) > 0

    def of_request(self, request: Request) -> int:
        """Return the type of page for all of the write `request`, or -1 if that is decided by page."""
        return -1 if self.by_page else self.ask(self.host, request, -1)

    def of_page(self, request: Request, plane: int) -> int:
        """Return the type for a page of `request`, as it is written to `plane`."""
        return self.ask(self.host, request, plane)

    def of_moved_data(self, plane: int) -> int:
        """Return the type for a page that the garbage collector moves to `plane`."""
        return self.ask(self.moved, None, plane)

    def quota_left(self) -> int | None:
        """Return the quota of LSB pages that a scheme goes by, or None if none does."""
        scheme: PageTypeScheme
        for scheme in self.host + self.moved:
            left = scheme.quota_left()
            if left is not None:
                return left
        return None

    @cfunc
    def ask(self, schemes: list[PageTypeScheme], request: Request, plane: int) -> int:
        """Return the first answer of a list, of which not all may pass."""
        scheme: PageTypeScheme
        page_type = PASS
        for scheme in schemes:
            page_type = scheme.choose(request, plane)
            if not PASS <= page_type < scheme.types:
                told = f"{type(scheme).__name__} answered {page_type}; types are 0 to {scheme.types - 1}"
                raise ConfigError(f"ftl.page_type: {told}, or -1 to leave the write to the next scheme.")
            if page_type != PASS:
                break
        return page_type


def check_order(key: str, names: list[str], schemes: list[PageTypeScheme]) -> None:
    """Raise `ConfigError` if a list of schemes may leave a write without a type."""
    if not schemes or schemes[len(schemes) - 1].may_pass:
        raise ConfigError(
            f"{key}=[{','.join(names)}]: leaves some writes without a type; let it end with a scheme that always "
            "answers, such as utilization or uniform."
        )
