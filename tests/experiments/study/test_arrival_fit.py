"""Fitting arrivals: measures by hand, and levels found again in what was drawn from them."""

import numpy as np
import pytest

from experiments.study.arrival_fit import Fitted, autocorrelation, dispersion, fit, queue, scales


def test_measures_of_a_piece_by_hand():
    """Windows of 1 s hold 2, 1, 2 and 1 requests: the mean is 1.5, the variance 4 x 0.25 / 3."""
    piece = np.array([0.0, 0.5, 1.2, 2.1, 2.2, 3.9, 4.0])
    assert dispersion(piece, 1.0) == pytest.approx(4 * 0.25 / 3 / 1.5)
    assert autocorrelation(piece, 1.0) == pytest.approx(-1)


def test_a_queue_by_hand():
    """Busy for 0.75 of 8 s, a server takes 1 s for each of 6 requests; waiting are 0, 1, 2, 0, 0 and 0 s."""
    piece = np.array([0.0, 0.0, 0.0, 4.0, 7.0, 8.0])
    assert queue(piece, 0.75) == pytest.approx((0 + 1 + 2) / 6)


def test_windows_run_from_a_millisecond_to_a_tenth_of_the_piece():
    assert scales(10.0) == pytest.approx([1e-3, 10**-2.5, 1e-2, 10**-1.5, 1e-1, 10**-0.5, 1.0])


def test_levels_are_found_again():
    levels = ({"share": 0.3, "traffic": 0.7, "length_s": 4.0}, {"share": 0.2, "traffic": 0.6, "length_s": 0.1})
    piece = Fitted(levels, 2.0, 100.0, 1.0).draw(12_000, 7)
    found = fit(piece)
    assert found.rate_iops == pytest.approx(len(piece) / piece[-1])
    assert found.batch_requests == pytest.approx(2.0, rel=0.1)
    assert len(found.levels) == 2
    again = found.draw(50_000, 8)
    for window_s in (0.01, 0.1, 1.0):
        assert dispersion(again, window_s) == pytest.approx(dispersion(piece, window_s), rel=0.5)


def test_a_poisson_process_has_hardly_any_levels():
    piece = np.cumsum(np.random.default_rng(5).exponential(0.01, 4000))
    found = fit(piece - piece[0])
    assert found.batch_requests < 1.1
    again = found.draw(4000, 8)
    assert dispersion(again, 1.0) < 2


@pytest.mark.parametrize("piece", [np.linspace(0, 100, 99), np.linspace(0, 0.5, 1000)])
def test_a_piece_that_is_too_short_is_refused(piece):
    with pytest.raises(ValueError, match="too few to fit"):
        fit(piece)
