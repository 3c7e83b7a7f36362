"""Every preset that `conf/` ships composes into a configuration, and says in its first comment what it is."""

from functools import cache
from importlib.resources import files
from itertools import zip_longest
from math import ceil
from pathlib import Path

import attrs
import pytest
import yaml

from ssdsim import ConfigError
from ssdsim.assembly.capacity import check_room, counted_thresholds, in_blocks
from ssdsim.assembly.parts import Parts
from ssdsim.command.compose import choices, composed, describe, session
from ssdsim.config import SimulationConfig
from ssdsim.config.experiment import flatten
from support.tiny_stacks import chosen

CONF = Path(str(files("conf")))
PRESETS = sorted(
    (file.parent.relative_to(CONF).as_posix(), file.stem) for file in CONF.rglob("*.yaml") if file.parent != CONF
)
TOGETHER = (
    ("stack", "workload", "link", "dram", "hardware/bus"),
    ("hardware", "hardware/cells", "hardware/chips", "buffer", "flash", "ftl/gc", "precondition"),
)
"""Groups of which a preset of one goes with that of another at the same place; mappings are chosen by stacks."""
GIB = 2**30


@pytest.fixture(autouse=True)
def composing():
    with session():
        yield


@cache
def compose(*overrides):
    return composed([*overrides])


def bytes_without_extra_blocks(hardware):
    return hardware.planes * hardware.blocks_per_plane * hardware.block_pages * hardware.page_bytes


def test_there_is_a_folder_for_each_group():
    assert {group for group, _ in PRESETS} == {*TOGETHER[0], *TOGETHER[1], "ftl/mapping"}


@pytest.mark.parametrize("together", TOGETHER, ids=" ".join)
def test_each_preset_composes(together):
    for row in zip_longest(*([f"{group}={choice}" for choice in choices(group)] for group in together)):
        # a generator needs a class of one's own
        given = [word for word in row if word not in (None, "workload=generator")]
        if together[0] == "stack" and row[0]:
            given[:1] = chosen(row[0].partition("=")[2])
        assert isinstance(compose(*given), SimulationConfig)


@pytest.mark.parametrize("preset", PRESETS, ids="-".join)
def test_each_preset_is_described(preset):
    assert 20 <= len(describe(*preset)) <= 102
    assert describe(*preset).endswith(".")


@pytest.mark.parametrize("choice", [choice for group, choice in PRESETS if group == "ftl/gc"])
def test_a_gc_preset_is_the_policy_of_its_name(choice):
    assert compose(f"ftl/gc={choice}").ftl.gc.victim == choice


@pytest.mark.parametrize(
    ("choice", "gib"),
    [
        ("tlc_2g", 2.0390625),
        ("tlc_4g", 4.03125),
        ("tlc_128g", 128.25),
        ("mlc_64g", 64),
        ("slc_16g", 16),
        ("tlc_512g", 512.25),
        ("pa_ssd", 288),
        ("tbm", 256),
        ("spd", 512),
        ("pcftl", 8),
        ("qlc_entry", 12),
        ("tlc_client", 12),
        ("tlc_data_centre", 15),
    ],
)
def test_hardware_has_the_capacity_it_says(choice, gib):
    assert bytes_without_extra_blocks(compose(f"hardware={choice}").hardware) == gib * GIB
    assert f" {int(gib)} GiB" in describe("hardware", choice)


@pytest.mark.parametrize(("paper", "mib"), [("pa_ssd", 576), ("spd", 256), ("tbm", 512), ("pcftl", 256)])
def test_the_small_device_of_a_paper_differs_in_size_alone(paper, mib):
    whole, small = (compose(f"hardware={choice}") for choice in (paper, f"{paper}_small"))
    sizes = ["channels", "chips_per_channel", "planes_per_die", "blocks_per_plane", "pages_per_block"]
    ftl = small.ftl
    if paper == "tbm":  # a small device needs more spare blocks for the same, as some are needed in any case
        sizes.append("over_provisioning")
        ftl = attrs.evolve(small.ftl, gc=whole.ftl.gc)
    if paper == "pcftl":  # likewise, of extra blocks
        sizes.append("extra_blocks")
    same = {name: getattr(whole.hardware, name) for name in sizes}
    assert attrs.evolve(small, hardware=attrs.evolve(small.hardware, **same), ftl=ftl) == whole
    assert bytes_without_extra_blocks(small.hardware) == mib * 2**20


PAPERS = {
    "spd": (16 * 8 * 1 * 2, 2048, 256, 4096, 75, 1500, 3800, 25, 0.25),
    "tbm": (4 * 4 * 2 * 2, 2048, 256, 8192, 75, 1600, 5000, 5, 16 / 240),
    "pcftl": (2 * 2 * 2 * 4, 2048, 64, 2048, 20, 200, 2000, 25_000 / 2048, 0),
}
"""Planes, blocks, pages, bytes, read, program and erase in us, ns a byte, spare over user pages."""


@pytest.mark.parametrize("paper", PAPERS)
def test_hardware_is_that_of_the_papers_table(paper):
    has = compose(f"hardware={paper}").hardware
    spare = has.over_provisioning / (1 - has.over_provisioning)
    table = (has.planes, has.blocks_per_plane, has.pages_per_block, has.page_bytes)
    times = (*has.read_us, *has.program_us, has.erase_us, has.bus_ns_per_byte)
    assert (*table, *times, pytest.approx(spare)) == PAPERS[paper]


