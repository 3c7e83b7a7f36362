"""The screen: panels over a session, and keys that move it."""

import asyncio
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Footer, Input
from textual.worker import Worker

from ssdsim.errors import InputError

from . import panels
from .block_map import BlockMap
from .session import NUMBERS, Course, Session, course

WIDE = 120
"""Columns from which on the panels stand side by side."""

HIGH = 30
"""Lines from which on the pages of a block do not take the place of the last events."""

DRAWN_EVERY_S = 0.1
STRIDES = (1, 10, 100, 1000, 10_000)
"""Events that a step, a step back, and a run between two pictures have."""

LEGEND = "0-9 tenths valid  \N{MIDDLE DOT} free  a active  c collecting  R P E at work"
PAGE_LEGEND = "v valid  d dead  \N{MIDDLE DOT} free  n next"

FONTS = re.compile(r"@font-face\s*{[^}]*}\s*")
"""Fonts of a picture, which would be fetched from elsewhere; without them it is the reader's own font."""


class Panel(Widget):
    """Text that is made for the width and the height that there are."""

    def __init__(self, make: Callable[[int, int], Text], **given: Any):
        super().__init__(**given)
        self.make = make

    def render(self) -> Text:
        """Make the text."""
        return self.make(self.size.width, self.size.height)


