"""Synthetic workloads: what is drawn has the distribution that was asked for, within the device."""

import numpy as np
import pytest

from ssdsim.config import SyntheticConfig
from ssdsim.errors import ConfigError
from ssdsim.workload import open_workload, synthetic
from support.workloads import whole

KIB = 1024
PAGE = 16 * KIB
COUNT = 200_000


def drawn(capacity=1 << 30, page=PAGE, seed=5, **config):
    config = {"requests": COUNT, **config}
    if "rate_iops" not in config:
        config.setdefault("queue_depth", 16)
    return open_workload(SyntheticConfig(**config), capacity, page, seed)


def test_constant_arrivals_do_not_drift():
    arrival = whole(drawn(rate_iops=3.0e6, arrival="constant")).arrival_ns
    exact = np.arange(COUNT) * 1000 / 3
    assert abs(arrival - exact).max() <= 0.501


BURSTY = {"arrival": "bursts", "rate_iops": 10_000.0, "burst_requests": 20.0, "burst_iops": 200_000.0}


RESTING = {"arrival": "bursts", "queue_depth": 8, "burst_requests": 20.0, "idle_ms": 50.0}


LEVEL = {"share": 0.2, "traffic": 0.6, "length_s": 2.0}
LEVELS = {"arrival": "levels", "rate_iops": 1000.0, "levels": [LEVEL]}
BY_KIND = {"write_levels": [{"share": 0.05, "traffic": 1.0, "length_s": 0.1}], "write_batch_requests": 3.0}


@pytest.mark.parametrize("load", [BURSTY, RESTING, LEVELS | {"batch_requests": 1.5}, LEVELS | BY_KIND])
def test_nothing_depends_on_the_borders_of_chunks(monkeypatch, load):
    expected = whole(drawn(**load, requests=3000))
    monkeypatch.setattr(synthetic, "CHUNK_ROWS", 7)
    found = whole(drawn(**load, requests=3000))
    assert abs(found.arrival_ns - expected.arrival_ns).max() <= 1  # sums are rounded at other places
    assert (found.offset_bytes == expected.offset_bytes).all()


def test_a_seed_fixes_everything_and_purposes_do_not_interfere():
    one, same, other = whole(drawn(seed=1)), whole(drawn(seed=1)), whole(drawn(seed=2))
    assert (one.offset_bytes == same.offset_bytes).all()
    assert (one.op == same.op).all()
    assert (one.offset_bytes != other.offset_bytes).any()
    mixed = whole(drawn(seed=1, read_share=0.9))
    assert (one.offset_bytes == mixed.offset_bytes).all()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"size_kib": "big"}, r"workload\.size_kib=big: must be a size"),
        ({"align_kib": 0.3}, r"workload\.align_kib=0\.3: must be a whole number of bytes"),
        ({**BURSTY, "burst_iops": 10_000.0}, r"burst_iops=10000\.0: must be above workload\.rate_iops=10000"),
        ({**RESTING, "idle_ms": None}, r"idle_ms=None: must be given with .*queue_depth"),
    ],
)
def test_what_cannot_work_is_refused(config, message):
    with pytest.raises(ConfigError, match=message):
        drawn(**config)
