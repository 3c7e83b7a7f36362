"""What is kept of each completed request, and the windows of the time series."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim.host.request import Request
from ssdsim.metrics.recorder import PARTS, Recorder, Sampled, Windows
from ssdsim.metrics.timeseries import served


def request(op, arrival=0, size=4096, bus=0, array=0, gc=0, urgent_gc=0, mapping=0):
    made = Request()
    made.op, made.arrival_ns, made.size_bytes = op, arrival, size
    made.bus_ns, made.array_ns, made.gc_ns = bus, array, gc
    made.urgent_gc_ns, made.mapping_ns = urgent_gc, mapping
    return made


class Samples(Sampled):
    """Samples of so many numbers, which `sample` returns."""

    def __init__(self, width, sample):
        super().__init__(width)
        self.sample = sample

    def read(self, row, first):
        for number, value in enumerate(self.sample()):
            row[first + number] = value
        return first + self.width


def test_a_request_is_counted_with_its_parts():
    recorder = Recorder(Windows(Sampled(7)))
    recorder.request_done(request(READ, 100, bus=20, array=300, gc=50, urgent_gc=40, mapping=60), 1000)
    recorder.request_done(request(READ, 900, size=512, bus=30), 1000)
    recorder.request_done(request(WRITE, 0), 2000)
    assert [recorder.response(op).count for op in (READ, WRITE, TRIM, FLUSH)] == [2, 1, 0, 0]
    assert [recorder.times.of(0, op)[1] for op in (READ, WRITE)] == [4608, 4096]
    nothing = dict.fromkeys(PARTS, 0.0)
    read = {"queue": (470 + 70) / 2, "bus": 25.0, "array": 150.0, "gc": 25.0, "urgent_gc": 20.0, "mapping": 30.0}
    assert recorder.parts_us(READ) == {name: ns / 1000 for name, ns in (nothing | read).items()}
    assert recorder.parts_us(WRITE) == nothing | {"queue": 2.0}
    assert recorder.response(READ).mean == 500 and recorder.response(WRITE).mean == 2000
    assert (recorder.done, recorder.last_ns) == (3, 2000)


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