class WatchApp(App[None]):
    """A run on a screen."""

    CSS_PATH = Path(__file__).with_name("app.tcss")
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "narrow"), (WIDE, "wide")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "low"), (HIGH, "high")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "run", "Run"),
        Binding("s", "go('forward')", "Step"),
        Binding("b", "go('back')", "Back"),
        Binding("plus,equals_sign", "stride(1)", "Stride", key_display="+-"),
        Binding("minus", "stride(-1)", show=False),
        Binding("c", "go('collection')", "GC"),
        Binding("w", "ask('wait')", "Wait"),
        Binding("r", "ask('request')", "Request"),
        Binding("t", "ask('time')", "Time"),
        Binding("enter", "open", "Pages"),
        Binding("escape", "leave", "Stop", show=False),
        Binding("q,ctrl+c", "quit", "Quit", key_display="q"),
    ]

    def __init__(self, session: Session, opened: int | None = None, said: str = ""):
        super().__init__()
        self.session = session
        self.opened = opened
        self.stride = 0
        self.said = said
        self.moving: Worker[None] | None = None
        self.asking = "wait"
        self.answers = {"wait": "1000"}
        """The last answer to each question."""

    def compose(self) -> ComposeResult:
        """Make the panels."""
        session, hardware = self.session, self.session.config.hardware
        per_plane = hardware.physical_blocks
        yield Panel(lambda *_: self.head(), id="head")
        with Horizontal(id="main"):
            with Vertical(id="left"):
                with VerticalScroll(id="dies", classes="panel", can_focus=False):
                    yield Panel(lambda *_: panels.dies(session.state, per_plane))
                    yield Panel(lambda *_: panels.buses(session.state))
                yield BlockMap(hardware.planes, per_plane, id="map", classes="panel")
                told = Panel(lambda _, most: panels.events(session.told, session.state, per_plane, most), id="events")
                yield told.add_class("panel")
            with Vertical(id="right"):
                yield Panel(lambda _, most: panels.requests(session, most), id="requests", classes="panel")
                with VerticalScroll(id="pages", classes="panel", can_focus=False):
                    yield Panel(lambda width, _: panels.pages(session, self.map.chosen, width))
        yield Input(id="prompt")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Name the panels, and show the start."""
        titles = {
            "dies": "Dies, and what waits: hr hw host reads, writes  gr gw those of collections",
            "map": f"Blocks  {LEGEND}",
            "requests": "Requests, and their time so far",
            "events": "Last events, by their time in us",
        }
        for panel, title in titles.items():
            self.query_one(f"#{panel}").border_title = title
        self.map.focus()
        if self.opened is not None:
            self.map.choose(*divmod(self.opened, self.map.blocks_per_plane))
            self.screen.add_class("opened")
        self.draw()

    @property
    def map(self) -> BlockMap:
        """The map of blocks."""
        return self.query_one(BlockMap)

    # What is seen.

    def draw(self) -> None:
        """Show where the session is; nothing once the panels are gone, as when a signal ends a way."""
        for blocks in self.query(BlockMap):
            blocks.show(self.session.state)
            self.query_one("#pages").border_title = f"Block {self.session.name(blocks.chosen)}  {PAGE_LEGEND}"
        for panel in self.query(Panel):
            panel.refresh(layout=True)

    def head(self) -> Text:
        """Return where the run is, and what was said last."""
        text = panels.head(self.session)
        text.append("\n")
        text.append(self.said or self.session.ending or "Space runs it, s is a step.")
        text.append(f"   stride {STRIDES[self.stride]:,}", "dim")
        return text

    def say(self, words: str) -> None:
        """Show `words` in place of what was said last."""
        self.said = words
        self.draw()

    # Moving.

    def go(self, moves: Callable[[], Course], again: bool = False) -> None:
        """Follow a course, or with `again` one after the other, unless another one is being followed."""
        if self.is_moving:
            self.say("On the way: escape stops.")
            return
        self.moving = self.run_worker(self.follow(moves, again), exclusive=True)

    @property
    def is_moving(self) -> bool:
        """Whether a course is being followed."""
        return self.moving is not None and not self.moving.is_finished

    async def follow(self, moves: Callable[[], Course], again: bool) -> None:
        """Follow a course, or with `again` one after the other, and show where it has led."""
        try:
            while True:
                self.said = "Running: space stops." if again else ""
                with closing(moves()) as way:  # also where it is cancelled
                    said = await self.end_of(way)
                if not again or self.session.ending:
                    self.said = said
                    return
                self.draw()
                await asyncio.sleep(DRAWN_EVERY_S)
        except asyncio.CancelledError:
            self.said = f"Stopped at event {self.session.steps:,}."
            raise
        except InputError as error:
            self.said = str(error)
        finally:
            self.draw()

    async def end_of(self, way: Course) -> str:
        """Return the words at the end of a course; show its progress now and then."""
        drawn_s = monotonic()
        while True:
            try:
                share = next(way)
            except StopIteration as end:
                return str(end.value)
            if monotonic() - drawn_s > DRAWN_EVERY_S:  # by the clock: events take times that differ
                self.say("On the way: escape stops." + ("" if share is None else f" {share:.0%}"))
                drawn_s = monotonic()
            await asyncio.sleep(0)  # lets keys be handled

    def action_run(self) -> None:
        """Run, or stop."""
        if self.is_moving:
            self.action_leave()
        else:
            self.action_go("forward", again=True)

    def action_go(self, where: str, again: bool = False) -> None:
        """Go on or back by a stride, or to the next collection."""
        events, session = STRIDES[self.stride], self.session
        ways = {"forward": lambda: session.forward(events), "back": lambda: session.back(events)}
        self.go(ways.get(where, session.to_collection), again)

    def action_stride(self, more: int) -> None:
        """Take longer strides, or shorter ones."""
        self.stride = min(max(self.stride + more, 0), len(STRIDES) - 1)
        self.say("")

    def action_leave(self) -> None:
        """Stop the course that is being followed, or close the question, or the pages."""
        # what lies on top is closed first
        if self.screen.has_class("asking"):
            self.close_question()
        elif self.is_moving and self.moving is not None:
            self.moving.cancel()
        else:
            self.screen.remove_class("opened")

    # Questions.

    def action_ask(self, name: str) -> None:
        """Ask for the number that a place has."""
        self.asking = name
        prompt = self.query_one(Input)
        prompt.border_title = f"{name.capitalize()}: {NUMBERS[name]}"
        prompt.value = self.answers.get(name, "")
        self.screen.add_class("asking")
        prompt.focus()

    def on_input_submitted(self, answer: Input.Submitted) -> None:
        """Go to the place."""
        self.close_question()
        self.answers[self.asking] = answer.value
        self.go(lambda: course(self.session, f"{self.asking}={answer.value.strip()}"))

    def close_question(self) -> None:
        """Ask no more."""
        self.screen.remove_class("asking")
        self.map.focus()

    # Blocks.

    def action_open(self) -> None:
        """Show the pages of the chosen block, or no more."""
        self.screen.toggle_class("opened")
        self.draw()

    def on_block_map_chosen(self) -> None:
        """Show the pages of another block, if pages are shown."""
        self.draw()


def screenshot(app: WatchApp, columns: int, lines: int) -> str:
    """Return the picture of `app` on a screen of so many characters, as SVG."""
    taken = []

    async def take(pilot: Any) -> None:
        await pilot.pause()  # until the panels are drawn
        taken.append(FONTS.sub("", app.export_screenshot(title="A simulated SSD")))
        app.exit()

    app.run(headless=True, size=(columns, lines), auto_pilot=take)
    return taken[0]
