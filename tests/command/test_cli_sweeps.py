"""Sweeps by the command line, and what becomes of their folders, with the simulator replaced."""

import json
import re
import signal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ssdsim.command.compose import session
from ssdsim.command.groups import choices
from ssdsim.errors import PolicyError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.run.interrupts import Terminated


def test_a_sweep_runs_each_point_and_compares(cli, simulator, tmp_path):
    done = cli("--multirun", "ftl/gc=greedy,rga", "seed=1,2", "hydra.run.dir=sweep", "host.queue_depth=8")
    assert done.status == 0
    points = [(config.ftl.gc.victim, config.seed) for config in simulator.configs]
    assert points == [("greedy", 1), ("greedy", 2), ("rga", 1), ("rga", 2)]
    for job in range(4):
        status = json.loads((tmp_path / "sweep" / str(job) / "status.json").read_text())
        assert (status["job"], status["status"]) == (job, "completed")
    assert re.search(r"ftl/gc=rga seed=2\s+2,000\s", done.out)
    assert "host.queue_depth" not in done.out
    assert not list(tmp_path.rglob(".hydra")) + list(tmp_path.rglob("*.log"))


def test_a_group_changed_by_a_dictionary_is_the_same_in_a_sweep(cli, simulator):
    words = ["workload=synthetic", "workload={requests: 200, read_share: 0.25}", "workload={queue_depth: 3}"]
    assert cli(*words).status == 0
    assert cli("--multirun", *words, "seed=1,2").status == 0
    assert [(config.seed, config.workload) for config in simulator.configs[1:]] == [
        (seed, simulator.configs[0].workload) for seed in (1, 2)
    ]
    assert (simulator.configs[1].workload.requests, simulator.configs[1].workload.queue_depth) == (200, 3)


def test_one_failed_job_does_not_stop_the_others(cli, simulator, lost, tmp_path):
    simulator.failures = {1: lost, 2: ZeroDivisionError("a bug")}
    done = cli("-m", "seed=1,2,3", "hydra.run.dir=\"a 'strange' place\"")
    assert done.status == 1
    assert f"Job 0 (seed=1) failed: {lost}" in done.out
    assert "Job 1 (seed=2) crashed: ZeroDivisionError('a bug')" in done.out
    assert re.search(r"seed=3\s+3,000", done.out)
    assert "Traceback" in done.err
    statuses = [json.loads(file.read_text())["status"] for file in sorted(tmp_path.glob("*/*/status.json"))]
    assert statuses == ["failed", "crashed", "completed"]


@pytest.mark.parametrize("first", [1, 2])
def test_the_status_of_a_sweep_is_that_of_its_first_job_that_failed(cli, simulator, lost, first):
    simulator.failures = dict(zip((first, 3 - first), (lost, PolicyError("X.select raised.")), strict=True))
    assert cli("-m", "seed=1,2,3").status == first  # 1 for what went wrong, 2 for what the user can mend


def test_the_last_word_on_overwriting_counts(cli, simulator, tmp_path):
    assert cli("hydra.run.dir=run").status == 0
    assert cli("hydra.run.dir=run", "overwrite=true", "overwrite=false").status == 2
    assert cli("hydra.run.dir=run", "overwrite=false", "overwrite=true").status == 0


def test_ctrl_c_ends_a_sweep_and_keeps_what_is_done(cli, simulator):
    simulator.failures[2] = KeyboardInterrupt()
    done = cli("-m", "seed=1,2,3")
    assert done.status == 130
    assert re.search(r"seed=1\s+1,000", done.out)
    assert re.search(r"seed=2 \(partial\)\s+2,000", done.out)
    assert [config.seed for config in simulator.configs] == [1, 2]


def test_a_sweep_leaves_one_table_when_it_ends_and_when_it_is_stopped(cli, simulator, lost, tmp_path):
    simulator.failures = {1: lost, 3: KeyboardInterrupt()}
    assert cli("-m", "seed=1,2,3,4", "hydra.run.dir=sweep").status == 130
    table = pq.read_table(tmp_path / "sweep" / "sweep.parquet")
    assert table["seed"].to_pylist() == [1, 2, 3]
    assert table["status"].to_pylist() == ["failed", "completed", "interrupted"]
    assert table["iops"].to_pylist() == [None, 2000.0, 3000.0]


