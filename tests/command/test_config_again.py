"""`--config`: the run of a folder, once more or with other values."""

import json

import pytest

from ssdsim import load_config, preset, simulate
from ssdsim.command.cli import main
from ssdsim.metrics.result import Result

SMALL = ["hardware.blocks_per_plane=64", "hardware.pages_per_block=24", "precondition=fill"]
OF_TIME = ("simulator",)


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def content(folder):
    """Return the files of a run, without what the machine decides."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".parquet"}
    summary = json.loads((folder / "summary.json").read_text())
    return files, {key: value for key, value in summary.items() if key not in OF_TIME}


@pytest.mark.parametrize(
    "words",
    [
        ["stack=pa_ssd", "workload.path=sqlite_wal.csv.xz", "workload.limit=300", "record=[requests,commands]"],
        ["stack=pcftl", "workload=synthetic", "workload.requests=3e2", "record=requests", "hardware=pcftl_small"],
    ],
)
def test_the_run_of_a_folder_runs_again_to_the_byte(tmp_path, words):
    assert main([*words, *SMALL, "hydra.run.dir=first"]) == 0
    assert main(["--config", "first", "hydra.run.dir=again"]) == 0
    assert content(tmp_path / "first") == content(tmp_path / "again")
    assert (tmp_path / "first/config.yaml").read_bytes() == (tmp_path / "again/config.yaml").read_bytes()
    simulate(load_config("first"), "from_python")
    assert content(tmp_path / "first") == content(tmp_path / "from_python")


def test_values_can_be_changed_and_presets_cannot(tmp_path, capsys):
    words = ["workload=synthetic", "workload.requests=60", *SMALL, "hardware.extra_blocks=4"]
    assert main([*words, "hydra.run.dir=first"]) == 0
    changed = ["seed=7", "ftl.gc.victim=rga", "ftl.gc.options={choices: 3}", "hardware.blocks_per_plane=32"]
    assert main(["--config=first/config.yaml", *changed, "hydra.run.dir=changed"]) == 0
    config = load_config("changed")
    assert (config.seed, config.ftl.gc.options, config.hardware.extra_blocks) == (7, {"choices": 3}, 4)
    assert config.workload == load_config("first").workload
    capsys.readouterr()
    for argv, told in (
        (["--config", "first", "ftl/gc=rga"], "ftl/gc=rga: a preset cannot be chosen beside --config"),
        (["--config", "first", "-m", "seed=1,2"], "goes with one run"),
        (["--config", "first", "workload.path=x"], "workload.path=x: no such key"),
        (["--config", "first", "seed=x"], "seed=x: must be a whole number"),
        (["--config", "nowhere"], "nowhere: no configuration can be read there"),
    ):
        assert main(argv) == 2
        assert told in capsys.readouterr().err
    assert not list(tmp_path.glob("results/*/*"))


def test_a_run_of_python_runs_again_on_the_command_line(tmp_path):
    config = preset("tbm", *SMALL, workload="synthetic", **{"workload.requests": 60, "workload.queue_depth": 4})
    result = simulate(config, "python")
    assert main(["--config", "python", "hydra.run.dir=command"]) == 0
    assert Result.load("command").summary["config_hash"] == result.summary["config_hash"]
    assert content(tmp_path / "python") == content(tmp_path / "command")
