"""What a die does while reads come during a program: without suspension, and with it, as two short runs have it."""

from typing import Any

from attrs import evolve

from ssdsim import FlashConfig, HardwareConfig, SimulationConfig, SyntheticConfig, simulate
from ssdsim.config import SuspensionConfig

from .canvas import BLUE, GREEN, Canvas

DIES: dict[str, tuple[str, dict[str, Any]]] = {
    "never": ("never", {}),
    "always": ("always", {}),
    "always, planes\nread on their own": ("always", {"plane_reads": "independent"}),
}
"""The policy of each line, and what the chip can do besides."""

LONG_NS = 900_000
"""The stretch that is shown."""


def commands(policy: str, chip: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what one die executes for the same few requests."""
    config = SimulationConfig(
        hardware=HardwareConfig(channels=1, chips_per_channel=1, dies_per_chip=1, **chip),
        flash=FlashConfig(suspension=SuspensionConfig(policy=policy)),
        workload=SyntheticConfig(
            requests=40, read_share=0.6, rate_iops=2500, arrival="bursts", burst_requests=3, burst_iops=40000
        ),
        record=["commands"],
    )
    made: list[dict[str, Any]] = simulate(evolve(config, seed=4)).commands.to_pylist()
    return made


def suspension() -> str:
    """Return the picture: a line for each die, from the start of the first program that is suspended."""
    runs = {told: commands(*die) for told, die in DIES.items()}
    suspended = next(row for row in runs["always"] if row["suspensions"])
    start_ns = suspended["bus_start_ns"] - 50_000
    canvas = Canvas(100, 43)
    for line, (told, rows) in enumerate(runs.items()):
        y = 3 + 13 * line
        canvas.text(1, y + 4, f"policy={told}", 8, align="left", fontweight="bold")
        for row in sorted(rows, key=lambda row: row["op"] == "read"):
            begin, end = ((row[name] - start_ns) / LONG_NS for name in ("bus_start_ns", "end_ns"))
            if begin >= 0 and end <= 1:
                is_read = row["op"] == "read"
                top, height = (y + 4 * row["plane"], 4) if is_read else (y, 8)
                canvas.box(17 + 82 * begin, top, 82 * (end - begin), height, GREEN if is_read else BLUE)
                if not is_read:
                    canvas.text(17 + 82 * end - 1, y + 4, "program", 8, align="right")
                else:
                    asked = 17 + 82 * (row["queued_ns"] - start_ns) / LONG_NS
                    canvas.arrow((asked, y + 11), (17 + 82 * begin, y + 8))
    told = (
        f"{LONG_NS / 1e6:g} ms of one die: reads are green, in the half of their plane, with arrows from their arrivals"
    )
    canvas.text(50, 41.5, told, 8)
    return canvas.svg()
