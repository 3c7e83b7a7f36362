"""The memory that a device takes is held against each limit there is, beforehand and with the numbers."""

import pytest

from ssdsim import ConfigError
from ssdsim.assembly import memory
from ssdsim.assembly.memory import available, block_state_bytes, check_memory, page_table_bytes
from ssdsim.config import (
    HardwareConfig,
    PowerLossConfig,
    PreconditionConfig,
    SimulationConfig,
)


def with_blocks(count):
    return SimulationConfig(hardware=HardwareConfig(blocks_per_plane=count))


def test_what_the_machine_has_left_is_what_is_free_and_its_swap(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    assert available() is None
    memory.MEMINFO.write_text("MemTotal: 900 kB\nMemAvailable: 300 kB\nSwapFree: 100 kB\nHugePages: 0\n")
    assert available() == 400 * 1024


def test_a_device_is_held_against_what_is_left(monkeypatch):
    """86 * 32 blocks of 384 pages: 4 bytes and a bit for each, 4 for each logical one, 16 for each block."""
    config = SimulationConfig(precondition=PreconditionConfig(mode="fill"))
    pages = 86 * 32 * 384
    assert page_table_bytes(config) == 4 * pages + pages // 8 + 4 * config.hardware.logical_pages + 16 * 86 * 32
    least = block_state_bytes(config.hardware) + page_table_bytes(config)
    monkeypatch.setattr(memory, "available", lambda: least)
    check_memory(config)
    monkeypatch.setattr(memory, "available", lambda: least - 1)
    check_memory(SimulationConfig(precondition=PreconditionConfig(mode="none")))  # its tables are not written to
    with pytest.raises(ConfigError, match=r"^hardware\.\w+=.*the machine has \d+ MiB left; set it lower, or take"):
        check_memory(config)


def test_what_has_no_number_is_refused_whatever_is_left(monkeypatch):
    """A die of two planes of 384 pages a block has fewer than 2**31 pages up to 2,796,202 blocks a plane."""
    monkeypatch.setattr(memory, "available", lambda: None)
    check_memory(with_blocks(2_796_202))
    with pytest.raises(ConfigError, match=r"of which 2,147,483,647 can be; set it lower\."):
        check_memory(with_blocks(2_796_203))


TABLES = {
    "contents": ({"integrity": "on"}, lambda pages, logical: 32 * pages + 40 * logical),
    "contents of a loss of power": (
        {"power_loss": PowerLossConfig(after_programs=1)},
        lambda p, logical: 24 * (p + logical),
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
            r"65,540 dies, of which 65,536 can be; set it lower",
        ),
        (
            {"blocks_per_plane": 2**9, "pages_per_block": 2**12, "bits_per_cell": 1, "program_us": [9], "page_kib": 64},
            *("channels", 2**13, r"bytes of flash, of which 9,007,199,254,740,992 can be"),
        ),
    ],
    ids=["blocks", "dies", "bytes"],
)
def test_what_has_no_number_is_refused(monkeypatch, shape, key, most, what):
    monkeypatch.setattr(memory, "available", lambda: None)
    check_memory(SimulationConfig(hardware=HardwareConfig(**shape | {key: most})))
    with pytest.raises(ConfigError, match=what):
        check_memory(SimulationConfig(hardware=HardwareConfig(**shape | {key: most + 1})))
