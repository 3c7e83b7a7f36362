"""Which type of page a write is given: the schemes of PA-SSD (4.2) and flexFTL (3.2), and their composition."""

from array import array

import cython

from ssdsim.config import MOST_NS, check_option, is_count, is_number
from ssdsim.errors import ConfigError

if cython.compiled:
    from cython.cimports.ssdsim.host.request import Request
else:
    from ssdsim.host.request import Request

PASS = -1
"""The answer of a scheme that leaves a write to the next one."""

BY_PAGE = -2
"""The answer of a scheme that is to be asked again for each page, once its plane is known."""


def is_size(value):
    """Return whether `value` is a size in KiB of at least a byte."""
    return is_number(value) and value * 1024 >= 1 and value <= 1e12


def is_threshold(value):
    """Return whether `value` is a number of requests, or none."""
    return is_count(value, 0)


def is_share(value):
    """Return whether `value` is a share."""
    return is_number(value) and 0 <= value <= 1


class PageTypeScheme:
    """One scheme.

    `choose` is called once a write request, when it is admitted, and once a page that is moved, without a request. It
    returns a page type, 0 for LSB up to `types` - 1, or `PASS`. `may_pass` says, once the scheme is bound, whether it
    ever passes. A scheme that decides `by_page` may answer `BY_PAGE`, and `choose_page` returns the type of each page
    when it is placed. A scheme changes nothing but its own state and draws only from `random`.
    """

    owed = ("choose(request) -> a whole number",)
    optional = ("choose_page(plane) -> a whole number",)
    may_pass = False
    by_page = False

    def __init__(self):
        """Take no options; without this a compiled class would take and ignore any."""

    def bind(self, blocks, page_bytes, buffer, random):
        """Receive the state of the blocks, the page size, the write buffer or None, and a `RandomStream`, once."""
        self.blocks = blocks
        self.types = blocks.page_types
        self.page_bytes = page_bytes
        self.buffer = buffer
        self.random = random

    def choose(self, request):
        """Return the type of page for the write `request`, or for moved data if it is None."""
        raise NotImplementedError

    def choose_page(self, plane):
        """Return the type of a page that is written to `plane` now; only asked of schemes that decide `by_page`."""
        raise NotImplementedError


class Uniform(PageTypeScheme):
    """sU: every type alike, in turn or at random."""

    def __init__(self, order="round_robin"):
        if order not in ("round_robin", "random"):
            raise ConfigError(f"ftl.page_type_options.uniform.order={order}: must be round_robin or random.")
        self.at_random = order == "random"
        self.last = -1

    def choose(self, request):
        """Return the type after the last one, or any."""
        if self.at_random:
            return self.random.below(self.types)
        self.last = (self.last + 1) % self.types
        return self.last


