"""The names that the write buffer has for the pages of striped super pages."""

import pytest

from support.tiny_device import PAGE


@pytest.mark.parametrize("apart", [0, 4])
def test_names_are_one_for_each_page_and_super_pages_of_the_host_follow_one_another(interpreted, apart):
    """Pages 0, 4 and 8 of the host's are the first super page of three where they are 4 apart."""
    replacement = interpreted["ssdsim.buffer.replacement"].Lru()
    pages = interpreted["ssdsim.buffer.pages"].BufferedPages(replacement, 4, PAGE, super_page=3, stripe=apart)
    names = [pages.renamed(lpa) for lpa in range(24)]
    assert sorted(names) == list(range(24))
    assert [pages.renamed(lpa) for lpa in (0, 4, 8)] == ([0, 1, 2] if apart else [0, 4, 8])