def test_a_job_that_died_before_it_left_its_status_is_not_run_again_and_has_one(cli, monkeypatch, tmp_path):
    monkeypatch.setattr("ssdsim.command.runner.rounds.is_finished", lambda config, folder: folder.is_dir())
    assert cli("-m", "seed=1,2", "hydra.run.dir=sweep").status == 0
    place = tmp_path / "sweep" / "1"
    told = json.loads((place / "manifest.json").read_text())
    del told["files"]["status.json"]
    (place / "manifest.json").write_text(json.dumps(told))
    (place / "status.json").unlink()
    assert cli("-m", "seed=1,2", "hydra.run.dir=sweep").status == 0
    table = pq.read_table(tmp_path / "sweep" / "sweep.parquet")
    assert table["status"].to_pylist() == ["completed"] * 2 and table["iops"].to_pylist() == [1000.0, 2000.0]


def test_a_batch_system_that_ends_a_sweep_finds_its_signal_in_the_status(cli, simulator, tmp_path):
    simulator.failures[2] = Terminated(signal.SIGTERM)
    assert cli("-m", "seed=1,2,3", "hydra.run.dir=sweep").status == 128 + signal.SIGTERM
    status = json.loads((tmp_path / "sweep" / "1" / "status.json").read_text())
    assert (status["status"], status["exit_status"], status["results"]) == ("interrupted", 143, True)


def test_a_sweep_does_not_run_into_the_results_of_another(cli, simulator):
    assert cli("-m", "seed=1,2", "hydra.run.dir=sweep").status == 0
    refused = cli("-m", "seed=3,4", "hydra.run.dir=sweep")
    assert (refused.status, refused.out) == (2, "")
    assert "seed=1" not in cli("-m", "seed=3", "hydra.run.dir=sweep", "overwrite=true").out
    assert [config.seed for config in simulator.configs] == [1, 2, 3]


def test_a_sweep_that_was_stopped_goes_on_by_the_same_command(cli, simulator, monkeypatch):
    simulator.failures[2] = KeyboardInterrupt()
    stopped = cli("-m", "seed=1,2,3")
    assert (stopped.status, stopped.err.splitlines()[-2:]) == (
        130,
        ["Stopped: the same command goes on from here.", "Interrupted."],
    )
    (folder,) = Path("results").glob("*/*")
    assert cli("-m", "seed=1,2").status == 130 and len(list(Path("results").glob("*/*"))) == 2
    simulator.failures.clear()
    simulator.configs.clear()
    again = cli("-m", "seed=1,2,3", "hydra/launcher=basic")
    assert again.status == 0 and again.err.startswith(f"Going on in {folder}, where the same sweep was stopped.\n")
    assert [config.seed for config in simulator.configs] == [2, 3]
    assert [name for name in ("seed=1 ", "seed=2 ", "seed=3 ") if name in again.out] == [
        "seed=1 ",
        "seed=2 ",
        "seed=3 ",
    ]
    assert cli("-m", "seed=1,2,3").status == 0  # it was finished, so another begins
    assert [config.seed for config in simulator.configs] == [2, 3, 1, 2, 3]


def test_what_is_finished_runs_again_if_its_version_or_files_are_others_or_it_is_to_be_overwritten(
    cli, simulator, monkeypatch
):
    argv = ["-m", "seed=1,2", "hydra.run.dir=sweep"]
    assert cli(*argv).status == 0
    simulator.configs.clear()
    again = cli(*argv)
    assert (again.status, simulator.configs) == (0, []) and "2 of 2 runs are finished already" in again.err
    assert re.search(r"seed=2\s+2,000\s", again.out)
    Path("sweep", "1", "timeseries.parquet").unlink()
    assert cli(*argv).status == 0
    assert [config.seed for config in simulator.configs] == [2]
    assert cli(*argv, "overwrite=true").status == 0
    assert [config.seed for config in simulator.configs] == [2, 1, 2]
    monkeypatch.setattr("ssdsim.metrics.summary.package_versions", lambda: {"ssdsim": "another"})
    assert cli(*argv).status == 0
    assert [config.seed for config in simulator.configs] == [2, 1, 2, 1, 2]


