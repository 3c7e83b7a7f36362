"""What reading ahead does to a sequential stream of reads: simulated as the site is built."""

from ssdsim import HardwareConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate
from ssdsim.config import ReadCacheConfig

from .canvas import Canvas

PAGES_AHEAD = (0, 1, 2, 4, 8, 16)
REQUESTS = 400


def mean_us(pages_ahead: int) -> float:
    """Return the mean response time in us of reads of a page, one after the other, with so many pages read ahead."""
    config = SimulationConfig(
        hardware=HardwareConfig(blocks_per_plane=32, read_us=[50.0]),
        precondition=PreconditionConfig(mode="fill", valid_reads=True),
        read_cache=ReadCacheConfig(size_mib=1.0, pages_ahead=pages_ahead),
        workload=SyntheticConfig(requests=REQUESTS, read_share=1, size_kib=4, pattern="sequential", queue_depth=1),
    )
    return float(simulate(config).summary["requests"]["read"]["response_us"]["mean"])


def read_ahead() -> str:
    """Return the picture: the mean by pages read ahead."""
    canvas = Canvas(75, 36)
    axes = canvas.figure.add_axes((0.1, 0.16, 0.87, 0.8), facecolor="#ffffff")
    means = [mean_us(pages) for pages in PAGES_AHEAD]
    bars = axes.bar(range(len(means)), means, color="#4a90d9")
    axes.bar_label(bars, [f"{mean:.1f}" for mean in means], fontsize=8)
    axes.set_xticks(range(len(means)), [str(pages) for pages in PAGES_AHEAD])
    axes.set(xlabel="Pages read ahead", ylabel="Mean response time, us")
    return canvas.svg()
