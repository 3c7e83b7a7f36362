"""`WindowSamples` against a list of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.window_samples import Sampled, WindowSamples

ROW = st.lists(st.integers(-(1 << 62), 1 << 62), min_size=3, max_size=3)
STEPS = st.lists(st.tuples(ROW, st.integers(0, 70), st.booleans()), min_size=1, max_size=12)


def add(samples, values):
    """Add a row."""
    first = samples.add()
    for number, value in enumerate(values):
        samples.values[first + number] = value


@given(STEPS)
def test_the_later_of_two_merged_windows_stays(steps):
    samples, expected = WindowSamples(3), []
    for row, times, halves in steps:
        add(samples, row)
        samples.repeat(times)
        expected += [row] * (1 + times)
        if halves:
            samples.halve()
            expected = expected[1::2] + expected[len(expected) - len(expected) % 2 :]
        assert samples.count == len(expected)
        assert samples.rows().tolist() == expected


def test_without_windows_there_are_no_rows():
    samples = WindowSamples(1)
    samples.halve()
    assert samples.rows().shape == (0, 1)
    add(samples, [7])
    assert samples.rows().tolist() == [[7]]


def test_rows_are_copies():
    samples = WindowSamples(2)
    add(samples, [1, 2])
    rows = samples.rows()
    add(samples, [3, 4])
    samples.halve()
    assert np.array_equal(rows, [[1, 2]])


def test_a_sample_of_nothing_else_is_of_zeros():
    row = np.ones(5, np.int64)
    assert Sampled(3).read(row, 1) == 4
    assert row.tolist() == [1, 0, 0, 0, 1]
