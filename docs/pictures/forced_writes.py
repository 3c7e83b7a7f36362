"""What writes with FUA take beside others of a write buffer: simulated as the site is built."""

from ssdsim import HardwareConfig, SimulationConfig, SyntheticConfig, simulate
from ssdsim.config import BufferConfig

from .canvas import Canvas

SHARES = (0.0, 0.1, 0.25, 0.5, 1.0)
REQUESTS = 300


def mean_us(fua_share: float, write_through: bool = False) -> float:
    """Return the mean response time in us of writes of a page, one after the other, a share of them with FUA."""
    config = SimulationConfig(
        hardware=HardwareConfig(blocks_per_plane=32),
        buffer=BufferConfig(replacement="lru", write_through=write_through),
        workload=SyntheticConfig(requests=REQUESTS, read_share=0, fua_share=fua_share, size_kib=4, queue_depth=1),
    )
    return float(simulate(config).summary["requests"]["write"]["response_us"]["mean"])


def forced_writes() -> str:
    """Return the picture: the mean by the share of writes with FUA, and of a buffer that writes through."""
    canvas = Canvas(75, 36)
    axes = canvas.figure.add_axes((0.1, 0.16, 0.87, 0.8), facecolor="#ffffff")
    means = [*(mean_us(share) for share in SHARES), mean_us(0.0, write_through=True)]
    bars = axes.bar(range(len(means)), means, color="#4a90d9")
    axes.bar_label(bars, [f"{mean:.1f}" for mean in means], fontsize=8)
    axes.set_xticks(range(len(means)), [*(f"{share:.0%}" for share in SHARES), "write-through"])
    axes.set(xlabel="Writes with FUA, of all writes", ylabel="Mean response time, us")
    return canvas.svg()
