"""Keys do what the footer says, and everything is on the screen, in letters as well as in colours."""

import asyncio
from collections import Counter

import pytest

pytest.importorskip("textual")

from textual.geometry import Size
from textual.widgets import Input

from ssdsim import BufferConfig, HardwareConfig, PreconditionConfig, SimulationConfig, SyntheticConfig
from ssdsim.command.watch import app as apps
from ssdsim.command.watch import panels
from ssdsim.command.watch import session as sessions
from ssdsim.command.watch.app import WatchApp
from ssdsim.command.watch.session import Session, followed

PLANES, BLOCKS = 8, 24


def small(requests=600, **changes):
    """Four dies of two planes each, which have to collect at once."""
    hardware = HardwareConfig(
        channels=2,
        chips_per_channel=2,
        dies_per_chip=1,
        planes_per_die=2,
        blocks_per_plane=BLOCKS,
        pages_per_block=12,
        over_provisioning=0.5,
    )
    load = SyntheticConfig(requests=requests, read_share=0.5, queue_depth=8)
    filled = PreconditionConfig(mode="fill")
    return SimulationConfig(**{"hardware": hardware, "workload": load, "precondition": filled} | changes)


def on_screen(play, session=None, size=(80, 24), opened=None):
    """Play with the keys of the screen of `session`, a new one if there is none."""

    async def course():
        app = WatchApp(session or Session(small()), opened)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await play(app, pilot)

    asyncio.run(course())


async def press(app, pilot, *keys):
    """Press keys, and wait for what follows."""
    await pilot.press(*keys)
    await app.workers.wait_for_complete()
    await pilot.pause()


async def until(pilot, holds):
    """Wait until something holds."""
    for _ in range(1000):
        await pilot.pause()
        if holds():
            return
    raise AssertionError("It never held.")


def lines(app):
    """Return what the screen shows, as lines of text."""
    return [strip.text for strip in app.screen._compositor.render_strips(app.size)]


def text(app):
    return "\n".join(lines(app))


def test_each_key_does_what_the_footer_says():
    async def play(app, pilot):
        session = app.session
        await until(pilot, lambda: "Quit" in lines(app)[-1])
        footer = lines(app)[-1]
        for word in ("Run", "Step", "Back", "Stride", "GC", "Wait", "Request", "Time", "Pages", "Quit"):
            assert word in footer
        await press(app, pilot, "s", "s", "s")
        assert session.steps == 3 and "event 3 " in text(app)
        await press(app, pilot, "b")
        assert session.steps == 2 and "event 2 " in text(app)
        await press(app, pilot, "plus", "s")
        assert session.steps == 12 and "stride 10" in text(app)
        await press(app, pilot, "plus", "plus", "minus", "s")
        assert session.steps == 112 and "stride 100" in text(app)
        await press(app, pilot, "b")
        assert session.steps == 12
        await press(app, pilot, "c")
        assert "A collection of block" in text(app) and "collecting" in {each.state for each in session.state.blocks}
        await press(app, pilot, "r", *"150", "enter")
        assert "Request 150 has been admitted." in text(app)
        assert 150 in [each.happening.request for each in session.told if each.step == session.steps]
        await press(app, pilot, "t", *"700", "enter")
        assert session.now_ns <= 700_000 < session.run.peek()
        await press(app, pilot, "w", *"400.5", "enter")
        assert "a read," in text(app)
        assert app.answers == {"request": "150", "time": "700", "wait": "400.5"}
        await press(app, pilot, "q")
        assert not app.is_running

    on_screen(play)


@pytest.mark.more
def test_it_runs_until_it_is_stopped(monkeypatch):
    monkeypatch.setattr(apps, "DRAWN_EVERY_S", 0.01)

    async def play(app, pilot):
        for key in ("space", "escape"):
            begin = app.session.steps
            await pilot.press("space")
            await until(pilot, lambda begin=begin: app.session.steps >= begin + 3)
            assert "Running: space stops." in text(app)
            await pilot.press("b")
            assert app.is_moving
            await press(app, pilot, key)
            assert not app.is_moving and f"Stopped at event {app.session.steps:,}." in text(app)
        await press(app, pilot, "plus", "plus", "plus", "plus", "space")
        assert "The run is over." in text(app)

    on_screen(play)