def test_the_device_of_pcftl_has_the_rest_of_its_table_1():
    has = compose("hardware=pcftl").hardware
    commands = {has.read_command_us, has.program_command_us, has.erase_command_us, has.copyback_command_us}
    assert (has.extra_blocks, commands) == (50, {0.2})
    assert has.capacity_bytes == 8 * GIB


@pytest.mark.parametrize(("stack", "blocks"), [("dftl", 50), ("pcftl", 492)])
def test_the_thresholds_of_pcftls_device_follow_its_extra_blocks(stack, blocks):
    config = compose("hardware=pcftl", f"stack={stack}", f"hardware.extra_blocks={blocks}")
    check_room(Parts(config))
    extra, table = config.hardware.extra_blocks, 6 if stack == "dftl" else 0  # up to 320 pages, and a block to fill
    gc = counted_thresholds(Parts(config))
    assert gc.soft_threshold == gc.hard_threshold == extra - 1 - table
    if stack == "pcftl":
        assert ceil(gc.background_threshold * config.hardware.physical_blocks) == extra


def test_the_warm_device_of_spd_fits_its_over_provisioning():
    config = compose("hardware=spd", "stack=spd", "precondition=spd_warm")
    assert config.precondition.valid_share * config.precondition.fill_share_to <= 1 - config.hardware.over_provisioning


@pytest.mark.parametrize("stack", ["slc_mode", "pa_ssd"])
def test_a_stack_leaves_the_devices_own_collection_thresholds(stack):
    gc = compose("hardware=pa_ssd", f"stack={stack}").ftl.gc
    assert (gc.trigger, gc.soft_threshold, gc.hard_threshold, gc.min_gain) == ("free_pages", 0.3, 0.05, 0.25)


STACKS = sorted(choice for group, choice in PRESETS if group == "stack")
OF_THE_DEVICE = ("hardware", "buffer.size_mib", "buffer.footprint_share", "precondition")


@pytest.mark.parametrize("choice", STACKS)
def test_a_stack_sets_policies_only(choice):
    """What it would like of a device is left to presets of that, or, for SLC mode, one that the stack names."""
    own = yaml.safe_load((CONF / "stack" / f"{choice}.yaml").read_text())
    brought = [next(iter(each)) for each in own.pop("defaults", []) if isinstance(each, dict)]
    assert not any(key == each or key.startswith(f"{each}.") for key, _ in flatten(own) for each in OF_THE_DEVICE)
    groups = {each.removeprefix("override ").removeprefix("/") for each in brought}
    assert groups <= {"flash", "buffer", "ftl/gc", "ftl/mapping", *({"hardware/cells"} if choice == "slc_mode" else ())}


@pytest.mark.more
@pytest.mark.parametrize("hardware", choices("hardware"))
def test_every_stack_goes_with_every_preset_of_hardware_that_has_what_it_needs(hardware):
    """Those that need other cells, planes or more spare blocks say so."""
    for stack in STACKS:
        try:
            assert compose(f"hardware={hardware}", f"stack={stack}")
        except ConfigError as refusal:
            assert "hardware." in str(refusal) or "blocks" in str(refusal), refusal


def test_the_baseline_stack_states_the_defaults_of_the_classes():
    config, default = compose(), SimulationConfig()
    for section in ("flash", "scheduler", "ftl", "host", "buffer"):
        assert getattr(config, section) == getattr(default, section)
    assert compose("hardware=tlc_4g").hardware == default.hardware


def test_options_reach_the_policy():
    assert compose("ftl/gc=rga", "ftl.gc.options.choices=4").ftl.gc.options == {"choices": 4}
    assert compose("ftl.gc.victim=rga", "+ftl.gc.options.choices=4").ftl.gc.options == {"choices": 4}
    with pytest.raises(ConfigError, match=r"ftl\.gc\.victim=greedy: its options \{'mine': 1\} do not fit"):
        compose("ftl.gc.options.mine=1")


def test_a_users_own_class_may_stand_for_a_policy_and_is_looked_at_at_once(tmp_path, monkeypatch):
    source = "from ssdsim.ftl.reclaim.victims import Fifo\nclass Oldest(Fifo):\n    def __init__(self, ages=1): pass\n"
    (tmp_path / "my_policies.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    assert compose("ftl.gc.victim=my_policies.Oldest", "ftl.gc.options={ages: 3}").ftl.gc.options == {"ages": 3}
    with pytest.raises(ConfigError, match=r"ftl\.gc\.victim=my_policies\.Newest: cannot be imported"):
        compose("ftl.gc.victim=my_policies.Newest")


@pytest.mark.parametrize(
    ("blocks", "changes", "begins"),
    [
        (219, [], 10),
        (220, [], 11),
        (2048, [], 102),
        (40, ["ftl.gc.reserved_blocks=2"], 3),
        (100, ["hardware=tbm_small"], 10),  # which counts pages
    ],
)
def test_mqsim_collects_below_a_twentieth_of_the_blocks_or_ten(blocks, changes, begins):
    spare = "hardware.over_provisioning=0.3"
    config = compose("hardware=reference_mqsim", "flash=mqsim", *changes, f"hardware.blocks_per_plane={blocks}", spare)
    gc = counted_thresholds(Parts(config))
    assert gc.trigger == "free_blocks" and gc.soft_threshold == gc.hard_threshold == begins
    assert in_blocks(Parts(config), config.ftl.gc.soft_threshold) == begins
