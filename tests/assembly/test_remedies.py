"""The remedy that a refusal gives is one: whatever the device, each change that the sentence names is accepted."""

import re

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim import ConfigError
from ssdsim.assembly.capacity import check_limits
from ssdsim.config import FtlConfig, GarbageCollectionConfig, HardwareConfig, MappingConfig, SimulationConfig

CHANGE = re.compile(r"((?:hardware|ftl\.gc|ftl\.mapping)\.\w+) to at (?:least|most) ([\d.e+-]*\d)")
IT = re.compile(r"^([\w.]+)=[^:]*: .*; set it to at (?:least|most) ([\d.]*\d)")

SHARES = st.sampled_from([0.005, 0.02, 0.1, 0.3, 0.7, 1.0])


@st.composite
def devices(draw):
    """Draw a device, most often one that is too small for what is asked of it."""
    trigger = draw(st.sampled_from(["free_blocks", "free_blocks", "free_pages", "spare_blocks", "block_share"]))
    amounts = st.sampled_from([0.5, 1, 2, 2.5, 3, 4, 12, 200]) if trigger == "free_blocks" else SHARES
    low, high = sorted([draw(amounts), draw(amounts)])
    if trigger in ("free_pages", "block_share"):
        low, high = min(low, 0.9), min(high, 0.9)
    bits = draw(st.integers(1, 4))
    hardware = HardwareConfig(
        channels=draw(st.integers(1, 3)),
        planes_per_die=draw(st.sampled_from([1, 2, 4])),
        blocks_per_plane=draw(st.integers(1, 40)),
        pages_per_block=bits * draw(st.sampled_from([1, 2, 7, 64, 500])),
        page_kib=draw(st.sampled_from([0.5, 4, 16])),
        bits_per_cell=bits,
        program_us=[100.0],
        over_provisioning=draw(st.sampled_from([0.0, 0.01, 0.07, 0.3, 0.6, 0.95, 0.9999])),
    )
    scheme = draw(st.sampled_from(["page", "page", "dftl", "fast"]))
    ftl = FtlConfig(
        gc=GarbageCollectionConfig(
            trigger=trigger,
            soft_threshold=high,
            hard_threshold=low,
            min_gain=draw(st.sampled_from([0.0, 0.1])),
            reserved_blocks=draw(st.sampled_from([1, 9])) if trigger == "block_share" else 1,
        ),
        mapping=MappingConfig(scheme=scheme, log_blocks=draw(st.sampled_from([None, 1, 30]))),
        active_blocks=draw(st.sampled_from(["separate", "shared"])),
        extra_block_share=draw(st.sampled_from([None, None, 0.03, 0.5])),
    )
    return SimulationConfig(hardware=hardware, ftl=ftl)


def changed(config, changes):
    """Return `config` with dotted keys set."""
    hardware, ftl = config.hardware, config.ftl
    for key, value in changes:
        section, _, name = key.rpartition(".")
        if section == "hardware":
            whole = {"blocks_per_plane": int}.get(name, float)
            hardware = attrs.evolve(hardware, **{name: whole(value)})
            if ftl.extra_block_share is not None:
                hardware = attrs.evolve(hardware, extra_blocks=0)
        elif section == "ftl.mapping":
            ftl = attrs.evolve(ftl, mapping=attrs.evolve(ftl.mapping, **{name: int(value)}))
    gc = {key.rpartition(".")[2]: float(value) for key, value in changes if key.startswith("ftl.gc.")}
    return attrs.evolve(config, hardware=hardware, ftl=attrs.evolve(ftl, gc=attrs.evolve(ftl.gc, **gc)))


def remedies(sentence):
    """Return the alternatives that a sentence gives, each as its changes."""
    if found := IT.search(sentence):
        return [[found.groups()]]
    return [CHANGE.findall(each) for each in sentence.partition("; ")[2].split(", or ")]


@given(devices())
@settings(max_examples=settings.default.max_examples * 3 // 2)
def test_every_remedy_of_a_refusal_is_accepted(config):
    try:
        check_limits(config)
    except ConfigError as error:
        sentence = str(error)
        alternatives = remedies(sentence)
        assert all(alternatives), sentence
        assert "no over-provisioning is enough" in sentence or any(
            key == "hardware.over_provisioning" or key.startswith(("ftl.gc.", "ftl.mapping."))
            for changes in alternatives
            for key, _ in changes
        )
        for changes in alternatives:
            check_limits(changed(config, changes))


@pytest.mark.parametrize(
    ("gc", "remedy"),
    [
        ({"soft_threshold": 200}, "no over-provisioning is enough: set hardware.blocks_per_plane to at least 1010, or "
         "ftl.gc.soft_threshold to at most 15."),
        ({"soft_threshold": 1, "hard_threshold": 1}, "set ftl.gc.hard_threshold to at least 2 and "
         "ftl.gc.soft_threshold to at least 2."),
        ({"trigger": "block_share", "soft_threshold": 0.05, "hard_threshold": 0.05, "reserved_blocks": 30}, "set "
         "hardware.over_provisioning to at least 0.384, or hardware.blocks_per_plane to at least 165, or "
         "ftl.gc.reserved_blocks to at most 14."),
    ],
)  # fmt: skip
def test_a_device_that_is_too_small_is_told_what_would_fit(gc, remedy):
    """86 blocks, of which 68.8 hold data and 2 are active, leave 15.2; of n blocks a fifth and 2 must leave 200."""
    with pytest.raises(ConfigError) as refused:
        check_limits(SimulationConfig(ftl=FtlConfig(gc=GarbageCollectionConfig(**gc))))
    assert str(refused.value).endswith(remedy)
