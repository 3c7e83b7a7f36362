"""The order in which the pages of a block are programmed, and what each of them is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import SimulationError
from ssdsim.flash.contents import Contents
from ssdsim.flash.program_order import diagonal_order, page_types
from ssdsim.flash.timing import to_ns


def test_three_wordlines_of_three_bits():
    assert diagonal_order(3, 3) == [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (2, 1), (1, 2), (2, 2)]
    assert page_types(9, 3) == [0, 0, 1, 0, 1, 2, 1, 2, 2]


@given(st.integers(1, 40), st.integers(1, 4))
def test_every_page_once_and_never_before_what_it_needs(wordlines, bits):
    order = diagonal_order(wordlines, bits)
    assert sorted(order) == [(line, bit) for line in range(wordlines) for bit in range(bits)]
    place = {page: at for at, page in enumerate(order)}
    for line, bit in order:
        if bit:
            assert place[line, bit - 1] < place[line, bit]
            if line + 1 < wordlines:  # the neighbour's lower bit comes first, so that this one is disturbed no more
                assert place[line + 1, bit - 1] < place[line, bit]
        if line:
            assert place[line - 1, bit] < place[line, bit]


@pytest.mark.parametrize(("us", "ns"), [(0.0, 0), (0.2, 200), (0.0004, 0), (0.0006, 1), (5500, 5_500_000)])
def test_microseconds_become_whole_nanoseconds(us, ns):
    assert to_ns(us) == ns


def test_a_read_of_older_data_than_was_acknowledged_is_found():
    contents = Contents(8, 4, 4)
    first, second = 1, 2
    contents.put(0, first)
    contents.put(1, second)
    contents.acknowledge(3, second)
    contents.acknowledge(3, first)
    contents.verify(3, contents.get(1), contents.expected(3))
    with pytest.raises(SimulationError, match="logical page 3 returned version 1, but version 2 had been"):
        contents.verify(3, contents.get(0), contents.expected(3))
    contents.erased(0)
    assert contents.get(1) == 0
