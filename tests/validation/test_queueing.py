"""The timed device as a queueing system: M/D/1, Little's law, the utilization law."""

import numpy as np
import pytest

from ssdsim import HardwareConfig, HostConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate
from support.closed_forms import md1_mean_wait, md1_wait_std

READ_US, TRANSFER_US = 60.0, 40.96
SERVICE_US = READ_US + TRANSFER_US
"""A read holds its die until its data is out; with one die the bus is always free for it."""

BATCHES = 40
T_99 = 2.708
"""Two-sided 99 percent quantile of Student's t with BATCHES - 1 degrees of freedom."""


def single_die(load, requests, seed):
    """Return a configuration of one die under Poisson reads of pages that hold data."""
    geometry = dict.fromkeys(["channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "bits_per_cell"], 1)
    return SimulationConfig(
        seed=seed,
        record=["requests"],
        hardware=HardwareConfig(
            **geometry,
            blocks_per_plane=64,
            pages_per_block=64,
            page_kib=4,
            read_us=[READ_US],
            program_us=[500.0],
            bus_ns_per_byte=10,
            read_command_us=0,
            over_provisioning=0.2,
        ),
        host=HostConfig(queue_depth=100_000),
        precondition=PreconditionConfig(mode="fill", fill_share=0.9, valid_reads=True),
        workload=SyntheticConfig(requests=requests, read_share=1, size_kib=4, rate_iops=load / SERVICE_US * 1e6),
    )


def interval(samples):
    """Return mean and half width of its 99 percent confidence interval, by batch means."""
    batches = samples.reshape(BATCHES, -1).mean(axis=1)
    return batches.mean(), T_99 * batches.std(ddof=1) / BATCHES**0.5


@pytest.fixture(scope="module", params=[0.3, 0.8])
def load(request):
    return request.param


@pytest.fixture(scope="module")
def open_loop(load):
    return simulate(single_die(load, requests=10_000 * BATCHES, seed=3))


@pytest.fixture(scope="module")
def wait_us(open_loop):
    return open_loop.requests["response_ns"].to_numpy() / 1000 - SERVICE_US


def test_md1_mean_wait(load, wait_us):
    mean, half_width = interval(wait_us)
    theory = md1_mean_wait(load, SERVICE_US)
    assert half_width < 0.04 * theory, "too wide to prove anything"
    assert abs(mean - theory) < half_width


def test_md1_spread_of_the_wait(load, wait_us):
    assert wait_us.std() == pytest.approx(md1_wait_std(load, SERVICE_US), rel=0.05)


def test_md1_parts_of_the_response_time(open_loop, wait_us):
    response = open_loop.summary["requests"]["read"]["response_us"]
    assert response["array"] == pytest.approx(READ_US)
    assert response["bus"] == pytest.approx(TRANSFER_US)
    assert response["queue"] == pytest.approx(wait_us.mean())
    assert response["gc"] == 0


def test_md1_utilization_of_the_die(load, open_loop):
    assert open_loop.summary["utilization"]["die"] == pytest.approx([load], rel=0.01)


DEPTH = 24
HARDWARE = HardwareConfig(
    channels=2,
    chips_per_channel=2,
    dies_per_chip=1,
    planes_per_die=2,
    blocks_per_plane=64,
    pages_per_block=48,
    bits_per_cell=3,
    page_kib=8,
    over_provisioning=0.2,
    bus_ns_per_byte=4,
    read_us=[50.0, 60.0, 70.0],
    program_us=[300.0, 500.0, 900.0],
    erase_us=3000.0,
    read_command_us=1,
    program_command_us=2,
    erase_command_us=3,
)


@pytest.fixture(scope="module")
def closed_loop():
    """Random reads and writes with garbage collection at work."""
    return simulate(
        SimulationConfig(
            record=["requests"],
            hardware=HARDWARE,
            host=HostConfig(queue_depth=64),
            precondition=PreconditionConfig(mode="writes", fill_share=1.0),
            workload=SyntheticConfig(requests=60_000, read_share=0.4, size_kib=8, queue_depth=DEPTH),
        )
    )


def test_little(closed_loop):
    summary = closed_loop.summary
    mean_us = sum(
        summary["requests"][op]["response_us"]["mean"] * summary["requests"][op]["count"] for op in ("read", "write")
    ) / (summary["requests"]["read"]["count"] + summary["requests"]["write"]["count"])
    admitting_s = np.ptp(closed_loop.requests["arrival_ns"].to_numpy()) / 1e9  # after that they drain
    admitting = admitting_s / summary["simulated_s"]
    assert 0.98 < admitting < 1
    assert DEPTH * admitting <= summary["iops"] * mean_us / 1e6 <= DEPTH * (1 + 1e-9)


def test_bus_utilization(closed_loop):
    flash, h = closed_loop.summary["flash"], HARDWARE
    transfer = h.page_bytes * h.bus_ns_per_byte / 1000
    busy_us = (
        sum(flash["reads"].values()) * (h.read_command_us + transfer)
        + sum(flash["programs"].values()) * (h.program_command_us + transfer)
        + sum(flash["erases"].values()) * h.erase_command_us
    )
    assert flash["erases"]["gc"] > 100
    channels = closed_loop.summary["utilization"]["channel"]
    assert sum(channels) * closed_loop.summary["simulated_s"] == pytest.approx(busy_us / 1e6, rel=1e-3)


def test_array_utilization(closed_loop):
    """Pages of each type are programmed equally often, as blocks are filled; reads are spread evenly over them."""
    flash, h = closed_loop.summary["flash"], HARDWARE
    busy_us = (
        sum(flash["reads"].values()) * np.mean(h.read_us)
        + sum(flash["programs"].values()) * np.mean(h.program_us)
        + sum(flash["erases"].values()) * h.erase_us
    )
    planes = closed_loop.summary["utilization"]["plane"]
    assert sum(planes) * closed_loop.summary["simulated_s"] == pytest.approx(busy_us / 1e6, rel=5e-3)
