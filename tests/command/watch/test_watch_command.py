"""The command composes what is watched, goes where it is told to, and refuses in a sentence what it cannot show."""

import re
import xml.etree.ElementTree as ET
from collections import defaultdict

import pytest

from ssdsim.command.watch.__main__ import main, watched_run
from ssdsim.command.watch.session import followed

TINY = ["hardware.pages_per_block=12", "workload.requests=300"]


def test_the_device_is_a_small_one_unless_another_is_chosen():
    small = watched_run(["workload.read_share=1", "hardware.pages_per_block=12"]).config
    assert (small.hardware.planes, small.hardware.blocks_per_plane, small.workload.requests) == (8, 32, 100_000)
    assert small.workload.read_share == 1 and small.hardware.pages_per_block == 12
    other = watched_run(["hardware=flexftl_small", "stack=flex_ftl", "workload=trace"]).config
    assert other.hardware.blocks_per_plane == 128 and other.workload.path.endswith(".xz")


def shown(svg):
    """Return the lines of a picture."""
    lines = defaultdict(str)
    for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):
        lines[each.get("y")] += "".join(each.itertext()).replace("\N{NO-BREAK SPACE}", " ")
    return "\n".join(lines.values())


def test_a_picture_is_taken_where_it_is_told_to(tmp_path, capsys):
    pytest.importorskip("textual")
    file = tmp_path / "screen.svg"
    places = ["--to", "collection", "--to", "request=40", "--block", "3:7"]
    assert main([*TINY, *places, "--screenshot", str(file), "--size", "100x30"]) == 0
    out = capsys.readouterr().out
    assert out == f"Request 40 has been admitted.\n{file}\n"
    svg = file.read_text()
    session = watched_run(TINY)
    followed(session.to_collection())
    followed(session.to_request(40))
    words = shown(svg)
    assert f"event {session.steps} " in words and "Request 40 has been admitted." in words
    assert "Block 3:7 " in words and "wordline" in words
    assert not re.findall(r"url\(.?http", svg), "nothing is fetched from elsewhere"


@pytest.mark.more
def test_the_picture_on_the_site_shows_what_its_page_says():
    pytest.importorskip("textual")
    pytest.importorskip("matplotlib")
    from docs.pictures.watch import watch_pages

    (die,) = [line.split() for line in shown(watch_pages()).splitlines() if re.match(r"2 +array", line.strip())]
    assert die[2] == "erase" and die[-4] == "1"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--to", "colection"], "colection: must be one of collection, wait=N"),
        (["--to", "request=300"], "request 300: there are 300 requests, from 0 on"),
        (["--block", "8:0"], "--block 8:0: must be PLANE:BLOCK, from 0:0 to 7:31"),
        (["--block", "3"], "--block 3: must be PLANE:BLOCK"),
        (["--size", "80"], "--size 80: must be columns x lines"),
        (["--size", "20x24"], "from 40x10 to 500x500"),
        (["timing=off"], "timing=off: there are no events to watch"),
        (["hardware=tlc_5g"], "hardware=tlc_5g"),
        (["stack=basline"], "did you mean"),
        (["foo"], "an override is written key=value"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_sentence(given, told, tmp_path, capsys):
    pytest.importorskip("textual")
    file = tmp_path / "screen.svg"
    assert main([*TINY, *given, "--screenshot", str(file)]) == 2
    captured = capsys.readouterr()
    assert told in captured.err and captured.err.count("\n") == 1 and not captured.out and not file.exists()


def test_a_picture_that_cannot_be_written_is_told(tmp_path, capsys):
    pytest.importorskip("textual")
    assert main([*TINY, "--screenshot", str(tmp_path / "nowhere" / "screen.svg")]) == 2
    assert "nowhere" in (err := capsys.readouterr().err) and err.count("\n") == 1


def test_it_needs_a_terminal_and_textual(monkeypatch, capsys):
    pytest.importorskip("textual")
    assert main([]) == 2
    assert "there is no terminal to draw on; take --screenshot FILE.svg" in capsys.readouterr().err
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main([]) == 2
    assert capsys.readouterr().err == (
        "textual: not installed, and the screen is drawn with it; install ssdsim[watch].\n"
    )
