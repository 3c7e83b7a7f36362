"""A recorded window shows at each of its frames what the simulation was like, in Python and in a browser."""

import html
import json
import re
from copy import deepcopy

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim import Simulation, SyntheticConfig, simulate
from ssdsim.report.player import record
from ssdsim.testing import RequestList
from support.browser import drawn, needs_browser
from support.small_devices import load, small
from support.strategies import experiments, power_losses
from support.tiny_device import Run, tiny_config


def decoded(recording):
    """Yield what a page has of a window, frame by frame, as a reader of its JSON would make it out."""
    data = json.loads(re.search(r'id="recording">(.*?)</script>', recording.html())[1])
    yield data["start_ns"], deepcopy(data["start"])
    for frame in data["frames"]:
        for table, rows in frame["changes"].items():
            for at, row in rows.items():
                data["start"][table][int(at)] = row
        yield frame["at_ns"], deepcopy(data["start"])


def seen(simulation):
    """Return the same of a simulation now."""
    state = json.loads(json.dumps(attrs.asdict(simulation.state)))
    outstanding = state["outstanding"]
    requests = {"admitted": state["admitted"], "done": state["done"], "in_device": len(outstanding)}
    return state["now_ns"], {
        "requests": [requests | {"outstanding": outstanding[:24]}],
        "buffer": [] if state["buffer"] is None else [state["buffer"]],
        "buses": [bus["taken"] for bus in state["buses"]],
        **{name: state[name] for name in ("streams", "dies", "blocks")},
    }


@settings(max_examples=max(settings.default.max_examples // 12, 1))
@given(experiments(), st.none() | power_losses(), st.sampled_from(["compiled", "simpy"]), st.integers(0, 1000))
def test_frames_are_the_steps_of_any_run(experiment, loss, kernel, skipped):
    """Also past a loss of power; record changes nothing of what is measured."""
    device, (main, *others) = experiment
    if loss and device["flash"]["program_order"] == "free":  # which cannot be read back
        device["flash"]["program_order"] = "strict"
    device |= {"kernel": kernel, "record": ["requests", "commands"], "power_loss": loss or {}}
    device |= {"workload": RequestList(**main)}
    device["workloads"] = dict(zip(("second", "third"), (RequestList(**other) for other in others), strict=False))
    config = tiny_config(device)
    recorded, stepped = Simulation(config), Simulation(config)
    for simulation in (recorded, stepped):
        simulation.begin()
        for _ in range(skipped):
            simulation.step()
    for length in (1, 40, 20):
        if recorded.is_over:
            break
        frames = decoded(record(recorded, length))
        last = next(frames)
        assert last == seen(stepped)
        for frame in frames:
            while stepped.step() and (now := seen(stepped)) != frame:
                assert now[1] == last[1]  # only time has gone by
            assert now == frame
            last = frame
    recorded.run()
    assert Run(recorded.finish()).facts() == Run(simulate(config)).facts()


def busy(**changes):
    return tiny_config({"workload": SyntheticConfig(requests=400, queue_depth=4, read_share=0.4), **changes})


def test_a_page_loads_nothing_and_a_title_is_text():
    evil = "</script><script>alert(1)</script>"
    recording = record(Simulation(busy()), 5)
    text = recording.html(evil)
    assert "<script>alert" not in text and "http:" not in text and "https:" not in text
    assert re.findall(r'(?:src|href)="([^"]*)"', text) == ["data:,", "#frame=0"]
    framed = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*" title="[^"]*"></iframe>', recording._repr_html_())
    assert html.unescape(framed[1]) == recording.html()


# The browser.

MOVES = """<script>
byId("slider").value = 50;
byId("slider").dispatchEvent(new Event("input"));
document.querySelector("[data-go=ArrowLeft]").click();
const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
["ArrowLeft", "ArrowLeft", "ArrowRight"].forEach(key);
</script></body>"""
"""From the last frame to 50, 49, 48, 47, 48."""


@needs_browser
def test_a_browser_shows_the_state_after_moves_to_and_fro(tmp_path):
    simulation = Simulation(load(small("pa_ssd"), 150))
    simulation.run_until("collection_began")
    recording, file = record(simulation, 60), tmp_path / "it.html"
    file.write_text(recording.html("Mine").replace("</body>", MOVES), encoding="utf-8")
    text = drawn(file, tmp_path / "browser", "#frame=9999")
    now_ns, state = [*decoded(recording)][48]
    assert f"event 48 of 60, {now_ns:,} ns" in text
    titles = re.findall(
        r'<i class="cell( works)?" title="block (\d+):(\d+): ([\w ]+), (\d+) valid, (\d+) dead, (\d+) erases"', text
    )
    shown = [(block["state"], str(block["valid"]), str(block["erases"])) for block in state["blocks"]]
    assert [(title[3], title[4], title[6]) for title in titles] == shown
    at_work = {page["block"] for die in state["dies"] for page in die["pages"]}
    assert {number for number, title in enumerate(titles) if title[0]} == at_work != set()
    for words in recording.frames[47]["events"]:
        assert f"{words}</li>" in text
