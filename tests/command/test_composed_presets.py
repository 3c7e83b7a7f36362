"""Presets are composed once, and what comes of it is what Hydra makes of the same overrides."""

import re
from pathlib import Path

import hydra
import pytest
from omegaconf import OmegaConf

from ssdsim import ConfigError
from ssdsim.command import compose
from ssdsim.command.compose import composed, session
from support.thinned import some
from support.tiny_stacks import ALL_STACKS, chosen

LOAD = ["workload=synthetic"]


@pytest.mark.parametrize("stack", some(0.34, ALL_STACKS))
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
        ours = [compose.compose(*lines) for _ in range(2)]
        expected = hydra.compose("config", lines, return_hydra_config=True)
    for node in ours:
        names = [name for name in expected if name != "hydra"]
        assert OmegaConf.masked_copy(node, names) == OmegaConf.masked_copy(expected, names)


def test_compositions_do_not_change_one_another():
    first = composed(LOAD)
    other = composed([*LOAD, "seed=7", "hardware.read_us=[1.0]", "ftl.gc.options.choices=3", "ftl/gc=rga"])
    assert other.seed == 7 and other.hardware.read_us == [1.0]
    assert composed(LOAD) == first


BROKEN = {
    "stack/unknown_base.yaml": ("defaults: [nowhere]", "stack=nowhere: must be one of"),
    "stack/unknown_key.yaml": ("sed: 3", "sed=3: no such key (did you mean 'seed'?)"),
    "stack/no_yaml.yaml": ("seed: [", "expected the node content"),
}


@pytest.mark.parametrize(("file", "text", "told"), [(file, *told) for file, told in BROKEN.items()])
def test_a_preset_that_is_broken_is_told_with_its_fault(tmp_path, file, text, told):
    (tmp_path / "stack").mkdir()
    (tmp_path / file).write_text(f"# @package _global_\n{text}\n")
    with pytest.raises(ConfigError, match=re.escape(told)) as refusal:
        composed([f"hydra.searchpath=[{tmp_path}]", f"stack={Path(file).stem}"])
    assert "\n" not in str(refusal.value)
