"""What is said of each key, from where it is declared."""

import re

import pytest
from omegaconf import OmegaConf

from ssdsim.command.compose import compose, session
from ssdsim.config.experiment import flatten
from ssdsim.config.keys import keys
from ssdsim.workload.formats import FORMATS

KEYS = list(keys())
IDS = [f"{key.owner.__name__}.{key.declared.name}" for key in KEYS]


@pytest.mark.parametrize("key", KEYS, ids=IDS)
def test_every_key_has_a_sentence_and_says_what_it_may_be(key):
    assert key.meaning[0].isupper() and key.meaning.endswith(".") and "\n" not in key.meaning
    assert key.must_be or key.name.startswith("workload") or "page_type" in key.name


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


def test_words_are_explained_all_or_none():
    explained = {key.name: key for key in keys() if key.explained}
    assert {*explained.pop("workload.format").explained} == {"auto", *FORMATS}
    for key in explained.values():
        assert {*re.findall(r"\w+", key.must_be)} - {"one", "of", "or"} <= {*key.explained, "recorded"}
