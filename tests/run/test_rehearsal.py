"""Own policies are called once on a small device, in a process of its own, before a run."""

import sys

import pytest

from ssdsim import preset
from ssdsim.command.cli import main
from ssdsim.errors import PolicyError
from ssdsim.run.rehearsal import BLOCKS, rehearse, smaller

SOURCE = """
from ssdsim.ftl.reclaim.victims import VictimPolicy

called = []


class Right(VictimPolicy):
    def select(self, plane):
        called.append(plane)
        return self.full.at(plane, 0) if self.full.count(plane) else -1


class Misnamed(Right):
    def select(self, plane):
        return self.full.first(plane)


class Word(Right):
    def select(self, plane):
        return "the first"


class OfTheSize(Right):
    def select(self, plane):
        raise IndexError("on this device there are too few")
"""
WORDS = {"workload": "synthetic", "workload.read_share": 0}


@pytest.fixture(autouse=True)
def rehearsed(tmp_path, monkeypatch):
    (tmp_path / "rehearsed.py").write_text(SOURCE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("rehearsed", None)


def named(name):
    return preset("baseline", **WORDS, **{"ftl.gc.victim": f"rehearsed.{name}"})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Misnamed", r"Misnamed\.select raised AttributeError: .*'first' .*rehearsed\.py, line 15"),
        ("Word", r"Word\.select in .*rehearsed\.py returned 'the first', and owes a whole number"),
    ],
)
def test_what_is_wrong_in_itself_is_told(name, message):
    with pytest.raises(PolicyError, match=rf"^ftl\.gc\.victim=rehearsed\.{name}: {message}") as told:
        rehearse(named(name))
    assert ("return self.full.first(plane)" in told.value.frames) == (name == "Misnamed")


@pytest.mark.parametrize("name", ["Right", "OfTheSize"])
def test_all_else_is_left_to_the_run_and_nothing_is_other_than_before(name, capfd):
    config = named(name)
    rehearse(config)
    assert sys.modules["rehearsed"].called == []
    assert "Traceback" not in capfd.readouterr().err


def test_the_device_differs_in_its_blocks_alone():
    config = preset("pcftl", hardware="pcftl", **{"+workload@workloads.b": "synthetic"})
    small = smaller(config)
    assert small.hardware.blocks_per_plane == BLOCKS < config.hardware.blocks_per_plane
    assert small.hardware.planes == config.hardware.planes and small.workloads.keys() == {"b"}
    assert small.ftl == config.ftl and small.scheduler == config.scheduler


def test_the_command_line_tells_it_before_the_run(tmp_path, capsys):
    words = [f"{key}={value}" for key, value in WORDS.items()]
    assert main([*words, "ftl.gc.victim=rehearsed.Word", "hydra.run.dir=run"]) == 2
    shown = capsys.readouterr().err
    assert "returned 'the first'" in shown and "Running into" not in shown
    assert not (tmp_path / "run").exists()
