"""Two streams in namespaces of a half each: their mean response times are MQSim's, whatever the fetch size."""

import random

import attrs
import pytest

from ssdsim.command.compose import composed
from ssdsim.config import HostConfig, NvmeConfig
from ssdsim.run.simulation import simulate
from ssdsim.testing import RequestList

PAGE = 8192
MQSIM_US = {1: (84_297, 84_572), 4: (31_496, 30_445), 16: (20_625, 20_514)}
"""By `Queue_Fetch_Size`, with four lanes of 8 GB/s. There the second half begins in the middle of a page, so that 4 KiB
were added to the offsets of its stream."""


@pytest.fixture(scope="module")
def reference():
    """The reference device under 300 writes of a page a stream, a microsecond apart."""
    loads = []
    for seed in (0, 1):
        draw = random.Random(seed)
        rows = [(1000 * number, "write", draw.randrange(100_000) * PAGE, PAGE) for number in range(300)]
        loads.append(RequestList(rows=rows))
    parts = ["hardware=reference_mqsim", "flash=mqsim", "precondition=none", "check=off", "workload=synthetic"]
    config = composed(parts)
    return attrs.evolve(config, workload=loads[0], workloads={"second": loads[1]})


@pytest.mark.parametrize("fetch_size", MQSIM_US)
def test_mean_response_times_are_mqsims(reference, fetch_size):
    nvme = NvmeConfig(fetch_size=fetch_size, queue_depth=65_535)
    halves = {"main": 0.5, "second": 0.5}
    host = HostConfig(interface="nvme", queue_depth=10**6, namespace_share=halves, nvme=nvme)
    streams = simulate(attrs.evolve(reference, host=host)).summary["streams"].values()
    means = [stream["write"]["response_us"]["mean"] for stream in streams]
    # its link takes a microsecond or so, and with a few writes under way it decides which is first at a die
    assert means == pytest.approx(MQSIM_US[fetch_size], rel=0.003 if fetch_size == 1 else 0.015)
