"""A device of which something could not be numbered is refused."""

import pytest

from ssdsim import ConfigError
from ssdsim.assembly.capacity import check_numbers
from ssdsim.config import HardwareConfig


@pytest.mark.parametrize(
    ("shape", "key", "most", "what"),
    [
        (
            {"channels": 2**14, "planes_per_die": 16, "pages_per_block": 3},
            *("blocks_per_plane", 2**10, r"1,074,790,400 blocks, of which"),
        ),
        # a die of two planes of 384 pages a block has fewer than 2**31 pages up to so many blocks a plane
        ({}, "blocks_per_plane", 2_796_202, r"of which 2,147,483,647 can be; set it lower\."),
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
    ids=["blocks", "pages", "dies", "bytes"],
)
def test_what_has_no_number_is_refused(shape, key, most, what):
    check_numbers(HardwareConfig(**shape | {key: most}))
    with pytest.raises(ConfigError, match=what):
        check_numbers(HardwareConfig(**shape | {key: most + 1}))
