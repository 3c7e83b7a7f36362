"""Where the data of a page can be read: in flash once it is programmed, else where it is copied from, or nowhere."""

import pytest

from ssdsim._core.blocks import Blocks


@pytest.mark.parametrize("unprogrammed", [False, True])
def test_a_page_is_read_from_where_it_is_copied_from_until_it_is_programmed(interpreted, unprogrammed):
    blocks, copies = Blocks(1, 2, 4), {}
    sources = interpreted["ssdsim.ftl.sources"].PageSources(blocks, copies, unprogrammed)
    block = blocks.take_free(0)
    ppa = blocks.append(block, 0)
    assert sources.source_of(ppa) == (ppa if unprogrammed else -1)
    copies[ppa] = 7
    assert sources.source_of(ppa) == 7
    del copies[ppa]
    blocks.program(ppa)
    assert sources.source_of(ppa) == ppa
