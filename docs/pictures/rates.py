"""What a limit on the bandwidth of one stream does to it and to the stream beside it, as short runs have it."""

import numpy as np

from ssdsim import HardwareConfig, HostConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate
from ssdsim.config import RatesConfig, SchedulerConfig

from .canvas import Canvas

LIMITS_MIB_S = (40, 60, 80, 120, 200, 400)
READS = SyntheticConfig(requests=750, size_kib=16, read_share=1, rate_iops=2000)
WRITES = SyntheticConfig(
    requests=1500, size_kib=16, read_share=0, rate_iops=4000, arrival="bursts", burst_requests=32, burst_iops=80000
)
STREAMS = (("reads, without a limit", "s-", "#4a90d9"), ("writes in bursts", "o-", "#d9784a"))


def figures(limit_mib_s: float) -> list[tuple[float, float]]:
    """Return the bandwidth in MiB/s and the 99th percentile in ms of each stream."""
    config = SimulationConfig(
        hardware=HardwareConfig(page_kib=16, blocks_per_plane=64),
        scheduler=SchedulerConfig(policy="fcfs"),
        precondition=PreconditionConfig(mode="fill"),
        host=HostConfig(rates=RatesConfig(bandwidth_mib_s={"log": limit_mib_s})),
        workload=READS,
        workloads={"log": WRITES},
        record=["requests"],
    )
    table = simulate(config).requests
    stream, arrival, response, size = (
        table[name].to_numpy() for name in ("stream", "arrival_ns", "response_ns", "size_bytes")
    )
    made = []
    for number in range(len(STREAMS)):
        own = stream == number
        span_s = ((arrival + response)[own].max() - arrival[own].min()) / 1e9
        made.append((size[own].sum() / 2**20 / span_s, float(np.percentile(response[own], 99)) / 1e6))
    return made


def rates() -> str:
    """Return the picture: bandwidth and 99th percentile of both streams over the limit of one."""
    runs = [figures(limit) for limit in LIMITS_MIB_S]
    canvas = Canvas(100, 38)
    for side, ylabel in enumerate(("Bandwidth, MiB/s", "99th percentile, ms")):
        axes = canvas.figure.add_axes((0.08 + 0.5 * side, 0.16, 0.4, 0.8), facecolor="#ffffff")
        for number, (told, style, colour) in enumerate(STREAMS):
            axes.plot(LIMITS_MIB_S, [run[number][side] for run in runs], style, color=colour, label=told)
        axes.set(xscale="log", xlabel="Limit of the writes, MiB/s", ylabel=ylabel, yscale=("linear", "log")[side])
        axes.set_xticks(LIMITS_MIB_S, [str(limit) for limit in LIMITS_MIB_S])
        axes.minorticks_off()
        if not side:
            axes.set_ylim(0, None)
            axes.legend(fontsize=8)
    return canvas.svg()
