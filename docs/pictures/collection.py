"""A collection, as a small device went through it: what its die and the bus did when."""

from typing import Any

from ssdsim import HardwareConfig, SimulationConfig, SyntheticConfig, simulate

from .canvas import BLUE, GREEN, GREY, RED, Canvas

FILL = {"read": GREEN, "program": BLUE, "erase": RED}
LEFT, RIGHT, TOP, ROW = 20, 97, 8, 9


def commands() -> list[dict[str, Any]]:
    """Return the commands of a run on one die with a few small blocks, which has to collect."""
    config = SimulationConfig(
        hardware=HardwareConfig(
            **dict.fromkeys(("channels", "chips_per_channel", "dies_per_chip", "planes_per_die"), 1),
            blocks_per_plane=24,
            pages_per_block=12,
            over_provisioning=0.5,
        ),
        workload=SyntheticConfig(requests=1000, read_share=0, queue_depth=2),
        record=["commands"],
        seed=1,
    )
    made: list[dict[str, Any]] = simulate(config).commands.to_pylist()
    return made


def one_collection(every: list[dict[str, Any]]) -> tuple[int, list[dict[str, Any]]]:
    """Return the first victim all of whose pages read are written, and the commands until its erase."""
    for place, erase in enumerate(every):
        if erase["op"] == "erase":
            victim = erase["block"]
            moved = [
                index
                for index, each in enumerate(every[:place])
                if each["op"] == "read" and each["source"] == "gc" and each["block"] == victim
            ]
            course = every[moved[0] : place + 1] if moved else []
            if moved and len(moved) == sum(each["op"] == "program" and each["source"] == "gc" for each in course):
                return victim, course
    raise AssertionError("nothing was collected")


def collection() -> str:
    """Return the picture: time across, and a line each for the bus and for what the array does."""
    victim, course = one_collection(commands())
    begin = min(each["bus_start_ns"] for each in course)
    scale = (RIGHT - LEFT) / (max(each["end_ns"] for each in course) - begin)
    canvas = Canvas(100, TOP + 4 * ROW + 15)
    canvas.text(
        50, 3, f"Collection of block {victim}: valid pages are read and written elsewhere, then it is erased", 9
    )
    rows = ("Bus", "Reads of\nvalid pages", "Programs", "Erase")
    for row, name in enumerate(rows):
        canvas.text(LEFT - 2, TOP + (row + 0.5) * ROW, name, 8.5, "right")
        canvas.box(LEFT, TOP + row * ROW + 1, RIGHT - LEFT, ROW - 2, "#ffffff", GREY)
    for each in course:
        fill = FILL[each["op"]]
        row = 1 + list(FILL).index(each["op"])
        spans = [(row, each["array_start_ns"], each["array_end_ns"]), (0, each["bus_start_ns"], each["array_start_ns"])]
        if each["data_start_ns"] >= 0:
            spans.append((0, each["data_start_ns"], each["end_ns"]))
        for row, start, end in spans:
            x, width = LEFT + (start - begin) * scale, max((end - start) * scale, 0.15)
            canvas.box(x, TOP + row * ROW + 1, width, ROW - 2, fill)
    y = TOP + len(rows) * ROW + 3
    canvas.arrow((LEFT, y), (RIGHT, y))
    canvas.text(LEFT, y + 2.5, "0", 8)
    canvas.text(RIGHT, y + 2.5, f"{(RIGHT - LEFT) / scale / 1e6:.1f} ms", 8)
    for place, (name, fill) in enumerate(FILL.items()):
        canvas.box(LEFT + place * 19, y + 5, 3, 3, fill)
        canvas.text(LEFT + 4 + place * 19, y + 6.5, name, 8.5, "left")
    return canvas.svg()