def test_overwriting_that_was_stopped_goes_on_and_takes_nothing_of_the_earlier_sweep(cli, simulator):
    argv = ["-m", "seed=1,2,3", "hydra.run.dir=sweep", "overwrite=true"]
    assert cli(*argv).status == 0
    simulator.failures[2] = KeyboardInterrupt()
    assert cli(*argv).status == 130
    simulator.failures.clear()
    simulator.configs.clear()
    assert cli(*argv).status == 0
    assert [config.seed for config in simulator.configs] == [2, 3]
    assert [Path("sweep", job, "summary.json").exists() for job in "012"] == [True] * 3


def test_a_failed_job_runs_again_by_the_same_command(cli, simulator, lost):
    simulator.failures[2] = lost
    argv = ["-m", "seed=1,2", "hydra.run.dir=sweep"]
    assert cli(*argv).status == 1
    simulator.failures.clear()
    assert cli(*argv).status == 0
    assert [config.seed for config in simulator.configs] == [1, 2, 2]


def test_the_verbose_see_each_job(cli):
    told = cli("-v", "-m", "seed=1,2").err  # perhaps with a line of progress between
    assert re.search(r"Job 1: seed=2\n(job 1 of 2.*\n)?Done after", told)


def test_a_sweep_that_is_fine_is_not_told_of_the_jobs_of_earlier_ones(cli, simulator, tmp_path):
    simulator.failures[2] = ZeroDivisionError("a bug")
    assert cli("-m", "seed=1,2", "hydra.run.dir=sweep").status == 1
    with ResultFolder(tmp_path / "sweep" / "aside") as folder:
        folder.part("status.json").write_text(json.dumps({"sweep": "another", "exit_status": 1}))
        folder.commit()
    (tmp_path / "sweep" / "1" / "notes.txt").write_text("of the user")
    done = cli("-m", "seed=3", "hydra.run.dir=sweep", "overwrite=true")
    assert done.status == 0
    assert "crashed" not in done.out and "seed=1" not in done.out
    left = {str(path.relative_to(tmp_path / "sweep")) for path in tmp_path.glob("sweep/*/*.*")}
    assert {name for name in left if name[0] != "0"} == {"1/notes.txt", "aside/status.json", "aside/manifest.json"}


def test_a_sweep_that_fails_keeps_what_it_did_not_replace_and_tells_only_of_itself(cli, simulator, tmp_path):
    assert cli("-m", "seed=1,2", "hydra.run.dir=sweep").status == 0
    simulator.failures[3] = ZeroDivisionError("a bug")
    done = cli("-m", "seed=3", "hydra.run.dir=sweep", "overwrite=true")
    assert done.status == 1
    assert "crashed" in done.out and "IOPS" not in done.out
    iops = [json.loads((tmp_path / "sweep" / job / "summary.json").read_text())["iops"] for job in "01"]
    assert iops == [1000, 2000]
    assert cli("-m", "seed=4", "hydra.run.dir=sweep", "overwrite=true").status == 0
    assert {path.name for path in (tmp_path / "sweep").iterdir() if path.is_dir()} == {"0"}


def test_two_jobs_in_one_folder_are_refused_before_any_is_run(cli, simulator):
    done = cli("-m", "seed=1,2", "hydra.run.dir=sweep", "hydra.sweep.subdir=same")
    assert (done.status, simulator.configs) == (2, [])
    assert "jobs 0 and 1 would both go to same" in done.err
    named = cli("-m", "seed=1,2", "hydra.run.dir=sweep", "hydra.sweep.subdir=of_${seed}", "overwrite=true")
    assert named.status == 0
    assert json.loads(Path("sweep", "of_2", "summary.json").read_text())["iops"] == 2000


def test_glob_sweeps_over_all_presets(cli, simulator):
    assert cli("-m", "ftl/gc=glob(*)").status == 0
    with session():
        assert [config.ftl.gc.victim for config in simulator.configs] == sorted(choices("ftl/gc"))


def test_points_that_differ_by_their_seeds_are_told_of_together(cli, tmp_path):
    """IOPS are a thousand times the seed: of 1000 and 2000 the deviation is 707, and t is 12.706."""
    out = cli("--multirun", "seed=1,2", "hydra.run.dir=sweep").out
    assert re.search(r"over seeds +seeds +IOPS", out) and re.search(r"defaults +2 +1,500 ± 6,353 ", out)
