"""A window of a run as one page of HTML that plays it, event by event, without a server or a network.

`record` steps a simulation on and keeps what each step changes; the `Recording` becomes a file, or shows itself in a
notebook. To make the page takes jinja2.
"""

import html
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
from attrs import field, frozen

from ssdsim.errors import InputError
from ssdsim.report.happenings import in_words, type_names
from ssdsim.report.hues import BLUE, GREEN, ORANGE, PURPLE, SKY
from ssdsim.report.page import rendered
from ssdsim.run.simulation import Simulation
from ssdsim.run.stepping import EVENTS, PAGE_STATES, Happening, State

USUAL = 300
"""Frames of a window if not told otherwise."""

MOST_FRAMES, MOST_BLOCKS, MOST_PAGES = 5_000, 8_192, 4_194_304
"""What a page can show; all of it together makes a file of some 10 MB."""

MOST_OUTSTANDING = 24
"""Requests in the device whose numbers are shown."""

TYPE_HUES = (BLUE, SKY, GREEN, PURPLE)
"""Of the valid pages of each type, the fastest first."""

HEIGHT = 720
"""Of a player in a notebook, in pixels."""

TABLES = ("run", "streams", "buffer", "dies", "buses", "blocks")
"""Of a state; `run` has one row, `buffer` one or none."""
RUN = ("now_ns", "admitted", "done", "in_device", "outstanding")


def record(simulation: Simulation, events: int = USUAL, until: int | str | None = None) -> "Recording":
    """Step on through `simulation`, and return the window of it in which something happens `events` times.

    What happens in a step of the kernel is one frame; a step in which only time goes by is none. The window ends
    earlier at `until`, which is a time in ns or the name of one of `EVENTS`, and at the end of the run. The simulation
    can go on from there, and has the result that it has without.

    Raise `InputError` for more than can be shown, and if nothing happens any more.
    """
    check(simulation, events, until)
    simulation.begin()
    before, pages = simulation.state, [_pages(simulation, block) for block in range(simulation.device.blocks.count)]
    start = {table: [_plain(row) for row in _rows(before, table)] for table in TABLES}
    kinds = {table: type(row) for table in TABLES[1:] for row in _rows(before, table)[:1]}
    columns = {"run": RUN} | {table: [column.name for column in attrs.fields(kind)] for table, kind in kinds.items()}
    columns["blocks"] = [*columns["blocks"], "pages"]
    start["blocks"] = [[*row, of_block] for row, of_block in zip(start["blocks"], pages, strict=True)]
    frames: list[dict[str, Any]] = []
    told: list[Happening] = []
    types, per_plane = before.page_types, simulation.device.blocks.blocks_per_plane
    last_ns = math.inf if until is None or isinstance(until, str) else until
    forget = [simulation.on(name, told.append) for name in EVENTS]
    try:
        while len(frames) < events and simulation.peek() <= last_ns and simulation.step():
            after = simulation.state
            changes = _changes(simulation, before, after, pages, bool(told))
            if told or changes:
                frames.append(
                    {"events": [in_words(happening, types, per_plane) for happening in told], "changes": changes}
                )
                before = after
            if any(happening.name == until for happening in told):
                break
            told.clear()
    finally:
        for unsubscribe in forget:  # also after an error: the simulation may go on
            unsubscribe()
    if not frames:
        raise InputError(f"there is nothing to record: nothing happens from {simulation.now} ns on.")
    return Recording(columns, start, frames, simulation.config.hardware.planes_per_unit, before.page_types)


def _rows(state: State, table: str) -> Sequence[Any]:
    """Return the rows of a table of `state`."""
    if table == "run":
        numbers = state.outstanding
        return [(state.now_ns, state.admitted, state.done, len(numbers), numbers[:MOST_OUTSTANDING])]
    content = getattr(state, table)
    return content if isinstance(content, tuple) else [content] if content is not None else []


def _plain(row: Any) -> list[Any]:
    return list(row if isinstance(row, tuple) else attrs.astuple(row))


def _pages(simulation: Simulation, block: int) -> str:
    """Return the states of the pages of a block, a digit each."""
    return "".join(str(PAGE_STATES.index(state)) for state in simulation.pages(block))


def _changes(
    simulation: Simulation, before: State, after: State, pages: list[str], happened: bool
) -> dict[str, dict[int, list[Any]]]:
    """Return the rows that have changed by table; none if only time has gone by and nothing has `happened`.

    The states of `pages` by block are brought up to date.
    """
    changes: dict[str, dict[int, list[Any]]] = {}
    for table in TABLES:
        pairs = zip(_rows(before, table), _rows(after, table), strict=True)  # the same device has the same rows
        # whole rows first, as most have not changed
        changes[table] = {index: _plain(new) for index, (old, new) in enumerate(pairs) if old != new}
    set_aside = {index for index, block in enumerate(after.blocks) if block.state == "set aside"}
    # only of these a page can be written that no value of the block tells of
    for index in sorted(changes["blocks"].keys() | set_aside):
        old, pages[index] = pages[index], _pages(simulation, index)
        if index in changes["blocks"] or old != pages[index]:
            changes["blocks"][index] = [*_plain(after.blocks[index]), pages[index]]
    is_quiet = not happened and not changes["blocks"] and _timeless(before) == _timeless(after)
    return {} if is_quiet else {table: rows for table, rows in changes.items() if rows}


def _timeless(state: State) -> tuple[State, list[bool]]:
    """Return a state without what changes as time goes by."""
    return attrs.evolve(state, now_ns=0, buses=()), [bus.taken for bus in state.buses]


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

    columns: Mapping[str, Sequence[str]] = field(repr=False)
    start: Mapping[str, Any] = field(repr=False)
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
        return {
            "planes_per_die": self.planes_per_die,
            "page_types": list(self.page_types),
            "type_names": type_names(self.page_types),
            "columns": self.columns,
            "start": self.start,
            "frames": self.frames,
        }

    def html(self, title: str = "A window of a run") -> str:
        """Return a page that plays the window and loads nothing; raise `InputError` without jinja2."""
        return rendered("player.html.j2", title=title, data=self.data, hues=TYPE_HUES, dead=ORANGE)

    def save(self, path: str | Path, title: str = "A window of a run") -> None:
        """Write the page to `path`."""
        Path(path).write_text(self.html(title), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Return the player as a notebook shows it: in a frame of its own, which the notebook cannot disturb."""
        page = html.escape(self.html())
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {HEIGHT}px; border: 0" title="player"></iframe>'
