"""The memory that a device takes is held against each limit there is, beforehand and with the numbers."""

import resource

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim import ConfigError
from ssdsim.assembly import memory
from ssdsim.assembly.memory import available, block_state_bytes, check_memory, page_table_bytes
from ssdsim.config import (
    FtlConfig,
    HardwareConfig,
    MappingConfig,
    PowerLossConfig,
    PreconditionConfig,
    SimulationConfig,
)

MIB = 1 << 20


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Give a function that lays out a machine: files below /proc and /sys/fs/cgroup, and the limit of address space."""
    monkeypatch.setattr(memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY,) * 2)

    def lay_out(**files):
        for name, text in files.items():
            file = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    return lay_out


def test_what_the_machine_leaves_is_what_is_free_and_its_swap(machine):
    machine(proc__meminfo="MemTotal: 900 kB\nMemAvailable: 300 kB\nSwapFree: 100 kB\nHugePages: 0\n")
    assert [(at_once, there_is) for at_once, there_is, _ in available()] == [(False, 400 * 1024)]


def test_limits_of_both_versions_of_control_groups_hold_up_to_the_root(machine):
    """What is cached and can be given up does not count, be it more than is used; `max` is no limit."""
    machine(
        proc__self__cgroup="4:cpu:/x\n5:memory:/job\n0::/user/job\n",
        cgroup__user__job__memory_dot_max="max\n",
        cgroup__user__job__memory_dot_current="10\n",
        cgroup__user__memory_dot_max="1000\n",
        cgroup__user__memory_dot_current="400\n",
        cgroup__user__memory_dot_stat="anon 300\ninactive_file 100\n",
        cgroup__memory__job__memory_dot_limit_in_bytes="5000\n",
        cgroup__memory__job__memory_dot_usage_in_bytes="500\n",
        cgroup__memory__job__memory_dot_stat="inactive_file 600\n",
    )
    assert sorted(there_is for _, there_is, _ in available()) == [700, 5000]


def test_without_any_of_these_files_only_what_has_no_number_is_refused(machine):
    """A die of two planes of 384 pages a block has fewer than 2**31 pages up to 2,796,202 blocks a plane."""
    assert list(available()) == []
    check_memory(SimulationConfig(hardware=HardwareConfig(blocks_per_plane=2_796_202)))
    with pytest.raises(ConfigError, match=r"of which there can be 2,147,483,647; set it to at most 2796202\."):
        check_memory(SimulationConfig(hardware=HardwareConfig(blocks_per_plane=2_796_203)))


def test_address_space_counts_what_is_never_written_to(machine, monkeypatch):
    """86 * 32 blocks of 384 pages: 4 bytes and a bit for each, 4 for each logical one, 16 for each block."""
    config = SimulationConfig(precondition=PreconditionConfig(mode="none"))
    pages = 86 * 32 * 384
    assert page_table_bytes(config) == 4 * pages + pages // 8 + 4 * config.hardware.logical_pages + 16 * 86 * 32
    least = block_state_bytes(config.hardware) + page_table_bytes(config)
    resident_kib = block_state_bytes(config.hardware) // 1024 + 1
    machine(proc__self__statm="100 1\n", proc__meminfo=f"MemAvailable: {resident_kib}")
    space = least + 100 * resource.getpagesize()
    monkeypatch.setattr(resource, "getrlimit", lambda which: (space, space))
    check_memory(config)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (space - 1, space))
    with pytest.raises(ConfigError, match=r"^hardware\.\w+=.*the limit of address space .* leaves \d MiB; set it"):
        check_memory(config)


@given(
    st.sampled_from(["channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane"]),
    st.integers(1, 2**31 - 1),
    st.sampled_from(["page", "dftl"]),
)
@settings(max_examples=settings.default.max_examples * 3 // 10)
def test_the_most_that_is_advised_is_accepted(key, count, scheme):
    def config(value):
        ftl = FtlConfig(mapping=MappingConfig(scheme=scheme))
        return SimulationConfig(hardware=HardwareConfig(**{key: value}), ftl=ftl)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "available", lambda: [(False, 512 * MIB, "the machine")])
        try:
            check_memory(config(count))
        except ConfigError as error:
            assert str(error).startswith(f"hardware.{key}={count}: ")
            most = int(str(error).split("set it to at most ")[1].split(",")[0].rstrip("."))
            assert most < count
            check_memory(config(most))
            with pytest.raises(ConfigError, match=r"takes at least|there can be"):
                check_memory(config(most + 1))


TABLES = {
    "contents": ({"integrity": "on"}, lambda pages, logical: 32 * pages + 40 * logical),
    "contents of a loss of power": (
        {"power_loss": PowerLossConfig(after_programs=1)},
        lambda p, logical: 24 * (p + logical),
    ),
    "updates of a page and their time": (
        {"ftl": FtlConfig(active_blocks="hot_cold")},
        lambda pages, logical: 12 * logical,
    ),
    "places in a mapping table": (
        {"ftl": FtlConfig(mapping=MappingConfig(scheme="dftl"))},
        lambda pages, logical: 8 * logical,
    ),
}


@pytest.mark.parametrize(("given", "more"), TABLES.values(), ids=TABLES)
def test_what_a_policy_keeps_of_each_page_counts(given, more):
    hardware = HardwareConfig()
    pages, logical = 86 * 32 * 384, hardware.logical_pages
    plain, fuller = (page_table_bytes(SimulationConfig(**each)) for each in ({}, given))
    assert fuller - plain == more(pages, logical) > 0


def test_pages_beyond_32_bits_take_entries_of_64():
    """2 ** 32 - 2 pages in 2 blocks a plane, and one block of two pages a plane more: 8 bytes for each then."""
    for planes, entry in ((2**30 - 1, 4), (2**30, 8)):
        hardware = HardwareConfig(
            channels=planes,
            chips_per_channel=1,
            dies_per_chip=1,
            planes_per_die=1,
            bits_per_cell=1,
            program_us=[9],
            blocks_per_plane=2,
            pages_per_block=2,
            over_provisioning=0.5,
        )
        pages = 4 * planes
        expected = entry * pages + pages // 8 + entry * pages // 2 + 16 * 2 * planes
        assert page_table_bytes(SimulationConfig(hardware=hardware)) == expected


@pytest.mark.parametrize(
    ("shape", "key", "most", "what"),
    [
        (
            {"channels": 2**14, "planes_per_die": 16, "pages_per_block": 3},
            *("blocks_per_plane", 2**10, r"1,074,790,400 blocks, of which"),
        ),
        (
            {"blocks_per_plane": 4},
            "channels",
            2**14,
            r"65,540 dies, of which there can be 65,536; set it to at most 16384",
        ),
        (
            {"blocks_per_plane": 2**9, "pages_per_block": 2**12, "bits_per_cell": 1, "program_us": [9], "page_kib": 64},
            *("channels", 2**13, r"bytes of flash, of which there can be 9,007,199,254,740,992"),
        ),
    ],
    ids=["blocks", "dies", "bytes"],
)
def test_what_has_no_number_is_refused(machine, shape, key, most, what):
    check_memory(SimulationConfig(hardware=HardwareConfig(**shape | {key: most})))
    with pytest.raises(ConfigError, match=what):
        check_memory(SimulationConfig(hardware=HardwareConfig(**shape | {key: most + 1})))


@pytest.mark.parametrize(
    ("key", "count", "step", "extra"), [("pages_per_block", 3 * 2**15, 3, None), ("blocks_per_plane", 2**20, 1, 0.25)]
)
def test_the_advice_keeps_whole_wordlines_and_extra_blocks_their_share(monkeypatch, key, count, step, extra):
    def config(value):
        return SimulationConfig(hardware=HardwareConfig(**{key: value}), ftl=FtlConfig(extra_block_share=extra))

    monkeypatch.setattr(memory, "available", lambda: [(False, 512 * MIB, "the machine")])
    with pytest.raises(ConfigError, match=r"the machine leaves 512 MiB; set it to at most \d+, or") as refused:
        check_memory(config(count))
    most = int(str(refused.value).split("set it to at most ")[1].split(",")[0])
    check_memory(config(most))
    assert most % step == 0 and most > 100
    with pytest.raises(ConfigError, match="takes at least"):
        check_memory(config(most + step))


def test_where_one_key_alone_does_not_help_the_others_are_named(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: [(False, 10_000, "the machine")])
    with pytest.raises(
        ConfigError, match=r"leaves 0 MiB; set it lower, and hardware\.channels, .*, too, or take a mach"
    ):
        check_memory(SimulationConfig(hardware=HardwareConfig(blocks_per_plane=1000)))
