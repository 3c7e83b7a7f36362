"""The five workloads of the flexFTL paper: the shares of Table 1, and bursts with idle times to collect in."""

import numpy as np
import pytest

from ssdsim.workload import READ, WRITE, open_workload
from support.tiny_stacks import configured
from support.workloads import whole

PAGE = 4096
CAPACITY = 16 << 30
MIXED_PROGRAMS_PER_S = 32 / ((500e-6 + 2000e-6) / 2)
"""Page programs of the paper's device, as many of the fast as of the slow pages."""
SLOW_PROGRAMS_PER_S = 32 / 2000e-6
BUFFER_PAGES = 4 * 2**20 // PAGE

READS_TO_WRITES = {"oltp": (7, 3), "ntrx": (3, 7), "webserver": (4, 1), "varmail": (1, 1), "fileserver": (1, 2)}
BURSTY = ["webserver", "varmail", "fileserver"]


def opened(name, *overrides):
    config = configured(f"workload={name}", *overrides)
    return open_workload(config.workload, CAPACITY, PAGE, seed=7)


@pytest.mark.parametrize("name", READS_TO_WRITES)
def test_reads_and_writes_have_the_shares_of_table_1(name):
    reads, writes = READS_TO_WRITES[name]
    workload = opened(name)
    chunk = whole(workload)
    assert len(chunk) == workload.requests == 100_000
    assert set(chunk.op.tolist()) == {READ, WRITE}
    assert (chunk.op == READ).mean() == pytest.approx(reads / (reads + writes), abs=0.008)


@pytest.mark.parametrize("name", BURSTY)
def test_bursts_overrun_the_buffer_and_the_chips(name):
    """A burst writes at least twice a buffer of 4 MiB in the mean, and chips need over 100 ms for it."""
    chunk = whole(opened(name, "workload.requests=1000000"))
    bursts = 1 + np.count_nonzero(chunk.arrival_ns)
    pages = chunk.size_bytes[chunk.op == WRITE].sum() / PAGE / bursts
    assert pages > 2 * BUFFER_PAGES
    assert pages / MIXED_PROGRAMS_PER_S > 0.1


def test_a_fair_amount_of_idle_time_gives_back_the_quota_of_a_burst_and_a_large_one_is_twice_that():
    """Each LSB page of a burst takes one of the quota, and each MSB page that collection moves one to gives it back."""
    given = {name: configured(f"workload={name}").workload for name in BURSTY}
    for name in ("varmail", "fileserver"):
        chunk, load = whole(opened(name)), given[name]
        written = chunk.size_bytes[chunk.op == WRITE].sum() / PAGE / len(chunk) * load.burst_requests
        assert load.idle_ms / 1000 * SLOW_PROGRAMS_PER_S == pytest.approx(written, rel=0.02)
    longest = max(given[name].idle_ms for name in ("varmail", "fileserver"))
    assert given["webserver"].idle_ms == pytest.approx(2 * longest, rel=0.01)
