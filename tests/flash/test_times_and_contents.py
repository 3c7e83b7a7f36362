"""Times in nanoseconds, and what pages hold."""

import pytest

from ssdsim.flash.contents import Contents
from ssdsim.flash.data import UNIT, PageData
from ssdsim.flash.timing import to_ns


@pytest.mark.parametrize(("us", "ns"), [(0.0, 0), (0.2, 200), (0.0004, 0), (0.0006, 1), (5500, 5_500_000)])
def test_microseconds_become_whole_nanoseconds(us, ns):
    assert to_ns(us) == ns


def test_an_erased_page_holds_no_version_and_no_data():
    contents = Contents(8, 4, 4)
    contents.data = PageData(8, False)
    for ppa in (0, 1, 4):
        contents.put(ppa, 3, ppa + 1)
        contents.data.put(ppa, ppa * UNIT + UNIT)
    contents.forget_block(0)
    assert [contents.get(ppa) for ppa in (0, 1, 4)] == [0, 0, 5]
    assert contents.data.cells == {4: 5 * UNIT}
    assert contents.data.is_in_flash(5 * UNIT + 7) and not contents.data.is_in_flash(UNIT)
