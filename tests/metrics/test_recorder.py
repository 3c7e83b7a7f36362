"""What is kept of each completed request, and the windows of the time series."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import READ, WRITE
from ssdsim.metrics.recorder import Sampled, Windows
from ssdsim.metrics.timeseries import served


class Samples(Sampled):
    """Samples of so many numbers, which `sample` returns."""

    def __init__(self, width, sample):
        super().__init__(width)
        self.sample = sample

    def read(self, row, first):
        for number, value in enumerate(self.sample()):
            row[first + number] = value
        return first + self.width


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 500)), min_size=1), st.sampled_from([2, 4, 64]))
def test_windows_are_few_and_lose_nothing(gaps, limit):
    """Against one pass over all requests, at the width that the windows have in the end."""
    calls = []
    windows = Windows(Samples(4, lambda: calls.append(1) or (len(calls), 0, 0, 0)), width_ns=10, limit=limit)
    times = np.cumsum([gap for _, gap in gaps])
    for (op, _), now in zip(gaps, times.tolist(), strict=True):
        windows.add(op, now, 100 + op, 1 << op)
    windows.close(int(times[-1]))
    of_host, samples = served(windows), windows.rows[: windows.closed][:, 0]
    assert len(samples) <= limit
    assert (np.diff(samples) >= 0).all()  # of merged windows the later sample stays
    assert samples[-1] == len(calls)
    ops = np.array([op for op, _ in gaps])
    for op, name in ((READ, "read"), (WRITE, "write")):
        expected = np.bincount(times[ops == op] // windows.width_ns, minlength=len(samples))
        assert of_host[f"{name}s"].tolist() == expected.tolist()
        assert of_host[f"{name}_bytes"].tolist() == (expected << op).tolist()
        assert {*of_host[f"{name}_response_us"][expected > 0].tolist()} <= {(100 + op) / 1000}
