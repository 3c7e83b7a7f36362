"""The summary and the tables beside it, from counts written in the test."""

import math

import pytest

from ssdsim import SimulationConfig
from ssdsim._core.codes import READ, WRITE
from ssdsim.host.request import Request
from ssdsim.metrics import summary
from ssdsim.metrics.recorder import PARTS, Recorder, Sampled, Windows
from ssdsim.metrics.timeseries import SAMPLED, Course, served, timeseries


def sample(*free, **counted):
    """Return a sample of what is named, all else 0, with so many unused pages of each type."""
    assert counted.keys() <= set(SAMPLED)
    return (*(counted.get(name, 0) for name in SAMPLED), *free)


class Taken(Sampled):
    """Gives the samples of a list, one after the other."""

    def __init__(self, samples):
        super().__init__(len(samples[0]))
        self.samples = iter(samples)

    def read(self, row, first):
        for number, value in enumerate(next(self.samples)):
            row[first + number] = value
        return first + self.width


def series(first, samples, requests, width_ns):
    """Return the time series of requests, (operation, end, response, size), each window of which ends in a sample."""
    windows = Windows(Taken(samples), width_ns=width_ns)
    for request in requests:
        windows.add(*request)
    windows.close(requests[-1][1])
    of_host = served(windows)
    course = Course(first, windows.rows[: windows.closed], of_host["reads"] + of_host["writes"])
    return timeseries(course, of_host, width_ns / 1e9).to_pydict()


def test_the_time_series_by_hand():
    first = sample(40, 40, host_page_writes=4, page_moves=2, free_blocks=10, depth_ns=100, now_ns=50)
    second = {"requested_page_writes": 18, "host_page_writes": 10, "page_moves": 5, "collections": 1, "erases": 2}
    third = second | {"host_page_writes": 12, "extra_pages": 1, "host_programs": 3, "host_programs_joined": 2}
    second = sample(20, 30, free_blocks=9, depth_ns=700, now_ns=150, **second)
    third = sample(10, 25, free_blocks=8, depth_ns=1000, now_ns=250, **third)
    half = 500_000_000
    rows = [(READ, 0, 1000, 1 << 20), (READ, 1, 3000, 0), (WRITE, 2, 3000, 1 << 19), (WRITE, half, 1000, 512)]
    table = series(first, [second, third], rows, half)
    assert table["time_s"] == [0.0, 0.5] and table["window_s"] == [0.5, 0.5]
    assert table["reads"] == [2, 0] and table["writes"] == [1, 1] and table["iops"] == [6.0, 2.0]
    assert table["bandwidth_mib_s"] == [3.0, 2 * 512 / 2**20]
    assert table["read_response_us"] == [2.0, None] and table["write_response_us"] == [3.0, 1.0]
    assert table["requested_page_writes"] == [18, 0]
    assert table["host_page_writes"] == [6, 2] and table["gc_page_moves"] == [3, 0]
    assert table["gc_collections"] == [1, 0] and table["erases"] == [2, 0]
    assert table["host_programs"] == [0, 3] and table["host_programs_joined"] == [0, 2]
    assert table["write_amplification"] == [(6 + 3) / 18, None] and table["free_blocks"] == [9, 8]
    assert table["queue_depth"] == [6.0, 3.0]
    assert table["free_lsb"] == [20, 10] and table["free_msb"] == [30, 25]
    assert table["free_csb"] == table["free_tsb"] == [None, None]


def test_response_times_by_hand():
    recorder = Recorder(Windows(Sampled(7)))
    for response in range(1000, 11_000, 1000):
        done = Request()
        done.bus_ns = 600
        recorder.request_done(done, response)
    found = summary.requests([10, 0, 0, 0], [0] * 4, recorder)["read"]["response_us"]
    assert list(found) == ["mean", "std", "p50", "p95", "p99", "p99_9", "p99_99", "max", *PARTS]
    assert found["mean"] == 5.5 and found["p50"] == 5 and found["p95"] == found["max"] == 10
    assert found["std"] == pytest.approx(math.sqrt(8.25))
    assert found["queue"] == pytest.approx(4.9) and found["bus"] == 0.6
    table = summary.latency_table(recorder, ["main"]).to_pydict()
    assert table["op"] == ["read"] * 10 and table["count"] == [1] * 10
    assert all(0 <= edge - exact <= exact / 256 for edge, exact in zip(table["up_to_us"], range(1, 11), strict=True))


@pytest.mark.parametrize(
    ("types", "shares"),
    [(0, (None,) * 3), (1, (1.0, 0.0, 0.0)), (2, (0.1, 0.0, 0.9)), (3, (0.1, 0.4, 0.5)), (4, (0.1, 0.6, 0.3))],
)
def test_writes_are_fast_medium_or_slow(types, shares):
    counts = {0: [], 1: [7], 2: [1, 9], 3: [1, 4, 5], 4: [1, 2, 4, 3]}[types]
    found = summary.type_shares(counts + [0] * (4 - types), types)
    assert found == dict(zip(("fast", "medium", "slow"), shares, strict=True))


def test_equal_configurations_and_no_others_have_the_same_hash():
    first, second, other = (summary.provenance(SimulationConfig(seed=seed)) for seed in (1, 1, 2))
    assert first["config_hash"] == second["config_hash"] != other["config_hash"]
    assert first["seed"] == 1 and "numpy" in first["versions"]
