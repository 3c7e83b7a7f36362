"""What the bandwidth of the DRAM leaves a device of: simulated as the site is built."""

from ssdsim import HardwareConfig, SimulationConfig, SyntheticConfig, simulate
from ssdsim.config import BufferConfig, DramConfig

from .canvas import Canvas

BANDWIDTHS_MIB_S = (100, 200, 400, 800, 1600, 3200)
REQUESTS = 2000


def mib_s(dram_mib_s: float) -> float:
    """Return the MiB that the host writes a second to a device with such a DRAM, 32 KiB at a time."""
    config = SimulationConfig(
        hardware=HardwareConfig(channels=8, blocks_per_plane=64, program_us=[100.0]),
        buffer=BufferConfig(replacement="lru", size_mib=1.0, write_back="at_once"),
        dram=DramConfig(bandwidth_mib_s=dram_mib_s),
        workload=SyntheticConfig(requests=REQUESTS, read_share=0, size_kib=32, queue_depth=16),
    )
    return float(simulate(config).summary["bandwidth_mib_s"])


def dram() -> str:
    """Return the picture: what the host writes by what the DRAM moves, and half of that."""
    canvas = Canvas(75, 36)
    axes = canvas.figure.add_axes((0.13, 0.16, 0.84, 0.8), facecolor="#ffffff")
    axes.plot(BANDWIDTHS_MIB_S, [bandwidth / 2 for bandwidth in BANDWIDTHS_MIB_S], "--", color="#999999", label="half")
    written = [mib_s(bandwidth) for bandwidth in BANDWIDTHS_MIB_S]
    axes.plot(BANDWIDTHS_MIB_S, written, "o-", color="#4a90d9", label="written")
    axes.set(xscale="log", xlabel="Bandwidth of the DRAM, MiB/s", ylabel="Written by the host, MiB/s")
    axes.set_ylim(0, 1.3 * max(written))
    axes.set_xticks(BANDWIDTHS_MIB_S, [str(bandwidth) for bandwidth in BANDWIDTHS_MIB_S])
    axes.minorticks_off()
    axes.legend(fontsize=8)
    return canvas.svg()
