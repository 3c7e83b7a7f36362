"""The block diagram: the parts of a device in the order of a request's way, with what can be chosen in each."""

import textwrap

from ssdsim.config.registry import AXES, STATIC_ORDERS

from .canvas import BLUE, GREEN, GREY, RED, YELLOW, Canvas

PARTS = (
    ("Host", "streams of requests, device queue", GREY, ("host.arbitration",)),
    ("Write buffer", "dirty pages in DRAM", YELLOW, ("buffer.replacement",)),
    (
        "Flash translation layer",
        "where data lies and goes, and what is collected",
        BLUE,
        (
            *("ftl.mapping.scheme", "ftl.plane_allocation", "ftl.page_order", "ftl.active_blocks"),
            *("ftl.page_type", "ftl.gc.victim", "ftl.backup"),
        ),
    ),
    (
        "Scheduler and controller",
        "queues of each die, bus of each channel",
        GREEN,
        ("scheduler.policy", "flash.bus"),
    ),
    ("Flash", "channels, chips, dies, planes, blocks, pages", RED, ()),
)
"""Name, what is in it, colour and keys of each part. Every axis of the registry stands in one of them."""

WIDTH, LINE, WORDS = 100, 3.4, 90


def block_diagram() -> str:
    """Return the picture."""
    slots = [[slot(key) for key in keys] for *_, keys in PARTS]
    heights = [8 + sum(len(lines) * LINE + 1 for lines in of) for of in slots]
    canvas = Canvas(WIDTH, sum(heights) + 5 * len(PARTS))
    y = 2.0
    for (name, what, fill, keys), of, height in zip(PARTS, slots, heights, strict=True):
        canvas.box(2, y, WIDTH - 4, height, fill)
        canvas.text(5, y + 3, name, 11, "left", fontweight="bold")
        canvas.text(WIDTH - 5, y + 3, what, 8.5, "right")
        top = y + 6.5
        for key, lines in zip(keys, of, strict=True):
            canvas.box(5, top, WIDTH - 10, len(lines) * LINE, "#ffffff")
            canvas.text(7, top + LINE / 2, key, 8, "left", fontweight="bold")
            for number, line in enumerate(lines):
                canvas.text(31, top + (number + 0.5) * LINE, line, 8, "left")
            top += len(lines) * LINE + 1
        y += height
        if name != PARTS[-1][0]:
            canvas.arrow((WIDTH / 2, y), (WIDTH / 2, y + 5), "<|-|>")
            y += 5
    return canvas.svg()


def slot(key: str) -> list[str]:
    """Return the lines that tell what can be chosen at `key`."""
    axis = AXES[key]
    names = [name for name in axis.named if name not in STATIC_ORDERS]
    static = ["CWDP and other static orders"] if len(names) < len(axis.named) else []
    choices = [*static, *names, *(["your own class"] if axis.own else [])]
    unbroken = "  |  ".join(choice.replace(" ", "\N{NO-BREAK SPACE}") for choice in choices)
    return textwrap.wrap(unbroken, WORDS)
