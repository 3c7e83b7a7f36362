"""Synthetic workloads: what is drawn has the distribution that was asked for, within the device."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim.config import SyntheticConfig
from ssdsim.errors import ConfigError
from ssdsim.workload import READ, WRITE, open_workload, synthetic
from support.workloads import whole

KIB = 1024
PAGE = 16 * KIB
COUNT = 200_000


def drawn(capacity=1 << 30, page=PAGE, seed=5, **config):
    config = {"requests": COUNT, **config}
    if "rate_iops" not in config:
        config.setdefault("queue_depth", 16)
    return open_workload(SyntheticConfig(**config), capacity, page, seed)


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


@pytest.mark.parametrize(("read_share", "op"), [(0.0, WRITE), (1.0, READ)])
def test_extreme_shares_are_exact(read_share, op):
    assert (whole(drawn(read_share=read_share)).op == op).all()


def test_constant_arrivals_do_not_drift():
    arrival = whole(drawn(rate_iops=3.0e6, arrival="constant")).arrival_ns
    exact = np.arange(COUNT) * 1000 / 3
    assert abs(arrival - exact).max() <= 0.501


BURSTY = {"arrival": "bursts", "rate_iops": 10_000.0, "burst_requests": 20.0, "burst_iops": 200_000.0}


RESTING = {"arrival": "bursts", "queue_depth": 8, "burst_requests": 20.0, "idle_ms": 50.0}


@pytest.mark.parametrize("load", [BURSTY, RESTING])
def test_bursts_do_not_depend_on_the_borders_of_chunks(monkeypatch, load):
    expected = whole(drawn(**load, requests=3000)).arrival_ns
    monkeypatch.setattr(synthetic, "CHUNK_ROWS", 7)
    workload = drawn(**load, requests=3000)
    assert abs(whole(workload).arrival_ns - expected).max() <= 1  # sums are rounded at other places
    assert (whole(workload).arrival_ns == whole(workload).arrival_ns).all()


def test_a_closed_loop_begins_with_a_burst_and_is_idle_between_bursts_alone():
    ones = whole(drawn(**RESTING | {"burst_requests": 1}, requests=100)).arrival_ns
    assert ones[0] == 0 and (ones[1:] > 0).all()
    assert (whole(drawn(queue_depth=8)).arrival_ns == 0).all()


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
        ({**BURSTY, "burst_iops": 10_000.0}, r"burst_iops=10000\.0: must be above workload\.rate_iops=10000"),
        ({**BURSTY, "burst_iops": None}, r"burst_iops=None: must be above workload\.rate_iops=10000"),
        ({**BURSTY, "burst_requests": None}, r"burst_requests=None: must be given"),
        ({**BURSTY, "burst_requests": 0.5}, r"burst_requests=0\.5: must be a number, 1 to"),
        ({**RESTING, "idle_ms": None}, r"idle_ms=None: must be given with .*queue_depth"),
        ({**RESTING, "idle_ms": 0}, r"workload\.idle_ms=0\.0: must be a number, 1e-9 to"),
        ({**RESTING, "burst_requests": None}, r"burst_requests=None: must be given with workload\.arrival=bursts"),
    ],
)
def test_what_cannot_work_is_refused(config, message):
    with pytest.raises(ConfigError, match=message):
        drawn(**config)


def test_a_workload_of_another_kind_is_refused():
    with pytest.raises(ConfigError, match="must be a TraceConfig, a SyntheticConfig, a FioConfig or a Gen"):
        open_workload({"requests": 5}, 1 << 30, PAGE, 1)
