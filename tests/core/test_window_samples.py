"""`WindowSamples` against a list of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.window_samples import WindowSamples

ROW = st.lists(st.integers(-(1 << 62), 1 << 62), min_size=3, max_size=3)
STEPS = st.lists(st.tuples(ROW, st.integers(0, 70), st.booleans()), min_size=1, max_size=12)


@given(STEPS)
def test_the_later_of_two_merged_windows_stays(steps):
    samples, expected = WindowSamples(), []
    for row, times, halves in steps:
        samples.add(tuple(row[:2]), row[2:])
        samples.repeat(times)
        expected += [row] * (1 + times)
        if halves:
            samples.halve()
            expected = expected[1::2] + expected[len(expected) - len(expected) % 2 :]
        assert samples.count == len(expected)
        assert samples.rows().tolist() == expected


def test_without_windows_there_are_no_rows():
    samples = WindowSamples()
    samples.halve()
    assert samples.rows().shape == (0, 0)
    samples.add((7,), [])
    assert samples.rows().tolist() == [[7]]


def test_a_number_of_more_than_64_bits_is_refused():
    with pytest.raises(OverflowError):
        WindowSamples().add((1 << 63,), [])


def test_rows_are_copies():
    samples = WindowSamples()
    samples.add((1,), [2])
    rows = samples.rows()
    samples.add((3,), [4])
    samples.halve()
    assert np.array_equal(rows, [[1, 2]])
