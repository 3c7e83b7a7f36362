"""Many runs that go on where they stopped."""

import json
import os

import pytest

from experiments.study.runs import grid
from ssdsim.command.compose import prepared, session
from ssdsim.command.from_python import spelled
from ssdsim.command.job import is_finished
from ssdsim.command.runs import Means, run_all
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from support.tiny_stacks import configured

SMALL = [
    "hardware.channels=1",
    "hardware.blocks_per_plane=24",
    "hardware.pages_per_block=12",
    "hardware.over_provisioning=0.4",
    "precondition=none",
]
LOAD = ["workload=synthetic", "workload.requests=50"]


def written(folder):
    return {path.parent.name: path.stat().st_mtime_ns for path in folder.glob("*/summary.json")}


def test_a_grid_is_every_system_under_every_workload():
    runs = grid({"a": ["x=1"], "b": []}, {"load": ["y=2"], "other": ["y=3"]}, ["seed=5"])
    assert runs == {
        "load/a": ["seed=5", "x=1", "y=2"],
        "load/b": ["seed=5", "y=2"],
        "other/a": ["seed=5", "x=1", "y=3"],
        "other/b": ["seed=5", "y=3"],
    }


def test_finished_runs_are_kept_and_changed_ones_run_again(tmp_path, capsys):
    runs = {"one": [*SMALL, *LOAD], "two": [*SMALL, *LOAD, "seed=2"]}
    results = run_all(runs, tmp_path, Means(jobs=2))
    assert {name: result.summary["seed"] for name, result in results.items()} == {"one": 1, "two": 2}
    first = written(tmp_path)
    assert sorted(capsys.readouterr().err.splitlines()) == ["one: done", "two: done"]
    run_all(runs, tmp_path, Means())
    assert written(tmp_path) == first
    assert capsys.readouterr().err == ""
    results = run_all(runs | {"two": [*SMALL, *LOAD, "seed=3"]}, tmp_path, Means())
    assert results["two"].summary["seed"] == 3
    assert written(tmp_path)["one"] == first["one"]


def test_a_run_is_not_finished_if_it_was_stopped_or_its_trace_is_another(tmp_path):
    trace = tmp_path / "mine.csv"
    text = "arrival_ns,op,offset_bytes,size_bytes\n0,write,0,4096\n"
    trace.write_text(text)
    runs = {"one": [*SMALL, "workload=trace", f"workload.path={spelled(trace)}"]}
    run_all(runs, tmp_path, Means())
    with session():
        config = prepared(runs["one"]).config
    folder = tmp_path / "one"
    os.utime(trace, (2e9, 2e9))
    assert is_finished(config, folder)
    trace.write_text(text.replace("write", "read"))
    assert not is_finished(config, folder)
    trace.write_text(text)
    assert is_finished(config, folder)
    with ResultFolder(folder, overwrite=True) as place:
        summary = json.loads((folder / "summary.json").read_text())
        place.part("summary.json").write_text(json.dumps(summary | {"partial": True}))
        place.add("summary.json")
    assert not is_finished(config, folder)


def test_a_folder_that_another_study_writes_to_is_named(tmp_path):
    with (
        ResultFolder(tmp_path / "one"),
        pytest.raises(SimulationError, match=r"1 of 2 runs failed; one: .*another run is writing there"),
    ):
        run_all({"one": [*SMALL, *LOAD], "two": [*SMALL, *LOAD]}, tmp_path, Means())
    assert set(written(tmp_path)) == {"two"}


def test_nothing_runs_if_one_cannot_be_composed(tmp_path):
    with pytest.raises(ConfigError, match="nosuch"):
        run_all({"one": [*SMALL, *LOAD], "two": ["nosuch=1"]}, tmp_path, Means())
    assert not list(tmp_path.iterdir())


def test_a_run_that_fails_is_named_after_the_others_have_finished(tmp_path, monkeypatch, capsys):
    (tmp_path / "faulty.py").write_text(
        "from ssdsim.errors import SimulationError\n"
        "from ssdsim.host.arbitration import Arbitration\n"
        "class Faulty(Arbitration):\n"
        "    def choose(self):\n"
        "        raise SimulationError('it broke')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    runs = {"bad": [*SMALL, *LOAD, "host.arbitration=faulty.Faulty"], "good": [*SMALL, *LOAD]}
    with pytest.raises(SimulationError, match="1 of 2 runs failed; bad: it broke"):
        run_all(runs, tmp_path, Means())
    assert set(written(tmp_path)) == {"bad", "good"}
    bad = Result.load(tmp_path / "bad").summary
    assert bad["partial"] and bad["error"] == "it broke"
    with pytest.raises(SimulationError, match="1 of 2 runs failed; bad: it broke"):
        run_all(runs, tmp_path, Means())
    assert capsys.readouterr().err.count("good: done") == 1


@pytest.mark.parametrize("name", ["plain.csv", "it's, {odd} $x=[1].csv", "back\\slash.csv", "both\\'.csv", "end\\"])
def test_a_quoted_path_comes_back_from_an_override(tmp_path, name):
    (tmp_path / name).touch()
    config = configured("workload=trace", f"workload.path={spelled(tmp_path / name)}")
    assert config.workload.path == str(tmp_path / name)
