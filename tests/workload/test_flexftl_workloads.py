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
