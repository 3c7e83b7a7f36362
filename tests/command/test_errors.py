"""What a user gets wrong is one sentence that names key, value, what is allowed and the nearest right name."""

import json
import re

import pytest

from ssdsim.errors import PolicyError

GC = "cost_benefit, fifo, greedy, greedy_in_order, random, rga"

WRONG = [
    ("foo", ["foo", "key=value"]),
    ("hydra.run.dir=???", ["hydra.run.dir"]),
    ("workload.path='abc", ["workload.path='abc", "cannot be read"]),
    ("hardware=tlc_128", ["hardware=tlc_128", "slc_16g", "did you mean 'tlc_128g'?"]),
    ("ftl/gc=gredy", ["ftl/gc=gredy", GC, "did you mean 'greedy'?"]),
    ("ftl/gcc=greedy", ["ftl/gcc=greedy", "no such group", "did you mean 'ftl/gc'?"]),
    ("ftl.gc=greedy", ["ftl.gc=greedy: must be a mapping"]),
    ("ftl/gc=greedy,rga", ["ftl/gc=greedy,rga", "--multirun"]),
    ("host.queue_dept=3", ["host.queue_dept=3", "did you mean 'host.queue_depth'?"]),
    ("queue_depth=3", ["queue_depth=3", "did you mean 'host.queue_depth'?"]),
    ("workload.read_share=0.3", ["workload.read_share=0.3", "no such key of this workload"]),
    ("+x=1", ["x=1: no such key"]),
    ("overwrite=maybe", ["overwrite=maybe", "true or false"]),
    ("ftl.gc.options.choices=3", ["ftl.gc.victim=greedy", "options {'choices': 3}", "do not fit"]),
    ("host.queue_depth=abc", ["host.queue_depth=abc", "a whole number, 1 to 2147483647"]),
    ("hardware.blocks_per_plane=100000000", ["hardware.blocks_per_plane=100000000", "blocks", "set it lower"]),
    ("ftl.gc.soft_threshold=200", ["too many; set hardware.blocks_per_plane higher", "or the threshold lower."]),
    ("hardware.read_us=50us", ["hardware.read_us=50us", "a list, each a number, 0 to 1e9"]),
    ("record=request", ["record=['request']", "requests, commands", "did you mean 'requests'?"]),
    ("hydra.run.dir=/dev/null/x", ["/dev/null/x: results cannot be written there: Not a directory"]),
    ("workload.path=nowhere.csv", ["workload.path=nowhere.csv", "no such file"]),
]


@pytest.mark.parametrize(("argument", "named"), WRONG, ids=[argument or "empty" for argument, _ in WRONG])
def test_wrong_input_is_one_sentence_and_status_2(cli, simulator, argument, named):
    done = cli(argument)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert done.err.endswith(".\n")
    assert [part for part in named if part not in done.err] == []
    assert simulator.configs == []


WRONG_SWEEPS = [
    (["ftl/gc=greedy,"], "cannot be read"),
    (["seed=interval(1,2)"], "range(...)"),
]


@pytest.mark.parametrize(("overrides", "named"), WRONG_SWEEPS)
def test_a_sweep_of_which_no_point_can_run_is_refused_whole(cli, simulator, tmp_path, overrides, named):
    done = cli("--multirun", *overrides)
    assert (done.status, done.out) == (2, "")
    assert named in done.err
    assert simulator.configs == []


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("host.queue_depth=-1", "host.queue_depth=8", "host.queue_depth=-1: must be a whole number"),
        ("hardware.blocks_per_plane=8", "hardware.blocks_per_plane=128", "set hardware.over_provisioning to about"),
    ],
)
def test_the_points_of_a_sweep_that_can_run_do(cli, simulator, tmp_path, wrong, right, message):
    """The refused one is told by its overrides and its sentence, in the table, at the end and in its status."""
    key, _, value = wrong.partition("=")
    done = cli("--multirun", f"{key}={value},{right.partition('=')[2]}", "seed=5", "hydra.run.dir=out")
    assert (done.status, [config.seed for config in simulator.configs]) == (2, [5])
    assert re.search(rf"^ {re.escape(value)} +- .* refused$", done.out, re.MULTILINE)
    (told,) = (line for line in done.out.splitlines() if line.startswith(f"{wrong}: refused: "))
    assert message in told
    statuses = [json.loads(file.read_text()) for file in sorted((tmp_path / "out").glob("*/status.json"))]
    assert [each["status"] for each in statuses] == ["refused", "completed"]
    assert [each["job"] for each in statuses] == [0, 1]
    assert statuses[0]["overrides"] == [wrong, "seed=5"] and statuses[0]["exit_status"] == 2


def test_memory_that_runs_out_is_a_sentence(cli, simulator):
    simulator.failures[1] = MemoryError("Unable to allocate 768. GiB")
    done = cli()
    assert done.status == 1
    assert done.err.splitlines()[-1].startswith("Memory ran out (Unable to allocate 768. GiB): take fewer blocks")


def test_an_error_of_a_users_policy_is_told_with_his_lines(cli, simulator):
    simulator.failures[1] = PolicyError("X.select raised.", '  File "mine.py", line 3, in select\n    1 / 0\n')
    done = cli()
    assert done.status == 2
    assert done.err.endswith('  File "mine.py", line 3, in select\n    1 / 0\nX.select raised.\n')


@pytest.mark.parametrize("multirun", [[], ["--multirun"]])
def test_results_that_is_a_file_is_one_sentence(cli, simulator, tmp_path, multirun):
    (tmp_path / "results").touch()
    done = cli(*multirun, "seed=1")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "results" in done.err and "Not a directory" in done.err


def test_ctrl_c_keeps_partial_results_and_says_so(cli, simulator, tmp_path):
    simulator.failures[1] = KeyboardInterrupt()
    done = cli("hydra.run.dir=run", "plot=true")
    assert done.status == 130
    assert "partial" in done.out
    assert done.err.splitlines()[-2:] == ["Stopped early: the results in run are marked partial.", "Interrupted."]
    assert (tmp_path / "run" / "overview.png").exists()
