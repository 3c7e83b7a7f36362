"""Times in nanoseconds."""

import pytest

from ssdsim.flash.timing import to_ns


@pytest.mark.parametrize(("us", "ns"), [(0.0, 0), (0.2, 200), (0.0004, 0), (0.0006, 1), (5500, 5_500_000)])
def test_microseconds_become_whole_nanoseconds(us, ns):
    assert to_ns(us) == ns
