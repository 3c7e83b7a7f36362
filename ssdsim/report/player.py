"""A window of a run as one page of HTML that plays it, event by event, without a server or a network.

`record` steps a simulation on and keeps what each step changes; the `Recording` becomes a file, or shows itself in a
notebook. To make the page takes jinja2.
"""

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from ssdsim.errors import InputError
from ssdsim.report.page import rendered
from ssdsim.run.simulation import Simulation
from ssdsim.run.stepping import EVENTS, Happening, State

USUAL = 300
"""Frames of a window if not told otherwise."""

MOST_FRAMES, MOST_BLOCKS = 5_000, 8_192
"""What a page can show; both together make a file of some 10 MB."""

MOST_OUTSTANDING = 24
"""Requests in the device whose numbers are shown."""

Tables = dict[str, Sequence[Any]]
"""Rows that show a state, by table."""


@frozen
class Recording:
    """A window of a run: its first state, and the `frames`, each with its time, its events and the rows it changed."""

    planes_per_die: int = field(repr=False)
    pages_per_block: int = field(repr=False)
    start_ns: int
    start: Tables = field(repr=False)
    frames: Sequence[Mapping[str, Any]] = field(repr=lambda frames: str(len(frames)))

    def html(self, title: str = "A window of a run") -> str:
        """Return a page that plays the window and loads nothing; raise `InputError` without jinja2."""
        return rendered("player.html.j2", title=title, recording=self)

    def save(self, path: str | Path, title: str = "A window of a run") -> None:
        """Write the page to `path`."""
        Path(path).write_text(self.html(title), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Return the player as a notebook shows it: in a frame of its own, which the notebook cannot disturb."""
        page = html.escape(self.html())
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 720px; border: 0" title="player"></iframe>'


def record(simulation: Simulation, events: int = USUAL) -> Recording:
    """Step on through `simulation`, and return the window of it in which something happens `events` times.

    What happens in a step of the kernel is one frame; a step in which only time goes by is none. The window ends
    earlier at the end of the run. The simulation can go on from there, and has the result that it has without.

    Raise `InputError` for more than can be shown, and if nothing happens any more.
    """
    check(simulation, events)
    simulation.begin()
    start_ns, start = simulation.now, _tables(simulation.state)
    shown, frames, happenings = start, list[dict[str, Any]](), list[Happening]()
    blocks_per_plane = simulation.device.blocks.blocks_per_plane
    forget = [simulation.on(name, happenings.append) for name in EVENTS]
    try:
        while len(frames) < events and simulation.step():
            before, shown = shown, _tables(simulation.state)
            changes = {
                table: {number: row for number, row in enumerate(rows) if row != before[table][number]}
                for table, rows in shown.items()
                if rows != before[table]
            }
            if happenings or changes:
                told = [in_words(happening, blocks_per_plane) for happening in happenings]
                frames.append({"at_ns": simulation.now, "events": told, "changes": changes})
            happenings.clear()
    finally:
        for unsubscribe in forget:  # also after an error: the simulation may go on
            unsubscribe()
    if not frames:
        raise InputError(f"there is nothing to record: nothing happens from {simulation.now} ns on.")
    hardware = simulation.config.hardware
    return Recording(hardware.planes_per_unit, simulation.device.blocks.pages_per_block, start_ns, start, frames)


def check(simulation: Simulation, events: int) -> None:
    """Raise InputError for a window that cannot be recorded, or not be shown."""
    if not 1 <= events <= MOST_FRAMES:
        raise InputError(f"events={events}: must be between 1 and {MOST_FRAMES:,}; record several windows.")
    if simulation.config.timing == "off":
        raise InputError("timing=off: there are no events to record; set timing=on.")
    if (blocks := simulation.device.blocks.count) > MOST_BLOCKS:
        raise InputError(
            f"the device has {blocks:,} blocks, and a player shows {MOST_BLOCKS:,} at most: set a smaller "
            "hardware.blocks_per_plane."
        )


def _tables(state: State) -> Tables:
    """Return the rows that show a state, without numbers that change as time goes by."""
    outstanding = state.outstanding
    requests = (state.admitted, state.done, len(outstanding), outstanding[:MOST_OUTSTANDING])
    return {
        "requests": [dict(zip(("admitted", "done", "in_device", "outstanding"), requests, strict=True))],
        "streams": state.streams,
        "buffer": [state.buffer] if state.buffer else [],
        "buses": [bus.taken for bus in state.buses],
        "dies": state.dies,
        "blocks": state.blocks,
    }


def in_words(happening: Happening, blocks_per_plane: int) -> str:
    """Return the words for a happening, without the time; a block is called plane:block."""
    block, page = happening.block, "" if happening.op == "erase" else f" page {happening.page}"
    facts = {
        f"die {happening.die}": happening.die >= 0,
        f"{happening.op} for {happening.source}": happening.op is not None,
        f"{block // blocks_per_plane}:{block % blocks_per_plane}{page if happening.page >= 0 else ''}": block >= 0,
        f"LPA {happening.lpa}": happening.lpa >= 0,
        f"request {happening.request}": happening.request >= 0,
    }
    told = ", ".join(fact for fact, is_known in facts.items() if is_known)
    return happening.name.replace("_", " ") + (f": {told}" if told else "")
