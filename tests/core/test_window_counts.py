"""`WindowCounts` against NumPy, and merging against having counted together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.window_counts import WindowCounts, merged, percentiles

SHARES = [0.0, 0.5, 0.99, 0.999, 1.0]
VALUES = st.lists(st.integers(0, 1 << 50) | st.integers(0, 1000), min_size=1, max_size=80)


def counted(values, key=0):
    counts = WindowCounts(key + 1)
    for value in values:
        counts.add(key, value, 512)
    return counts.take()[key]


def same(one, other):
    return one[:4] == other[:4] and all((a == b).all() for a, b in zip(one[4:], other[4:], strict=True))


@given(VALUES)
def test_percentiles_are_at_most_a_64th_too_high(values):
    found = counted(values)
    assert found[:4] == (len(values), sum(values), 512 * len(values), max(values))
    exact = np.percentile(values, [100 * share for share in SHARES], method="inverted_cdf")
    for high, value in zip(percentiles(found, SHARES), exact, strict=True):
        assert value <= high <= max(value * (1 + 1 / 64), value + 3)


@given(VALUES, VALUES)
def test_what_is_merged_is_what_would_have_been_counted(one, other):
    assert same(merged(counted(one), counted(other)), counted([*one, *other]))


def test_what_was_taken_is_counted_no_more():
    counts = WindowCounts(3)
    for value, key in ((5, 0), (7, 2), (7, 2)):
        counts.add(key, value, 1)
    assert sorted(counts.take()) == [0, 2] and counts.take() == {}
    counts.add(2, 9, 1)
    assert same(counts.take()[2], (*counted([9])[:2], 1, *counted([9])[3:]))
