"""`LatencyRecorder` against NumPy, while it is exact and beyond, and what `LatencyParts` makes of the tail."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.latency import EXACT, LatencyParts, LatencyRecorder, upper_edges

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


@pytest.mark.parametrize("count", [1, 7, 160, 5000])
def test_batches_of_values_that_are_kept_are_those_of_numpy(count):
    values = np.random.default_rng(count).integers(0, 10**7, count)
    wanted = min(count, 10)
    size = count // wanted
    batches = values[: wanted * size].reshape(wanted, size)
    assert recorded(values.tolist()).batch_means(wanted) == pytest.approx(batches.mean(axis=1))


def test_batches_of_many_values_are_of_equal_size(many):
    """EXACT * 5 / 4 values are 20 batches of EXACT / 16, of which the last is not over: 19 to join."""
    values, recorder = many
    for wanted, size, count in ((10, EXACT // 16, 19), (9, EXACT // 8, 9)):
        batches = values[: count * size].reshape(count, size)
        assert recorder.batch_means(wanted) == pytest.approx(batches.mean(axis=1))


def test_mean_and_deviation_of_many_values(many):
    values, recorder = many
    assert recorder.count == len(values)
    assert recorder.mean == pytest.approx(values.mean(), rel=1e-12)
    assert recorder.std == pytest.approx(values.std(), rel=1e-6)


SPLIT = st.lists(
    st.tuples(st.integers(0, 1 << 40) | st.integers(0, 300), *[st.floats(0, 1)] * 6), min_size=1, max_size=60
)


@given(SPLIT, st.data())
def test_the_parts_of_the_largest_values(rows, data):
    """Against a sort, where bins hold whole what is wanted; and never less than there is in all."""
    parts, taken = LatencyParts(2), []
    for value, *shares in rows:
        bus, array, gc, mapping, buffer, urgent = (int(value * share / 5) for share in shares)
        split = (bus, array, gc, min(urgent, gc), mapping, buffer)
        parts.add(1, value, *split)
        taken.append((value - bus - array - gc - mapping - buffer, *split, value))
    assert parts.slowest(1, len(rows)).tolist() == np.sum(taken, axis=0)[:-1].tolist()
    ranked = sorted(taken, key=lambda row: row[-1], reverse=True)
    count = data.draw(st.integers(1, len(rows)))
    found = parts.slowest(1, count)
    edges = upper_edges(1 << 14)[3::4]
    bins = np.searchsorted(edges, [row[-1] for row in ranked])
    if count == len(rows) or bins[count - 1] != bins[count]:
        assert found == pytest.approx(np.sum(ranked[:count], axis=0)[:-1])
    of_response = np.delete(found, 4)  # urgent collection is part of collection
    assert of_response.sum() == pytest.approx(sum(row[-1] for row in ranked[:count]), rel=1 / 64, abs=4 * count)


def test_of_values_that_their_parts_add_up_to_nothing_is_left_over():
    """Though a fifth of a bin is wanted: a fifth of their sum, less a fifth of each part, is -7e-12."""
    parts = LatencyParts(1)
    for bus, array, gc in ((6908, 10_000, 49_002), (2269, 20_000, 43_736), (1162, 10_000, 54_530)):
        parts.add(0, bus + array + gc, bus, array, gc, 0, 0, 0)
    for bus, array, gc in ((7557, 20_000, 38_454), (2818, 10_000, 53_565)):
        parts.add(0, bus + array + gc, bus, array, gc, 0, 0, 0)
    assert [parts.slowest(0, count)[0] for count in range(1, 6)] == [0] * 5


def test_a_bin_that_is_wanted_in_part_counts_with_its_mean():
    parts = LatencyParts(2)
    for value, bus in ((10, 1), (100_000, 20), (100_001, 40), (100_002, 60), (500_000, 7)):
        parts.add(1, value, bus, 0, 0, 0, 0, 0)
    assert parts.slowest(1, 3)[:2].tolist() == [500_000 - 7 + 2 * (100_001 - 40), 7 + 2 * 40]
    assert LatencyParts(2).slowest(1, 3).tolist() == [0] * 7
