"""Presets from Python make what the command line makes of the same words."""

import pytest
from hydra import compose
from hydra.core.global_hydra import GlobalHydra

from ssdsim import BufferConfig, ConfigError, SyntheticConfig, preset
from ssdsim.command.compose import composed, session
from ssdsim.command.from_python import spelled


def test_a_preset_is_that_of_the_command_line():
    wanted = composed(["stack=pa_ssd", "hardware=tlc_128g", "ftl/gc=rga", "host.queue_depth=8", "seed=3"])
    assert preset("pa_ssd", "ftl/gc=rga", hardware="tlc_128g", seed=3, **{"host.queue_depth": 8}) == wanted
    assert preset() == composed([])


VALUES = [
    ({"record": ["requests", "commands"]}, "record=[requests,commands]"),
    ({"buffer.footprint_share": None}, "buffer.footprint_share=null"),
    ({"ftl.bac": True, "timing": "off"}, "ftl.bac=true timing=off"),
    ({"host.weights": {"main": 3}}, "host.weights={main:3}"),
    ({"flash.coalesced_read_us": 1e-7, "seed": 2**40}, "flash.coalesced_read_us=1e-7 seed=1099511627776"),
]


@pytest.mark.parametrize(("given", "typed"), VALUES)
def test_values_are_those_that_one_types(given, typed):
    assert preset(**given) == composed(typed.split())


WORDS = ["plain", "it's [a] {b} $x=1", "back\\\\", "null", "1e3", "", "a,b", "tr/ue.x", "/tmp/1e3", "Füße"]


def test_words_come_back_as_they_are():
    given = {f"of{place}": word for place, word in enumerate(WORDS)}
    with session():
        assert dict(compose("config", [f"+host.access_latency={spelled(given)}"]).host.access_latency) == given


def test_a_section_may_be_its_object():
    load, buffer = SyntheticConfig(requests=50, queue_depth=2), BufferConfig(replacement="lru", size_mib=1)
    config = preset("baseline", workload=load, buffer=buffer)
    assert config.workload is load and config.buffer is buffer
    with pytest.raises(ConfigError, match=r"^a\.b: only a whole section"):
        preset(**{"a.b": buffer})


def test_a_program_that_uses_hydra_itself_goes_on_using_it():
    with session():
        before = GlobalHydra.instance().hydra
        assert preset(seed=5).seed == 5
        assert GlobalHydra.instance().hydra is before
