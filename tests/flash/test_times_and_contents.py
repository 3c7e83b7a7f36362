"""Times in nanoseconds, and the contents of pages that tell stale data."""

import pytest

from ssdsim import SimulationError
from ssdsim.flash.contents import Contents
from ssdsim.flash.timing import to_ns


@pytest.mark.parametrize(("us", "ns"), [(0.0, 0), (0.2, 200), (0.0004, 0), (0.0006, 1), (5500, 5_500_000)])
def test_microseconds_become_whole_nanoseconds(us, ns):
    assert to_ns(us) == ns


def test_a_read_of_older_data_than_was_acknowledged_is_found():
    contents = Contents(8, 4, 4)
    first, second = 1, 2
    contents.put(0, 3, first)
    contents.put(1, 3, second)
    contents.acknowledge(3, second)
    contents.acknowledge(3, first)
    contents.verify(3, contents.get(1), contents.expected(3))
    with pytest.raises(SimulationError, match="logical page 3 returned version 1, but version 2 had been"):
        contents.verify(3, contents.get(0), contents.expected(3))
    contents.erased(0)
    assert contents.get(1) == 0
