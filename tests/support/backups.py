"""Tiny MLC devices with each backup of paired pages."""

from support.tiny_device import PROGRAM_COMMAND, TRANSFER, WRITE_PAGE

LSB, MSB = WRITE_PAGE, PROGRAM_COMMAND + TRANSFER + 400_000
"""A program with its command and transfer, in ns."""

MLC = {"bits_per_cell": 2, "program_us": [100.0, 400.0], "blocks_per_plane": 12, "over_provisioning": 0.6}
SHARED = {"active_blocks": "shared"}
FLEX = {
    "hardware": MLC | {"pages_per_block": 4},
    "flash": {"program_order": "rps"},
    "ftl": SHARED
    | {
        "page_order": "two_phase",
        "page_type": ["uniform"],
        "backup": "block_parity",
        "gc": {"page_type": ["uniform"]},
    },
}
PARITY = {
    "hardware": MLC | {"pages_per_block": 8},
    "flash": {"program_order": "fps"},
    "ftl": SHARED | {"backup": "pair_parity"},
}
RTF = {
    "hardware": MLC | {"pages_per_block": 8},
    "flash": {"program_order": "fps"},
    "ftl": SHARED
    | {
        "page_order": "return_to_fast",
        "return_to_fast_blocks": 2,
        "page_type": ["lsb_first"],
        "backup": "page_copy",
        "gc": {"page_type": ["slowest_first"]},
    },
}
