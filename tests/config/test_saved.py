"""Configurations read back from YAML."""

import attrs
import pytest
import yaml

from ssdsim import (
    ConfigError,
    FtlConfig,
    InputError,
    SimulationConfig,
    SyntheticConfig,
    TraceConfig,
    load_config,
)
from ssdsim.command.compose import composed
from ssdsim.metrics.summary import provenance
from support.thinned import some
from support.tiny_stacks import ALL_STACKS, chosen


@pytest.fixture
def saved(tmp_path):
    """Write a configuration, or a text, as a run does, and return the file."""

    def write(content):
        text = content if isinstance(content, str) else yaml.safe_dump(attrs.asdict(content), sort_keys=False)
        (tmp_path / "config.yaml").write_text(text)
        return tmp_path / "config.yaml"

    return write


@pytest.mark.parametrize("stack", some(0.34, ALL_STACKS))
def test_every_stack_comes_back_with_its_hash(saved, stack):
    config = composed([*chosen(stack), "workload=fin1", "record=requests"])
    read = load_config(saved(config).parent)
    assert read == config and type(read.workload) is type(config.workload)
    assert provenance(read)["config_hash"] == provenance(config)["config_hash"]


def test_streams_and_whole_numbers_in_place_of_others_come_back(saved):
    """A 4 that was given for 4.0 stays one: the hash knows the difference."""
    config = SimulationConfig(
        ftl=FtlConfig(page_type=["uniform"]),
        workload=TraceConfig(path="a b.csv", speedup=2),
        workloads={"b": SyntheticConfig(rate_iops=5, size_kib={4: 3, 64: 1})},
    )
    read = load_config(saved(config))
    assert read == config
    assert provenance(read)["config_hash"] == provenance(config)["config_hash"]


def test_a_file_of_ones_own_needs_only_what_is_no_default(saved):
    read = load_config(saved("hardware: {channels: 2}\nworkload: {requests: 1e3, queue_depth: 4}\ntiming: off\n"))
    assert read == SimulationConfig(
        hardware=attrs.evolve(SimulationConfig().hardware, channels=2),
        workload=SyntheticConfig(requests=1000, queue_depth=4),
        timing="off",
    )
    assert type(read.workload.requests) is int


WRONG = {
    "hardware: {chanels: 2}": r"^hardware\.chanels=2: no such key \(did you mean 'channels'\?\)",
    "ftl: {gc: {victim: gredy}}": r"^ftl\.gc\.victim=gredy: .*did you mean 'greedy'",
    "workload: {read_share: 1}": r"^workload: must be a mapping that has one of the keys path \(TraceConfig\) or",
    "a: b: c": r"is not YAML",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items(), ids=WRONG)
def test_what_is_wrong_in_a_file_is_one_sentence(saved, text, message):
    with pytest.raises(InputError, match=message) as told:
        load_config(saved(text))
    assert "config.yaml" in " ".join([str(told.value), *getattr(told.value, "__notes__", [])])


def test_whole_numbers_may_be_written_as_any():
    assert SyntheticConfig(requests=1e6, queue_depth=8.0) == SyntheticConfig(requests=1_000_000, queue_depth=8)
    with pytest.raises(ConfigError, match=r"workload\.requests=1\.5: must be a whole number"):
        SyntheticConfig(requests=1.5, queue_depth=1)
