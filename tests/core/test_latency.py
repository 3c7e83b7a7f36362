"""`LatencyRecorder` against NumPy, while it is exact and beyond; `WindowCounts` likewise, and merged."""

from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.latency import EXACT, LatencyRecorder, WindowCounts

SHARES = [0.0, 0.5, 0.95, 0.99, 0.999, 0.9999, 1.0]


def recorded(values):
    recorder = LatencyRecorder()
    for value in values:
        recorder.add(value)
    return recorder


@given(st.lists(st.integers(0, 1 << 50), min_size=1, max_size=200))
def test_few_values_are_kept_exactly(values):
    recorder = recorded(values)
    ranked = sorted(values)
    expected = [ranked[max(ceil(share * len(values)) - 1, 0)] for share in SHARES]
    assert recorder.percentiles(SHARES) == expected
    assert recorder.percentiles([0.5]) == [np.percentile(values, 50, method="inverted_cdf")]
    assert recorder.mean == pytest.approx(np.mean(values))
    assert recorder.std == pytest.approx(np.std(values), rel=1e-6, abs=1e-6 * max(values))


@given(st.lists(st.integers(0, 1 << 50) | st.integers(0, 1000), min_size=1, max_size=100))
def test_a_bin_is_at_most_a_256th_of_its_value_wide(values):
    edges, counts = recorded(values).distribution()
    assert counts.sum() == len(values)
    assert (np.diff(edges) > 0).all()
    ranked = np.sort(values)
    upper = np.repeat(edges, counts)
    assert (ranked <= upper).all()
    assert (upper - ranked <= ranked / 256).all()


@pytest.fixture(scope="module")
def many():
    """More values than are kept: a long tail, and its recorder."""
    values = np.random.default_rng(3).lognormal(11, 2, EXACT + EXACT // 4).astype(np.int64)
    return values, recorded(values)


def test_many_values_are_binned_from_the_first_on(many):
    values, recorder = many
    expected = np.percentile(values, [100 * share for share in SHARES], method="inverted_cdf")
    found = np.array(recorder.percentiles(SHARES))
    assert (found >= expected).all()
    assert (found - expected <= expected / 256).all()
    assert found[-1] == values.max()


def test_batches_of_many_values_are_of_equal_size(many):
    """EXACT * 5 / 4 values are 20 batches of EXACT / 16, of which the last is not over: 19 to join."""
    values, recorder = many
    for wanted, size, count in ((10, EXACT // 16, 19), (9, EXACT // 8, 9)):
        batches = values[: count * size].reshape(count, size)
        assert recorder.batch_means(wanted) == pytest.approx(batches.mean(axis=1))


def counted(windows, width, most=10):
    """Return the counts of windows, each of so many lists of values, in which value number n is of operation n % 2."""
    counts = WindowCounts(most)
    for place, values in enumerate(windows):
        for number, value in enumerate(values):
            counts.add(place // width, number % 2, value, 512)
    return counts


@given(st.lists(st.lists(st.integers(0, 1 << 50) | st.integers(0, 1000), max_size=80), min_size=1, max_size=10))
def test_what_is_merged_is_what_would_have_been_counted(windows):
    found, counts = counted(windows, 1), counted(windows, 2)
    found.halve()
    assert found.records().tolist() == counts.records().tolist()
    for share in SHARES:
        assert found.percentiles(share).tolist() == counts.percentiles(share).tolist()


@given(st.lists(st.integers(0, 1 << 50) | st.integers(0, 1000), min_size=1, max_size=80))
def test_percentiles_of_a_window_are_at_most_a_64th_too_high(values):
    """Of less than 256 a bin is 4 wide."""
    counts = counted([[], values], 1)
    for op in range(min(len(values), 2)):
        ranked = sorted(values[op::2])
        for share in SHARES:
            expected = ranked[max(ceil(share * len(ranked)) - 1, 0)]
            assert expected <= counts.percentiles(share)[op] <= max(expected * 65 / 64, expected + 3)
