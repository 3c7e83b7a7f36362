"""The hierarchy of the flash: how many of each a default device has."""

from ssdsim import HardwareConfig

from .canvas import BLUE, GREEN, GREY, RED, YELLOW, Canvas

STEP = 13


def hierarchy() -> str:
    """Return the picture: a level a row, one member of each opened in the next."""
    hardware = HardwareConfig()
    types = hardware.page_types
    levels = [
        ("Channel", hardware.channels, "its dies share one bus: one transfer at a time", GREY),
        ("Chip", hardware.chips_per_channel, "a package on the channel", YELLOW),
        ("Die", hardware.dies_per_chip, "executes one command at a time", GREEN),
        ("Plane", hardware.planes_per_die, "joins others in multi-plane commands", BLUE),
        ("Block", hardware.physical_blocks, "is erased as a whole", RED),
        ("Wordline", hardware.wordlines, f"{types} pages, one of each type", YELLOW),
        ("Page", types, f"{hardware.page_kib:g} KiB, programmed once between erases", GREY),
    ]
    canvas = Canvas(100, STEP * len(levels) + 1)
    for row, (name, count, what, fill) in enumerate(levels):
        y = 2 + row * STEP
        shown = min(count, 4)
        canvas.text(3, y + 2.5, name, 10, "left", fontweight="bold")
        canvas.text(3, y + 6.5, f"{count} in a {levels[row - 1][0].lower() if row else 'device'}", 8, "left")
        for place in range(shown):
            x = 22 + place * 9
            canvas.box(x, y, 7.5, 7.5, fill)
            number = count - 1 if place == shown - 1 else place
            canvas.text(x + 3.75, y + 3.75, "…" if count > shown and place == shown - 2 else str(number), 9)
        canvas.text(60, y + 3.75, what, 8.5, "left")
        if row + 1 < len(levels):
            canvas.arrow((25.75, y + 7.5), (25.75, y + STEP))
    return canvas.svg()
