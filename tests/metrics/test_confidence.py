"""Intervals by hand, and that they hold the value about as often as they say."""

import numpy as np
import pytest

from ssdsim._core.latency import LatencyRecorder
from ssdsim.metrics.confidence import BATCHES, FEWEST_REQUESTS, half_width, of_latency


def test_half_an_interval_follows_from_the_batches():
    """Neighbours of opposite sign count as independent: t of 9 is 2.262, the deviation sqrt(10 / 9)."""
    opposite = np.resize([1.0, -1.0], 10)
    assert half_width(opposite) == pytest.approx(2.262 * (10 / 9 / 10) ** 0.5)
    alike = np.repeat([1.0, -1.0], 5)  # 8 neighbours alike and one pair not: a correlation of 0.7
    assert half_width(alike) == pytest.approx(2.262 * (10 / 9 / 10) ** 0.5 * (1.7 / 0.3) ** 0.5)


def test_there_is_none_of_batches_that_only_show_a_trend():
    assert half_width(np.zeros(BATCHES)) == 0.0
    assert half_width(np.repeat([1.0, -1.0], 20)[: 2 * BATCHES]) is None


def recorded(values):
    recorder = LatencyRecorder()
    for value in values.tolist():
        recorder.add(value)
    return recorder


def test_a_mean_has_an_interval_from_fifty_requests_a_batch_on():
    values = np.random.default_rng(1).exponential(1e6, FEWEST_REQUESTS).astype(np.int64)
    low, high = of_latency(recorded(values))
    assert low < values.mean() / 1000 < high
    assert of_latency(recorded(values[:-1])) is None and of_latency(LatencyRecorder()) is None


def autoregressive(rng, count, memory=0.9):
    """Return values around 1000 us, each of which has `memory` of how the one before deviates."""
    shocks = rng.normal(0, 20_000, count + 100)
    value, values = 0.0, []
    for shock in shocks.tolist():
        value = memory * value + shock
        values.append(value)
    return (np.array(values[100:]) + 1e6).astype(np.int64)


def queue(rng, count, load=0.8, warm=5000):
    """Return the times in an M/M/1 queue whose service takes 100 us in the mean (Lindley's recursion, unrolled)."""
    service, gaps = rng.exponential(1, count + warm), rng.exponential(1 / load, count + warm)
    walk = np.cumsum(np.concatenate([[0.0], service[:-1] - gaps[1:]]))
    return ((walk - np.minimum(np.minimum.accumulate(walk), 0) + service)[warm:] * 1e5).astype(np.int64)


SERIES = {"autoregressive": (autoregressive, 5000, 1000), "queue": (queue, 20_000, 500)}


@pytest.mark.parametrize("runs", [40, pytest.param(400, marks=pytest.mark.more)])
@pytest.mark.parametrize("name", SERIES)
def test_intervals_hold_the_value_about_as_often_as_they_say(name, runs):
    """Of 400 runs at 95 percent, 0.90 is 4.6 deviations off, of 40 runs 0.85 is 2.9."""
    draw, count, mean = SERIES[name]
    rng = np.random.default_rng(7)
    intervals = [of_latency(recorded(draw(rng, count))) for _ in range(runs)]
    held = [low <= mean <= high for low, high in filter(None, intervals)]
    assert len(held) > 0.9 * runs
    assert np.mean(held) >= (0.85 if runs < 100 else 0.90)
