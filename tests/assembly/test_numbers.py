"""A device of which something could not be numbered, or that memory has no room for, is refused."""

import pytest

from ssdsim import ConfigError
from ssdsim.assembly import capacity
from ssdsim.assembly.capacity import check_memory, check_numbers
from ssdsim.config import HardwareConfig, PreconditionConfig, SimulationConfig


@pytest.mark.parametrize(
    ("shape", "key", "most", "what"),
    [
        (
            {"channels": 2**14, "planes_per_die": 16, "pages_per_block": 3},
            *("blocks_per_plane", 2**10, r"1,074,790,400 blocks, of which"),
        ),
        # a die of two planes of 384 pages a block has fewer than 2**31 pages up to so many blocks a plane
        (
            {"channels": 1, "chips_per_channel": 1, "dies_per_chip": 1},
            "blocks_per_plane",
            2_796_202,
            r"of which 2,147,483,647 can be; set it lower\.",
        ),
        (
            {"blocks_per_plane": 4},
            "channels",
            2**14,
            r"65,540 dies, of which 65,536 can be; set it lower",
        ),
        (
            {"blocks_per_plane": 2**9, "pages_per_block": 2**12, "bits_per_cell": 1, "program_us": [9]},
            *("channels", 255, r"pages, of which 4,294,967,294 can be"),
        ),
    ],
    ids=["blocks", "pages a die", "dies", "pages"],
)
def test_what_has_no_number_is_refused(shape, key, most, what):
    check_numbers(HardwareConfig(**shape | {key: most}))
    with pytest.raises(ConfigError, match=what):
        check_numbers(HardwareConfig(**shape | {key: most + 1}))


@pytest.mark.parametrize(("integrity", "per_page"), [("off", 4), ("on", 28)])
def test_a_device_is_held_against_the_memory_that_is_left(monkeypatch, tmp_path, integrity, per_page):
    """86 * 32 blocks of 384 pages: 64 bytes for each block, and for each page as many as its tables take, if filled."""
    filled, empty = (
        SimulationConfig(precondition=PreconditionConfig(mode=mode), integrity=integrity) for mode in ("fill", "none")
    )
    blocks = 86 * 32
    needed = 64 * blocks + per_page * 384 * blocks + 4 * filled.hardware.logical_pages
    monkeypatch.setattr(capacity, "MEMINFO", tmp_path / "meminfo")
    check_memory(filled)  # a machine that does not tell
    for kib in (needed // 1024, needed // 1024 - 1):
        capacity.MEMINFO.write_text(f"MemTotal: 9 kB\nMemAvailable: {kib - 9} kB\nSwapFree: 9 kB\nHugePages: 0\n")
        check_memory(empty)
        if kib == needed // 1024:
            check_memory(filled)
    with pytest.raises(ConfigError, match=r"^hardware\.blocks_per_plane=.*the machine has \d+ MiB left; set it"):
        check_memory(filled)
