"""The five workloads of the flexFTL paper: the shares of Table 1, and bursts with idle times to collect in."""

import pytest

from ssdsim.workload import READ, WRITE, open_workload
from support.tiny_stacks import configured
from support.workloads import whole

PAGE = 4096
CAPACITY = 16 << 30

READS_TO_WRITES = {"oltp": (7, 3), "ntrx": (3, 7), "webserver": (4, 1), "varmail": (1, 1), "fileserver": (1, 2)}


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
