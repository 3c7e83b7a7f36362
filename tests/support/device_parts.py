"""What follows of the keys of a device's flash, spelled out, for nested keywords of `tiny_device.tiny_config`."""

from typing import Any

BY_PAGE_TYPE = ["page_type", "two_phase", "return_to_fast"]
"""Frontiers that need schemes of page types."""


def physical_blocks(flash: dict[str, Any]) -> int:
    """Return the blocks of a plane, extra ones included."""
    return int(flash["blocks_per_plane"] + flash["extra_blocks"])


def block_pages(flash: dict[str, Any]) -> int:
    """Return how many pages of a block are in use."""
    return flash["pages_per_block"] // flash["bits_per_cell"] * page_types(flash)


def page_types(flash: dict[str, Any]) -> int:
    """Return how many page types are in use."""
    return flash["bits_used"] or flash["bits_per_cell"]
