"""How long reads of a quiet stream take beside one that floods a small device with writes, as that answered."""

from ssdsim import (
    FtlConfig,
    HardwareConfig,
    HostConfig,
    PreconditionConfig,
    SimulationConfig,
    SyntheticConfig,
    simulate,
)
from ssdsim.config import IsolationConfig
from ssdsim.config.ftl import LEVELS

from .canvas import Canvas

QUIET = SyntheticConfig(requests=600, size_kib=16, read_share=1, rate_iops=5000)
FLOOD = SyntheticConfig(requests=2500, size_kib=16, read_share=0, queue_depth=32)


def read_us(ftl: FtlConfig) -> float:
    """Return the 99th percentile of the response times of the quiet stream's reads in microseconds."""
    config = SimulationConfig(
        hardware=HardwareConfig(blocks_per_plane=16, page_kib=16, pages_per_block=48, over_provisioning=0.4),
        ftl=ftl,
        precondition=PreconditionConfig(collected=True),
        host=HostConfig(namespace_share={"main": 0.5}),
        workload=QUIET,
        workloads={"flood": FLOOD},
    )
    return float(simulate(config).summary["streams"]["main"]["read"]["response_us"]["p99"])


def isolation() -> str:
    """Return the picture: a bar for what the streams share, from everything to nothing."""
    bars = {"everything": read_us(FtlConfig(plane_allocation="round_robin"))}
    for unit in reversed(LEVELS):
        ftl = FtlConfig(plane_allocation="by_stream", isolation=IsolationConfig(unit=unit))
        shared = {"plane": "dies", "die": "chips and buses", "chip": "buses", "channel": "nothing"}[unit]
        bars[f"{shared}\n(unit={unit})"] = read_us(ftl)
    canvas = Canvas(90, 45)
    axes = canvas.figure.add_axes((0.1, 0.16, 0.87, 0.74), facecolor="#ffffff")
    axes.bar(list(bars), list(bars.values()), color="#5b8db8", width=0.6)
    axes.set(ylabel="99th percentile of reads (µs)", xlabel="What the two streams share")
    axes.tick_params(axis="x", labelsize=8)
    return canvas.svg()
