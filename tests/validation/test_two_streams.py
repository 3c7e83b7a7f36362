"""Two streams with halves of the reference device: their mean response times are MQSim's.

MQSim divides the capacity by sectors: its second half begins within a page, so that offsets there were moved a little.
"""

import random

import attrs
import pytest

from ssdsim.command.compose import composed
from ssdsim.config import HostConfig, IsolationConfig, NvmeConfig
from ssdsim.run.simulation import simulate
from ssdsim.testing import RequestList

PAGE = 8192


def served(loads, fetch_size, unit=None):
    """Return what the reference device says of each stream, which has a half of its addresses, and of `unit` if any."""
    config = composed(
        ["hardware=reference_mqsim", "flash=mqsim", "precondition=none", "check=off", "workload=synthetic"]
    )
    nvme = NvmeConfig(fetch_size=fetch_size, queue_depth=65_535)
    halves = {"main": 0.5, "second": 0.5}
    host = HostConfig(interface="nvme", queue_depth=10**6, namespace_share=halves, nvme=nvme)
    if unit:
        apart = {"plane_allocation": "by_stream_static", "isolation": IsolationConfig(unit=unit)}
        config = attrs.evolve(config, ftl=attrs.evolve(config.ftl, **apart))
    main, second = (RequestList(rows=rows) for rows in loads)
    return simulate(attrs.evolve(config, host=host, workload=main, workloads={"second": second})).summary["streams"]


def writes(seed):
    """Return 300 writes of a page, a microsecond apart."""
    draw = random.Random(seed)
    return [(1000 * number, "write", draw.randrange(100_000) * PAGE, PAGE) for number in range(300)]


FETCHED_US = {1: (84_297, 84_572), 4: (31_496, 30_445), 16: (20_625, 20_514)}
"""By `Queue_Fetch_Size`, with four lanes of 8 GB/s."""


@pytest.mark.parametrize("fetch_size", FETCHED_US)
def test_whatever_the_fetch_size(fetch_size):
    streams = served(map(writes, (0, 1)), fetch_size).values()
    means = [stream["write"]["response_us"]["mean"] for stream in streams]
    # its link takes a microsecond or so, and with a few writes under way it decides which is first at a die
    assert means == pytest.approx(FETCHED_US[fetch_size], rel=0.003 if fetch_size == 1 else 0.015)


def mixed(seed, behind_ns):
    """Return 300 requests of a page, each of 100 pages written first, then 70 percent reads."""
    draw = random.Random(seed)
    rows = []
    for number in range(300):
        is_write, page = draw.random() < 0.3, draw.randrange(100)
        op, page = ("write", number) if number < 100 else ("write" if is_write else "read", page)
        rows.append((100_000 * number + behind_ns, op, page * PAGE, PAGE))
    return rows


APART_US = {"channel": (1122, 1120), "chip": (1114, 1133), None: (1157, 1325)}
"""By what the streams have for themselves; rounded down, with a link that takes no time."""


@pytest.mark.parametrize("unit", APART_US)
def test_whatever_they_have_for_themselves(unit):
    means = []
    for stream in served([mixed(0, 0), mixed(1, 3001)], 512, unit).values():
        times = [(stream[op]["count"], stream[op]["response_us"]["mean"]) for op in ("read", "write")]
        means.append(sum(count * mean for count, mean in times) / 300)
    assert tuple(map(int, means)) == APART_US[unit]
