"""What the translation layers are put under: the five workloads of Table 1, as long as it takes to erase every block.

The workloads are the presets of those names, synthetic ones; each says in its file what it is made of. Bursts, idle
times and write buffer are the same at any scale: a smaller device has a smaller quota of LSB pages for the same bursts.
"""

from collections.abc import Mapping
from math import ceil

import attrs

from ssdsim.command.compose import composed
from ssdsim.config import SimulationConfig
from ssdsim.workload import open_workload

from ...study.measures import device_pages
from .systems import Device

NAMES = ["OLTP", "NTRX", "Webserver", "Varmail", "Fileserver"]  # Table 1, in its order
INTENSIVE = ("OLTP", "NTRX")  # little idle times between requests (4.1): flexFTL has about the IOPS of pageFTL
NOT_ABOVE_PAGE_FTL = "Webserver"  # under all others flexFTL has more IOPS than pageFTL
MOST_EFFECTIVE = ("Varmail", "Fileserver")  # under these flexFTL gains most

NS_PER_S = 10**9


@attrs.frozen
class Load:
    """A workload for a device: its overrides, the pages it writes, and how long it has the host idle between bursts."""

    device: Device
    overrides: list[str]
    pages: int
    idle_s: float

    def on(self, system: str) -> list[str]:
        """Return the overrides of a run."""
        return [*self.device.overrides(system), *self.overrides]


def load(name: str, device: Device, volume: float, *changes: str) -> Load:
    """Return the workload, with `changes`, until it has written `volume` times the pages of `device`."""
    chosen = [f"workload={name.lower()}", "workload.footprint=1", *changes]
    config = composed([*device.overrides(), *chosen])
    pages = round(volume * device_pages(config.hardware))
    requests = max(round(pages / pages_a_write(config) / (1 - config.workload.read_share)), 1)
    whole = [*chosen, f"workload.requests={requests}"]
    return Load(device, whole, pages, idle_s(composed([*device.overrides(), *whole])))


def pages_a_write(config: SimulationConfig) -> float:
    """Return the pages of a mean write, which starts with a page."""
    given = config.workload.size_kib
    sizes = given if isinstance(given, Mapping) else {given: 1}
    page_kib = config.hardware.page_kib
    return sum(ceil(float(size) / page_kib) * weight for size, weight in sizes.items()) / sum(sizes.values())


def idle_s(config: SimulationConfig) -> float:
    """Return for how long a closed-loop workload has no request under way: the same for any device that serves it."""
    hardware = config.hardware
    made = open_workload(config.workload, hardware.capacity_bytes, hardware.page_bytes, config.seed)
    return sum(int(chunk.arrival_ns.sum()) for chunk in made.chunks()) / NS_PER_S