@pytest.mark.more
@pytest.mark.parametrize(("share", "told"), [(None, "On the way: escape stops. "), (0.25, "escape stops. 25%")])
def test_a_long_way_can_be_left(share, told):
    session, left = Session(small()), []

    def endless():
        try:
            while True:
                if session.steps < 10:
                    followed(session.forward())
                yield share
        finally:
            left.append(session.steps)

    session.to_collection = endless

    async def play(app, pilot):
        await pilot.press("c")
        await until(pilot, lambda: told in text(app))
        await pilot.press("s")
        assert app.is_moving and not left
        await press(app, pilot, "escape")
        assert left == [10] and "Stopped at event 10." in text(app)
        await press(app, pilot, "s")
        assert session.steps == 11

    on_screen(play, session)


@pytest.mark.more
def test_blocks_are_chosen_and_opened():
    async def play(app, pilot):
        assert "wordline" not in text(app)
        await press(app, pilot, "right", "right", "down", "left", "enter")
        assert app.map.chosen == BLOCKS + 1 and "Block 1:1 " in text(app) and "wordline" in text(app)
        await press(app, pilot, "up", "up", "left", "left", "left")
        assert app.map.chosen == 0 and "Block 0:0 " in text(app)
        for block in (3 * BLOCKS + 5, 8 * BLOCKS - 1):
            plane, column = divmod(block, BLOCKS)
            place = app.map.content_region.offset - app.map.region.offset
            await pilot.click(app.map, offset=(place.x + 5 + 2 * column + 1, place.y + plane - app.map.scroll_offset.y))
            await pilot.pause()
            assert app.map.chosen == block and f"Block {plane}:{column} " in text(app)
        await press(app, pilot, "escape")
        assert "wordline" not in text(app)

    on_screen(play, size=(80, 30))


@pytest.mark.more
def test_a_question_is_answered_or_left():
    async def play(app, pilot):
        await press(app, pilot, "w")
        assert app.query_one(Input).value == "1000" and "Wait: us that another read has waited" in text(app)
        await press(app, pilot, "x", "enter")
        assert "wait=x: must be a number of us from 0 on." in text(app)
        await press(app, pilot, "r", *"999999", "enter")
        assert "request 999999: there are 600 requests, from 0 on." in text(app)
        await press(app, pilot, "t", "s", "escape", "s")
        assert app.session.steps == 1 and "time" not in app.answers

    on_screen(play)


@pytest.mark.parametrize(
    ("size", "opened"),
    [
        ((80, 24), None),
        *(
            pytest.param(*each, marks=pytest.mark.more)
            for each in [((80, 24), 3), ((80, 40), 3), ((160, 50), None), ((160, 50), 3)]
        ),
    ],
)
def test_all_panels_are_on_the_screen_and_none_covers_another(size, opened):
    session = Session(small(buffer=BufferConfig(replacement="lru", size_mib=0.25)))
    followed(session.forward(800))

    async def play(app, pilot):
        wanted = {"head", "dies", "map", "requests", "events", "pages"}
        narrow = size[0] < apps.WIDE
        if opened is None:
            wanted -= {"pages"}
        elif narrow:
            wanted -= {"requests"} if size[1] >= apps.HIGH else {"requests", "events"}
        shown = {each.id: each.region for each in app.query("#head, .panel") if each.region}
        assert shown.keys() == wanted
        for name, region in shown.items():
            assert region.height >= 2 and app.screen.region.contains_region(region)
            assert not [other for other, of in shown.items() if other != name and of.overlaps(region)]
        assert app.map.content_size.height >= (PLANES if opened is None or not narrow else 6)
        said = text(app)
        for each in session.state.dies:
            assert each.op is None or each.op in said
        assert ("request " in said) and ("MSB" in said or opened is None)
        assert "…" not in "".join(lines(app)[: shown["map"].bottom])
        await pilot.resize_terminal(*((160, 50) if narrow else (80, 24)))
        await pilot.pause()
        assert app.screen.has_class("wide" if narrow else "narrow")
        assert app.query_one("#dies").region.width == (app.size.width if not narrow else app.map.region.width)

    on_screen(play, session, size, opened)


