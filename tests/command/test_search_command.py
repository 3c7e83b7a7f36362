"""A search by the command line: what is run, what is told, and what is left."""

import json
import re

import pytest

from ssdsim import Sweep
from ssdsim.command.cli import main

pytest.importorskip("optuna")

SEARCH = ["--multirun", "hydra/sweeper=optuna", "hydra.run.dir=search"]
TINY = [
    "hardware.channels=1",
    "hardware.chips_per_channel=1",
    "hardware.dies_per_chip=1",
    "hardware.blocks_per_plane=24",
    "hardware.pages_per_block=12",
    "workload=synthetic",
    "workload.requests=60",
    "workload.read_share=0.5",
]
TWO = ["objective=[requests.write.response_us.mean,write_amplification]", "prune=[]"]
SPACE = ["hardware.over_provisioning=interval(0.1,0.6)", "workload.queue_depth=interval(1,4)"]


def test_a_real_search_runs_tells_its_front_and_goes_on_where_it_was(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*SEARCH, *TWO, *SPACE, *TINY, "hydra.sweeper.n_trials=4"]) == 0
    done = capsys.readouterr()
    assert "The Pareto front" in done.out and re.search(r"4 points were tried: .*complete", done.out)
    command = re.search(r"`ssdsim report (search .*)`", done.out)[1]
    assert command == "search --fields requests.write.response_us.mean --over write_amplification"
    table = Sweep.load("search").table
    assert table.num_rows == 4 and all(0.1 <= each <= 0.6 for each in table["hardware.over_provisioning"].to_pylist())
    assert {each.as_py() for each in table["workload.queue_depth"]} <= {1, 2, 3, 4}
    first = {job: (tmp_path / "search" / job / "status.json").read_text() for job in "0123"}
    assert main([*SEARCH, *TWO, *SPACE, *TINY, "hydra.sweeper.n_trials=5"]) == 0
    assert {job: (tmp_path / "search" / job / "status.json").read_text() for job in "0123"} == first
    assert Sweep.load("search").table.num_rows == 5
    assert main([*SEARCH, *TWO, *SPACE, *TINY, "hydra.sweeper.seed=2"]) == 2
    assert "is not empty (" in capsys.readouterr().err


def test_points_that_are_refused_or_fail_are_told_and_the_best_of_the_others_stands(cli, simulator, lost, tmp_path):
    """IOPS are a thousand times the seed, whatever else is set."""
    grid = ["hydra.sweeper.sampler=grid", "hardware.blocks_per_plane=2,200,300", "objective=iops", "seed=7"]
    done = cli(*SEARCH, *grid)
    assert done.status == 0
    assert "3 points were tried: 2 complete, 1 failed." in done.out
    assert re.search(r"^Failed \(job 0\): refused: .* a plane of 2 blocks ", done.out, re.MULTILINE)
    assert re.search(r"^ 1 +200 +7000", done.out, re.MULTILINE) and not re.search(r"^ 0 +2 ", done.out, re.MULTILINE)
    simulator.failures[7] = lost
    assert cli(*SEARCH, *grid, "overwrite=true", "hydra.sweeper.n_trials=2").status == 1
    statuses = [json.loads(file.read_text())["status"] for file in sorted(tmp_path.glob("search/*/status.json"))]
    assert statuses[:2] == ["refused", "failed"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["objective=iops"], "objective=iops: is for a search, --multirun hydra/sweeper=optuna"),
        (["--multirun", "prune=[tail]", "seed=1,2"], "prune=[tail]: is for a search"),
        (["hydra/sweeper=optuna"], "is for --multirun"),
        ([*SEARCH, "host.queue_depth=1,2"], "needs an objective, as in objective="),
        (["--multirun", "host.queue_depth=interval(1,2)"], "an interval is for a search"),
        ([*SEARCH, "objective=iops", "host.queue_dept=1,2"], "did you mean 'host.queue_depth'"),
        ([*SEARCH, "objective=iops", "seed=1"], "needs something to choose"),
        ([*SEARCH, "objective=iops", "host.queue_depth=1,2", "hydra.sweeper.n_trial=1"], "hydra.sweeper.n_trials"),
    ],
)
def test_what_is_wrong_with_a_search_is_told_before_anything_is_run(cli, simulator, tmp_path, arguments, told):
    refused = cli(*arguments)
    assert (refused.status, refused.out) == (2, "") and told in refused.err
    assert simulator.configs == [] and not (tmp_path / "search").exists()


def test_a_search_without_optuna_names_the_extra(cli, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused = cli(*SEARCH, "objective=iops", "host.queue_depth=1,2")
    assert refused.err == "hydra/sweeper=optuna: is not installed; install ssdsim[search].\n"
