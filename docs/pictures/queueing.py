"""The mean wait of reads on one die, simulated as the site is built, on the curve of the M/D/1 queue."""

from ssdsim import HardwareConfig, HostConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate
from ssdsim.report.comparison import across

from .canvas import Canvas
from .theory import closed_forms

READ_US, TRANSFER_US = 60.0, 40.96
SERVICE_US = READ_US + TRANSFER_US
"""A read holds its die until its data is out, and with one die the bus is free for it."""

LOADS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9)
SEEDS = range(1, 4)
REQUESTS = 20_000


def mean_wait(load: float, seed: int) -> float:
    """Return the mean wait in microseconds under Poisson reads that keep the die busy for `load` of the time."""
    one = dict.fromkeys(("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "bits_per_cell"), 1)
    config = SimulationConfig(
        seed=seed,
        hardware=HardwareConfig(
            **one,
            blocks_per_plane=64,
            pages_per_block=64,
            read_us=[READ_US],
            program_us=[500.0],
            bus_ns_per_byte=10,
            read_command_us=0,
        ),
        host=HostConfig(queue_depth=100_000),
        precondition=PreconditionConfig(mode="fill", fill_share=0.9, valid_reads=True),
        workload=SyntheticConfig(requests=REQUESTS, read_share=1, size_kib=4, rate_iops=load / SERVICE_US * 1e6),
    )
    return float(simulate(config).summary["requests"]["read"]["response_us"]["mean"]) - SERVICE_US


def queueing() -> str:
    """Return the picture: the curve, and for each load the mean over seeds with its interval at 95 percent."""
    canvas = Canvas(75, 42)
    axes = canvas.figure.add_axes((0.1, 0.14, 0.87, 0.82), facecolor="#ffffff")
    loads = [step / 100 for step in range(1, 94)]
    axes.plot(loads, [closed_forms.md1_mean_wait(load, SERVICE_US) for load in loads], label="M/D/1: theory")
    waits = {load: [mean_wait(load, seed) for seed in SEEDS] for load in LOADS}
    means = [sum(of) / len(of) for of in waits.values()]
    halves = [(ends[1] - ends[0]) / 2 for ends in map(across, waits.values()) if ends]
    axes.errorbar(LOADS, means, halves, fmt="o", capsize=3, label=f"simulated, {len(SEEDS)} seeds, 95 percent")
    axes.set(xlabel="Share of the time that the die is busy", ylabel="Mean wait of a read, us", ylim=(0, None))
    axes.legend(fontsize=8)
    return canvas.svg()
