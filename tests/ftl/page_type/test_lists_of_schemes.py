"""Lists of page-type schemes against the rules of PA-SSD (4.2) in plain Python, and sUB's draws as pages go."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import ConfigError
from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.random import RandomStream
from ssdsim.ftl.page_type import (
    HostGuided,
    LsbFirst,
    PageTypeScheme,
    PageTypeSpecifier,
    QueueDepth,
    SizeBased,
    SlowestFirst,
    Uniform,
    Utilization,
    WriteBuffer,
)
from ssdsim.host.request import Request
from support.bound import page_type_scheme
from support.intervals import chi_square

PAGE = 4096


class Buffer:
    """A write buffer of one page."""

    used, capacity = 0, 1


def hinted(request, types):
    return {0: None, 1: types - 1, 2: types // 2, 3: 0}[request.access_latency]


RULES = {
    "host_guided": (HostGuided, {}, lambda request, types, **_: hinted(request, types)),
    "one_page": (SizeBased, {}, lambda request, **_: 0 if touched(request) == 1 else None),
    "six_kib": (SizeBased, {"kib": 6}, lambda request, **_: 0 if request.size_bytes <= 6 * 1024 else None),
    "queue_of_four": (QueueDepth, {"threshold": 4}, lambda request, **_: 0 if request.queue_length > 4 else None),
    "write_buffer": (WriteBuffer, {}, lambda request, full, **_: 0 if full else None),
}
"""Schemes that may pass, by the name of the rule: each with its options, and its answer, or None where it passes."""
LAST = {"lsb_first": LsbFirst, "slowest_first": SlowestFirst, "uniform": Uniform}


def touched(request):
    """Return how many pages a request is in."""
    return len({place // PAGE for place in range(request.offset_bytes, request.offset_bytes + request.size_bytes, 512)})


def bound(made, types, buffer, blocks=None, seed=1, **options):
    blocks = blocks or Blocks(1, 1, types, order=ProgramOrder(1, types))
    return page_type_scheme(made, blocks, buffer, RandomStream(seed, "test"), **options)


LISTS = st.tuples(st.lists(st.sampled_from([*RULES]), max_size=4, unique=True), st.sampled_from([*LAST]))
REQUESTS = st.tuples(
    st.integers(0, 1),  # 1: moved data, which is of no request
    st.integers(0, 3),
    st.sampled_from([0, 1, 7, 8, 12]),
    st.sampled_from([1, 8, 11, 12, 13, 16, 17, 23, 24, 25, 32, 33]),
    st.integers(3, 6),
    st.booleans(),
)


@given(st.integers(1, 4), st.tuples(LISTS, LISTS), st.lists(REQUESTS, min_size=30, max_size=80))
def test_the_first_scheme_of_the_list_with_an_answer_decides(types, lists, requests):
    """The host's data and moved data have each a list; what looks at requests or the buffer passes, or answers LSB.

    Of moved data only the buffer and the last scheme say anything.
    """
    buffer = Buffer()
    chosen = [[*(RULES[name][:2] for name in names), (LAST[last], {})] for names, last in lists]
    made = [[bound(scheme, types, buffer, **options) for scheme, options in schemes] for schemes in chosen]
    specifier = PageTypeSpecifier(*made)
    turns = [0, 0]
    for moved, hint, sector, sectors, queue_length, buffer.used in requests:
        request = Request()
        request.access_latency, request.queue_length = hint, queue_length
        request.offset_bytes, request.size_bytes = 512 * sector, 512 * sectors
        names, last = lists[moved]
        answers = [
            RULES[name][2](request=request, types=types, full=buffer.used)
            for name in names
            if not moved or name == "write_buffer"
        ]
        expected = next((answer for answer in answers if answer is not None), None)
        if expected is None:
            expected = {"lsb_first": 0, "slowest_first": types - 1, "uniform": turns[moved] % types}[last]
            turns[moved] += 1
        given_type = specifier.of_moved_data(0) if moved else specifier.of_request(request)
        assert given_type == expected


@pytest.mark.parametrize("left", [(7, 2, 3), (1, 9, 5), (4, 4, 1), (0, 3, 8, 2)])
def test_utilization_draws_by_the_unused_pages_of_all_blocks(left):
    """Of two planes, one with a used-up block of ten wordlines and one with so many pages of each type."""
    types = len(left)
    blocks = Blocks(2, 1, 10 * types, order=ProgramOrder(10, types, "free"))
    for plane, unused in enumerate([(0,) * types, left]):
        block = blocks.take_free(plane)
        for page_type, kept in enumerate(unused):
            for wordline in range(10 - kept):
                blocks.hand_out(block, blocks.order.page_of(wordline, page_type), 0)
    scheme = bound(Utilization, types, None, blocks, seed=9)
    drawn = Counter(scheme.choose(None, 0) for _ in range(20_000))
    assert set(drawn) == {page_type for page_type, unused in enumerate(left) if unused}
    assert chi_square(np.array([drawn[page_type] for page_type in sorted(drawn)]), np.array([*filter(None, left)])) <= 1


def test_uniform_draws_alike():
    scheme = bound(Uniform, 3, None, order="random")
    drawn = [scheme.choose(Request(), -1) for _ in range(6000)]
    assert chi_square(np.bincount(drawn), np.ones(3)) <= 1
    pairs = Counter(zip(drawn[::2], drawn[1::2], strict=True))  # no turns
    assert chi_square(np.array([pairs[a, b] for a in range(3) for b in range(3)]), np.ones(9)) <= 1


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Uniform("fair"), r"uniform\.order=fair: must be round_robin or random"),
        (lambda: SizeBased(kib=0), r"size_based\.kib=0: "),
        (lambda: SizeBased(kib="8"), r"size_based\.kib=8: "),
        (lambda: SizeBased(kib=0.0001), r"size_based\.kib=0\.0001: must be a size of at least a byte"),
        (lambda: QueueDepth(-1), r"queue_depth\.threshold=-1: must be a whole number of at least 0"),
        (lambda: QueueDepth(2.5), r"queue_depth\.threshold=2\.5: "),
    ],
)
def test_options_that_make_no_sense_are_refused(make, text):
    with pytest.raises(ConfigError, match=rf"ftl\.page_type_options\.{text}"):
        make()


class Own(PageTypeScheme):
    """A scheme of a user's, in Python."""

    def __init__(self, answer):
        self.answer = answer

    def choose(self, request, plane):
        return self.answer


@pytest.mark.parametrize("answer", [3, -2])
def test_an_answer_that_is_no_type_is_an_error(answer):
    specifier = PageTypeSpecifier([bound(Own, 3, None, answer=answer)], [])
    with pytest.raises(ConfigError, match=f"Own answered {answer}; types are 0 to 2, or -1 to leave"):
        specifier.of_request(Request())
