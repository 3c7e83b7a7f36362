"""Write amplification under uniform random writes, measured as the site is built, on the curves of theory."""

from ssdsim import (
    FtlConfig,
    GarbageCollectionConfig,
    HardwareConfig,
    PreconditionConfig,
    SimulationConfig,
    SyntheticConfig,
    simulate,
)

from .canvas import Canvas
from .theory import closed_forms

BLOCKS, PAGES, THRESHOLD = 1000, 64, 2
SPARE = (0.1, 0.15, 0.2, 0.3)
POLICIES = {
    "random": closed_forms.random_selection,
    "fifo": closed_forms.fifo,
    "greedy": lambda share: closed_forms.greedy(share, PAGES),
}


def device(spare: float) -> HardwareConfig:
    """Return a plane of which the host does not see the share `spare`."""
    one = dict.fromkeys(("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "bits_per_cell"), 1)
    sizes = {"blocks_per_plane": BLOCKS, "pages_per_block": PAGES}
    return HardwareConfig(**one, **sizes, program_us=[200.0], over_provisioning=spare)


def measured(victim: str, spare: float) -> float:
    """Return the write amplification of a run."""
    config = SimulationConfig(
        timing="off",
        hardware=device(spare),
        ftl=FtlConfig(gc=GarbageCollectionConfig(victim=victim, soft_threshold=THRESHOLD, hard_threshold=THRESHOLD)),
        precondition=PreconditionConfig(mode="writes", fill_share=1.0),
        workload=SyntheticConfig(requests=150_000, read_share=0, size_kib=4, queue_depth=16),
    )
    return float(simulate(config).summary["write_amplification"])


def write_amplification() -> str:
    """Return the picture: a curve for each policy, and a point for each run."""
    canvas = Canvas(75, 45)
    axes = canvas.figure.add_axes((0.1, 0.13, 0.87, 0.83), facecolor="#ffffff")
    spares = [0.09 + step * 0.0022 for step in range(101)]
    for policy, theory in POLICIES.items():
        pages = (device(each).logical_pages for each in spares)
        shares = [closed_forms.utilization(each, BLOCKS, PAGES, THRESHOLD, shared=False) for each in pages]
        (curve,) = axes.plot(spares, [theory(share) for share in shares], label=f"{policy}: theory")
        points = [measured(policy, each) for each in SPARE]
        axes.plot(SPARE, points, "o", color=curve.get_color(), label=f"{policy}: simulated")
    axes.set(xlabel="Over-provisioning (share of all pages)", ylabel="Write amplification", ylim=(0, None))
    axes.legend(fontsize=8)
    return canvas.svg()
