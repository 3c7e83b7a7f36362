"""The device and the four translation layers of the flexFTL paper as overrides."""

BLOCKS = 512
FEWEST_BLOCKS = 64
"""Blocks a chip, whole and at least: of fewer, the eight active blocks of rtfFTL would be too many."""

SPARE = 0.2
SPARE_BLOCKS = 14.1
"""Eight active blocks of rtfFTL, two for backups, and four free ones for collection to work with."""

SYSTEMS = {
    "pageFTL": ["stack=page_ftl"],
    "parityFTL": ["stack=parity_ftl"],
    "rtfFTL": ["stack=rtf_ftl"],
    "flexFTL": ["stack=flex_ftl"],
}
BASE, OURS = "pageFTL", "flexFTL"
OTHERS = [name for name in SYSTEMS if name != OURS]

COMMON = ["precondition=fill", "precondition.valid_share=0"]
"""At first blocks are full down to where collection starts, of the pages of the working set and of outdated ones."""


def device(blocks: int) -> list[str]:
    """Return the overrides of the paper's device with `blocks` a chip, of which few need a larger share to be spare."""
    spare = max(SPARE, SPARE_BLOCKS / blocks)
    return ["hardware=flexftl", f"hardware.blocks_per_plane={blocks}", f"hardware.over_provisioning={spare:.6f}"]
