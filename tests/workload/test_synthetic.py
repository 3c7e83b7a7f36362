"""Synthetic workloads: what is drawn has the distribution that was asked for, within the device."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim.config import SyntheticConfig
from ssdsim.errors import ConfigError
from ssdsim.workload import READ, TRIM, WRITE, open_workload, synthetic
from support.workloads import whole

KIB = 1024
PAGE = 16 * KIB
COUNT = 200_000


def drawn(capacity=1 << 30, page=PAGE, seed=5, **config):
    config = {"requests": COUNT, **config}
    if "rate_iops" not in config:
        config.setdefault("queue_depth", 16)
    return open_workload(SyntheticConfig(**config), capacity, page, seed)


def near(share, count=COUNT):
    """Return `share` within five standard deviations of its estimate from `count` draws."""
    return pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / count))


@settings(max_examples=settings.default.max_examples * 3 // 5, deadline=None)
@given(
    pattern=st.sampled_from(["uniform", "zipf", "hot_cold", "sequential"]),
    sizes=st.dictionaries(st.sampled_from([0.5, 4, 16, 24, 100]), st.integers(1, 5), min_size=1),
    align=st.sampled_from([None, 0.5, 4, 16, 100]),
    footprint=st.floats(0.5, 1),
    pages=st.integers(26, 1000),
)
def test_every_request_lies_aligned_within_the_footprint(pattern, sizes, align, footprint, pages):
    workload = drawn(
        pages * PAGE, requests=300, pattern=pattern, size_kib=sizes, align_kib=align, footprint=footprint, hot_share=0.5
    )
    chunk = whole(workload)
    unit = int((align or min(16, *sizes)) * KIB)
    assert len(chunk) == workload.requests == 300
    assert set(chunk.size_bytes.tolist()) <= {int(size * KIB) for size in sizes}
    assert (chunk.offset_bytes % unit == 0).all()
    assert chunk.offset_bytes.min() >= 0
    assert (chunk.offset_bytes + chunk.size_bytes).max() <= int(pages * PAGE * footprint)


def test_reads_trims_and_sizes_have_their_shares():
    chunk = whole(drawn(read_share=0.3, trim_share=0.1, size_kib={4: 3, 64: 1}))
    assert (chunk.op == READ).mean() == near(0.3)
    assert (chunk.op == TRIM).mean() == near(0.1)
    assert (chunk.op == WRITE).mean() == near(0.6)
    assert (chunk.size_bytes == 4 * KIB).mean() == near(0.75)


@pytest.mark.parametrize(("read_share", "op"), [(0.0, WRITE), (1.0, READ)])
def test_extreme_shares_are_exact(read_share, op):
    assert (whole(drawn(read_share=read_share)).op == op).all()


def test_uniform_reaches_every_page_alike():
    pages = 100
    offsets = whole(drawn(pages * PAGE, size_kib=16)).offset_bytes
    counts = np.bincount(offsets // PAGE, minlength=pages)
    expected = COUNT / pages
    assert len(counts) == pages
    assert ((counts - expected) ** 2 / expected).sum() < 99 + 5 * np.sqrt(2 * 99)


def test_zipf_popularity_is_scattered_over_the_footprint():
    pages = 1000
    offsets = whole(drawn(pages * PAGE, size_kib=16, pattern="zipf", zipf_theta=1.0)).offset_bytes
    counts = np.bincount(offsets // PAGE, minlength=pages)
    weights = 1 / np.arange(1, pages + 1)
    for place in (0, 1, 9):
        assert np.sort(counts)[::-1][place] / COUNT == near(weights[place] / weights.sum())
    popular = np.argsort(counts)[::-1][:100]
    assert 300 < popular.mean() < 700


def test_hot_addresses_get_their_traffic():
    pages = 1000
    offsets = whole(drawn(pages * PAGE, size_kib=16, pattern="hot_cold", hot_share=0.1, hot_traffic=0.9)).offset_bytes
    assert (offsets < 100 * PAGE).mean() == near(0.9)
    assert (offsets < 50 * PAGE).mean() == near(0.45)


def test_sequential_goes_round():
    offsets = whole(drawn(10 * PAGE, requests=70_000, size_kib=16, pattern="sequential")).offset_bytes
    assert (offsets == np.arange(70_000) % 10 * PAGE).all()


def test_poisson_arrivals_have_their_rate_and_spread():
    arrival = whole(drawn(rate_iops=10_000.0)).arrival_ns
    gaps = np.diff(arrival)
    assert arrival[0] == 0
    assert gaps.min() >= 0
    assert gaps.mean() == pytest.approx(100_000, rel=5 / np.sqrt(COUNT))
    assert gaps.std() == pytest.approx(100_000, rel=0.02)


def test_constant_arrivals_do_not_drift():
    arrival = whole(drawn(rate_iops=3.0e6, arrival="constant")).arrival_ns
    exact = np.arange(COUNT) * 1000 / 3
    assert abs(arrival - exact).max() <= 0.501


BURSTY = {"arrival": "bursts", "rate_iops": 10_000.0, "burst_requests": 20.0, "burst_iops": 200_000.0}


def test_bursts_have_their_rate_and_spread():
    """Gaps are 1 / 200,000 s within a burst; those between make up for it; both are exponential."""
    gaps = np.diff(whole(drawn(**BURSTY)).arrival_ns) / 1e9
    within, between = 1 / 200_000, 20 / 10_000 - 19 / 200_000
    square = 2 * (19 * within**2 + between**2) / 20
    spread = square / 1e-4**2 - 1
    assert spread > 30
    assert gaps.min() >= 0
    assert gaps.mean() == pytest.approx(1e-4, rel=5 * np.sqrt(spread / COUNT))
    # The fourth moment of an exponential gap is 24 times the fourth power of its mean.
    fourth = 24 * (19 * within**4 + between**4) / 20
    assert (gaps**2).mean() == pytest.approx(square, rel=5 * np.sqrt((fourth / square**2 - 1) / COUNT))
    assert np.median(gaps) == pytest.approx(within * np.log(2 * 19 / 18), rel=0.03)


def test_counts_of_bursty_arrivals_are_dispersed():
    """Over long times the index of dispersion of a renewal process is the squared variation of its gaps."""
    arrival = whole(drawn(**BURSTY)).arrival_ns / 1e9
    spread = 2 * (19 / 200_000**2 + (20 / 10_000 - 19 / 200_000) ** 2) / 20 / 1e-4**2 - 1

    def dispersion(times):
        counts = np.histogram(times, np.arange(0, times[-1], 0.05))[0]
        return counts.var() / counts.mean()

    assert dispersion(arrival) == pytest.approx(spread, rel=5 * np.sqrt(2 / (arrival[-1] / 0.05)))
    assert dispersion(whole(drawn(rate_iops=10_000.0)).arrival_ns / 1e9) == pytest.approx(1, rel=0.4)


def test_bursts_of_one_request_are_a_poisson_process():
    gaps = np.diff(whole(drawn(**BURSTY | {"burst_requests": 1})).arrival_ns)
    assert gaps.mean() == pytest.approx(100_000, rel=5 / np.sqrt(COUNT))
    assert gaps.std() == pytest.approx(100_000, rel=0.02)


def test_bursts_do_not_depend_on_the_borders_of_chunks(monkeypatch):
    expected = whole(drawn(**BURSTY, requests=3000)).arrival_ns
    monkeypatch.setattr(synthetic, "CHUNK_ROWS", 7)
    workload = drawn(**BURSTY, requests=3000)
    assert abs(whole(workload).arrival_ns - expected).max() <= 1  # sums are rounded at other places
    assert (whole(workload).arrival_ns == whole(workload).arrival_ns).all()
    assert abs(whole(drawn(**BURSTY, requests=2000)).arrival_ns - expected[:2000]).max() <= 1


RESTING = {"arrival": "bursts", "queue_depth": 8, "burst_requests": 20.0, "idle_ms": 50.0}


def test_bursts_of_a_closed_loop_are_geometric_and_idle_times_exponential():
    """The time before a request is idle; a burst has k requests with the probability 1/20 (19/20)^(k-1)."""
    idle = whole(drawn(**RESTING)).arrival_ns / 1e6
    lengths = np.diff(np.flatnonzero(idle))
    idle = idle[idle > 0]
    assert len(idle) / COUNT == near(1 / 20)
    assert lengths.var() == pytest.approx(19 * 20, rel=0.1)
    assert (lengths == 1).mean() == near(1 / 20, len(lengths))
    assert (lengths > 40).mean() == near(0.95**40, len(lengths))
    assert idle.mean() == pytest.approx(50, rel=5 / np.sqrt(len(idle)))
    assert (idle > 100).mean() == near(np.exp(-2), len(idle))


def test_a_closed_loop_begins_with_a_burst_and_is_idle_between_bursts_alone():
    ones = whole(drawn(**RESTING | {"burst_requests": 1}, requests=100)).arrival_ns
    assert ones[0] == 0 and (ones[1:] > 0).all()
    assert (whole(drawn(queue_depth=8)).arrival_ns == 0).all()


def test_a_closed_loop_does_not_depend_on_the_borders_of_chunks(monkeypatch):
    expected = whole(drawn(**RESTING, requests=3000)).arrival_ns
    monkeypatch.setattr(synthetic, "CHUNK_ROWS", 7)
    assert (whole(drawn(**RESTING, requests=3000)).arrival_ns == expected).all()


def test_closed_loop_load_states_its_depth():
    assert drawn(queue_depth=7).queue_depth == 7
    assert drawn(rate_iops=5.0).queue_depth is None


def test_a_seed_fixes_everything_and_purposes_do_not_interfere():
    one, same, other = whole(drawn(seed=1)), whole(drawn(seed=1)), whole(drawn(seed=2))
    assert (one.offset_bytes == same.offset_bytes).all()
    assert (one.op == same.op).all()
    assert (one.offset_bytes != other.offset_bytes).any()
    mixed = whole(drawn(seed=1, read_share=0.9))
    assert (one.offset_bytes == mixed.offset_bytes).all()


def test_passes_are_equal():
    workload = drawn(pattern="zipf", requests=70_000)
    assert (whole(workload).offset_bytes == whole(workload).offset_bytes).all()


def test_the_report_is_json():
    report = json.loads(json.dumps(drawn(footprint=0.5).describe()))
    assert (report["kind"], report["requests"], report["footprint_bytes"]) == ("synthetic", COUNT, 1 << 29)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"size_kib": "big"}, r"workload\.size_kib=big: must be a size"),
        ({"size_kib": {}}, "must be a size"),
        ({"size_kib": [4, 8]}, "must be a size"),
        ({"size_kib": {4: 0}}, "must be a size"),
        ({"size_kib": 0.0001}, "must be a size"),
        ({"size_kib": float("nan")}, "must be a size"),
        ({"size_kib": 2 << 20}, r"at most the footprint, 1\.04858e\+06 KiB"),
        ({"align_kib": 0.3}, r"workload\.align_kib=0\.3: must be a whole number of bytes"),
        ({"pattern": "hot_cold", "hot_share": 1.0}, r"workload\.hot_share=1\.0: must be a share that leaves both"),
        ({"rate_iops": 1e-3}, r"workload\.rate_iops=0\.001: must be high enough"),
        ({**BURSTY, "burst_requests": 1e12}, r"workload\.rate_iops=10000\.0: must be high enough"),
        ({**BURSTY, "burst_iops": 10_000.0}, r"burst_iops=10000\.0: must be above workload\.rate_iops=10000"),
        ({**BURSTY, "burst_iops": None}, r"burst_iops=None: must be above workload\.rate_iops=10000"),
        ({**BURSTY, "burst_requests": None}, r"burst_requests=None: must be given"),
        ({**BURSTY, "burst_requests": 0.5}, r"burst_requests=0\.5: must be a number of at least 1"),
        ({"burst_iops": 5.0}, r"burst_iops=5\.0: must be null with workload\.arrival=poisson"),
        ({"arrival": "constant", "burst_requests": 5.0}, r"must be null with workload\.arrival=constant"),
        ({"idle_ms": 5.0}, r"workload\.idle_ms=5\.0: must be null with workload\.arrival=poisson"),
        ({**BURSTY, "idle_ms": 5.0}, r"idle_ms=5\.0: must be null with workload\.rate_iops=10000, which sets"),
        ({**RESTING, "burst_iops": 5.0}, r"burst_iops=5\.0: must be null with workload\.queue_depth=8"),
        ({**RESTING, "idle_ms": None}, r"idle_ms=None: must be given with .*queue_depth=8: the mean time between"),
        ({**RESTING, "idle_ms": 0}, r"workload\.idle_ms=0: must be a number above 0"),
        ({**RESTING, "idle_ms": 1e6}, r"workload\.idle_ms=1000000\.0: must be short enough .* under 50 days"),
        ({**RESTING, "burst_requests": None}, r"burst_requests=None: must be given with workload\.arrival=bursts"),
    ],
)
def test_what_cannot_work_is_refused(config, message):
    with pytest.raises(ConfigError, match=message):
        drawn(**config)


def test_a_workload_of_another_kind_is_refused():
    with pytest.raises(ConfigError, match="must be a TraceConfig, a SyntheticConfig, a FioConfig or a Gen"):
        open_workload({"requests": 5}, 1 << 30, PAGE, 1)


def test_an_alignment_that_leaves_one_place_for_all_requests_is_refused():
    """On 64 pages of 4 KiB, requests of 4 KiB: the second place is at 252 KiB at the latest."""

    def opened(size_kib, align_kib):
        config = SyntheticConfig(requests=9, queue_depth=1, size_kib=size_kib, align_kib=align_kib)
        return open_workload(config, 64 * 4 * KIB, 4 * KIB, 1)

    opened(4, 252)
    with pytest.raises(ConfigError, match=r"workload\.align_kib=253: must be at most 252, or all requests would start"):
        opened(4, 253)
    opened(256, 256)  # one request is all there is
