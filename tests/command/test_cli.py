"""Runs, folders and the help page, with the simulator replaced."""

import io
import json
import re
from pathlib import Path

import pytest

from ssdsim.command.cli import main
from ssdsim.config import SyntheticConfig, TraceConfig

PROJECT = Path(__file__).resolve().parents[2]


def test_what_a_terminal_has_no_characters_for_stops_no_run(simulator, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr("sys.stdout", out)
    assert main([]) == 0
    assert b" ???" in out.buffer.getvalue()


def test_a_run_prints_a_table_and_where_the_results_are(cli, tmp_path):
    done = cli("seed=3", "plot=true")
    (folder,) = (tmp_path / "results").glob("*/*")
    assert done.status == 0
    assert re.search(r"response mean\s+300.0\s+300.0", done.out)
    assert re.search(r"IOPS\s+3,000", done.out)
    assert done.out.endswith(f"Results are in {folder.relative_to(tmp_path)}\n")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d/\d\d-\d\d-\d\d-[0-9a-f]{6}", str(folder.relative_to(tmp_path / "results")))
    written = {"config.yaml", "summary.json", "timeseries.parquet", "overview.png", "manifest.json"}
    assert {file.name for file in folder.iterdir()} == written


@pytest.mark.parametrize(
    ("requests", "words", "drawn"),
    [
        (99_999, [], False),
        (100_000, [], True),
        (100_000, ["plot=false"], False),
        (1, ["--multirun", "seed=1", "plot=true"], True),
    ],
)
def test_a_picture_is_for_runs_that_are_long_or_asked_for_it(cli, simulator, tmp_path, requests, words, drawn):
    simulator.trims = requests - 1000
    assert cli("hydra.run.dir=run", *words).status == 0
    assert [*tmp_path.glob("run/**/summary.json")]
    assert len([*tmp_path.glob("run/**/overview.png")]) == drawn


def test_a_folder_with_results_is_refused_unless_told(cli, simulator, tmp_path):
    assert cli("hydra.run.dir=run").status == 0
    (tmp_path / "run" / "mine.parquet").write_text("of the user")
    refused = cli("hydra.run.dir=run", "seed=2")
    assert refused.status == 2
    assert refused.err.startswith("run: is not empty (config.yaml, manifest.json, mine.parquet, ...); choose another")
    replaced = cli("hydra.run.dir=run", "seed=2", "overwrite=true", "-q")
    assert (replaced.status, replaced.err) == (0, "")
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["iops"] == 2000
    assert (tmp_path / "run" / "mine.parquet").read_text() == "of the user"
    assert [config.seed for config in simulator.configs] == [1, 2]


@pytest.mark.parametrize(
    ("overrides", "rate", "depth"),
    [
        ([], None, 16),
        (["workload.queue_depth=4"], None, 4),
        (["workload.rate_iops=5000"], 5000, None),
    ],
)
def test_a_rate_alone_makes_the_load_open_loop(cli, simulator, overrides, rate, depth):
    assert cli("workload=synthetic", *overrides).status == 0
    workload = simulator.configs[0].workload
    assert isinstance(workload, SyntheticConfig)
    assert (workload.rate_iops, workload.queue_depth) == (rate, depth)


def test_traces_are_looked_for_here_first_then_in_the_project(cli, simulator, tmp_path):
    assert cli().status == 0
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "sqlite_wal.csv.xz").touch()
    assert cli().status == 0
    assert cli("workload.path=sqlite_wal.csv.xz").status == 0
    paths = [Path(config.workload.path) for config in simulator.configs]
    here, shipped = Path("traces/sqlite_wal.csv.xz"), PROJECT / "traces" / "sqlite_wal.csv.xz"
    assert paths == [shipped, here, shipped]
    assert isinstance(simulator.configs[0].workload, TraceConfig)


@pytest.mark.parametrize("argv", [["seed=1"], ["-m", "seed=1,2"]])
def test_the_quiet_get_the_place_and_what_went_wrong(cli, simulator, lost, argv):
    done = cli("--quiet", *argv, "hydra.run.dir=out")
    assert (done.status, done.out, done.err) == (0, "Results are in out\n", "")
    simulator.failures[1] = lost
    done = cli("-q", *argv, "hydra.run.dir=out", "overwrite=true")
    assert done.status == 1 and str(lost) in done.err + done.out


def test_fields_are_told_by_words_of_their_names_or_else_of_their_meanings(cli):
    everything = cli("fields").out
    for heading in ("summary.json", "timeseries.parquet", "requests.parquet", "commands.parquet"):
        assert heading in everything
    named = cli("fields", "gc", "collections").out
    assert "gc.collections" in named and "gc_collections" in named and "gc.page_moves" not in named
    assert "<served>.<request>.response_us.<statistic>" in cli("fields", "requests.read.response_us.p99").out
    assert "page_writes_per_plane_std" in cli("fields", "sdwpp").out
    assert "gc.page_moves" in cli("fields", "Valid pages that collection moved").out
    assert "<load>.<field>" in cli("fields", "workload.zipf_theta").out
