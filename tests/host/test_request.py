"""What a request touches of each page, held against its bytes one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.host.request import Request

SECTOR = 512


@given(st.integers(0, 40), st.integers(1, 300), st.sampled_from([1, 3, 8, 62, 63, 64, 65]))
@pytest.mark.parametrize("shift", [0, 1, 511])
def test_a_request_touches_the_sectors_that_one_of_its_bytes_lies_in(shift, first, sectors, page_sectors):
    """Units are quarters of sectors, moved by so many bytes, so that requests begin and end within sectors."""
    request, page_bytes = Request(), page_sectors * SECTOR
    request.offset_bytes, request.size_bytes = first * 128 + shift, sectors * 128
    end = request.offset_bytes + request.size_bytes
    touched = {byte // SECTOR for byte in (*range(request.offset_bytes, end, 128), end - 1)}
    for lpa in range(request.offset_bytes // page_bytes, (end - 1) // page_bytes + 1):
        bits = request.touched(lpa, page_bytes)
        in_page = [sector - lpa * page_sectors for sector in touched if sector // page_sectors == lpa]
        assert bits == sum(1 << sector for sector in in_page)
    pages = range(request.offset_bytes // page_bytes, (end - 1) // page_bytes + 1)
    assert sum(request.bytes_of(lpa, page_bytes) for lpa in pages) == request.size_bytes
    assert all(0 < request.bytes_of(lpa, page_bytes) <= page_bytes for lpa in pages)
