"""A read over each generation of the bus, from the presets."""

from ssdsim import preset
from ssdsim.command.compose import choices

from .canvas import BLUE, GREEN, YELLOW, Canvas

LEFT, RIGHT, TOP, ROW = 20, 88, 6, 5
CHIP = "samsung_v6_2019"


def buses() -> str:
    """Return the picture: a line a bus, with command, array and data of a read of one page, slowest first."""
    rows = []
    for bus in choices("hardware/bus"):
        if bus == "own":
            continue
        hardware = preset(**{"hardware/chips": CHIP, "hardware/bus": bus}).hardware
        array_us = hardware.read_us[0] + hardware.ready_busy_us
        phases = hardware.read_command_us, array_us, hardware.page_bytes * hardware.bus_ns_per_byte / 1000
        rows.append((sum(phases), bus, phases))
    rows.sort(reverse=True)
    scale = (RIGHT - LEFT) / rows[0][0]
    canvas = Canvas(100, TOP + len(rows) * ROW + 5)
    canvas.text(50, 2.5, f"A read of a page of 16 KiB of hardware/chips={CHIP}", 9, fontweight="bold")
    for row, (total_us, bus, phases) in enumerate(rows):
        x, y = float(LEFT), TOP + row * ROW
        canvas.text(LEFT - 2, y + ROW / 2, bus, 8.5, "right")
        for us, fill in zip(phases, (YELLOW, BLUE, GREEN), strict=True):
            canvas.box(x, y + 0.5, us * scale, ROW - 1, fill)
            x += us * scale
        canvas.text(x + 1, y + ROW / 2, f"{total_us:.1f} us", 8, "left")
    canvas.text(50, TOP + len(rows) * ROW + 2.5, "Command on the bus (a thin line), array, data on the bus", 8.5)
    return canvas.svg()
