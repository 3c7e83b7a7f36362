"""Sweeps by the command line, and what becomes of their folders, with the simulator replaced."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ssdsim import Sweep
from ssdsim.run.interrupts import Terminated


def test_a_sweep_runs_each_point_and_compares(cli, simulator, tmp_path):
    done = cli("--multirun", "ftl/gc=greedy,rga", "seed=1,2", "hydra.run.dir=sweep", "host.queue_depth=8")
    assert done.status == 0
    points = [(config.ftl.gc.victim, config.seed) for config in simulator.configs]
    assert points == [("greedy", 1), ("greedy", 2), ("rga", 1), ("rga", 2)]
    for job in range(4):
        status = json.loads((tmp_path / "sweep" / str(job) / "status.json").read_text())
        assert (status["job"], status["status"]) == (job, "completed")
    # IOPS are a thousand times the seed: of 1000 and 2000 the deviation is 707, and t is 12.706
    assert re.search(r"^ rga +1,500 ± 6,353 .* 2   nothing$", done.out, re.MULTILINE)
    assert "host.queue_depth" not in done.out
    assert not list(tmp_path.rglob(".hydra")) + list(tmp_path.rglob("*.log"))


def test_a_sweep_leaves_one_table_when_it_ends_and_when_it_is_stopped(cli, simulator, lost, tmp_path):
    simulator.failures = {1: lost, 3: Terminated(signal.SIGTERM)}
    done = cli("-m", "seed=1,2,3,4", "hydra.run.dir=sweep")
    assert done.status == 128 + signal.SIGTERM
    assert re.search(r"^ all +2,000 .* 1   failed, interrupted$", done.out, re.MULTILINE)
    table = Sweep.load(tmp_path / "sweep").table
    assert table["seed"].to_pylist() == [1, 2, 3]
    assert table["status"].to_pylist() == ["failed", "completed", "interrupted"]
    assert table["iops"].to_pylist() == [None, 2000.0, 3000.0]


def test_a_sweep_does_not_run_into_the_results_of_another(cli, simulator):
    assert cli("-m", "seed=1,2", "hydra.run.dir=sweep").status == 0
    Path("sweep", "1", "notes.txt").write_text("of the user")
    refused = cli("-m", "seed=3,4", "hydra.run.dir=sweep")
    assert (refused.status, refused.out) == (2, "")
    assert "seed=1" not in cli("-m", "seed=3", "hydra.run.dir=sweep", "overwrite=true").out
    assert [config.seed for config in simulator.configs] == [1, 2, 3]
    assert [path.name for path in Path("sweep", "1").iterdir()] == ["notes.txt"]


def test_a_sweep_that_was_stopped_goes_on_by_the_same_command(cli, simulator, lost):
    simulator.failures = {2: KeyboardInterrupt()}
    stopped = cli("-m", "seed=1,2,3,4")
    assert (stopped.status, stopped.err.splitlines()[-2:]) == (
        130,
        ["Stopped: the same command goes on from here.", "Interrupted."],
    )
    simulator.failures = {3: lost}
    assert cli("-m", "seed=1,2,3,4", "hydra/launcher=basic").status == 1
    simulator.failures.clear()
    again = cli("-m", "seed=1,2,3,4")
    assert again.status == 0 and "Job 0 (seed=1): finished already" in again.err
    assert [config.seed for config in simulator.configs] == [1, 2, 2, 3, 4, 3]
    assert re.search(r"^ all +2,500 ± .* 4   nothing$", again.out, re.MULTILINE)


def test_what_is_finished_runs_again_if_its_version_or_files_are_others_or_it_is_to_be_overwritten(
    cli, simulator, monkeypatch
):
    argv = ["-m", "seed=1,2", "hydra.run.dir=sweep"]
    assert cli(*argv).status == 0
    simulator.configs.clear()
    assert (cli(*argv).status, simulator.configs) == (0, [])
    Path("sweep", "1", "summary.json").unlink()
    assert cli(*argv).status == 0
    assert [config.seed for config in simulator.configs] == [2]
    assert cli(*argv, "overwrite=true").status == 0
    assert [config.seed for config in simulator.configs] == [2, 1, 2]
    monkeypatch.setattr("ssdsim.metrics.summary.package_versions", lambda: {"ssdsim": "another"})
    assert cli(*argv).status == 0
    assert [config.seed for config in simulator.configs] == [2, 1, 2, 1, 2]


@pytest.mark.parametrize(
    "launcher",
    [[], pytest.param(["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"], marks=pytest.mark.more)],
    ids=["basic", "joblib"],
)
def test_a_sweep_that_was_killed_goes_on(cli_alone, tmp_path, monkeypatch, launcher):
    """In the process of the test, one by one, as it would in those of the launcher."""
    monkeypatch.chdir(tmp_path)
    words = ["workload=synthetic", "workload.requests=2000", "precondition=fill", "timing=off", "seed=1,2,3,4"]
    words = ["-q", "-m", *words, "hydra.run.dir=sweep"]
    started = subprocess.Popen([sys.executable, "-m", "ssdsim", *words, *launcher], start_new_session=True)
    while not [*tmp_path.glob("sweep/*/status.json")]:
        assert started.poll() is None
        time.sleep(0.01)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    done = {file: file.stat().st_mtime_ns for file in tmp_path.glob("sweep/*/summary.json")}
    again = cli_alone(*words)
    assert (again.status, again.out) == (0, "Results are in sweep\n")
    assert done and {file: file.stat().st_mtime_ns for file in done} == done
    assert Sweep.load(tmp_path / "sweep").table["status"].to_pylist() == ["completed"] * 4
