"""What studies share: runs that go on where they stopped, verdicts, tables."""

import csv
import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import study
from experiments.compose import prepared, quoted, session
from experiments.study import Comparison, comparison_table, grid, markdown, number, run_all, write_csv
from ssdsim.errors import ConfigError, SimulationError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result

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
    results = run_all(runs, tmp_path, jobs=2)
    assert {name: result.summary["seed"] for name, result in results.items()} == {"one": 1, "two": 2}
    first = written(tmp_path)
    assert "2/2" in capsys.readouterr().err
    run_all(runs, tmp_path, jobs=1)
    assert written(tmp_path) == first
    assert "2 of 2 runs are finished already" in capsys.readouterr().err
    results = run_all(runs | {"two": [*SMALL, *LOAD, "seed=3"]}, tmp_path, jobs=1)
    assert results["two"].summary["seed"] == 3
    assert written(tmp_path)["one"] == first["one"]


def test_a_run_is_not_finished_if_it_was_stopped_or_its_trace_is_newer(tmp_path):
    trace = tmp_path / "mine.csv"
    trace.write_text("arrival_ns,op,offset_bytes,size_bytes\n0,write,0,4096\n")
    runs = {"one": [*SMALL, "workload=trace", f"workload.path={quoted(trace)}"]}
    run_all(runs, tmp_path, jobs=1)
    with session():
        config = prepared(runs["one"]).config
    folder = tmp_path / "one"
    assert study.is_finished(config, folder)
    later = (folder / "summary.json").stat().st_mtime + 10
    os.utime(trace, (later, later))
    assert not study.is_finished(config, folder)
    os.utime(trace, (later - 20, later - 20))
    text = (folder / "summary.json").read_text()
    (folder / "summary.json").write_text(text.replace('"partial": false', '"partial": true'))
    assert not study.is_finished(config, folder)


def test_a_folder_that_another_study_writes_to_is_named(tmp_path):
    with (
        ResultFolder(tmp_path / "one"),
        pytest.raises(SimulationError, match=r"1 of 2 runs failed; one: .*another run is writing there"),
    ):
        run_all({"one": [*SMALL, *LOAD], "two": [*SMALL, *LOAD]}, tmp_path, jobs=1)
    assert set(written(tmp_path)) == {"two"}


def test_nothing_runs_if_one_cannot_be_composed(tmp_path):
    with pytest.raises(ConfigError, match="nosuch"):
        run_all({"one": [*SMALL, *LOAD], "two": ["nosuch=1"]}, tmp_path, jobs=1)
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
        run_all(runs, tmp_path, jobs=1)
    assert set(written(tmp_path)) == {"bad", "good"}
    bad = Result.load(tmp_path / "bad").summary
    assert bad["partial"] and bad["error"] == "it broke"
    with pytest.raises(SimulationError, match="1 of 2 runs failed; bad: it broke"):
        run_all(runs, tmp_path, jobs=1)
    assert "1 of 2 runs are finished already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [(None, 0, ""), (ConfigError("wrong."), 2, "wrong.\n"), (SimulationError("broken."), 1, "broken.\n")],
)
def test_the_exit_status_tells_what_happened(capsys, error, status, told):
    def work():
        if error:
            raise error

    assert study.exit_status(work) == status
    assert capsys.readouterr().err == told


def test_an_interrupted_study_says_how_to_go_on(capsys):
    def work():
        raise KeyboardInterrupt

    assert study.exit_status(work) == 130
    assert "same command" in capsys.readouterr().err


def test_a_study_that_a_batch_system_ends_says_so_by_its_status(default_signals):
    assert study.exit_status(lambda: signal.raise_signal(signal.SIGTERM)) == 143


def test_an_unexpected_error_is_not_hidden():
    def work():
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        study.exit_status(work)


@pytest.mark.parametrize("given", [["--scale", "0"], ["--scale", "1/0"], ["--scale", "2"], ["--jobs", "0"]])
def test_options_that_make_no_sense_are_refused(capsys, given):
    with pytest.raises(SystemExit) as left:
        study.parser("mine", "Mine.", "results/mine").parse_args(given)
    assert left.value.code == 2
    assert given[0] in capsys.readouterr().err


@pytest.mark.parametrize("name", ["plain.csv", "it's, {odd} $x=[1].csv", "back\\slash.csv", "both\\'.csv", "end\\"])
def test_a_quoted_path_comes_back_from_an_override(tmp_path, name):
    (tmp_path / name).touch()
    with session():
        config = prepared(["workload=trace", f"workload.path={quoted(tmp_path / name)}"]).config
    assert config.workload.path == str(tmp_path / name)


@pytest.mark.parametrize(
    ("ours", "paper", "verdict"),
    [
        (60, 60, "agrees"),
        (40, 60, "agrees"),
        (39, 60, "**off by more than a third**"),
        (81, 60, "**off by more than a third**"),
        (-6, 60, "**other direction**"),
        (2, -6, "**other direction**"),
        (0.4, 0, "agrees"),
        (3, 0, "**off by more than a third**"),
        (None, 5, "not measured"),
    ],
)
def test_the_verdict_is_on_direction_and_a_third(ours, paper, verdict):
    compared = Comparison("it", ours, paper)
    assert compared.verdict == verdict
    assert compared.agrees == (verdict == "agrees")


def test_slack_forgives_what_means_nothing():
    assert not Comparison("it", 3, 2).agrees
    assert Comparison("it", 3, 2, slack=1).agrees
    assert comparison_table([Comparison("it", 3.14159, 2.6, "x")]).splitlines()[2] == "| it | 3.14x | 2.6x | agrees |"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (0.0, "0"),
        (12345, "12,345"),
        (12345.6, "12,346"),
        (99.95, "100"),
        (0.012345, "0.0123"),
        (-1.5, "-1.5"),
    ],
)
def test_numbers_have_three_digits(value, shown):
    assert number(value) == shown


@given(st.floats(-999, 999))
def test_a_shown_number_is_within_half_of_its_last_digit(value):
    assert float(number(value)) == pytest.approx(value, rel=5.1e-3, abs=1e-300)


def test_tables_are_written_for_reading_and_for_other_programs(tmp_path):
    assert markdown(["a", "b"], [["x", 1.23456], ["y", None]]) == "| a | b |\n| --- | ---: |\n| x | 1.23 |\n| y | - |\n"
    write_csv(tmp_path / "it.csv", [{"a": "x", "b": 1.23456}, {"a": "y", "b": None}])
    with (tmp_path / "it.csv").open() as file:
        assert list(csv.DictReader(file)) == [{"a": "x", "b": "1.23456"}, {"a": "y", "b": ""}]
