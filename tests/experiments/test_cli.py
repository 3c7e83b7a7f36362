"""Runs, sweeps, folders and the help page, with the simulator replaced."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.compose import session
from experiments.diagnosis import choices, groups
from ssdsim.config import SyntheticConfig, TraceConfig

PROJECT = Path(__file__).resolve().parents[2]


def test_a_run_prints_a_table_and_where_the_results_are(cli, tmp_path):
    done = cli("seed=3")
    (folder,) = (tmp_path / "results").glob("*/*")
    assert done.status == 0
    assert re.search(r"response mean\s+300.0\s+300.0", done.out)
    assert re.search(r"IOPS\s+3,000", done.out)
    assert done.out.endswith(f"Results are in {folder.relative_to(tmp_path)}\n")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d/\d\d-\d\d-\d\d-[0-9a-f]{6}", str(folder.relative_to(tmp_path / "results")))
    written = {"config.yaml", "summary.json", "timeseries.parquet", "overview.png"}
    assert {file.name for file in folder.iterdir()} == written


def test_runs_started_together_do_not_share_a_folder(cli, tmp_path):
    for _ in range(3):
        assert cli().status == 0
    assert len(list((tmp_path / "results").glob("*/*"))) == 3


def test_a_folder_with_results_is_refused_unless_told(cli, simulator, tmp_path):
    assert cli("hydra.run.dir=run").status == 0
    (tmp_path / "run" / "requests.parquet").write_text("of the first run")
    refused = cli("hydra.run.dir=run", "seed=2")
    assert refused.status == 2
    assert refused.err == "hydra.run.dir=run: run holds results; choose another or add overwrite=true.\n"
    assert cli("hydra.run.dir=run", "seed=2", "overwrite=true").status == 0
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["iops"] == 2000
    assert not (tmp_path / "run" / "requests.parquet").exists()
    assert [config.seed for config in simulator.configs] == [1, 2]


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (["record=requests"], {"record": ["requests"]}),
        (["record=[requests,commands]"], {"record": ["requests", "commands"]}),
        (["timing=off", "integrity=on"], {"timing": "off", "integrity": "on"}),
        (["check=gc", "kernel=simpy"], {"check": "gc", "kernel": "simpy"}),
        (["check=off"], {"check": "off"}),
    ],
)
def test_plain_keys_reach_the_simulator(cli, simulator, overrides, expected):
    assert cli(*overrides).status == 0
    assert {name: getattr(simulator.configs[0], name) for name in expected} == expected


@pytest.mark.parametrize(
    ("overrides", "rate", "depth"),
    [
        ([], None, 16),
        (["workload.queue_depth=4"], None, 4),
        (["workload.rate_iops=5000"], 5000, None),
        (["workload.rate_iops=5000", "workload.queue_depth=null"], 5000, None),
    ],
)
def test_a_rate_alone_makes_the_load_open_loop(cli, simulator, overrides, rate, depth):
    assert cli("workload=synthetic", *overrides).status == 0
    workload = simulator.configs[0].workload
    assert isinstance(workload, SyntheticConfig)
    assert (workload.rate_iops, workload.queue_depth) == (rate, depth)


def test_a_rate_and_a_depth_exclude_each_other(cli):
    done = cli("workload=synthetic", "workload.rate_iops=5000", "workload.queue_depth=4")
    assert done.status == 2
    assert "exactly one" in done.err


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


def test_ctrl_c_ends_a_sweep_and_keeps_what_is_done(cli, simulator):
    simulator.failures[2] = KeyboardInterrupt()
    done = cli("-m", "seed=1,2,3")
    assert done.status == 130
    assert re.search(r"seed=1\s+1,000", done.out)
    assert re.search(r"seed=2 \(partial\)\s+2,000", done.out)
    assert [config.seed for config in simulator.configs] == [1, 2]


def test_a_sweep_does_not_run_into_the_results_of_another(cli, simulator):
    assert cli("-m", "seed=1,2", "hydra.run.dir=sweep").status == 0
    refused = cli("-m", "seed=3,4", "hydra.run.dir=sweep")
    assert (refused.status, refused.out) == (2, "")
    assert "seed=1" not in cli("-m", "seed=3", "hydra.run.dir=sweep", "overwrite=true").out
    assert [config.seed for config in simulator.configs] == [1, 2, 3]


def test_glob_sweeps_over_all_presets(cli, simulator):
    assert cli("-m", "ftl/gc=glob(*)").status == 0
    with session():
        assert [config.ftl.gc.victim for config in simulator.configs] == sorted(choices("ftl/gc"))


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["seed=2", "--help"]])
def test_help_lists_groups_choices_keys_and_examples(cli, argv):
    done = cli(*argv)
    assert (done.status, done.err) == (0, "")
    with session():
        for group in groups():
            for choice in choices(group):
                assert re.search(rf"^  [* ] {choice} +\S.{{10}}", done.out, re.MULTILINE), choice
    for default in ("seed=1", "record=[]", "overwrite=false", "host.queue_depth=64", "workload.rate_iops=null"):
        assert re.search(rf"(^| ){re.escape(default)}( |$)", done.out, re.MULTILINE), default
    assert len(re.findall(r"^  python -m experiments", done.out, re.MULTILINE)) >= 4
    assert max(map(len, done.out.splitlines())) <= 120


def as_a_user(tmp_path, *argv, **options):
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-m", "experiments", *argv]
    return subprocess.run(command, cwd=tmp_path, env=environment, text=True, check=False, **options)


def test_the_module_is_a_command(tmp_path):
    done = as_a_user(tmp_path, "hardware=tlc_128", capture_output=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_is_no_error_message(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    done = as_a_user(tmp_path, "--help", stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")
