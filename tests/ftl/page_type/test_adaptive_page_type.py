"""flexFTL's adaptive page allocation (3.2): its four rules, its quota, and whole runs."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim.ftl.page_type import Adaptive, PageTypeScheme, PageTypeSpecifier
from ssdsim.host.request import Request
from support.bound import page_type_scheme
from support.requests import GAP, flush, writes
from support.tiny_device import PAGE

LSB, MSB = range(2)


@attrs.define
class Buffer:
    """A write buffer that is as full as it is told."""

    used: float = 0.0

    def utilization(self):
        return self.used


@given(
    shape=st.tuples(st.integers(2, 5), st.integers(1, 5), st.integers(1, 4), st.integers(1, 2)),
    quota=st.sampled_from([0.0, 0.05, 0.3, 1.0]),
    steps=st.lists(
        st.tuples(st.sampled_from([0.0, 0.05, 0.1, 0.4, 0.8, 0.81, 1.0, None]), st.integers(0, 1)), max_size=80
    ),
)
def test_the_four_rules_and_a_quota_that_is_counted(shape, quota, steps):
    """Pages are counted as they are given, of the type wanted if there is one left; None erases all full blocks."""
    count, wordlines, types, planes = shape
    order = ProgramOrder(wordlines, types, "free")
    blocks = Blocks(planes, count, wordlines * types, order=order)
    buffer = Buffer()
    scheme = page_type_scheme(Adaptive, blocks, buffer, quota=quota)
    opened = [blocks.take_free(plane) for plane in range(planes) for _ in range(count)]
    left, last = int(quota * blocks.count * wordlines), {}
    for used, plane in steps:
        plane %= planes
        if used is None:
            for block in [block for block in opened if blocks.written(block) == blocks.pages_per_block]:
                blocks.collect(block)
                blocks.erase(block)
                assert blocks.take_free(blocks.plane_of(block)) == block
        elif blocks.free_pages(plane):
            if used > 0.8 and left > 0:
                expected = 0
            elif used < 0.1:
                expected = types - 1
            else:
                expected = last[plane] = (last.get(plane, types - 1) + 1) % types
            buffer.used = used
            assert scheme.choose(None, plane) == expected
            pages = [
                (each != expected, block, blocks.candidate(block, each))
                for block in opened[plane * count : (plane + 1) * count]
                for each in range(types)
            ]
            _, block, page = min(each for each in pages if each[2] >= 0)
            ppa = blocks.hand_out(block, page, 0)
            blocks.program(ppa)
            blocks.invalidate(ppa)
            left += (order.type_of(page) == types - 1) - (order.type_of(page) == 0)
        assert scheme.quota_left() == left


class Own(PageTypeScheme):
    """A scheme of a user's that decides by page."""

    by_page = True

    def __init__(self, answer):
        self.answer = answer

    def choose(self, request, plane):
        return self.answer + plane


def test_a_users_own_scheme_can_decide_by_page():
    scheme = page_type_scheme(Own, Blocks(1, 1, 2, order=ProgramOrder(1, 2)), answer=0)
    specifier = PageTypeSpecifier([scheme], [scheme])
    assert specifier.of_request(Request()) == -1
    assert [specifier.of_page(Request(), plane) for plane in (0, 1)] == [LSB, MSB]
    assert [specifier.of_moved_data(plane) for plane in (0, 1)] == [LSB, MSB]


ADAPTIVE = {
    "hardware": {"bits_per_cell": 2, "pages_per_block": 8, "program_us": [100.0, 400.0]},
    "flash": {"program_order": "rps"},
    "ftl": {
        "page_order": "two_phase",
        "active_blocks": "shared",
        "page_type": ["adaptive"],
        "page_type_options": {"adaptive": {"quota": 0.125}},
    },
}
"""An MLC device of 8 blocks of 4 wordlines whose quota is 4 pages."""


@pytest.mark.parametrize(
    ("slots", "write_back", "rows", "expected"),
    [
        (2, {}, writes(*range(10), gap=GAP), "LLLL" + "LMLM"),
        (20, {"write_back": "at_once"}, writes(*range(12), gap=GAP), "LLLL" + "MMMM" + "LLLL"),
        (20, {"write_back": "at_once", "pages_in_flight": 1}, writes(*range(20)), "L" + "LLL" + "LM" * 7 + "L" + "M"),
    ],
    ids=["always full", "hardly used", "burst"],
)
def test_the_types_of_a_run(run, slots, write_back, rows, expected):
    """Of a buffer hardly used, MSB is wanted, and LSB given while there is no slow block.

    A burst fills the buffer, but for the first page; the next three are in excess of u_high, the last below u_low.
    """
    buffer = {"replacement": "lru", "size_mib": slots * PAGE / 2**20} | write_back
    out = run([*rows, flush(100 * GAP)] if slots > 2 else rows, ADAPTIVE | {"buffer": buffer})
    given_types = [c["page_type"] for c in out.commands if (c["op"], c["source"]) == ("program", "host")]
    assert "".join("LM"[page_type] for page_type in given_types) == expected
