"""Players of recorded windows that pages of the documentation hold."""

from collections.abc import Callable

from ssdsim import Simulation, preset
from ssdsim.report.player import record

SMALL = {
    "hardware.channels": 2,
    "hardware.chips_per_channel": 1,
    "hardware.dies_per_chip": 1,
    "hardware.blocks_per_plane": 24,
    "hardware.pages_per_block": 24,
    "hardware.over_provisioning": 0.5,
    "workload": "synthetic",
    "workload.requests": 4000,
    "workload.read_share": 0.3,
    "workload.queue_depth": 8,
}
"""A device whose collections are short."""


def collection() -> str:
    """Return the page of a window in which blocks are collected from start to end."""
    simulation = Simulation(preset("pa_ssd", precondition="none", **SMALL))
    for _ in range(4):
        simulation.run_until("block_erased")
    return record(simulation, 300).html("Collections in a small SSD")


PLAYERS: dict[str, Callable[[], str]] = {"collection": collection}
"""The players by name; each function returns a page of HTML."""
