"""Addresses beyond the device: each policy's promise, byte by byte on small devices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.workload.trace import compacted, wrapped

PAGE = 8
REQUESTS = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 40)), min_size=1, max_size=40)


def touched_bytes(requests):
    return {byte for offset, size in requests for byte in range(offset, offset + size)}


def touched_pages(requests):
    return sorted({byte // PAGE for byte in touched_bytes(requests)})


@given(REQUESTS)
def test_compact_is_an_order_preserving_injection_without_holes(requests):
    pages = touched_pages(requests)
    offset, size = np.array(requests).T
    mapped = compacted(offset, size, len(pages) * PAGE, PAGE)
    for start, length, new_start in zip(offset, size, mapped, strict=True):
        for byte in range(length):
            old_page, place = divmod(start + byte, PAGE)
            assert divmod(new_start + byte, PAGE) == (pages.index(old_page), place)


@given(REQUESTS, st.integers(6, 30))
def test_wrap_fits_keeps_the_place_in_the_page_and_what_fits_already(requests, pages):
    capacity = pages * PAGE
    offset, size = np.array(requests).T
    mapped = wrapped(offset, size, capacity, PAGE)
    assert (mapped >= 0).all()
    assert (mapped + size <= capacity).all()
    assert (mapped % PAGE == offset % PAGE).all()
    plain = offset % capacity
    fits = plain + size <= capacity
    assert (mapped[fits] == plain[fits]).all()
    assert ((plain - mapped)[~fits] < size[~fits] + PAGE).all()
