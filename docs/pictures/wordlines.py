"""Bandwidth and response times of writes by queue depth, page by page and in one shot, as measured for the site."""

from ssdsim import FlashConfig, HardwareConfig, PreconditionConfig, SimulationConfig, simulate
from ssdsim.config import SyntheticConfig

from .canvas import Canvas

CELLS = {"page_type_map": "modulo", "blocks_per_plane": 64}
CASES = {
    "page by page, 2100 us": HardwareConfig(**CELLS),
    "one shot, 2100 us": HardwareConfig(**CELLS, program_unit="wordline"),
    "one shot, 1400 us": HardwareConfig(**CELLS, program_unit="wordline", wordline_program_us=1400.0),
}
"""By name: how long a wordline takes, and whether at once."""

DEPTHS = (1, 2, 4, 8, 16, 32)


def measured(hardware: HardwareConfig, depth: int) -> tuple[float, float]:
    """Return bandwidth in MiB/s and mean response time in ms of sequential writes of 64 KiB."""
    load = SyntheticConfig(read_share=0.0, pattern="sequential", size_kib=64.0, queue_depth=depth, requests=600)
    flash = FlashConfig(multi_plane=["program"])
    empty = PreconditionConfig(mode="none")
    config = SimulationConfig(hardware=hardware, flash=flash, precondition=empty, workload=load)
    summary = simulate(config).summary
    return summary["bandwidth_mib_s"], summary["requests"]["write"]["response_us"]["mean"] / 1000


def wordlines() -> str:
    """Return the picture: a panel for each of the two figures, a line for each case."""
    canvas = Canvas(110, 42)
    labels = ("Writes (MiB/s)", "Mean response (ms)")
    panels = [canvas.figure.add_axes((0.08 + 0.49 * at, 0.16, 0.41, 0.78), facecolor="#ffffff") for at in range(2)]
    for name, hardware in CASES.items():
        for axes, values in zip(
            panels, zip(*(measured(hardware, depth) for depth in DEPTHS), strict=True), strict=True
        ):
            axes.plot(range(len(DEPTHS)), values, marker="o", markersize=3, label=name)
    for axes, label in zip(panels, labels, strict=True):
        axes.set(xlabel="Queue depth", ylabel=label, ylim=(0, None), xticks=range(len(DEPTHS)), xticklabels=DEPTHS)
        axes.legend(fontsize=8)
    return canvas.svg()
