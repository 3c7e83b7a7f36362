"""Throughput of the controller's processor by its cores and queue depth: simulated as the site is built."""

from ssdsim import HardwareConfig, HostConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate
from ssdsim.config import ControllerConfig

from .canvas import BLUE, GREEN, GREY, YELLOW, Canvas

CORES = {1: BLUE, 2: GREEN, 4: YELLOW, 0: GREY}
"""Cores and the colour of each; 0 is a processor that takes no time."""
DEPTHS = (1, 4, 16, 64)
READ_NS = 5000.0
REQUESTS = 1500


def thousand_reads_a_second(cores: int, depth: int) -> float:
    """Return the throughput of random reads of 4 KiB with `depth` of them in the device."""
    config = SimulationConfig(
        hardware=HardwareConfig(channels=8, chips_per_channel=4, blocks_per_plane=32, read_us=[50.0]),
        host=HostConfig(queue_depth=depth),
        controller=ControllerConfig(cores=max(cores, 1), read_ns=READ_NS if cores else 0.0),
        precondition=PreconditionConfig(mode="fill", valid_reads=True),
        workload=SyntheticConfig(requests=REQUESTS, read_share=1, size_kib=4, queue_depth=depth),
    )
    return float(simulate(config).summary["iops"]) / 1000


def processor() -> str:
    """Return the picture: groups of bars by queue depth, a bar for each number of cores."""
    canvas = Canvas(75, 36)
    axes = canvas.figure.add_axes((0.1, 0.16, 0.87, 0.8), facecolor="#ffffff")
    for place, (cores, colour) in enumerate(CORES.items()):
        told = f"{cores} core{'s' * (cores > 1)}" if cores else "no time"
        figures = [thousand_reads_a_second(cores, depth) for depth in DEPTHS]
        at = [group + 0.2 * place - 0.3 for group in range(len(DEPTHS))]
        bars = axes.bar(at, figures, 0.2, color=colour, edgecolor="#1f2937", label=told)
        axes.bar_label(bars, [f"{figure:.0f}" for figure in figures], fontsize=7)
    axes.set_xticks(range(len(DEPTHS)), [str(depth) for depth in DEPTHS])
    axes.set(xlabel="Requests in the device", ylabel="Thousand reads a second")
    axes.legend(fontsize=8)
    return canvas.svg()
