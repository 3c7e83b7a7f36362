"""A window of a run as one page of HTML that plays it, event by event, without a server or a network.

`record` steps a simulation on and keeps what each step changes; the `Recording` becomes a file, or shows itself in a
notebook. To make the page takes jinja2.
"""

import html
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.errors import InputError
from ssdsim.report.changes import Pages, changed, exchanged, is_quiet, whole
from ssdsim.report.happenings import in_words
from ssdsim.report.html import rendered
from ssdsim.report.hues import BLUE, GREEN, ORANGE, PURPLE, SKY
from ssdsim.run.simulation import Simulation
from ssdsim.run.stepping import EVENTS, Happening, State

USUAL = 300
"""Frames of a window if not told otherwise."""

MOST_FRAMES, MOST_BLOCKS, MOST_PAGES = 5_000, 8_192, 4_194_304
"""What a page can show; all of it together makes a file of about 5 MB."""

TYPE_HUES = (BLUE, SKY, GREEN, PURPLE)
"""Of the valid pages of each type, the fastest first."""

HEIGHT = 720
"""Of a player in a notebook, in pixels."""


def record(simulation: Simulation, events: int = USUAL, until: int | str | None = None) -> "Recording":
    """Step on through `simulation`, and return the window of it in which something happens `events` times.

    What happens in a step of the kernel is one frame; a step in which only time goes by is none. The window ends
    earlier at `until`, which is a time in ns or the name of one of `EVENTS`, and at the end of the run. The simulation
    can go on from there, and has the result that it has without.

    Raise `InputError` for more than can be shown, and if nothing happens any more.
    """
    check(simulation, events, until)
    simulation.begin()
    before, pages = simulation.state, Pages(simulation)
    start = {"tables": whole(before), "outstanding": list(before.outstanding), "pages": pages.packed()}
    frames: list[dict[str, Any]] = []
    told: list[Happening] = []
    types, per_plane = before.page_types, simulation.device.blocks.blocks_per_plane
    last_ns = math.inf if until is None or isinstance(until, str) else until
    forget = [simulation.on(name, told.append) for name in EVENTS]
    try:
        while len(frames) < events and simulation.peek() <= last_ns and simulation.step():
            after = simulation.state
            words = [in_words(happening, types, per_plane) for happening in told]
            if (frame := _frame(before, after, pages, words)) is not None:
                frames.append(frame)
                before = after
            if any(happening.name == until for happening in told):
                break
            told.clear()
    finally:
        for unsubscribe in forget:  # also after an error: the simulation may go on
            unsubscribe()
    if not frames:
        raise InputError(f"there is nothing to record: nothing happens from {simulation.now} ns on.")
    return Recording(start, frames, simulation.config.hardware.planes_per_unit, before.page_types)


def _frame(before: State, after: State, pages: Pages, words: list[str]) -> dict[str, Any] | None:
    """Return the frame of a step: the happenings in `words` and the changes of state; None if only time has gone by."""
    cells = changed(before, after)
    exchange = exchanged(before.outstanding, after.outstanding)
    runs = list(pages.changed(after, cells))
    if not words and not runs and not any(exchange) and is_quiet(cells):
        return None
    return {"events": words, "changes": cells, "outstanding": exchange, "pages": runs}


def check(simulation: Simulation, events: int = USUAL, until: int | str | None = None) -> None:
    """Raise InputError for a window that cannot be recorded, or not be shown."""
    if not 1 <= events <= MOST_FRAMES:
        raise InputError(f"events={events}: must be between 1 and {MOST_FRAMES:,}; record several windows.")
    if isinstance(until, str) and until not in EVENTS:
        raise InputError(f"until={until}: is not an event; choose one of {', '.join(EVENTS)}.")
    if simulation.config.timing == "off":
        raise InputError("timing=off: there are no events to record; set timing=on.")
    blocks, pages = simulation.device.blocks.count, simulation.device.blocks.pages
    if blocks > MOST_BLOCKS or pages > MOST_PAGES:
        raise InputError(
            f"the device has {blocks:,} blocks and {pages:,} pages, and a player shows {MOST_BLOCKS:,} and "
            f"{MOST_PAGES:,} at most: set a smaller hardware.blocks_per_plane or hardware.pages_per_block."
        )


@frozen
class Recording:
    """A window of a run: its first state, and the `frames`, each what one step has changed."""

    start: dict[str, Any] = field(repr=False)
    frames: Sequence[dict[str, Any]] = field(repr=lambda frames: str(len(frames)))
    planes_per_die: int
    page_types: tuple[int, ...] = field(repr=False)
    """The type of each page of a block."""

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.frames)

    @property
    def data(self) -> dict[str, Any]:
        """What the page holds, as JSON has it."""
        types = max(self.page_types) + 1
        return {
            "planes_per_die": self.planes_per_die,
            "page_types": list(self.page_types),
            "type_names": [name.upper() for name in TYPE_NAMES[types]] if types > 1 else [""],
            "start": self.start,
            "frames": self.frames,
        }

    def html(self, title: str = "A window of a run") -> str:
        """Return a page that plays the window and loads nothing; raise `InputError` without jinja2."""
        given = {"title": title, "data": self.data, "hues": TYPE_HUES, "dead": ORANGE}
        return rendered("player.html.j2", **given)

    def save(self, path: str | Path, title: str = "A window of a run") -> None:
        """Write the page to `path`."""
        Path(path).write_text(self.html(title), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Return the player as a notebook shows it: in a frame of its own, which the notebook cannot disturb."""
        page = html.escape(self.html())
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {HEIGHT}px; border: 0" title="player"></iframe>'
