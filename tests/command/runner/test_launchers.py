"""Sweeps and studies on launchers of Hydra, with workers and commands that are killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from joblib.externals.loky import get_reusable_executor
from omegaconf import OmegaConf

from ssdsim.command.compose import session
from ssdsim.command.runner import launching
from ssdsim.command.runner.means import Means
from ssdsim.command.runner.rounds import run_all
from ssdsim.errors import SimulationError
from ssdsim.metrics.result import Result

PROJECT = Path(__file__).resolve().parents[3]
TINY = [
    *("hardware.channels=1", "hardware.blocks_per_plane=24", "hardware.pages_per_block=12"),
    *("hardware.over_provisioning=0.4", "precondition=none", "workload=synthetic", "workload.requests=50"),
]
FATAL = f"""
import os, signal
from pathlib import Path
from ssdsim.host.arbitration import RoundRobin

class Fatal(RoundRobin):
    \"\"\"What the first process that asks one dies of.\"\"\"
    def choose(self):
        if not Path("died").exists():
            Path("died").touch()
            os.kill(os.getpid(), signal.{signal.SIGKILL.name})
        return super().choose()
"""


@pytest.fixture
def fatal(tmp_path, monkeypatch):
    """The override of a policy that kills the process of the first run that has it, in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("fatal.py").write_text(FATAL)
    yield "host.arbitration=fatal.Fatal"
    sys.modules.pop("fatal", None)
    get_reusable_executor().shutdown(kill_workers=True)  # they know this policy


def attempts(folder):
    return {file.parent.name: json.loads(file.read_text())["attempt"] for file in Path(folder).glob("*/status.json")}


def check(results):
    """Check that a process died, and that each run has its own result all the same."""
    assert {name: result.summary["seed"] for name, result in results.items()} == {"one": 1, "two": 2}
    assert not any(result.summary["partial"] for result in results.values())
    assert 2 in attempts("runs").values() and set(attempts("runs").values()) <= {1, 2}


def test_joblib_gives_every_result_if_a_worker_is_killed(fatal, capsys):
    runs = {"one": [*TINY, fatal], "two": [*TINY, "seed=2"]}
    check(run_all(runs, Path("runs"), Means(jobs=2)))
    told = capsys.readouterr().err
    assert "Job 0 (one): its process died before its end." in told and "job 2 of 2: " in told


@pytest.mark.more
def test_submitit_gives_every_result_if_a_process_is_killed(fatal):
    check(run_all({"one": [*TINY, fatal], "two": [*TINY, "seed=2"]}, Path("runs"), Means(launcher="submitit_local")))


@pytest.mark.more
def test_a_run_that_its_process_always_dies_of_is_named(fatal):
    Path("fatal.py").write_text(FATAL.replace(".touch()", ""))
    runs = {"one": [*TINY, fatal], "two": [*TINY, "seed=2"]}
    with pytest.raises(SimulationError, match="1 of 2 runs failed; one: its process died, of too little memory"):
        run_all(runs, Path("runs"), Means(jobs=2))
    assert Result.load("runs/two").summary["seed"] == 2


def test_a_sweep_that_was_killed_goes_on_by_the_same_command(fatal, cli_alone):
    """The command is its own worker; what was done before it died stays as it is."""
    argv = ["--multirun", "host.arbitration=round_robin,fatal.Fatal", "seed=1,2", *TINY]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(PROJECT), str(Path.cwd())])}
    killed = subprocess.run([sys.executable, "-m", "experiments", *argv], env=environment, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    (folder,) = Path("results").glob("*/*")
    done = {name: (folder / name / "summary.json").stat().st_mtime_ns for name in attempts(folder)}
    assert done.keys() == {"0", "1"}
    again = cli_alone(*argv)
    assert again.status == 0
    assert f"Going on in {folder}" in again.err and "2 of 4 runs are finished already." in again.err
    assert attempts(folder) == dict.fromkeys("0123", 1)
    assert all((folder / name / "summary.json").stat().st_mtime_ns == time for name, time in done.items())


@pytest.mark.parametrize(
    ("means", "overrides"),
    [
        (Means(), []),
        (Means(jobs=3), ["hydra/launcher=joblib", "hydra.launcher.n_jobs=3"]),
        (Means(jobs=3, launcher="ray"), ["hydra/launcher=ray"]),
        (
            Means(launcher="submitit_local", keys=["hydra.launcher.x=1"]),
            ["hydra/launcher=submitit_local", "hydra.launcher.x=1"],
        ),
    ],
)
def test_options_become_overrides_of_the_launcher(means, overrides):
    assert means.overrides() == overrides


def test_without_joblib_runs_go_one_at_a_time_and_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setattr("ssdsim.command.runner.means.importlib.util.find_spec", lambda name: None)
    assert Means(jobs=3).overrides() == []
    assert "install ssdsim[joblib]" in capsys.readouterr().err


def test_a_ray_cluster_finds_our_modules(monkeypatch):
    """Its processes were not started by us; and the plugin's size of the store is not for a cluster that there is."""
    init = OmegaConf.create({"address": "auto"})
    launching._complete(init)
    assert str(PROJECT) in init.runtime_env.env_vars.PYTHONPATH.split(os.pathsep)
    assert "object_store_memory" in init and init.object_store_memory is None


@pytest.mark.parametrize(
    ("launcher", "told"),
    [
        ("far", "hydra/launcher=far: is not installed; install ssdsim[away].\n"),
        ("jobli", "hydra/launcher=jobli: no such launcher (did you mean 'joblib'?)"),
    ],
)
def test_a_launcher_that_is_not_there_is_told_with_what_brings_it(cli, monkeypatch, launcher, told):
    monkeypatch.setattr(launching, "EXTRAS", launching.EXTRAS | {"far": "away"})
    done = cli("--multirun", "seed=1,2", f"hydra/launcher={launcher}")
    assert (done.status, done.out, done.err[: len(told)]) == (2, "", told)


def test_a_wrong_key_of_a_launcher_is_told(cli, simulator):
    done = cli("--multirun", "seed=1,2", "hydra/launcher=joblib", "hydra.launcher.n_job=2")
    assert (done.status, simulator.configs) == (2, []) and "n_job" in done.err
    assert not Path("results").exists()


class Telling:
    """A callback of Hydra, as a user has one."""

    told = ()

    def on_job_start(self, config, task_function):
        Telling.told = (*Telling.told, "start")

    def on_job_end(self, config, job_return):
        Telling.told = (*Telling.told, "end")


def test_callbacks_of_hydra_are_told_of_each_job(cli, simulator, monkeypatch):
    monkeypatch.setattr(Telling, "told", ())
    done = cli("--multirun", "seed=1,2", f"hydra.callbacks.mine._target_={__name__}.Telling")
    assert done.status == 0 and Telling.told == ("start", "end") * 2


def test_jobs_have_the_variables_that_hydra_is_to_copy(monkeypatch):
    monkeypatch.setenv("ONE_OF_OURS", "5")
    with session():
        node = launching.hydras_own(["hydra.job.env_copy=[ONE_OF_OURS]"])
    assert node.hydra.job.env_set == {"ONE_OF_OURS": "5"}
