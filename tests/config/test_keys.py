"""What is said of each key, from where it is declared."""

import pytest
from omegaconf import OmegaConf

from ssdsim.command.compose import compose, session
from ssdsim.config.experiment import flatten
from ssdsim.config.keys import NOTHING, UNITS, keys, meanings
from ssdsim.config.registry import AXES
from ssdsim.config.workload import SyntheticConfig
from ssdsim.workload.formats import FORMATS

KEYS = list(keys())
IDS = [f"{key.owner.__name__}.{key.declared.name}" for key in KEYS]


@pytest.mark.parametrize("key", KEYS, ids=IDS)
def test_every_key_has_a_sentence_and_says_what_it_may_be(key):
    assert key.meaning[0].isupper() and key.meaning.endswith(".") and "\n" not in key.meaning
    assert key.must_be or key.name.startswith("workload")


@pytest.mark.parametrize("key", [key for key in KEYS if key.choices], ids=lambda key: key.name)
def test_a_default_is_one_of_the_choices(key):
    assert key.default is NOTHING or (key.default or "null") in key.choices


def test_every_key_of_an_experiment_is_among_them():
    with session():
        loads = [OmegaConf.to_container(compose(f"workload={load}")) for load in ("trace", "synthetic")]
        composed = {key for load in loads for key, _ in flatten(load)}
    told = {key.name for key in KEYS}
    assert {key for key in composed if not key.startswith("hydra")} - told <= {
        "workloads",
        "overwrite",
        "plot",
        "quiet",
    }
    assert len(told) > 120


def test_a_unit_is_that_of_the_name():
    by_name = {key.name: key.unit for key in KEYS}
    assert by_name["hardware.bus_ns_per_byte"] == "nanoseconds a byte"
    assert by_name["hardware.read_us"] == "microseconds"
    assert by_name["buffer.size_mib"] == "MiB"
    assert by_name["workload.rate_iops"] == "requests a second"
    assert by_name["host.queue_depth"] == ""
    assert set(by_name.values()) <= {"", *UNITS.values()}


def test_a_class_has_the_meanings_of_its_base_but_for_what_it_says_anew():
    assert meanings(SyntheticConfig)["rate_iops"].startswith("Mean rate")
    arrivals = {key.meaning for key in KEYS if key.name == "workload.arrival"}
    assert len(arrivals) == 2


def test_every_word_that_a_key_takes_has_a_sentence():
    declared, explained = {}, {}
    for key in keys():
        if key.name not in AXES and key.choices:
            declared.setdefault(key.name, set()).update(key.choices)
        if key.explained:
            explained[key.name] = set(key.explained)
    assert explained == declared | {"workload.format": {"auto", *FORMATS}}
