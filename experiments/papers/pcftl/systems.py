"""The device and the translation layers of the PCFTL paper as overrides."""

from fractions import Fraction
from math import ceil

import attrs

from ...study.command import scaled

BLOCKS, PAGE_KIB = 2048, 2
"""Blocks of a plane, and the pages that they are of; with larger pages the paper's device has fewer blocks."""

FEWEST_BLOCKS = 16
FEWEST_SPARE = 3

BASE, RIVAL, OURS = "DFTL", "DLOOP", "PCFTL"
SYSTEMS = {BASE: ["stack=dftl"], RIVAL: ["stack=dloop"], OURS: ["stack=pcftl"]}

HELD = {BASE: 2, RIVAL: 1, OURS: 1}
"""Active blocks of a plane, however many blocks it has; DFTL has one for pages of its map."""

USED = Fraction(4, 5)
"""Of the extra blocks, those that collection works with (5.3)."""

TRANSFER_NS = 25_000
"""For a page of any size, as in Table 1."""

CMT_KIB = 64
"""DFTL's cached mapping table, an eight-hundredth of its map of 4 Mi pages. The paper does not say."""

VALID = 1 / 3
"""Of the pages that the device is filled with, those that hold data."""

COMMON = ["hardware=pcftl", "precondition=fill", "precondition.valid_reads=true", "host.queue_depth=1024"]
"""No request waits for the host queue."""


@attrs.frozen
class Setting:
    """What Table 1 varies: the page in KiB, the extra blocks in percent, and the write cache in MiB."""

    page_kib: int = PAGE_KIB
    extra: int = 3
    cache_mib: float = 2

    @property
    def name(self) -> str:
        """What the folder of its runs is called."""
        return f"{self.page_kib} KiB, {self.extra} %, {self.cache_mib:g} MiB"


@attrs.frozen
class Device:
    """The paper's device with `scale` times the blocks; write cache and mapping table are scaled like footprints."""

    scale: Fraction
    seed: int = 1
    more: tuple[str, ...] = ()

    def blocks(self, setting: Setting) -> int:
        """Return the blocks of a plane that the host sees."""
        return scaled(BLOCKS * PAGE_KIB // setting.page_kib, self.scale, FEWEST_BLOCKS)

    def extra_blocks(self, setting: Setting, system: str) -> int:
        """Return the extra blocks of a plane: as many as leave the share of spare ones that the whole device has."""
        share = Fraction(setting.extra, 100)
        whole = ceil(USED * ceil(share * (BLOCKS * PAGE_KIB // setting.page_kib)))
        return HELD[system] + max(round(self.scale * (whole - HELD[system])), FEWEST_SPARE)

    def collects_below(self, setting: Setting, system: str) -> list[str]:
        """Return the overrides for collection below as many free blocks as with `setting`, whatever the extra ones."""
        free = self.extra_blocks(setting, system) - HELD[system]
        return ["ftl.gc.trigger=free_blocks", *(f"ftl.gc.{which}_threshold={free}" for which in ("soft", "hard"))]

    def cache_kib(self, whole: int = CMT_KIB, share: Fraction | None = None) -> int:
        """Return DFTL's cache of so many KiB on the whole device, scaled."""
        return max(round(whole * (self.scale if share is None else share)), 1)

    def overrides(self, setting: Setting, system: str, whole: bool = False) -> list[str]:
        """Return the overrides of a run; for a workload that is not scaled, with cache and table as `whole`."""
        share = Fraction(1) if whole else self.scale
        blocks, extra = self.blocks(setting), self.extra_blocks(setting, system)
        return [
            *COMMON,
            *SYSTEMS[system],
            f"seed={self.seed}",
            f"hardware.page_kib={setting.page_kib}",
            f"hardware.blocks_per_plane={blocks}",
            f"hardware.extra_blocks={extra}",
            "ftl.extra_block_share=null",
            f"hardware.bus_ns_per_byte={TRANSFER_NS / (1024 * setting.page_kib)!r}",
            "ftl.partial_write=pad",
            f"precondition.valid_share={VALID:.6f}",
            *([f"ftl.mapping.cache_kib={self.cache_kib(CMT_KIB, share)}"] if system == BASE else []),
            *([f"buffer.size_mib={float(setting.cache_mib * share)!r}"] if system == OURS else []),
            *self.more,
        ]
