"""Schemes that specify page types by request, each by what sU in its place would get wrong, and how they combine."""

from collections import Counter

import attrs
import pytest

from ssdsim import ConfigError
from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.random import RandomStream
from ssdsim.assembly.parts import CLASSES
from ssdsim.ftl.page_type import (
    HostGuided,
    LsbFirst,
    PageTypeScheme,
    PageTypeSpecifier,
    QueueDepth,
    SizeBased,
    Uniform,
    Utilization,
    WriteBuffer,
    check_order,
)
from ssdsim.host.request import Request
from support.tiny_device import PAGE

LSB, CSB, MSB = range(3)
PASS = -1
WORDLINES = 6


@attrs.define
class Buffer:
    """A write buffer that is full when it is told so."""

    full: bool = False

    def is_full(self):
        return self.full


def write(offset=0, size=PAGE, **fields):
    """Return a write request with these attributes."""
    request = Request()
    request.offset_bytes, request.size_bytes = offset, size
    for name, value in fields.items():
        setattr(request, name, value)
    return request


def blocks_with_free(lsb, csb, msb):
    """Return two blocks, of which one is full and the other has so many unused pages of each type."""
    blocks = Blocks(2, 1, 3 * WORDLINES, order=ProgramOrder(WORDLINES, 3, "relaxed"))
    for plane, free in enumerate([(0, 0, 0), (lsb, csb, msb)]):
        block = blocks.take_free(plane)
        for page_type, left in enumerate(free):
            for wordline in range(WORDLINES - left):
                blocks.hand_out(block, blocks.order.page_of(wordline, page_type), 0)
    return blocks


def bound(scheme, blocks=None, buffer=None, seed=1):
    scheme.bind(blocks or Blocks(1, 1, 9, order=ProgramOrder(3, 3)), PAGE, buffer, RandomStream(seed, "test"))
    return scheme


def chi_square(drawn, expected):
    """Return the statistic of counts by type against expected counts; with three types, above 30 once in 3 million."""
    return sum((drawn[page_type] - count) ** 2 / count for page_type, count in enumerate(expected))


def test_by_default_a_request_of_one_page_is_small():
    """The default."""
    scheme = bound(SizeBased())
    assert [scheme.choose(write(offset, PAGE)) for offset in (0, 8 * PAGE, 512, PAGE - 512)] == [LSB, LSB, PASS, PASS]


def test_a_queue_is_always_longer_than_none():
    """With a threshold of 0 it is sLF."""
    scheme = bound(QueueDepth(threshold=0))
    assert [scheme.choose(write(queue_length=n)) for n in (1, 2, 3, 64)] == [LSB] * 4


def test_without_a_write_buffer_it_is_as_if_it_were_full():
    """Without a buffer it is sLF."""
    scheme = bound(WriteBuffer())
    assert not scheme.may_pass
    assert [scheme.choose(write()) for _ in range(5)] == [LSB] * 5


def test_uniform_takes_turns():
    scheme = bound(Uniform())
    assert [scheme.choose(request) for request in [write(), None] * 4] == [LSB, CSB, MSB, LSB, CSB, MSB, LSB, CSB]


def test_uniform_draws_alike():
    scheme = bound(Uniform("random"), blocks_with_free(1, 2, 3))
    drawn = [scheme.choose(write()) for _ in range(6000)]
    assert chi_square(Counter(drawn), [2000] * 3) < 30
    pairs = Counter(zip(drawn[::2], drawn[1::2], strict=True))
    assert all(abs(pairs[a, b] - 1000 / 3) < 5 * 20 for a in range(3) for b in range(3))  # no turns


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Uniform("fair"), r"uniform\.order=fair: must be round_robin or random"),
        (lambda: SizeBased(kib=0), r"size_based\.kib=0: "),
        (lambda: SizeBased(sub_requests=-1), r"size_based\.sub_requests=-1: "),
        (lambda: SizeBased(kib="8"), r"size_based\.kib=8: "),
        (lambda: SizeBased(kib=0.0001), r"size_based\.kib=0\.0001: must be a size of at least a byte"),
        (lambda: SizeBased(sub_requests=0.5), r"size_based\.sub_requests=0\.5: must be a whole number of at least 1"),
        (lambda: SizeBased(kib=8, sub_requests=1), r"size_based: has both kib and sub_requests; give one"),
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

    def choose(self, request):
        return self.answer


@pytest.mark.parametrize("answer", [3, 99, -2, -3])
def test_an_answer_that_is_no_type_is_an_error(answer):
    specifier = PageTypeSpecifier([[bound(Own(answer))]], [])
    with pytest.raises(ConfigError, match=f"Own answered {answer}; types are 0 to 2, or -1 to leave"):
        specifier.of_request(write())


def names_of(schemes):
    named = {cls: name for name, cls in CLASSES["ftl.page_type"].items()}
    return [named[type(scheme)] for scheme in schemes]


@pytest.mark.parametrize(
    ("schemes", "text"),
    [
        ([], r"KEY=\[\]: names no scheme; give one that always answers"),
        ([QueueDepth()], r"KEY=\[queue_depth\]: queue_depth leaves some writes to another scheme; add one that always"),
        ([SizeBased(), HostGuided()], r"KEY=\[size_based,host_guided\]: host_guided leaves some writes"),
        (
            [Uniform(), QueueDepth()],
            r"KEY=\[uniform,queue_depth\]: uniform always answers, so queue_depth is never asked",
        ),
        ([LsbFirst(), Utilization()], r"lsb_first always answers, so utilization is never asked; put lsb_first last"),
        ([QueueDepth(), Uniform(), Utilization()], r"uniform always answers, so utilization is never asked"),
        ([bound(WriteBuffer()), Uniform()], r"write_buffer always answers, so uniform is never asked"),
        ([bound(WriteBuffer(), buffer=Buffer())], r"write_buffer leaves some writes to another scheme"),
    ],
)
def test_lists_in_which_a_scheme_is_idle_or_missing_are_refused(schemes, text):
    with pytest.raises(ConfigError, match=text):
        check_order("KEY", names_of(schemes), schemes)
