"""Addresses beyond the device, byte by byte on small devices; spread times, and a clock without long gaps."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.workload.trace import compacted, spread, without_gaps, wrapped

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


TIMES = st.lists(st.integers(0, 50), min_size=1, max_size=80)


@given(TIMES, st.sampled_from([7, 1000]))
def test_spread_divides_each_tick_evenly(times, tick):
    ticks = sorted(time * tick for time in times)
    expected = [time + k * tick // ticks.count(time) for time in sorted(set(ticks)) for k in range(ticks.count(time))]
    assert spread(np.array(ticks), tick).tolist() == expected


@given(TIMES, st.integers(1, 60))
def test_short_gaps_are_kept_and_long_ones_dropped(times, most):
    times = sorted(times)
    steady, dropped = without_gaps(np.array(times), most)
    gaps = [b - a for a, b in pairwise(times)]
    assert steady[0] == 0
    assert [b - a for a, b in pairwise(steady.tolist())] == [gap * (gap <= most) for gap in gaps]
    assert dropped == sum(gap > most for gap in gaps)
