"""Runs, sweeps, folders and the help page, with the simulator replaced."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from experiments.compose import session
from experiments.diagnosis import choices, groups
from ssdsim.config import SyntheticConfig, TraceConfig
from ssdsim.errors import PolicyError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.run.interrupts import Terminated

PROJECT = Path(__file__).resolve().parents[2]


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


@pytest.mark.parametrize("argv", [[], ["--multirun", "seed=1"]], ids=["one run", "a job"])
@pytest.mark.parametrize(
    ("requests", "plot", "drawn"),
    [
        (99_999, [], False),
        (100_000, [], True),
        (99_999, ["plot=auto"], False),
        (1, ["plot=true"], True),
        (100_000, ["plot=false"], False),
        (1, ["plot=false", "plot=true"], True),
    ],
)
def test_a_picture_is_for_runs_that_are_long_or_asked_for_it(cli, simulator, tmp_path, argv, requests, plot, drawn):
    simulator.trims = requests - 1000
    assert cli("hydra.run.dir=run", *argv, *plot).status == 0
    assert [*tmp_path.glob("run/**/summary.json")]
    assert len([*tmp_path.glob("run/**/overview.png")]) == drawn


def test_plot_is_true_or_false_or_auto(cli):
    done = cli("plot=always")
    assert (done.status, done.err) == (2, "plot=always: must be true or false or auto.\n")


def test_runs_started_together_do_not_share_a_folder(cli, tmp_path):
    for _ in range(3):
        assert cli().status == 0
    assert len(list((tmp_path / "results").glob("*/*"))) == 3


def test_a_folder_with_results_is_refused_unless_told(cli, simulator, tmp_path):
    assert cli("hydra.run.dir=run").status == 0
    (tmp_path / "run" / "mine.parquet").write_text("of the user")
    refused = cli("hydra.run.dir=run", "seed=2")
    assert refused.status == 2
    assert refused.err == "run: holds the results of an earlier run; choose another folder or add overwrite=true.\n"
    assert cli("hydra.run.dir=run", "seed=2", "overwrite=true").status == 0
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["iops"] == 2000
    assert (tmp_path / "run" / "mine.parquet").read_text() == "of the user"
    assert [config.seed for config in simulator.configs] == [1, 2]


def test_a_folder_of_other_things_is_refused_and_nothing_in_it_touched(cli, simulator, tmp_path):
    for name in ("days/run1", "days/run2", "days/run3"):
        with ResultFolder(tmp_path / name) as folder:
            folder.part("summary.json").write_text("of an independent run")
            folder.commit()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("of the user")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    for folder, shown, *options in (
        ("days", "run1, run2, run3", "overwrite=true"),
        ("days", "run1, run2, run3", "overwrite=true", "-m"),
        ("home", "config.yaml"),
        (".", "days, home", "overwrite=true"),
    ):
        refused = cli(f"hydra.run.dir={folder}", *options)
        assert (refused.status, refused.err.count("\n")) == (2, 1)
        assert refused.err.startswith(f"{folder}: is not empty ({shown})")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert simulator.configs == []


def test_a_run_that_fails_leaves_the_results_that_it_should_have_replaced(cli, simulator, lost, full_disk, tmp_path):
    assert cli("hydra.run.dir=run").status == 0
    before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    for seed, failure in ((2, lost), (3, full_disk)):
        simulator.failures[seed] = failure
        done = cli("hydra.run.dir=run", f"seed={seed}", "overwrite=true")
        assert (done.status, done.out) == (1, "")
    assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_two_runs_at_once_do_not_share_a_folder(cli, simulator, tmp_path):
    with ResultFolder(tmp_path / "run"):
        refused = cli("hydra.run.dir=run")
        assert (refused.status, refused.err.count("\n")) == (2, 1)
        assert "another run is writing there" in refused.err
    with ResultFolder(tmp_path / "sweep", kind="sweep"):
        assert "another run is writing there" in cli("-m", "seed=1,2", "hydra.run.dir=sweep").err
    assert simulator.configs == []
    assert cli("hydra.run.dir=run").status == 0


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
    monkeypatch.setattr("experiments.runner.rounds.is_finished", lambda config, folder: folder.is_dir())
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


@pytest.mark.parametrize("argv", [["seed=1"], ["-m", "seed=1,2"]])
def test_the_quiet_get_the_place_and_what_went_wrong(cli, simulator, lost, argv):
    done = cli("--quiet", *argv, "hydra.run.dir=out")
    assert (done.status, done.out, done.err) == (0, "Results are in out\n", "")
    simulator.failures[1] = lost
    done = cli("-q", *argv, "hydra.run.dir=out", "overwrite=true")
    assert done.status == 1 and str(lost) in done.err


def test_the_verbose_see_each_job(cli):
    assert "Job 1: seed=2\nDone after" in cli("-v", "-m", "seed=1,2").err


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


def test_a_sweep_leaves_what_was_changed_in_an_earlier_ones_jobs(cli, simulator, tmp_path):
    assert cli("-m", "seed=1,2", "hydra.run.dir=sweep").status == 0
    (tmp_path / "sweep" / "1" / "config.yaml").write_text("changed by hand")
    assert cli("-m", "seed=4", "hydra.run.dir=sweep", "overwrite=true").status == 0
    assert {path.name for path in (tmp_path / "sweep").iterdir() if path.is_dir()} == {"0", "1"}
    assert (tmp_path / "sweep" / "1" / "config.yaml").read_text() == "changed by hand"


def test_two_jobs_in_one_folder_are_refused_before_any_is_run(cli, simulator):
    done = cli("-m", "seed=1,2", "hydra.run.dir=sweep", "hydra.sweep.subdir=same")
    assert (done.status, simulator.configs) == (2, [])
    assert "jobs 0 and 1 would both go to same" in done.err
    named = cli("-m", "seed=1,2", "hydra.run.dir=sweep", "hydra.sweep.subdir=of_${seed}", "overwrite=true")
    assert named.status == 0
    assert json.loads(Path("sweep", "of_2", "summary.json").read_text())["iops"] == 2000


def test_two_jobs_that_would_save_into_one_file_are_refused_before_any_is_run(cli, simulator):
    sweep = ["-m", "seed=1,2", "hydra.run.dir=sweep", "checkpoint.at_requests=10"]
    done = cli(*sweep, "checkpoint.save=same")
    assert (done.status, simulator.configs) == (2, [])
    assert "checkpoint.save=same: jobs 0 and 1 would both save there" in done.err
    assert cli(*sweep, "checkpoint.save=of_${seed}").status == 0
    assert [each.checkpoint.save for each in simulator.configs] == ["of_1", "of_2"]


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


def test_fields_are_told_by_words_of_their_names_or_else_of_their_meanings(cli):
    everything = cli("--fields").out
    for heading in ("summary.json", "timeseries.parquet", "planes.parquet", "requests.parquet", "commands.parquet"):
        assert heading in everything
    named = cli("--fields", "gc", "collections").out
    assert "gc.collections" in named and "gc_collections" in named and "gc.page_moves" not in named
    assert "requests.<request>.response_us.<percentile>" in cli("--fields", "requests.read.response_us.p99").out
    assert "page_writes_per_plane_std" in cli("--fields", "sdwpp").out
    assert "gc.page_moves" in cli("--fields", "Valid pages that collection moved").out
    assert "workload.<key>" in cli("--fields", "workload.zipf_theta").out


def test_a_field_that_is_none_is_answered_with_the_nearest(cli):
    refused = cli("--fields", "write_amplificatoin")
    assert refused.status == 2 and not refused.out
    told = "--fields write_amplificatoin: no field is called so (did you mean 'write_amplification'?).\n"
    assert refused.err == told


def test_points_that_differ_by_their_seeds_are_told_of_together(cli, tmp_path):
    """IOPS are a thousand times the seed: of 1000 and 2000 the deviation is 707, and t is 12.706."""
    out = cli("--multirun", "seed=1,2", "hydra.run.dir=sweep").out
    assert re.search(r"over seeds +seeds +IOPS", out) and re.search(r"defaults +2 +1,500 ± 6,353 ", out)
