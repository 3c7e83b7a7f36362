"""Presets are composed once, and what comes of it is what Hydra makes of the same overrides."""

import os
import shutil

import hydra
import pytest
from omegaconf import OmegaConf

from ssdsim import ConfigError
from ssdsim.command import compose, presets
from ssdsim.command.compose import CONF, composed, parse, session
from ssdsim.command.diagnosis import without_hydra
from support.tiny_stacks import ALL_STACKS, chosen

LOAD = ["workload=synthetic"]


@pytest.mark.parametrize("stack", ALL_STACKS)
def test_hydra_makes_the_same_of_the_same_overrides(stack):
    lines = [
        "seed=3",
        *chosen(stack),
        *LOAD,
        "buffer=epo",
        "++ftl.gc.options.added=[1, {a: 2}]",
        "host.queue_depth=${seed}",
        "seed=4",
    ]
    with session():
        ours = [presets.compose(*map(parse, lines[:4]), *lines[4:]) for _ in range(2)]
        expected = without_hydra(hydra.compose("config", lines))
    for node in ours:
        assert OmegaConf.to_yaml(without_hydra(node), resolve=True) == OmegaConf.to_yaml(expected, resolve=True)


def test_a_second_composition_reads_no_file(monkeypatch):
    first = composed(LOAD)
    monkeypatch.setattr(OmegaConf, "load", lambda file: pytest.fail(f"{file} was read"))
    assert composed(LOAD) == first


def test_compositions_do_not_change_one_another():
    first = composed(LOAD)
    other = composed([*LOAD, "seed=7", "hardware.read_us=[1.0]", "ftl.gc.options.choices=3", "ftl/gc=rga"])
    assert other.seed == 7 and other.hardware.read_us == [1.0]
    assert composed(LOAD) == first


def test_a_preset_that_has_changed_is_composed_anew(tmp_path, monkeypatch):
    shutil.copytree(CONF, tmp_path / "conf")
    monkeypatch.setattr(compose, "CONF", tmp_path / "conf")
    preset = tmp_path / "conf" / "stack" / "own.yaml"
    for seed in (5, 7):
        preset.write_text(f"# @package _global_\nseed: {seed}\n")
        os.utime(preset, (seed, seed))
        assert composed([*LOAD, "stack=own"]).seed == seed
    preset.unlink()
    with pytest.raises(ConfigError, match="stack=own"):
        composed([*LOAD, "stack=own"])


def test_presets_in_a_folder_that_is_searched_are_composed_anew(tmp_path):
    preset = tmp_path / "stack" / "own.yaml"
    preset.parent.mkdir()
    for seed in (5, 7):
        preset.write_text(f"# @package _global_\nseed: {seed}\n")
        assert composed([*LOAD, f"hydra.searchpath=[{tmp_path}]", "stack=own"]).seed == seed
