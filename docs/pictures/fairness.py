"""How much two streams slow one another down, with the usual scheduler and with FLIN, as a small device answered."""

from ssdsim import HardwareConfig, HostConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate
from ssdsim.config import FlashConfig, SchedulerConfig

from .canvas import Canvas

MIXES = {"both read": (1.0, 1.0), "both write": (0.0, 0.0), "both do both": (0.5, 0.5)}
"""The share of reads of the stream of low intensity, and of the other."""


def mean_us(policy: str, shares: tuple[float, float], stream: str, only: str | None) -> float:
    """Return the mean response time of a stream, beside the other or as the only one."""
    config = SimulationConfig(
        hardware=HardwareConfig(blocks_per_plane=16, pages_per_block=48, over_provisioning=0.4),
        flash=FlashConfig(program_order="free"),
        scheduler=SchedulerConfig(policy=policy),
        host=HostConfig(queue_depth=256, interface="nvme", namespace_share={"main": 0.5}, only_stream=only),
        precondition=PreconditionConfig(collected=True),
        workload=SyntheticConfig(requests=100, rate_iops=2000, read_share=shares[0]),
        workloads={"flood": SyntheticConfig(requests=1000, queue_depth=64, read_share=shares[1])},
    )
    served = [each for each in simulate(config).summary["streams"][stream].values() if each["count"]]
    return sum(each["count"] * each["response_us"]["mean"] for each in served) / sum(each["count"] for each in served)


def fairness() -> str:
    """Return the picture: a panel for each mix, in it the slowdowns of both streams by scheduler."""
    canvas = Canvas(100, 40)
    for number, (title, shares) in enumerate(MIXES.items()):
        axes = canvas.figure.add_axes((0.07 + 0.32 * number, 0.12, 0.27, 0.74), facecolor="#ffffff")
        for offset, policy in ((-0.2, "read_priority"), (0.2, "experiments.flin.Flin")):
            means = [[mean_us(policy, shares, name, only) for only in (None, name)] for name in ("main", "flood")]
            bars = [beside / alone for beside, alone in means]
            of_both = min(bars) / max(bars)
            label = f"{policy.rpartition('.')[2]}: fairness {of_both:.2f}"
            axes.bar([0 + offset, 1 + offset], bars, width=0.36, label=label)
        axes.set(title=title, xticks=[0, 1], xticklabels=["low intensity", "flood"], ylim=(0, None))
        axes.set_ylabel("Slowdown" if number == 0 else "")
        axes.tick_params(labelsize=8)
        axes.title.set_fontsize(9.5)
        axes.legend(fontsize=7.5)
        axes.set_ylim(0, 1.3 * axes.get_ylim()[1])  # the legend stands above the bars
    return canvas.svg()