class HostGuided(PageTypeScheme):
    """sHG: by the access latency that the host asks for (NVMe dataset management); without a hint, the next scheme.

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


class LsbFirst(PageTypeScheme):
    """sLF: the fastest type, always."""

    def choose(self, request):
        """Return LSB."""
        return 0


class SlowestFirst(PageTypeScheme):
    """The slowest type, always: where rtfFTL moves data, for the next pages to be fast ones (flexFTL, 4.1)."""

    def choose(self, request):
        """Return MSB."""
        return self.types - 1


class SizeBased(PageTypeScheme):
    """sSB: the fastest type for requests of at most so many KiB or so many pages touched; larger ones pass."""

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
    """sQD: the fastest type while more than `threshold` requests are in the device queue; else the next scheme."""

    may_pass = True

    def __init__(self, threshold=10):
        key = "ftl.page_type_options.queue_depth.threshold"
        check_option(key, threshold, is_threshold, "a whole number of at least 0, at most 2147483647")
        self.threshold = threshold

    def choose(self, request):
        """Return LSB for a request that finds the queue long, itself included."""
        return PASS if request is None or request.queue_length <= self.threshold else 0


class WriteBuffer(PageTypeScheme):
    """sWB: the fastest type while the write buffer is full; without a buffer, always."""

    def bind(self, blocks, page_bytes, buffer, random):
        """Pass only if there is a buffer that may have room."""
        PageTypeScheme.bind(self, blocks, page_bytes, buffer, random)
        self.may_pass = buffer is not None

    def choose(self, request):
        """Return LSB if the buffer is full."""
        return 0 if self.buffer is None or self.buffer.is_full() else PASS


class Utilization(PageTypeScheme):
    """sUB: each type with a probability in proportion to its unused pages on the whole device."""

    def choose(self, request):
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


class Adaptive(PageTypeScheme):
    """flexFTL's adaptive page allocation (3.2): by the utilization u of the write buffer and a quota q of LSB pages.

    Above `u_high` a page is LSB while q is positive, below `u_low` it is MSB, and otherwise the types of a plane take
    turns. `quota` is what q is at first, as a share of all LSB pages of the device; each LSB page takes one of it and
    each MSB page gives one back, so it follows from the unused pages of these types. Where there is no slow block, the
    frontier hands out an LSB page instead of an MSB one (footnote 1).
    """

    by_page = True

    def __init__(self, u_high=0.8, u_low=0.1, quota=0.05):
        for key, value in (("u_high", u_high), ("u_low", u_low), ("quota", quota)):
            check_option(f"ftl.page_type_options.adaptive.{key}", value, is_share, "a share between 0 and 1")
        if u_low >= u_high:
            raise ConfigError(f"ftl.page_type_options.adaptive.u_low={u_low}: must be less than u_high={u_high}.")
        self.u_high = u_high
        self.u_low = u_low
        self.quota = quota

    def bind(self, blocks, page_bytes, buffer, random):
        """Start with the full quota; there must be a buffer whose utilization can be looked at."""
        PageTypeScheme.bind(self, blocks, page_bytes, buffer, random)
        self.initial = int(self.quota * blocks.count * blocks.order.wordlines)
        self.last = array("b", [self.types - 1] * blocks.planes)

    def choose(self, request):
        """Leave it to the moment when each page is placed."""
        return BY_PAGE

    def choose_page(self, plane):
        """Return the type by u and q."""
        utilization = self.buffer.utilization()
        if utilization > self.u_high and self.left() > 0:
            return 0
        if utilization < self.u_low:
            return self.types - 1
        return self.in_turn(plane)

    def in_turn(self, plane):
        """Return the type after the one that was given last in turn in `plane`."""
        self.last[plane] = (self.last[plane] + 1) % self.types
        return self.last[plane]

    def left(self):
        """Return the quota q, in pages; below zero, more LSB pages than it allows were used in turn."""
        return self.initial - self.blocks.free_of_type(self.types - 1) + self.blocks.free_of_type(0)


class PageTypeSpecifier:
    """Asks a list of schemes in order, one list for each stream of requests and one for moved data.

    `switches` are (time in ns, stream, schemes), in order of time: what takes the place of those lists in the run.
    """

    def __init__(self, streams, moved_data, switches=()):
        self.streams = list(streams)
        self.moved_data = moved_data
        self.switches = switches

    def run(self, env, start_ns):
        """Make the switches at their times, counted from `start_ns`, as far as time goes (a process)."""
        for at_ns, stream, schemes in self.switches:
            if start_ns + at_ns >= MOST_NS:
                return
            if start_ns + at_ns > env.now:
                yield env.timeout(start_ns + at_ns - env.now)
            self.streams[stream] = schemes

    def of_request(self, request):
        """Return the type of page for all of the write `request`, or `BY_PAGE`."""
        return self.ask(self.streams[request.stream], request)

    def of_page(self, request, plane):
        """Return the type for a page of `request`, or of moved data if it is None, that is being written to `plane`.

        The lists may have been switched since the request was told `BY_PAGE`.
        """
        schemes = self.moved_data if request is None else self.streams[request.stream]
        for scheme in schemes:
            if scheme.by_page:
                return ask_for_page(scheme, plane)
        return self.ask(schemes, request)

    def of_moved_data(self, plane):
        """Return the type for a page that the garbage collector moves to `plane`."""
        page_type = self.ask(self.moved_data, None)
        return self.of_page(None, plane) if page_type == BY_PAGE else page_type

    def quota_left(self):
        """Return the quota of LSB pages that a scheme goes by, or None if none does."""
        for schemes in [*self.streams, self.moved_data]:
            for scheme in schemes:
                if isinstance(scheme, Adaptive):
                    return scheme.left()
        return None

    def ask(self, schemes, request):
        """Return the first answer."""
        for scheme in schemes:
            page_type = ask_one(scheme, request)
            if page_type != PASS:
                return page_type
        raise AssertionError("a list of schemes that may all pass was refused when the device was built")


def ask_one(scheme: PageTypeScheme, request: Request):
    """Return the answer of one scheme, which must be a type that there is."""
    page_type = scheme.choose(request)
    if not PASS <= page_type < scheme.types and not (page_type == BY_PAGE and scheme.by_page):
        raise ConfigError(
            f"ftl.page_type: {type(scheme).__name__} answered {page_type}; types are 0 to {scheme.types - 1}, or -1 to "
            "leave the write to the next scheme."
        )
    return page_type


def ask_for_page(scheme: PageTypeScheme, plane):
    """Return the answer of one scheme for a page that is written to `plane`, which must be a type that there is."""
    page_type = scheme.choose_page(plane)
    if not 0 <= page_type < scheme.types:
        raise ConfigError(
            f"ftl.page_type: {type(scheme).__name__} answered {page_type} for a page; types are 0 to "
            f"{scheme.types - 1}."
        )
    return page_type


def check_order(key, names, schemes):
    """Raise `ConfigError` if a scheme of the list is never asked, or if all may leave a write without a type."""
    if not schemes:
        raise ConfigError(f"{key}=[]: names no scheme; give one that always answers, such as utilization or uniform.")
    for place, scheme in enumerate(schemes):
        last = place == len(schemes) - 1
        if last and scheme.may_pass:
            raise ConfigError(
                f"{key}=[{','.join(names)}]: {names[place]} leaves some writes to another scheme; add one that always "
                "answers, such as utilization or uniform."
            )
        if not last and not scheme.may_pass:
            raise ConfigError(
                f"{key}=[{','.join(names)}]: {names[place]} always answers, so {names[place + 1]} is never asked; put "
                f"{names[place]} last."
            )
