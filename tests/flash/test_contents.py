"""What pages hold."""

from ssdsim.check.words import UNIT
from ssdsim.flash.contents import Contents
from ssdsim.flash.data import PageData
from support.cells import cells_in_use


def test_an_erased_page_holds_no_version_and_no_data():
    contents = Contents(8, 4, 4)
    contents.data = PageData(8, 8, False)
    for ppa in (0, 1, 4):
        contents.put(ppa, 3, ppa + 1)
        contents.data.put(ppa, ppa * UNIT + UNIT)
    contents.forget_block(0)
    assert [contents.get(ppa) for ppa in (0, 1, 4)] == [0, 0, 5]
    assert cells_in_use(contents.data) == {4: 5 * UNIT}
    assert contents.data.has_sector(5 * UNIT + 7) and not contents.data.has_sector(UNIT)
