"""Arrivals at several levels: rates, rushes, batches and dispersion by their closed forms, on requests of any kind."""

import numpy as np
import pytest

from ssdsim.config import SyntheticConfig, TraceConfig
from ssdsim.errors import ConfigError
from ssdsim.workload import READ, TRIM, WRITE, open_workload, synthetic
from ssdsim.workload.arrivals import Levels
from support.workloads import rows, whole

RATE = 1000.0
RUSH = {"share": 0.2, "traffic": 0.6, "length_s": 2.0}
BURST = {"share": 0.25, "traffic": 0.5, "length_s": 0.05}
LEVELS = {"arrival": "levels", "rate_iops": RATE, "levels": [RUSH, BURST]}


def times(levels, count=200_000, batch=1.0, seed=3, rate=RATE):
    """Return arrivals in seconds."""
    return np.cumsum(Levels(levels, batch, rate, np.random.default_rng(seed))(count)) / 1e9


def dispersion(times_s, window_s):
    counts = np.bincount((times_s / window_s).astype(int))[:-1]
    return counts.var() / counts.mean()


def drawn(seed=5, **config):
    return open_workload(SyntheticConfig(**{"requests": 3000, **LEVELS, **config}), 1 << 30, 4096, seed)


def test_the_mean_rate_is_that_asked_for():
    """A rush and a pause last 10 s; of 400 s, the rate over the mean has the deviation sqrt(2 var tau / 400 s).

    The factor is 3 in a rush and 0.5 otherwise, so its variance is 0.2 x 0.8 x 2.5^2 = 1, and tau = 2 s x 0.8.
    """
    span_s = times([RUSH], 400_000)[-1]
    assert span_s == pytest.approx(400, rel=4 * np.sqrt(2 * 1.0 * 1.6 / 400))


def test_dispersion_of_one_level_is_that_of_an_interrupted_poisson_process():
    """IDC(w) = 1 + 2 l A (tau - tau^2 (1 - exp(-w / tau)) / w), here with A = 1/3 and tau = 50 ms x 0.75."""
    drawn_s = times([BURST], 400_000)
    variance, tau = (0.5 - 0.25) ** 2 / (0.25 * 0.75), 0.05 * 0.75
    for window_s in (0.005, 0.05, 1.0):
        expected = 1 + 2 * RATE * variance * (tau - tau**2 * -np.expm1(-window_s / tau) / window_s)
        assert dispersion(drawn_s, window_s) == pytest.approx(expected, rel=0.12)


def test_bursts_are_denser_within_rushes():
    """Rates are 1000 x (3 or 0.5) x (2 or 2/3): 6000 for 0.2 x 0.25 of the time, which fills 5 ms with 30 requests.

    More than 22 are there in 92 percent of those windows, and hardly ever in others, of 10 requests and fewer.
    """
    counts = np.bincount((times([RUSH, BURST | {"length_s": 0.5}], 800_000) / 0.005).astype(int))
    assert (counts > 22).mean() == pytest.approx(0.92 * 0.05, rel=0.3)


def test_nothing_comes_while_a_level_with_all_traffic_is_off():
    """Rushes of 0.1 s with a tenth of the time: pauses are exponential, 0.9 s in the mean."""
    gaps = np.diff(times([{"share": 0.1, "traffic": 1.0, "length_s": 0.1}], 200_000, rate=10_000.0))
    pauses = gaps[gaps > 0.01]
    assert pauses.mean() == pytest.approx(0.9, rel=5 / np.sqrt(len(pauses)))
    assert len(pauses) > 10


