"""What a request touches of each page, held against its bytes one by one; requests that are used again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.host.request import Request, RequestPool
from ssdsim.stage import Stage

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


def test_requests_are_used_again_and_those_taken_are_known():
    pool = RequestPool()
    first, second = pool.take(), pool.take()
    first.owner, first.bus_ns, first.slowest_type = Stage(), 7, 2
    assert pool.taken() == [first]
    first.owner = None
    pool.give_back(first)
    assert pool.take() is first and (first.bus_ns, first.slowest_type) == (0, -1)
    assert pool.take() not in (first, second)


def test_a_million_requests_are_freed():
    """One after the other: a chain of them would end the process, as each frees the next within its own end."""
    pool = RequestPool()
    for request in reversed([pool.take() for _ in range(1_000_000)]):
        pool.give_back(request)
    del request, pool
