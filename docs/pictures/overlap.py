"""What the planes of a die do for the same few reads, by what may go on in a die at once, as short runs have it."""

from typing import Any

from ssdsim import HardwareConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate

from .canvas import BLUE, GREY, YELLOW, Canvas

DIES: dict[str, dict[str, Any]] = {
    "plane_reads=together": {},
    "plane_reads=independent": {"plane_reads": "independent"},
    "cache_read_us=3": {"cache_read_us": 3.0},
    "plane_reads=independent, cache_read_us=3": {"plane_reads": "independent", "cache_read_us": 3.0},
}
LEFT, RIGHT, ROW = 14, 97, 5


def commands(keys: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what one die of two planes executes for ten random reads that come at once."""
    config = SimulationConfig(
        hardware=HardwareConfig(
            **dict.fromkeys(("channels", "chips_per_channel", "dies_per_chip"), 1), page_kib=16, read_us=[50.0], **keys
        ),
        precondition=PreconditionConfig(mode="fill"),
        workload=SyntheticConfig(requests=10, read_share=1, size_kib=4, queue_depth=10),
        record=["commands"],
    )
    made: list[dict[str, Any]] = simulate(config).commands.to_pylist()
    return made


def overlap() -> str:
    """Return the picture: time across, a line for the bus and each plane, for each kind of die."""
    runs = {title: commands(keys) for title, keys in DIES.items()}
    scale = (RIGHT - LEFT) / max(each["end_ns"] for run in runs.values() for each in run)
    height = 3 * ROW + 7
    canvas = Canvas(100, len(runs) * height + 4)
    for number, (title, run) in enumerate(runs.items()):
        top = number * height + 5
        canvas.text(50, top - 2, title, 9, fontweight="bold")
        for row, name in enumerate(("Bus", "Plane 0", "Plane 1")):
            canvas.text(LEFT - 2, top + (row + 0.5) * ROW, name, 8.5, "right")
            canvas.box(LEFT, top + row * ROW + 0.5, RIGHT - LEFT, ROW - 1, "#ffffff", GREY)
        for each in run:
            times = (f"{name}_ns" for name in ("bus_start", "array_start", "array_end", "data_start", "end"))
            start, array, done, data, end = (LEFT + each[name] * scale for name in times)
            canvas.box(start, top + 0.5, array - start, ROW - 1, YELLOW)
            canvas.box(data, top + 0.5, end - data, ROW - 1, YELLOW)
            canvas.box(array, top + (1 + each["plane"]) * ROW + 0.5, done - array, ROW - 1, BLUE)
    canvas.text(
        50, len(runs) * height + 2, "Ten random reads of one die: commands and data on the bus, arrays below", 8.5
    )
    return canvas.svg()
