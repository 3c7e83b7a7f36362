"""A simulated SSD in a terminal: to be run, stopped, stepped on and back, and looked at.

Arguments are overrides as of `run`. Without a hardware=... the device is hardware=tlc_48m, which fits
on a screen, and without a workload=... requests are generated. The screen says which keys there are.
"""

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from ssdsim.errors import InputError

from .. import failures, parser
from ..compose import parse, prepared, session
from .session import PLACES, Session, course, followed

DEFAULTS = {"hardware": "tlc_48m", "workload": "synthetic"}
"""What is watched unless another one is chosen."""

SIZE = "120x40"


def main(arguments: Sequence[str] | None = None) -> int:
    """Show the run, and return 0, or 2 for one that cannot be shown."""
    options = parser("watch", __doc__)
    options.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="what to simulate")
    options.add_argument(
        "--to", action="append", default=[], metavar="PLACE", help=f"where to begin: {', '.join(PLACES)}; once or more"
    )
    options.add_argument("--block", metavar="PLANE:BLOCK", help="a block whose pages are shown")
    options.add_argument("--screenshot", type=Path, metavar="FILE", help="write the screen as an SVG picture, and end")
    options.add_argument("--size", default=SIZE, metavar="WxH", help=f"of that, in characters (default: {SIZE})")
    given = options.parse_args(arguments)
    return failures.guarded(lambda: _watch(given))


def _watch(given: argparse.Namespace) -> int:
    if importlib.util.find_spec("textual") is None:
        raise InputError("textual: not installed, and the screen is drawn with it; install ssdsim[watch].")
    if given.screenshot is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("there is no terminal to draw on; take --screenshot FILE.svg for a picture.")
    size = _size(given.size)
    watched = watched_run(given.overrides)
    opened = None if given.block is None else _block(given.block, watched)  # before the moves, which may take long
    said = ""
    for place in given.to:  # from where the one before has led
        said = followed(course(watched, place))
    from .app import WatchApp, screenshot

    app = WatchApp(watched, opened, said)
    if given.screenshot is None:
        app.run()
        return app.return_code or 0
    picture = screenshot(app, *size)
    try:
        given.screenshot.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise InputError(f"--screenshot {given.screenshot}: cannot be written: {error.strerror}.") from None
    print(said or f"Event {watched.steps:,}.")
    print(given.screenshot)
    return 0


def watched_run(overrides: Sequence[str]) -> Session:
    """Return the run that `overrides` describe, at its start."""
    with session():
        chosen = {parse(text).key_or_group for text in overrides}
        added = [f"{group}={choice}" for group, choice in DEFAULTS.items() if group not in chosen]
        config = prepared([*added, *overrides]).config  # added first, so that overrides can change what they set
    return Session(config)


def _size(text: str) -> tuple[int, int]:
    """Return columns and lines."""
    columns, _, lines = text.partition("x")
    # less has no room for panels, more is no terminal
    if not (columns.isdecimal() and lines.isdecimal() and 40 <= int(columns) <= 500 and 10 <= int(lines) <= 500):
        raise InputError(f"--size {text}: must be columns x lines, as in {SIZE}, from 40x10 to 500x500.")
    return int(columns), int(lines)


def _block(text: str, watched: Session) -> int:
    """Return the number of a block."""
    hardware = watched.config.hardware
    planes, blocks = hardware.planes, hardware.physical_blocks
    plane, _, block = text.partition(":")
    if not (plane.isdecimal() and block.isdecimal() and int(plane) < planes and int(block) < blocks):
        raise InputError(f"--block {text}: must be PLANE:BLOCK, from 0:0 to {planes - 1}:{blocks - 1}.")
    return int(plane) * blocks + int(block)  # blocks are numbered plane by plane


if __name__ == "__main__":
    sys.exit(main())
