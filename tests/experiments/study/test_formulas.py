"""The algebra of formulas: what is not known stays so, and is left out where several numbers make one."""

import numpy as np
import pytest

from experiments.study import formulas
from experiments.study.formulas import (
    above,
    below,
    count,
    farthest,
    flat,
    largest,
    least,
    mean,
    over,
)

NAN = np.nan


def test_arithmetic_is_by_load_and_nothing_is_over_nothing():
    ours, base = np.array([6.0, 3.0, NAN, 1.0]), np.array([4.0, 6.0, 1.0, 0.0])
    assert over(ours, base) == pytest.approx([1.5, 0.5, NAN, NAN], nan_ok=True)
    assert above(ours, base) == pytest.approx([50, -50, NAN, NAN], nan_ok=True)
    assert below(ours, base) == pytest.approx([-50, 50, NAN, NAN], nan_ok=True)
    assert np.isnan(over(1.0, 0.0)) and above(3.0, 2.0) == pytest.approx(50)


def test_functions_of_several_numbers_leave_out_what_is_not_known():
    numbers = [np.array([1.0, NAN, -4.0]), [2.0, NAN]]
    assert flat(numbers) == pytest.approx([1, NAN, -4, 2, NAN], nan_ok=True)
    assert (mean(numbers), least(numbers), largest(numbers), farthest(numbers)) == pytest.approx((-1 / 3, -4, 2, -4))
    assert (count(numbers), count(numbers, 1), formulas.share(numbers)) == pytest.approx((2, 1, 200 / 3))
    for function in (mean, least, largest, farthest, count, formulas.share):
        assert np.isnan(function([NAN, NAN])) and np.isnan(function([]))
