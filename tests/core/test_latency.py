"""`LatencyRecorder` against NumPy, while it is exact and beyond; `WindowCounts` likewise, and merged."""

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
    expected = [ranked[max(int(np.ceil(share * len(values))) - 1, 0)] for share in SHARES]
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


def counted(windows):
    """Return the counts of so many windows, in each of which value number n has key n % 2."""
    counts = WindowCounts(2)
    for window, values in enumerate(windows):
        for number, value in enumerate(values):
            counts.add(number % 2, value, 512)
        counts.close(window)
    return counts


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
    for share in SHARES:
        assert found.percentiles(share).tolist() == counts.percentiles(share).tolist()
