"""The device and the four translation layers of the flexFTL paper as overrides."""

BLOCKS = 512
FEWEST_BLOCKS = 64
"""Blocks a chip, whole and at least: of fewer, the eight active blocks of rtfFTL would be too many."""

SYSTEMS = {
    "pageFTL": ["stack=page_ftl"],
    "parityFTL": ["stack=parity_ftl"],
    "rtfFTL": ["stack=rtf_ftl"],
    "flexFTL": ["stack=flex_ftl"],
}
BASE, OURS = "pageFTL", "flexFTL"
OTHERS = [name for name in SYSTEMS if name != OURS]

DATA = 0.64
"""Of the device's pages, those that hold data: 80 percent of the 80 that the preset leaves to the user."""


def device(blocks: int) -> list[str]:
    """Return the overrides of the paper's device with `blocks` a chip, full of data and of outdated pages at first."""
    return ["hardware=flexftl", f"hardware.blocks_per_plane={blocks}", *holding(DATA), "precondition=fill"]


def holding(data: float) -> list[str]:
    """Return the override by which data is so much of a device's pages; it is the workload's, and the rest is spare."""
    return [f"hardware.over_provisioning={1 - data:g}"]
