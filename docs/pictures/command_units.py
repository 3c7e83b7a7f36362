"""Programs on the dies of a chip, as a small device went through them, by what is commanded as one."""

from typing import Any

from ssdsim import HardwareConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate

from .canvas import BLUE, GREY, YELLOW, Canvas

UNITS = {"die": "Each die takes commands by itself", "chip": "A chip takes one command at a time"}
LEFT, RIGHT, ROW = 14, 97, 6


def commands(unit: str) -> list[dict[str, Any]]:
    """Return the programs of eight writes that come at once, on two dies of a chip."""
    config = SimulationConfig(
        hardware=HardwareConfig(
            **dict.fromkeys(("channels", "chips_per_channel", "planes_per_die"), 1),
            bits_per_cell=1,
            blocks_per_plane=24,
            pages_per_block=12,
            over_provisioning=0.5,
            program_us=[100.0],
            bus_ns_per_byte=5.0,
            command_unit=unit,
        ),
        precondition=PreconditionConfig(mode="none"),
        workload=SyntheticConfig(requests=8, read_share=0, pattern="sequential", queue_depth=8),
        record=["commands"],
    )
    made: list[dict[str, Any]] = simulate(config).commands.to_pylist()
    return made


def command_units() -> str:
    """Return the picture: time across, a line for the bus and each die, for both units of command."""
    runs = {unit: commands(unit) for unit in UNITS}
    scale = (RIGHT - LEFT) / max(each["end_ns"] for run in runs.values() for each in run)
    canvas = Canvas(100, 2 * (3 * ROW + 8) + 4)
    for number, (unit, run) in enumerate(runs.items()):
        top = number * (3 * ROW + 8) + 6
        canvas.text(50, top - 3, f"hardware.command_unit={unit}: {UNITS[unit]}", 9, fontweight="bold")
        for row, name in enumerate(("Bus", "Die 0", "Die 1")):
            canvas.text(LEFT - 2, top + (row + 0.5) * ROW, name, 8.5, "right")
            canvas.box(LEFT, top + row * ROW + 0.5, RIGHT - LEFT, ROW - 1, "#ffffff", GREY)
        for each in run:
            start, array, end = (LEFT + each[f"{name}_ns"] * scale for name in ("bus_start", "array_start", "end"))
            canvas.box(start, top + 0.5, array - start, ROW - 1, YELLOW)
            canvas.box(array, top + (1 + each["die"]) * ROW + 0.5, end - array, ROW - 1, BLUE)
    canvas.text(50, 2 * (3 * ROW + 8) + 2, "Eight programs: command and data on the bus, then the array", 8.5)
    return canvas.svg()
