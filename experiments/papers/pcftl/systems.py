"""The device and the translation layers of the PCFTL paper as overrides."""

from fractions import Fraction
from math import ceil

import attrs

from ...study.command import scaled

# Blocks of a plane, and the pages that they are of; with larger pages the paper's device has fewer blocks.
BLOCKS, PAGE_KIB = 2048, 2

PLANES, PAGES_PER_BLOCK = 32, 64
FEWEST_BLOCKS = 16
FEWEST_SPARE = 3

BASE, RIVAL, OURS = "DFTL", "DLOOP", "PCFTL"
# None collects in idle time: whatever is to be kept free, the write that takes it wins it back (3.5, Fig. 9).
SYSTEMS = {name: [f"stack={name.lower()}", "ftl.gc.background_threshold=null"] for name in (BASE, RIVAL, OURS)}

HELD = {BASE: 2, RIVAL: 1, OURS: 1}
"""Active blocks of a plane, however many blocks it has; DFTL has one for pages of its map."""

USED = Fraction(4, 5)  # of the extra blocks, those that collection works with (5.3)
TRANSFER_NS = 25_000  # for a page of any size, as in Table 1
CMT_KIB = 2048  # DFTL's cached mapping table: as much DRAM as PCFTL's write cache. The paper does not say
SEARCH_NS = 2  # of a page of the write cache: its search costs something (5.6), but less than hits gain, as a rule
VALID = 1 / 3  # of the pages that the device is filled with, those that hold data

# No request waits for the host queue, pages are copied back wherever a collection gains anything (3.3, 3.4), and only
# planes that are not collected serve requests (3.3).
COMMON = [
    *("hardware=pcftl", "precondition=fill", "precondition.valid_reads=true", "host.queue_depth=1024"),
    *("ftl.gc.copyback_waste=1", "ftl.gc.yields_to_reads=false", "ftl.gc.holds_writes=true"),
]

# Each plane works by itself: while two are collected, two others serve requests (3.3, Fig. 7).
BY_ITSELF = ["hardware.dies_per_chip=8", "hardware.planes_per_die=1"]

# A die has one command at a time, which is for several planes where they align (4.2).
BY_DIE = ["hardware.dies_per_chip=2", "hardware.planes_per_die=4"]

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
    times: int = 1
    """How many times the capacity there is."""

    @property
    def blocks(self) -> int:
        """Blocks of a plane of the whole device."""
        return self.times * BLOCKS * PAGE_KIB // self.page_kib


@attrs.frozen
class Device:
    """The paper's device with `scale` times the blocks; write cache and mapping table are scaled like footprints."""

    scale: Fraction
    seed: int = 1
    more: tuple[str, ...] = ()

    def blocks(self, setting: Setting) -> int:
        """Return the blocks of a plane that the host sees."""
        return scaled(setting.blocks, self.scale, FEWEST_BLOCKS)

    def pages(self, setting: Setting) -> int:
        """Return the pages that the host sees."""
        return self.blocks(setting) * PAGES_PER_BLOCK * PLANES

    def extra_blocks(self, setting: Setting, system: str) -> int:
        """Return the extra blocks of a plane: as many as leave the share of spare ones that the whole device has."""
        every = ceil(Fraction(setting.extra, 100) * setting.blocks)
        used = ceil(USED * every)
        spare = max(round(self.scale * (used - HELD[system])), FEWEST_SPARE)
        return HELD[system] + spare + (round(self.scale * (every - used)) if setting.pool == FREE else 0)

    def free_at_first(self, setting: Setting, system: str) -> list[str]:
        """Return the overrides for extra blocks that are free at first, of which collection keeps some."""
        smallest_extra = FEWEST_EXTRA if setting.pool == LATE else setting.extra
        held = attrs.evolve(setting, extra=smallest_extra, pool=KEPT)
        blocks, extra, of_held = (
            self.blocks(setting),
            self.extra_blocks(setting, system),
            self.extra_blocks(held, system),
        )
        return [
            "ftl.gc.trigger=free_blocks",
            *(f"ftl.gc.{level}_threshold={of_held - HELD[system]}" for level in ("soft", "hard")),
            f"precondition.fill_share={blocks / (blocks + extra)!r}",
        ]

    def map_cache(self, kib: float, share: Fraction | None = None) -> str:
        """Return the override for DFTL's cache of so many KiB on the whole device, scaled."""
        return f"ftl.mapping.cache_kib={max(round(kib * (share or self.scale)), 1)}"

    def search(self, ns: float, share: Fraction | None = None) -> str:
        """Return the override for a search of so many nanoseconds a page of the cache; a smaller one takes as long."""
        return f"buffer.search_ns={float(ns / (share or self.scale))!r}"

    def overrides(self, setting: Setting, system: str, whole: bool = False) -> list[str]:
        """Return the overrides of a run; for a workload that is not scaled, with cache and table as `whole`."""
        share = Fraction(1) if whole else self.scale
        of_system = {
            BASE: [self.map_cache(CMT_KIB, share)],
            RIVAL: [],
            OURS: [f"buffer.size_mib={float(setting.cache_mib * share)!r}", self.search(SEARCH_NS, share)],
        }
        return [
            *COMMON,
            *BY_ITSELF,
            *SYSTEMS[system],
            f"seed={self.seed}",
            f"hardware.page_kib={setting.page_kib}",
            f"hardware.blocks_per_plane={self.blocks(setting)}",
            f"hardware.extra_blocks={self.extra_blocks(setting, system)}",
            "ftl.extra_block_share=null",
            f"hardware.bus_ns_per_byte={TRANSFER_NS / (1024 * setting.page_kib)!r}",
            "ftl.partial_write=pad",
            f"precondition.valid_share={VALID:.6f}",
            *of_system[system],
            *([] if setting.pool == KEPT else self.free_at_first(setting, system)),
            *self.more,
        ]


DEFAULT = "2 KiB"
PAGES = {f"{size} KiB": Setting(page_kib=size) for size in (2, 4, 8, 16)}
EXTRA = {f"extra {share} %": Setting(extra=share, pool=FREE) for share in (3, 10, 20, 30)}
CACHES = {f"cache {size} MiB": Setting(cache_mib=size) for size in (0.25, 0.5, 1, 2, 4)}
LARGER = {"32 GB": Setting(times=4)}
"""The settings of the figures, and that of the device of 32 GB, by the names of parts."""