def test_batches_come_at_one_time_and_are_geometric():
    gaps = np.diff(times([BURST], batch=2.5))
    assert (gaps == 0).mean() == pytest.approx(1 - 1 / 2.5, abs=0.01)
    lengths = np.diff(np.flatnonzero(gaps))
    assert (lengths == 1).mean() == pytest.approx(1 / 2.5, abs=0.01)
    assert len(gaps) / gaps.sum() == pytest.approx(RATE, rel=0.1)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_is_drawn_does_not_depend_on_how_many_are_asked_for(size):
    levels = Levels([RUSH, BURST], 1.5, RATE, np.random.default_rng(3))
    parts = np.concatenate([levels(size) for _ in range(3000 // size)])
    assert abs(np.cumsum(parts) / 1e9 - times([RUSH, BURST], len(parts), 1.5)).max() < 1e-6


def test_rare_requests_pass_many_changes_of_the_levels():
    """With bursts of 1 ms that come every 4 ms and a request each 100 ms, nothing is left of the bursts."""
    gaps = np.diff(times([BURST | {"length_s": 0.001}], 20_000, rate=10.0))
    assert gaps.mean() == pytest.approx(0.1, rel=5 / np.sqrt(len(gaps)))
    assert gaps.std() == pytest.approx(0.1, rel=0.05)


def test_a_synthetic_workload_comes_so_and_again_alike(monkeypatch):
    expected = whole(drawn(batch_requests=1.5)).arrival_ns
    assert expected[0] == 0 and (np.diff(expected) >= 0).all()
    assert (whole(drawn(batch_requests=1.5)).arrival_ns == expected).all()
    assert (whole(drawn(batch_requests=1.5, seed=6)).arrival_ns != expected).any()
    monkeypatch.setattr(synthetic, "CHUNK_ROWS", 7)
    assert abs(whole(drawn(batch_requests=1.5)).arrival_ns - expected).max() <= 1


BY_KIND = {"write_levels": [{"share": 0.05, "traffic": 1.0, "length_s": 0.1}], "write_batch_requests": 3.0}


def test_writes_come_by_levels_of_their_own():
    """Silent for 95 percent of the time, writes come in batches of three; reads are Poisson in all but name."""
    calm = [{"share": 0.5, "traffic": 0.501, "length_s": 1.0}]
    chunk = whole(drawn(levels=calm, **BY_KIND, requests=100_000, read_share=0.6, trim_share=0.1))
    assert [(chunk.op == op).mean() for op in (READ, WRITE, TRIM)] == pytest.approx([0.6, 0.3, 0.1], abs=0.005)
    assert (chunk.op == READ).sum() == 60_000
    times_s = chunk.arrival_ns / 1e9
    assert (np.diff(times_s) >= 0).all()
    assert dispersion(times_s[chunk.op == READ], 0.01) == pytest.approx(1, abs=0.1)
    assert (np.bincount((times_s[chunk.op != READ] / 0.01).astype(int)) == 0).mean() > 0.9


def test_drawing_by_kind_does_not_depend_on_the_borders_of_chunks(monkeypatch):
    expected = whole(drawn(**BY_KIND))
    monkeypatch.setattr(synthetic, "CHUNK_ROWS", 7)
    found = whole(drawn(**BY_KIND))
    assert abs(found.arrival_ns - expected.arrival_ns).max() <= 1
    assert (found.offset_bytes == expected.offset_bytes).all()


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


def test_drawn_times_have_the_rate_of_the_trace_or_that_given(open_trace):
    assert rows(open_trace(ROWS, arrival="constant"))[-1][0] == 399 * 10_000_000
    assert rows(open_trace(ROWS, arrival="constant", speedup=2.0))[-1][0] == 399 * 5_000_000
    assert rows(open_trace(ROWS, arrival="constant", rate_iops=1000.0, repeat=2))[-1][0] == 799 * 1_000_000


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"levels": []}, r"workload\.levels=\[\]: must be given with workload\.arrival=levels"),
        ({"arrival": "poisson"}, r"must be \[\] with workload.arrival=poisson"),
        ({"levels": [RUSH | {"share": 0.7}]}, "share < traffic"),
        ({"levels": [RUSH | {"length": 1}]}, "must be a list of at most 8 levels"),
        ({"levels": [{"share": 0.1}]}, "must be a list of at most 8 levels"),
        ({"levels": RUSH}, "must be a list of at most 8 levels"),
        ({"levels": [RUSH | {"length_s": 1e-6}]}, r"a length_s of at least 2e-06 at 1000 requests a second"),
        ({"batch_requests": 0.5}, "must be a number of at least 1"),
        ({"arrival": "poisson", "levels": [], "batch_requests": 2.0}, "must be 1 with workload.arrival=poisson"),
        ({"rate_iops": None, "queue_depth": 4}, "or rate_iops be given"),
        ({"write_levels": [BURST | {"length_s": 1e-7}]}, r"write_levels=.*must be a list"),
        ({"write_batch_requests": 2.0}, "must be 1 without workload.write_levels"),
        ({"arrival": "poisson", "levels": [], "write_levels": [RUSH]}, r"must be \[\] with workload.arrival=poisson"),
    ],
)
def test_what_cannot_be_is_refused(config, message):
    with pytest.raises(ConfigError, match=message):
        SyntheticConfig(**{**LEVELS, **config})


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"rate_iops": 5.0}, r"rate_iops=5\.0: must be null with workload\.arrival=recorded"),
        ({"arrival": "bursts", "burst_requests": 5.0}, "rate_iops=None: must be given with workload.arrival=bursts"),
        ({"arrival": "poisson", "burst_iops": 5.0}, "must be null with workload.arrival=poisson"),
        ({"arrival": "never"}, "one of recorded, poisson, constant, bursts, levels"),
    ],
)
def test_what_a_trace_cannot_take_is_refused(config, message):
    with pytest.raises(ConfigError, match=message):
        TraceConfig(path="x", **config)


def test_levels_too_quick_for_the_rate_of_a_trace_are_refused(open_trace):
    with pytest.raises(ConfigError, match="a length_s of at least"):
        open_trace(ROWS, arrival="levels", levels=[BURST | {"length_s": 1e-5}])
