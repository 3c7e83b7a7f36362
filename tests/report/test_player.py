"""A recorded window shows at each of its frames what the simulation was like, in Python and in a browser."""

import html
import json
import re
from html.parser import HTMLParser
from itertools import cycle

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim import InputError, Simulation, SyntheticConfig, simulate
from ssdsim.command import player
from ssdsim.report.player import MOST_FRAMES, record
from ssdsim.run.stepping import EVENTS, PAGE_STATES
from ssdsim.testing import RequestList
from support.browser import drawn, needs_browser
from support.small_devices import STACKS, load, small
from support.strategies import experiments, power_losses
from support.tiny_device import Run, tiny_config


class Decoded:
    """What a page has of a window, frame by frame, as a reader of its JSON would make it out."""

    def __init__(self, recording):
        data = json.loads(json.dumps(recording.data))
        self.tables, self.columns, self.frames = data["start"], data["columns"], data["frames"]

    def __iter__(self):
        yield self.seen()
        for frame in self.frames:
            for table, rows in frame["changes"].items():
                for at, row in rows.items():
                    self.tables[table][int(at)] = row
            yield self.seen()

    def seen(self):
        return {
            table: [dict(zip(self.columns[table], row, strict=True)) for row in rows]
            for table, rows in self.tables.items()
        }


def seen(simulation):
    """Return the same of a simulation now."""
    state = json.loads(json.dumps(attrs.asdict(simulation.state)))
    for die in state["dies"]:
        die["pages"] = [list(page.values()) for page in die["pages"]]
    for number, block in enumerate(state["blocks"]):
        block["pages"] = "".join(str(PAGE_STATES.index(page)) for page in simulation.pages(number))
    run = {name: state[name] for name in ("now_ns", "admitted", "done")}
    outstanding = state["outstanding"]
    return {
        "run": [run | {"in_device": len(outstanding), "outstanding": outstanding[:24]}],
        **{name: state[name] for name in ("streams", "dies", "buses", "blocks")},
        "buffer": [] if state["buffer"] is None else [state["buffer"]],
    }


def timeless(shown):
    """Return it without what changes as time goes by."""
    run, buses = ([dict(row) for row in shown[name]] for name in ("run", "buses"))
    for row in (*run, *buses):
        row.pop("now_ns", None)
        row.pop("busy_ns", None)
    return {**shown, "run": run, "buses": buses}


def assert_frames_are_steps(recording, other):
    """Check the frames against a simulation that is stepped on from the same state."""
    frames = iter(Decoded(recording))
    last = next(frames)
    assert last == seen(other)
    for frame in frames:
        while other.step() and (now := seen(other)) != frame:
            assert timeless(now) == timeless(last)
        assert now == frame
        last = frame


def assert_equal_throughout(config, skipped, lengths):
    """Record windows of a run, and check each of them and the result of the run."""
    recorded, stepped = Simulation(config), Simulation(config)
    for simulation in (recorded, stepped):
        simulation.begin()
        for _ in range(skipped):
            simulation.step()
    for length in lengths:
        try:
            recording = record(recorded, length)
        except InputError:
            assert recorded.is_over
            break
        assert len(recording) == length or recorded.is_over
        assert_frames_are_steps(recording, stepped)
    recorded.run()
    assert Run(recorded.finish()).facts() == Run(simulate(config)).facts()


