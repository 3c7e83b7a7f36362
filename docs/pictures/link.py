"""The messages of a write and a read of 4 KiB on the host's link, and what they take with each preset."""

import sys
from pathlib import Path

import yaml

from ssdsim.config import ControllerConfig, DramConfig, LinkConfig

from .canvas import BLUE, GREEN, Canvas

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from support.outer_times import OuterTimes

PRESETS = ("pcie3_x4", "pcie4_x4", "pcie5_x4", "sata_6g", "mqsim")
SIZE = 4096
FOLDER = Path(__file__).parents[2] / "conf" / "link"
DEVICE, HOST = True, False
MESSAGES = {
    "write": (
        ("doorbell", "doorbell_bytes", DEVICE),
        ("request for the command", "fetch_bytes", HOST),
        ("command", "command_bytes", DEVICE),
        ("request for data", "data_request_bytes", HOST),
        ("4 KiB of data", None, DEVICE),
        ("completion", "completion_bytes", HOST),
    ),
    "read": (
        ("doorbell", "doorbell_bytes", DEVICE),
        ("request for the command", "fetch_bytes", HOST),
        ("command", "command_bytes", DEVICE),
        ("set-up", "read_setup_bytes", HOST),
        ("4 KiB of data", None, HOST),
        ("completion", "completion_bytes", HOST),
    ),
}
"""What is sent, the key of its size, and whether it goes to the device."""


def link() -> str:
    """Return the picture: a message a row, and a preset a column."""
    canvas = Canvas(104, 2 + sum(7 + 4 * (len(rows) + 1) for rows in MESSAGES.values()))
    times = {name: OuterTimes(preset(name), ControllerConfig(), DramConfig(), SIZE) for name in PRESETS}
    y = 2.0
    for op, rows in MESSAGES.items():
        canvas.text(3, y + 2, f"A {op}, in ns", 10, "left", fontweight="bold")
        for place, name in enumerate(PRESETS):
            canvas.text(60 + 9.5 * place, y + 2, name, 8, "right", fontweight="bold")
        y += 5
        canvas.text(7, y + 2 * len(rows), "host", 8.5)
        canvas.text(49, y + 2 * len(rows), "device", 8.5)
        for what, key, to_device in rows:
            canvas.box(16, y, 24, 3.4, BLUE if to_device else GREEN)
            canvas.text(28, y + 1.7, what, 8)
            ends = (10, y + 1.7), (16, y + 1.7), (40, y + 1.7), (46, y + 1.7)
            canvas.arrow(*(ends[2:] if to_device else ends[1::-1]))
            for place, of_preset in enumerate(times.values()):
                size = SIZE if key is None else getattr(of_preset.link, key)
                told = "" if size is None else f"{of_preset.message_ns(size):,}"
                canvas.text(60 + 9.5 * place, y + 1.7, told, 8.5, "right")
            y += 4
        canvas.text(40, y + 1.7, "together", 8.5, "right", fontweight="bold")
        for place, of_preset in enumerate(times.values()):
            canvas.text(60 + 9.5 * place, y + 1.7, f"{of_preset.link_ns(op, SIZE):,}", 8.5, "right")
        y += 6
    return canvas.svg()


def preset(name: str) -> LinkConfig:
    """Return a preset of `conf/link`."""
    return LinkConfig(**yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8")))
