"""Random reads behind SATA and behind NVMe, as short runs have it."""

from typing import Any

from ssdsim import HardwareConfig, HostConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate

from .canvas import Canvas
from .link import preset

DEPTHS = (1, 4, 16, 32, 64, 256)
THOUSAND_READS_S = (20, 60, 100, 130, 160, 250, 400)
DRIVES = {
    "SATA: 32 commands, 6 Gb/s": ("sata", "sata_6g", "o-", "#d9784a"),
    "NVMe, PCIe 3.0 x4": ("nvme", "pcie3_x4", "s-", "#4a90d9"),
    "32 commands, PCIe 3.0 x4": ("sata", "pcie3_x4", "^--", "#888888"),
}


def summary(interface: str, link: str, **load: float) -> dict[str, Any]:
    """Return the summary of random reads of 4 KiB."""
    config = SimulationConfig(
        hardware=HardwareConfig(channels=8, chips_per_channel=4, blocks_per_plane=32, pages_per_block=48),
        host=HostConfig(interface=interface, queue_depth=max(DEPTHS)),
        link=preset(link),
        precondition=PreconditionConfig(mode="fill", valid_reads=True),
        workload=SyntheticConfig(requests=2000, read_share=1, size_kib=4, **load),
    )
    return simulate(config).summary


def command_queue() -> str:
    """Return the picture: bandwidth over the depth, and the 99th percentile over the rate; a line for each drive."""
    canvas = Canvas(100, 38)
    bandwidth, tail = (canvas.figure.add_axes((left, 0.16, 0.4, 0.8), facecolor="#ffffff") for left in (0.09, 0.58))
    for told, (interface, link, style, colour) in DRIVES.items():
        by_depth = [summary(interface, link, queue_depth=depth) for depth in DEPTHS]
        bandwidth.plot(DEPTHS, [run["bandwidth_mib_s"] for run in by_depth], style, color=colour, label=told)
        by_rate = [summary(interface, link, rate_iops=1000.0 * rate) for rate in THOUSAND_READS_S]
        p99_us = [run["requests"]["read"]["response_us"]["p99"] for run in by_rate]
        tail.plot(THOUSAND_READS_S, p99_us, style, color=colour)
    bandwidth.set(xscale="log", xlabel="Requests that the host has outstanding", ylabel="Bandwidth, MiB/s")
    bandwidth.set_xticks(DEPTHS, [str(depth) for depth in DEPTHS])
    bandwidth.minorticks_off()
    bandwidth.legend(fontsize=8)
    tail.set(yscale="log", xlabel="Thousand reads a second", ylabel="99th percentile, µs")
    return canvas.svg()
