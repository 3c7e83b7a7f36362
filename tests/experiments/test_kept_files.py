"""Files that experiments are composed of are read once, and again when they have changed."""

import os

import pytest
from omegaconf import OmegaConf

from experiments.compose import composed, prepared, session

LOAD = ["workload=synthetic"]


def test_a_second_composition_reads_no_file(monkeypatch):
    first = composed(LOAD)
    monkeypatch.setattr(OmegaConf, "load", lambda file: pytest.fail(f"{file} was read"))
    assert composed(LOAD) == first


def test_compositions_do_not_change_one_another():
    with session():
        first = prepared(LOAD)
        other = prepared([*LOAD, "seed=7", "hardware.read_us=[1.0]", "ftl/gc=rga", "ftl.gc.options.choices=3"])
        assert other.config.seed == 7 and other.config.hardware.read_us == [1.0]
        assert prepared(LOAD) == first


def test_a_file_that_has_changed_is_read_again(tmp_path):
    preset = tmp_path / "stack" / "own.yaml"
    preset.parent.mkdir()
    seeds = []
    with session():
        for seed in (5, 7):
            preset.write_text(f"# @package _global_\nseed: {seed}\n")
            os.utime(preset, (seed, seed))
            seeds.append(prepared([*LOAD, f"hydra.searchpath=[{tmp_path}]", "stack=own"]).config.seed)
    assert seeds == [5, 7]
