"""The device and the translation layers of the PCFTL paper as overrides."""

from fractions import Fraction
from math import ceil

import attrs

from ...study.former.command import scaled

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


KEPT, FREE, LATE = "kept", "free", "late"
FEWEST_EXTRA = 3


@attrs.frozen
class Setting:
    """What Table 1 varies: the page in KiB, the extra blocks in percent, and the write cache in MiB.

    The paper's words on extra blocks leave open what `pool` says: there are the four fifths that collection works with
    (5.3), and it keeps all of them free, as its threshold is their number (3.5; kept); or all are there, free at first,
    and it keeps four fifths (free); or the four fifths are free at first, and it keeps as many as there are of the
    fewest (late).
    """

    page_kib: int = PAGE_KIB
    extra: int = FEWEST_EXTRA
    cache_mib: float = 2
    pool: str = KEPT

    @property
    def name(self) -> str:
        """What the folder of its runs is called."""
        return f"{self.page_kib} KiB, {self.extra} %, {self.cache_mib:g} MiB" + f", {self.pool}" * (self.pool != KEPT)


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
        every = ceil(Fraction(setting.extra, 100) * (BLOCKS * PAGE_KIB // setting.page_kib))
        used = ceil(USED * every)
        spare = max(round(self.scale * (used - HELD[system])), FEWEST_SPARE)
        return HELD[system] + spare + (round(self.scale * (every - used)) if setting.pool == FREE else 0)

    def collects_below(self, setting: Setting, system: str) -> list[str]:
        """Return the overrides for collection below as many free blocks as are spare with `setting`."""
        free = self.extra_blocks(setting, system) - HELD[system]
        return ["ftl.gc.trigger=free_blocks", *(f"ftl.gc.{level}_threshold={free}" for level in ("soft", "hard"))]

    def free_at_first(self, setting: Setting, system: str) -> list[str]:
        """Return the overrides for extra blocks that are free at first, of which collection keeps some."""
        smallest_extra = FEWEST_EXTRA if setting.pool == LATE else setting.extra
        held = attrs.evolve(setting, extra=smallest_extra, pool=KEPT)
        blocks, extra = self.blocks(setting), self.extra_blocks(setting, system)
        of_all = (self.extra_blocks(held, system) - 0.5) / (blocks + extra)
        return [
            *self.collects_below(held, system),
            f"precondition.fill_share={blocks / (blocks + extra)!r}",
            *([] if system == RIVAL else [f"ftl.gc.background_threshold={of_all:.6f}"]),
        ]

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
            *([] if setting.pool == KEPT else self.free_at_first(setting, system)),
            *self.more,
        ]
