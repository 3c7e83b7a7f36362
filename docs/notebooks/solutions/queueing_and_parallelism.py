"""Solutions of 02_queueing_and_parallelism."""

import tempfile
from pathlib import Path

import numpy as np
from attrs import evolve

from ssdsim import (
    FlashConfig,
    HardwareConfig,
    HostConfig,
    PreconditionConfig,
    Result,
    SimulationConfig,
    SyntheticConfig,
    TraceConfig,
    simulate,
)

COMMAND_US, READ_US, PAGE_BYTES = 0.2, 50, 4096
BUS_US = COMMAND_US + PAGE_BYTES * 2.5 / 1000
SERVICE_US = BUS_US + READ_US


def device(channels: int = 1, dies: int = 1, planes: int = 1) -> HardwareConfig:
    """Return the notebook's device."""
    return HardwareConfig(
        channels=channels,
        chips_per_channel=dies,
        dies_per_chip=1,
        planes_per_die=planes,
        blocks_per_plane=32,
        pages_per_block=32,
        bits_per_cell=1,
        read_us=[READ_US],
        program_us=[400],
        over_provisioning=0.3,
    )


def reads(hardware: HardwareConfig, requests: int, **workload: float) -> Result:
    """Return the result of random single-page reads."""
    config = SimulationConfig(
        hardware=hardware,
        host=HostConfig(queue_depth=100_000),
        precondition=PreconditionConfig(mode="fill", fill_share=0.9, valid_reads=True),
        workload=SyntheticConfig(requests=requests, read_share=1, size_kib=4, **workload),
        record=["requests"],
    )
    return simulate(config)


def wait_us(load: float, service_us: float) -> float:
    """Return the mean wait in M/D/1."""
    return load * service_us / (2 * (1 - load))


def four_pages_us(hardware: HardwareConfig, *multi_plane: str) -> float:
    """Return how long a read of four consecutive pages takes that were written together."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.csv"
        trace.write_text("arrival_ns,op,offset_bytes,size_bytes\n0,write,0,16384\n10000000,read,0,16384\n")
        config = SimulationConfig(
            hardware=hardware,
            flash=FlashConfig(multi_plane=list(multi_plane)),
            precondition=PreconditionConfig(mode="none"),
            workload=TraceConfig(path=str(trace)),
        )
        return float(simulate(config).summary["requests"]["read"]["response_us"]["max"])


def exercise_1() -> None:
    """60.44, 91.16, 241.76 and 91.76 us.

    On four channels all four reads run side by side. On one channel the arrays do, but the data of four pages crosses
    one bus: 0.2 + 50 + 4 x 10.24 us, as the commands of the others are sent while the first array works. Planes without
    multi-plane reads take turns: 4 x 60.44 us. In one multi-plane read the bus takes all four commands before the array
    starts, and all data after it: 4 x 0.2 + 50 + 4 x 10.24 us.
    """
    data = BUS_US - COMMAND_US
    assert np.isclose(four_pages_us(device(channels=4)), SERVICE_US)
    assert np.isclose(four_pages_us(device(dies=4)), COMMAND_US + READ_US + 4 * data)
    assert np.isclose(four_pages_us(device(planes=4)), 4 * SERVICE_US)
    together = four_pages_us(device(planes=4), "read", "program")
    assert np.isclose(together, 4 * COMMAND_US + READ_US + 4 * data)


def exercise_2() -> None:
    """By the bounds, (5.32 + 50) / 5.32 = 10.4 dies.

    With half and with twice as many dies the device all but reaches the lower bound; with 10 dies, where the bounds
    nearly meet, about a tenth is missing: bus and dies wait for each other.
    """
    bus = COMMAND_US + PAGE_BYTES * 1.25 / 1000
    enough = (bus + READ_US) / bus
    assert round(enough, 1) == 10.4
    reached = {}
    for dies in (5, 10, 21):
        result = reads(evolve(device(dies=dies), bus_ns_per_byte=1.25), 20_000, queue_depth=64)
        bound = min(dies / (bus + READ_US), 1 / bus) * 1e6
        reached[dies] = result.summary["iops"] / bound
    assert 0.85 < reached[10] < 0.95 < min(reached[5], reached[21]) <= max(reached.values()) <= 1


def exercise_3() -> None:
    """Both ways give the same, and theory expects 0.6 + 0.6^2 / (2 x 0.4) = 1.05.

    That is the mean number in service (the load) and the mean number that waits (the rate times the mean wait). The
    average over time is the sum of all response times, during each of which one request more is there, divided by the
    length of the run. So Little's law is no more than two ways of adding up the same area.
    """
    load = 0.6
    result = reads(device(), 60_000, rate_iops=load / SERVICE_US * 1e6)
    summary, requests = result.summary, result.requests
    by_law = summary["iops"] * summary["requests"]["read"]["response_us"]["mean"] / 1e6

    arrivals = requests["arrival_ns"].to_numpy()
    ends = arrivals + requests["response_ns"].to_numpy()
    times = np.concatenate([arrivals, ends])
    order = np.argsort(times, kind="stable")
    inside = np.cumsum(np.concatenate([np.ones(len(arrivals)), -np.ones(len(ends))])[order])
    over_time = np.sum(inside[:-1] * np.diff(times[order])) / (ends.max() - arrivals.min())

    assert np.isclose(by_law, over_time, rtol=1e-3)
    assert abs(over_time - (load + load**2 / (2 * (1 - load)))) < 0.05


def exercise_4() -> None:
    """One fast die: 52.9 us in the mean against 105.8 us.

    Either way the load is 0.6, and wait and service are both proportional to the service time, which is half as long.
    Two slow dies give the same throughput, but one may be idle while requests wait for the other.
    """
    rate = 1.2 / SERVICE_US * 1e6
    slow = reads(device(channels=2), 60_000, rate_iops=rate)
    halves = {"read_us": [READ_US / 2], "read_command_us": COMMAND_US / 2, "bus_ns_per_byte": 1.25}
    fast = reads(evolve(device(), **halves), 60_000, rate_iops=rate)
    expected = SERVICE_US + wait_us(0.6, SERVICE_US)
    means = [each.summary["requests"]["read"]["response_us"]["mean"] for each in (slow, fast)]
    assert np.allclose(means, [expected, expected / 2], rtol=0.03)
