"""The device and the four translation layers of the flexFTL paper as overrides."""

import attrs

BLOCKS = 512  # a chip of the whole device (4.1)
FEWEST_BLOCKS = 32  # a tenth of fewer would be no more than collection needs to work with

# ParityFTL takes the parallelism of channels into account (4.1): its parity is written on the next channel. Nothing in
# the paper has rtfFTL copy pages that collection moves, whose old block still holds them.
SYSTEMS = {
    "pageFTL": ["stack=page_ftl"],
    "parityFTL": ["stack=parity_ftl", "ftl.backup_place=next_channel"],
    "rtfFTL": ["stack=rtf_ftl", "ftl.backup_moved=false"],
    "flexFTL": ["stack=flex_ftl"],
}

BASE, OURS = "pageFTL", "flexFTL"
OTHERS = [name for name in SYSTEMS if name != OURS]

RTF_BLOCKS = 8  # active blocks a chip of rtfFTL (4.1), each with an LSB page that is next after idle time

HELD = {"pageFTL": 5, "parityFTL": 7, "rtfFTL": 14, "flexFTL": 8}
"""Blocks of a chip, however many it has, that take no data: four free ones for collection, one active, or eight of
rtfFTL, or a fast and a slow one of flexFTL, and two for backups but with pageFTL."""

QUOTA = 0.05
DATA = 0.64  # of the device's pages, those that hold data: 80 percent of the 80 that the preset leaves to the user


@attrs.frozen
class Device:
    """The paper's device with `blocks` a chip and a share of `data`, full of it and of outdated pages at first.

    The workload's data is all there is, and the rest of the pages is spare. Of the spare blocks, a smaller device would
    have a larger share held by what does not scale: so each system is given as many more as leave it the share that it
    has of the whole device. User capacity and quota stay as they are.
    """

    blocks: int
    seed: int = 1
    data: float = DATA
    more: tuple[str, ...] = ()

    def overrides(self, system: str = "") -> list[str]:
        """Return the overrides of the device, for a system if one is named."""
        blocks = self.blocks + (round(HELD[system] * (1 - self.blocks / BLOCKS)) if system else 0)
        made = ["hardware=flexftl", f"hardware.blocks_per_plane={blocks}", *self.more]
        made += [f"hardware.over_provisioning={1 - self.data * self.blocks / blocks!r}", "precondition=fill"]
        quota = [f"ftl.page_type_options.adaptive.quota={QUOTA * self.blocks / blocks!r}"] if system == OURS else []
        return [*made, f"seed={self.seed}", *SYSTEMS.get(system, []), *quota]
