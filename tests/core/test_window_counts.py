"""`WindowCounts` against NumPy, and merging against having counted together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.window_counts import WindowCounts

SHARES = [0.0, 0.5, 0.99, 0.999, 1.0]
VALUES = st.lists(st.integers(0, 1 << 50) | st.integers(0, 1000), min_size=1, max_size=80)


def counted(windows, keys=2):
    """Return the counts of so many windows, in each of which value number n has key n % 2."""
    counts = WindowCounts(keys)
    for window, values in enumerate(windows):
        for number, value in enumerate(values):
            counts.add(number % 2, value, 512)
        counts.close(window)
    return counts


@given(VALUES)
def test_percentiles_are_at_most_a_64th_too_high(values):
    counts = counted([values])
    for record, found in zip(counts.records().tolist(), counts.percentiles(SHARES), strict=True):
        of = values[record[1] :: 2]
        assert record == [0, record[1], len(of), sum(of), 512 * len(of), max(of)]
        exact = np.percentile(of, [100 * share for share in SHARES], method="inverted_cdf")
        for high, value in zip(found.tolist(), exact, strict=True):
            assert value <= high <= max(value * (1 + 1 / 64), value + 3)


@given(st.lists(st.lists(st.integers(0, 1 << 50) | st.integers(0, 1000), max_size=80), min_size=1, max_size=9))
def test_what_is_merged_is_what_would_have_been_counted(windows):
    found = counted(windows)
    found.halve()
    counts = WindowCounts(2)
    for pair in range(0, len(windows), 2):
        for values in windows[pair : pair + 2]:
            for number, value in enumerate(values):
                counts.add(number % 2, value, 512)
        counts.close(pair // 2)
    assert found.records().tolist() == counts.records().tolist()
    assert found.percentiles(SHARES).tolist() == counts.percentiles(SHARES).tolist()
