"""Two streams with halves of the reference device for themselves: their mean response times are MQSim's."""

import random

import attrs
import pytest

from ssdsim.command.compose import composed
from ssdsim.config import HostConfig, IsolationConfig, NvmeConfig
from ssdsim.run.simulation import simulate
from ssdsim.testing import RequestList

PAGE = 8192
MQSIM_US = {"channel": (1122, 1120), "chip": (1114, 1133)}
"""By what the streams have for themselves; rounded down, with a link that takes no time. As MQSim divides the capacity
by sectors, 2 KiB were added to the offsets of its second stream."""
SHARED_US = (1157, 1325)


def load(seed, behind_ns):
    """Return 300 requests of a page, each of 100 pages written first, then 70 percent reads."""
    draw = random.Random(seed)
    rows = []
    for number in range(300):
        is_write, page = draw.random() < 0.3, draw.randrange(100)
        op, page = ("write", number) if number < 100 else ("write" if is_write else "read", page)
        rows.append((100_000 * number + behind_ns, op, page * PAGE, PAGE))
    return RequestList(rows=rows)


@pytest.mark.parametrize("unit", ["channel", "chip", None])
def test_mean_response_times_are_mqsims(unit):
    parts = ["hardware=reference_mqsim", "flash=mqsim", "precondition=none", "check=off", "workload=synthetic"]
    config = composed(parts)
    halves = {"main": 0.5, "second": 0.5}
    nvme = NvmeConfig(fetch_size=512, queue_depth=65_535)
    host = HostConfig(interface="nvme", queue_depth=10**6, namespace_share=halves, nvme=nvme)
    ftl = attrs.evolve(
        config.ftl, plane_allocation="by_stream_static", isolation=IsolationConfig(unit=unit or "channel")
    )
    ftl = ftl if unit else config.ftl
    config = attrs.evolve(config, host=host, ftl=ftl, workload=load(0, 0), workloads={"second": load(1, 3001)})
    means = []
    for stream in simulate(config).summary["streams"].values():
        times = [(stream[op]["count"], stream[op]["response_us"]["mean"]) for op in ("read", "write")]
        means.append(sum(count * mean for count, mean in times) / 300)
    assert tuple(map(int, means)) == MQSIM_US.get(unit, SHARED_US)