@settings(max_examples=max(settings.default.max_examples // 12, 1))
@given(experiments(), st.none() | power_losses(), st.sampled_from(["compiled", "simpy"]), st.integers(0, 1000))
def test_frames_are_the_steps_of_any_run(experiment, loss, kernel, skipped):
    """Also past a loss of power; record changes nothing of what is measured."""
    device, streams = experiment
    main, *others = (RequestList(**stream) for stream in streams)
    if loss and device["flash"]["program_order"] == "free":  # which cannot be read back
        device["flash"]["program_order"] = "strict"
    device |= {"kernel": kernel, "record": ["requests", "commands"], "power_loss": loss or {}, "workload": main}
    device["workloads"] = dict(zip(("second", "third"), others, strict=False))
    assert_equal_throughout(tiny_config(device), skipped, [1, 40, 20])


BLOCK_BYTES, PAGE_BYTES, FRAME_BYTES = 40, 1, 1000


def busy(**changes):
    return tiny_config({"workload": SyntheticConfig(requests=400, queue_depth=4, read_share=0.4), **changes})


def test_a_window_ends_where_it_is_told_to():
    simulation = Simulation(busy())
    recording = record(simulation, MOST_FRAMES, until="block_erased")
    assert [words for words in recording.frames[-1]["events"] if "is erased" in words]
    assert not [words for frame in recording.frames[:-1] for words in frame["events"] if "is erased" in words]
    end_ns = simulation.now + 1_234_567
    record(simulation, MOST_FRAMES, until=end_ns)
    assert simulation.now <= end_ns < simulation.peek()
    record(simulation, MOST_FRAMES)
    assert simulation.is_over


def named(simulation, block):
    """Return a block as it is called: plane:block."""
    per_plane = simulation.device.blocks.blocks_per_plane
    return f"{block // per_plane}:{block % per_plane}"


def test_every_event_is_told_in_its_frame():
    """The words of the frames are those that hooks of another run are told of, in the same order."""
    config, told = busy(power_loss={"after_programs": 60}), []
    simulation = Simulation(config)
    for name in EVENTS:
        simulation.on(name, told.append)
    simulation.run()
    events = [words for frame in record(Simulation(config), MOST_FRAMES).frames for words in frame["events"]]
    for happening, words in zip(told, events, strict=True):
        assert {happening.request, happening.die} - {-1} <= set(map(int, re.findall(r"\d+", words)))
        assert happening.block < 0 or f" {named(simulation, happening.block)}" in words
    words = {re.sub(r"\d+", "#", words) for words in events}
    assert {
        "request # is admitted",
        "die #: #:# is erased (gc)",
        "power is cut, and the device boots again",
    } <= words
    assert not [each for each in words if "None" in each or "-#" in each or "{" in each]


def test_what_cannot_be_shown_is_refused():
    for asked, said in [
        ({"events": 0}, "must be between 1 and 5,000"),
        ({"events": MOST_FRAMES + 1}, "must be between 1 and 5,000"),
        ({"until": "block_erase"}, "choose one of request_admitted"),
    ]:
        with pytest.raises(InputError, match=said):
            record(Simulation(busy()), **asked)
    with pytest.raises(InputError, match="timing=off"):
        record(Simulation(busy(timing="off")))
    large = busy(hardware={"blocks_per_plane": 10_000})
    with pytest.raises(InputError, match=r"10,000 blocks and 40,000 pages, .* smaller hardware.blocks_per_plane"):
        record(Simulation(large))
    simulation = Simulation(busy())
    with pytest.raises(InputError, match="nothing happens from 0 ns on"):
        record(simulation, until=-1)
    assert simulation.step() and not simulation.hooks.hooks
    simulation.run()
    with pytest.raises(InputError, match="nothing happens from"):
        record(simulation)


def test_a_page_loads_nothing_and_a_title_is_text():
    evil = "</script><script>alert(1)</script>"
    recording = record(Simulation(busy()), 5)
    text = recording.html(evil)
    assert "<script>alert" not in text and "http:" not in text and "https:" not in text
    assert re.findall(r'(?:src|href)="([^"]*)"', text) == ["data:,", "#frame=0"]
    framed = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*" title="[^"]*"></iframe>', recording._repr_html_())
    assert html.unescape(framed[1]) == recording.html()


def test_a_page_stays_small():
    """The bytes that are promised for its blocks, its pages and its frames, beside those of the page itself."""
    hardware = {"channels": 4, "planes_per_die": 2, "blocks_per_plane": 125, "pages_per_block": 100}
    config = busy(hardware=hardware, precondition={"mode": "fill"}, check="off", integrity="off")
    text = record(Simulation(config), 200).html()
    assert len(text) < 1000 * BLOCK_BYTES + 100_000 * PAGE_BYTES + 200 * FRAME_BYTES + 30_000


# The command.

COMMAND = ["hardware=tlc_4g", "hardware.channels=1", "hardware.blocks_per_plane=16", "hardware.pages_per_block=12"]
COMMAND += ["hardware.over_provisioning=0.5", "precondition=fill", "workload=synthetic", "workload.requests=100"]


def test_the_command_begins_where_it_is_told_to(tmp_path, capsys):
    file = tmp_path / "it.html"
    assert player.main([str(file), "--skip-to", "collection_began", "--events", "3", *COMMAND]) == 0
    assert capsys.readouterr().out == f"{file}\n"
    data = json.loads(re.search(r'id="recording">(.*?)</script>', file.read_text())[1])
    assert "collecting" in {state for _, state, *_ in data["start"]["blocks"]} and len(data["frames"]) == 3
    assert player.main([str(file), "--from", "0.0005", *COMMAND, "--events", "5000"]) == 0
    data = json.loads(re.search(r'id="recording">(.*?)</script>', file.read_text())[1])
    assert data["start"]["run"][0][0] == 500_000
    assert f"The run is over after {len(data['frames']):,} of 5,000 events." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["stack=spd"], "stack=spd: must end with .html; the file comes before the overrides."),
        (["nowhere/it.html"], "nowhere/it.html: there is no folder nowhere; make it first."),
        (["it.html", "--from", "-1"], "--from -1.0: must be a time in s, from 0 on"),
        (["it.html", "--from", "1000", *COMMAND], "--from 1000.0: the run is over at"),
        (["it.html", "--skip-to", "power_cut", *COMMAND], "--skip-to power_cut: none is to come"),
        (["it.html", "hardware.blocks_per_plane=9999"], "a player shows 8,192"),
        (["it.html", "stack=none"], "stack=none"),
    ],
)
def test_what_makes_no_page_is_refused(arguments, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert player.main(arguments) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert not list(tmp_path.iterdir())


# The browser.


class Elements(HTMLParser):
    """The texts of the elements that have an id, the titles and marks of blocks, and those of the pages shown."""

    VOID = ("meta", "link", "input", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.blocks, self.pages = [], {}, [], []
        self.works = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "data-block" in given:
            self.blocks.append([given["title"], ""])
            self.works.append("works" in given["class"].split())
        elif given.get("class", "").startswith("page "):
            self.pages.append([given["title"], ""])
        if tag not in self.VOID:
            within = self.blocks if "data-block" in given else self.pages if "data-type" in given else None
            self.open.append((tag, given.get("id"), within))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for _, name, within in self.open:
            if name:
                self.texts[name] = self.texts.get(name, "") + data
            if within is not None:
                within[-1][1] += data


def opened(*page):
    return Elements(drawn(*page))


LETTERS = {"active": "A", "collecting": "C", "set aside": "S"}


def assert_shows(page, simulation, names, block):
    """Check what the browser shows against what the simulation is like."""
    state = simulation.state
    at_work = {page.block for die in state.dies for page in die.pages}
    assert len(page.blocks) == len(state.blocks)
    for number, (each, (title, letter)) in enumerate(zip(state.blocks, page.blocks, strict=True)):
        pages = simulation.pages(number)
        types = [state.page_types[page] for page, what in enumerate(pages) if what == "valid"]
        split = f" ({', '.join(f'{types.count(kind)} {name}' for kind, name in enumerate(names))})" if names else ""
        assert title == (
            f"block {named(simulation, number)}: {each.state}, {each.valid} valid{split}, {pages.count('dead')} dead, "
            f"{pages.count('free')} free, {each.erases} erases"
        )
        assert (letter, page.works[number]) == (LETTERS.get(each.state, ""), number in at_work)
    for die in state.dies:
        does = f" {die.op} for {die.source}" if die.op else ""
        waits = f"host reads {die.host_reads}, host writes {die.host_writes}, GC reads {die.gc_reads}"
        shown = page.texts[f"die-{die.index}"]
        assert shown.startswith(f"Die {die.index} {die.phase.replace('_', ' ')}{does}waiting: {waits}, ")
        for each in die.pages:
            kind = f" {names[state.page_types[each.page]]}" if names else ""
            place = named(simulation, each.block) + ("" if die.op == "erase" else f" page {each.page}{kind}")
            assert page.texts[f"plane-{each.plane}"].startswith(f"plane {each.plane}: {place}")
    for bus in state.buses:
        assert f"bus {'taken' if bus.taken else 'free'} in use for" in page.texts[f"bus-{bus.channel}"]
    requests = page.texts["requests"]
    assert f"{state.admitted:,} admitted, {state.done:,} done, {len(state.outstanding)} in the device" in requests
    assert all(f"stream {stream.name}: {stream.admitted:,} admitted, " in requests for stream in state.streams)
    assert ("Write buffer: " in requests) == (state.buffer is not None)
    assert page.texts["time"] == f"{state.now_ns:,} ns"
    by_type = sorted(range(len(state.page_types)), key=lambda page: state.page_types[page])
    for number, (title, letter) in zip(by_type, page.pages, strict=True):
        what, kind = simulation.pages(block)[number], state.page_types[number]
        assert title.startswith(f"page {number}{f', {names[kind]}' if names else ''}: {what}")
        following = number in state.blocks[block].next_pages
        assert ("next to be written" in title) == following
        letters = {
            "valid": names[kind][0] if names else "V",
            "dead": "\N{MULTIPLICATION SIGN}",
            "free": ">" * following,
        }
        assert letter == letters[what]


def stepped_to(config, recording, frame):
    """Return a simulation at a frame of a recording that begins with the first collection."""
    simulation = Simulation(config)
    simulation.run_until("collection_began")
    *_, wanted = (each for at, each in enumerate(Decoded(recording)) if at <= frame)
    while seen(simulation) != wanted:
        assert simulation.step()
    return simulation


def window(config, events=60):
    simulation = Simulation(config)
    simulation.run_until("collection_began")
    return record(simulation, events)


MOVES = """<script>
byId("slider").value = 50;
byId("slider").dispatchEvent(new Event("input"));
document.querySelector("[data-go=ArrowLeft]").click();
const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
["ArrowLeft", "ArrowLeft", "ArrowRight"].forEach(key);
document.querySelector("[data-block='5']").click();
</script></body>"""
"""From the last frame to 50, 49, 48, 47, 48."""


@needs_browser
def test_a_browser_shows_the_state_after_moves_to_and_fro(tmp_path):
    config = load(small("pa_ssd"), 150)
    recording, file = window(config), tmp_path / "it.html"
    file.write_text(recording.html("Mine").replace("</body>", MOVES), encoding="utf-8")
    page = opened(file, tmp_path / "browser", "#frame=9999")
    assert page.texts["count"] == "event 48 of 60"
    assert_shows(page, stepped_to(config, recording, 48), ["LSB", "CSB", "MSB"], 5)
    for words in recording.frames[47]["events"]:
        assert words in page.texts["now"] and words in page.texts["events"]


@needs_browser
@pytest.mark.more
@pytest.mark.parametrize(("stack", "frame"), list(zip(STACKS[::6], cycle([17, 60, 0]), strict=False)))
def test_a_browser_shows_the_state_of_many_stacks(stack, frame, tmp_path):
    config = load(small(stack), 150)
    recording, file = window(config), tmp_path / "it.html"
    recording.save(file)
    page = opened(file, tmp_path / "browser", f"#frame={frame}&block=0:3&theme=dark")
    names = [each for each in recording.data["type_names"] if each]
    assert_shows(page, stepped_to(config, recording, frame), names, 3)


@needs_browser
@pytest.mark.more
def test_a_player_plays_to_its_end_and_a_wrong_link_shows_the_start(tmp_path):
    recording, file = window(load(small("pa_ssd"), 150), 20), tmp_path / "it.html"
    recording.save(file)
    page = opened(file, tmp_path / "browser", "#frame=10&play")
    assert page.texts["count"] == "event 20 of 20" and page.texts["play"] == "Play"
    page = opened(file, tmp_path / "browser", "#frame=x&block=99999:0")
    assert page.texts["count"] == "event 0 of 20" and not page.pages
