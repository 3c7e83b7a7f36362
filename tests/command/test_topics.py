"""`--help KEY`, of keys, sections, groups and presets; presets of one's own; the streams of two tenants."""

import json

import pytest

from ssdsim import preset


@pytest.fixture(autouse=True)
def width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


SAID = {
    "host.queue_depth": ["Requests that the device has under way", "default    64", "1 to 2147483647"],
    "ftl.gc.victim": [
        "greedy  ",
        "The block that has been full for longest (LRU cleaning",
        "ssdsim.ftl.reclaim.victims.VictimPolicy",
    ],
    "ftl.gc.victim=rga": ["SIGMETRICS 2013"],
    "workload.arrival": ["as recorded", "open-loop", "recorded (TraceConfig), poisson (SyntheticConfig)"],
    "ftl/gc": ["greedy  ", "ftl.gc.victim=greedy", "Which block is collected."],
    "hardware=spd_small": ["- spd", "channels: 4", "scaled down for tests"],
}


@pytest.mark.parametrize(("words", "parts"), SAID.items(), ids=SAID)
def test_a_topic_says_what_there_is_to_know(cli, words, parts):
    done = cli("--help", words)
    assert (done.status, done.err) == (0, "")
    assert [part for part in parts if part not in done.out] == []


def test_an_unknown_topic_is_told_with_the_nearest(cli):
    done = cli("--help", "ftl.gc.vicim")
    assert (done.status, done.out) == (2, "")
    assert "did you mean 'ftl.gc.victim'?" in done.err and done.err.count("\n") == 1


def test_presets_of_ones_own_stand_beside_the_others(cli, simulator, tmp_path):
    (tmp_path / "presets" / "hardware").mkdir(parents=True)
    (tmp_path / "presets" / "hardware" / "wide.yaml").write_text("# Eight channels.\ndefaults: [tlc_4g]\nchannels: 8\n")
    place = f"hydra.searchpath=[file://{tmp_path}/presets]"
    assert cli(place, "hardware=wide", "ftl.gc.options={}", "workload.limit=1e2").status == 0
    assert simulator.configs[0].hardware.channels == 8 and simulator.configs[0].workload.limit == 100
    assert preset(hardware="wide", **{"hydra.searchpath": [f"file://{tmp_path}/presets"]}).hardware.channels == 8


def test_two_tenants_have_queues_and_requests_of_their_own(tmp_path, monkeypatch):
    from ssdsim.command.cli import main

    monkeypatch.chdir(tmp_path)
    small = ["hardware.blocks_per_plane=64", "hardware.pages_per_block=24", "workload.requests=200"]
    more = ["workloads.writer.requests=50", "+workload@workloads.c=synthetic", "workloads.c.requests=30"]
    assert main(["workload=two_tenants", *small, *more, "record=requests", "hydra.run.dir=run"]) == 0
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["workloads"].keys() == {"writer", "c"}
    assert sum(of["count"] for of in summary["requests"].values()) == 280
    assert summary["requests"]["read"]["count"] >= 200
