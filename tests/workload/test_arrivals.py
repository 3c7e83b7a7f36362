"""Arrivals at several levels: rates, rushes, batches and dispersion by their closed forms, on requests of any kind."""

import numpy as np
import pytest

from ssdsim.config import SyntheticConfig
from ssdsim.workload import READ, WRITE, open_workload, synthetic
from ssdsim.workload.arrivals import Levels
from support.workloads import rows, whole

RATE = 1000.0
RUSH = {"share": 0.2, "traffic": 0.6, "length_s": 2.0}
BURST = {"share": 0.25, "traffic": 0.5, "length_s": 0.05}
LEVELS = {"arrival": "levels", "rate_iops": RATE, "levels": [RUSH, BURST]}


def times(levels, count=200_000, batch=1.0, seed=3, rate=RATE):
    """Return arrivals in seconds."""
    return np.cumsum(Levels(levels, batch, rate, np.random.default_rng(seed))(count)) / 1e9


def drawn(seed=5, **config):
    return open_workload(SyntheticConfig(**{"requests": 3000, **LEVELS, **config}), 1 << 30, 4096, seed)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_is_drawn_does_not_depend_on_how_many_are_asked_for(size):
    levels = Levels([RUSH, BURST], 1.5, RATE, np.random.default_rng(3))
    parts = np.concatenate([levels(size) for _ in range(3000 // size)])
    assert abs(np.cumsum(parts) / 1e9 - times([RUSH, BURST], len(parts), 1.5)).max() < 1e-6


def test_a_synthetic_workload_comes_so_and_again_alike(monkeypatch):
    expected = whole(drawn(batch_requests=1.5)).arrival_ns
    assert expected[0] == 0 and (np.diff(expected) >= 0).all()
    assert (whole(drawn(batch_requests=1.5)).arrival_ns == expected).all()
    assert (whole(drawn(batch_requests=1.5, seed=6)).arrival_ns != expected).any()
    monkeypatch.setattr(synthetic, "CHUNK_ROWS", 7)
    assert abs(whole(drawn(batch_requests=1.5)).arrival_ns - expected).max() <= 1


BY_KIND = {"write_levels": [{"share": 0.05, "traffic": 1.0, "length_s": 0.1}], "write_batch_requests": 3.0}


ROWS = "".join(f"{at * 10_000_000} 0 {8 * at} 8 {at % 2}\n" for at in range(400))
"""A request each 10 ms, reads and writes in turn, one page after the other."""


def test_a_trace_keeps_all_but_its_times(open_trace):
    recorded = rows(open_trace(ROWS))
    workload = open_trace(ROWS, arrival="levels", levels=[RUSH, BURST])
    timed = rows(workload)
    assert [row[1:] for row in timed] == [row[1:] for row in recorded]
    times_ns = [row[0] for row in timed]
    assert times_ns[0] == 0 and sorted(times_ns) == times_ns != [row[0] for row in recorded]
    assert rows(workload) == timed
    assert workload.describe()["arrival"] == "levels"


def test_reads_and_writes_of_a_trace_that_come_apart_keep_their_orders(open_trace):
    recorded = rows(open_trace(ROWS))
    timed = rows(open_trace(ROWS, arrival="levels", levels=[RUSH, BURST], repeat=2, **BY_KIND))
    assert [row[0] for row in timed] == sorted(row[0] for row in timed)
    for op in (READ, WRITE):
        assert [row[1:] for row in timed if row[1] == op] == 2 * [row[1:] for row in recorded if row[1] == op]
