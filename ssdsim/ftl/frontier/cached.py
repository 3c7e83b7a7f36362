# cython: infer_types=True
"""Any order of pages with an SLC cache in front of it: the host's writes go there first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ssdsim._core.blocks import Blocks
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.slc_cache import SlcCache

if TYPE_CHECKING:
    from ssdsim.config import FtlConfig, HardwareConfig


class CachedFrontier(WriteFrontier):
    """Has the `cache` take the host's writes while it has room, and `inner`, the frontier behind it, all other ones.

    The host's data is of kinds of its own, which begin at `first_cached`: those of `inner`, in the same order, as the
    cache may have room or not by the time that a page is allocated. Moved data and the mapping table bypass the cache.
    """

    inner: WriteFrontier

    def __init__(self, inner: WriteFrontier) -> None:
        self.inner = inner
        self.separation = inner.separation

    def active_blocks(self, hardware: HardwareConfig, config: FtlConfig) -> int:
        """Return the blocks that `inner` has, and one of the cache where it borrows blocks."""
        return self.inner.active_blocks(hardware, config) + bool(config.slc_cache.free_share)

    def bind(self, blocks: Blocks, config: FtlConfig) -> None:
        """Start with an empty cache."""
        WriteFrontier.bind(self, blocks, config)
        inner = self.inner
        inner.bind(blocks, config)
        self.behind = inner
        self.tables = inner.tables
        self.points = inner.points
        self.cache = SlcCache(config.slc_cache, blocks, self.reserved)

    def has_room(self, plane: int) -> bool:
        """Return whether the cache has room, or, unless writes wait for that, `inner`."""
        unit = plane if self.span == 1 else plane // self.span
        return self.cache.has_room(unit) or (not self.cache.is_short(unit) and self.inner.has_room(plane))

    def allocate(self, plane: int, kind: int, lpa: int, page_type: int) -> int:
        """Hand out a page of the cache, or one of `inner`."""
        if kind >= self.first_cached:
            ppa = self.cache.allocate(plane if self.span == 1 else plane // self.span, lpa)
            if ppa >= 0:
                return ppa
            kind -= self.first_cached
        return self.inner.allocate(plane, kind, lpa, page_type)

    def block_for(self, unit: int, kind: int) -> int:
        """Return the block with the row begun for `kind`, that of the cache if it is begun there."""
        if kind < self.first_cached:
            return self.inner.block_for(unit, kind)
        aligned = self.cache.active[unit]
        is_begun: bool = aligned >= 0 and self.blocks.place_in_row(aligned) > 0
        return aligned if is_begun else self.inner.block_for(unit, kind - self.first_cached)
