"""Sequential bandwidth is that of the buses or that of the arrays, whichever is smaller."""

import numpy as np
import pytest

from ssdsim import HardwareConfig, HostConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate

SIZE_KIB = 64


def back_end(channels, dies, bus_ns_per_byte, read_us, program_us):
    """Return a back end with `dies` dies on each channel, in chips of two if there is more than one."""
    per_chip = min(dies, 2)
    return HardwareConfig(
        channels=channels,
        chips_per_channel=dies // per_chip,
        dies_per_chip=per_chip,
        planes_per_die=2,
        blocks_per_plane=64,
        pages_per_block=192,
        page_kib=16,
        bits_per_cell=len(program_us),
        bus_ns_per_byte=bus_ns_per_byte,
        read_us=read_us,
        program_us=program_us,
        over_provisioning=0.1,
        read_command_us=0.2,
        program_command_us=0.2,
    )


SLOW_BUS = back_end(channels=4, dies=8, bus_ns_per_byte=3, read_us=[60], program_us=[200])
FAST_CELLS = back_end(channels=1, dies=4, bus_ns_per_byte=5, read_us=[20], program_us=[90])
ONE_DIE = back_end(channels=4, dies=1, bus_ns_per_byte=1, read_us=[60], program_us=[400])
FOUR_DIES = back_end(channels=2, dies=4, bus_ns_per_byte=1, read_us=[90], program_us=[400])
TLC = back_end(channels=4, dies=2, bus_ns_per_byte=1, read_us=[60], program_us=[500, 2000, 5500])


def bounds(hardware, command_us, array_us):
    """Return bytes per second over the buses, and through the dies, each of which is busy from command to end."""
    bus_s = command_us / 1e6 + hardware.page_bytes * hardware.bus_ns_per_byte / 1e9
    array_s = np.mean(array_us) / 1e6
    pages_per_s = hardware.channels / bus_s, hardware.dies / (bus_s + array_s)
    return [rate * hardware.page_bytes for rate in pages_per_s]


def steady_bandwidth(hardware, read_share, precondition):
    """Return bytes per second between the first and the last fifth of the completions of one sequential pass."""
    requests = min(20_000, hardware.capacity_bytes // (SIZE_KIB << 10))
    load = SyntheticConfig(
        requests=requests, read_share=read_share, pattern="sequential", size_kib=SIZE_KIB, queue_depth=128
    )
    config = SimulationConfig(
        record=["requests"],
        hardware=hardware,
        host=HostConfig(queue_depth=128),
        precondition=precondition,
        workload=load,
    )
    result = simulate(config)
    assert result.summary["gc"]["collections"] == 0
    done = np.sort(result.requests["arrival_ns"].to_numpy() + result.requests["response_ns"].to_numpy())
    first, last = requests // 5, requests - requests // 5
    return (last - first) * (SIZE_KIB << 10) / (done[last] - done[first]) * 1e9


@pytest.mark.parametrize(
    ("hardware", "limit"),
    [(SLOW_BUS, "bus"), (FAST_CELLS, "bus"), (ONE_DIE, "array"), (FOUR_DIES, "array")],
)
def test_sequential_reads(hardware, limit):
    bus, array = bounds(hardware, hardware.read_command_us, hardware.read_us)
    assert (bus < array) == (limit == "bus")
    filled = PreconditionConfig(mode="fill", fill_share=0.95)
    assert steady_bandwidth(hardware, 1, filled) == pytest.approx(min(bus, array), rel=0.01)


@pytest.mark.parametrize(
    ("hardware", "limit"), [(SLOW_BUS, "bus"), (FAST_CELLS, "bus"), (FOUR_DIES, "array"), (TLC, "array")]
)
def test_sequential_writes(hardware, limit):
    bus, array = bounds(hardware, hardware.program_command_us, hardware.program_us)
    assert (bus < array) == (limit == "bus")
    assert steady_bandwidth(hardware, 0, PreconditionConfig(mode="none")) == pytest.approx(min(bus, array), rel=0.01)
