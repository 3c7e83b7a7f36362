"""Reading what a run has left runs nothing that it names; running it again imports what can be imported anyway."""

import json
import re
import sys
from pathlib import Path

import pytest
import yaml

from ssdsim import load_config
from ssdsim.command.cli import main
from ssdsim.errors import InputError
from ssdsim.metrics.result import Result, Sweep

MODULE = """
import sys
from pathlib import Path
from ssdsim.ftl.reclaim.victims import Greedy

Path("ran").touch()
print("the module runs", file=sys.stderr)

class Mine(Greedy):
    pass
"""
RUN = [
    *("hardware.blocks_per_plane=64", "hardware.pages_per_block=24", "workload=synthetic", "workload.requests=60"),
    *("-q", "record=[requests,commands]", "plot=false", "hydra.run.dir=first"),
]


@pytest.fixture
def stored(monkeypatch, tmp_path, capsys):
    """Make a run whose configuration names a class that leaves a mark where it is imported; return its folder."""
    monkeypatch.chdir(tmp_path)
    Path("marking.py").write_text(MODULE)
    assert main([*RUN]) == 0
    config = Path("first/config.yaml")
    named = yaml.safe_load(config.read_text())
    named["ftl"]["gc"]["victim"] = "marking.Mine"
    config.write_text(yaml.safe_dump(named, sort_keys=False))
    capsys.readouterr()
    yield Path("first")
    sys.modules.pop("marking", None)


def is_marked():
    return "marking" in sys.modules or Path("ran").exists()


def test_reading_imports_nothing(stored):
    assert load_config(stored).ftl.gc.victim == "marking.Mine"
    assert Result.load(stored).timeseries.num_rows
    assert Sweep.load(stored.parent).table.num_rows == 1
    assert main(["timeline", str(stored)]) == 0
    assert not is_marked()


def test_a_class_of_the_command_line_is_imported(stored):
    assert main(["--config", "first", "-q", "ftl.gc.victim=marking.Mine", "hydra.run.dir=again"]) == 0
    assert is_marked()


def test_a_class_in_place_of_the_stored_one_is_imported_alone(stored, capsys):
    assert main(["--config", "first", "-q", "ftl.gc.victim=greedy", "hydra.run.dir=again"]) == 0
    assert not is_marked()
    assert "imported" not in capsys.readouterr().err


HARMFUL = {
    "a Python object": ("seed: !!python/object/apply:os.system ['touch ran']", "is not YAML: could not determine"),
    "the environment": ("seed: ${oc.env:HOME}", "seed=${oc.env:HOME}: must be a whole number"),
    "nested too deeply": ("seed: " + "[" * 30000, "is not YAML"),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_configuration_meant_to_harm_is_refused_in_a_sentence(monkeypatch, tmp_path, capsys, name):
    monkeypatch.chdir(tmp_path)
    text, told = HARMFUL[name]
    Path("harm.yaml").write_text(text)
    assert main(["--config", "harm.yaml", "-q"]) == 2
    sentence = capsys.readouterr().err
    assert told in sentence and len(sentence.splitlines()) == 1
    assert not Path("ran").exists()


@pytest.mark.parametrize("name", ["commands", "requests"])
def test_a_damaged_table_is_told_of_in_a_sentence(stored, capsys, name):
    path = stored / f"{name}.parquet"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(
        InputError, match=rf"{name}\.parquet: cannot be read as a table \(.*\); run the experiment again\."
    ):
        getattr(Result.load(stored), name)
    assert main(["timeline", str(stored)]) == 2
    assert re.fullmatch(rf".*{name}\.parquet: cannot be read as a table .*\.\n", capsys.readouterr().err)


@pytest.mark.parametrize("text", ["", "[]", "3", '{"schema": ', "[" * 100_000, json.dumps({"schema": [3]})])
def test_a_summary_that_is_none_is_refused(tmp_path, text):
    (tmp_path / "summary.json").write_text(text)
    with pytest.raises(InputError, match=r"summary\.json: (not the summary of a run|has schema)"):
        Result.load(tmp_path)