def test_letters_say_what_colours_do():
    session = Session(small())
    followed(session.forward(2000))
    state = session.state
    for block in (0, BLOCKS - 1, next(at for at, each in enumerate(state.blocks) if each.state == "active")):
        rows = [
            line[9:]
            for line in panels.pages(session, block, 80).plain.splitlines()
            if line[:3] in ("LSB", "CSB", "MSB")
        ]
        pages = session.pages(block)
        following = {page for page in state.blocks[block].next_pages if page >= 0}
        letters = Counter("n" if page in following else panels.PAGE_MARKS[each] for page, each in enumerate(pages))
        assert len(rows) == 3 and Counter("".join(rows)) == letters
        assert all(
            rows[kind][[p for p, its in enumerate(state.page_types) if its == kind].index(page)] == "n"
            for kind, page in enumerate(state.blocks[block].next_pages)
            if page >= 0
        )

    async def play(app, pilot):
        at_work = {page.block: die.op for die in state.dies if die.op for page in die.pages}
        assert at_work
        for plane in range(PLANES):
            shown = app.map.render_line(plane).text
            assert shown.startswith(f"{plane:>4} ")
            for column in range(BLOCKS):
                block = plane * BLOCKS + column
                of, cell = state.blocks[block], shown[5 + 2 * column : 7 + 2 * column]
                special = {"active": "a", "collecting": "c"}.get(of.state, " ")
                mark = {"read": "R", "program": "P", "erase": "E"}[at_work[block]] if block in at_work else special
                tenths = "\N{MIDDLE DOT}" if of.state == "free" else str(min(of.valid * 10 // 12, 9))
                assert cell == mark + tenths

    on_screen(play, session)


@pytest.mark.parametrize("opened", [None, pytest.param(0, marks=pytest.mark.more)])
def test_a_terminal_without_colours_shows_the_same(monkeypatch, opened):
    seen = []

    async def play(app, pilot):
        await press(app, pilot, "plus", "plus", "s")
        seen.append((app.no_color, lines(app)))

    monkeypatch.delenv("NO_COLOR", raising=False)
    on_screen(play, opened=opened)
    monkeypatch.setenv("NO_COLOR", "1")
    on_screen(play, opened=opened)
    (coloured, before), (plain, after) = seen
    assert (coloured, plain) == (False, True) and before == after


@pytest.mark.more
def test_a_large_device_is_scrolled():
    session = Session(SimulationConfig(workload=SyntheticConfig(requests=100, queue_depth=8)))
    planes, blocks = session.config.hardware.planes, session.config.hardware.physical_blocks

    async def play(app, pilot):
        assert app.map.virtual_size == Size(5 + blocks, planes) and app.map.cell == 1
        app.map.choose(planes - 1, blocks - 1)
        await pilot.pause()
        offset = app.map.scroll_offset
        assert offset.x > 0 and offset.y > 0
        bottom = app.map.render_line(planes - 1 - offset.y).text
        assert len(bottom) == app.map.size.width
        assert bottom[5 + blocks - 1 - offset.x] == "\N{MIDDLE DOT}"

    on_screen(play, session)


@pytest.mark.more
def test_what_goes_wrong_is_shown(monkeypatch):
    def step(run):
        raise sessions.SsdsimError("The device is on fire.")

    async def play(app, pilot):
        monkeypatch.setattr(sessions.Watched, "step", step)
        await press(app, pilot, "s")
        assert "The device is on fire." in text(app)
        await press(app, pilot, "space", "c", "b")
        assert "Event 0." in text(app)

    on_screen(play)
