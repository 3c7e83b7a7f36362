"""The cache of blocks in SLC mode."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.validators import one_of, whole_floats


@define(kw_only=True, field_transformer=whole_floats)
class SlcCacheConfig:
    """Blocks in SLC mode, for the host's writes: `docs/pages/model/slc_cache.md` has rules and sources."""

    group: ClassVar[str] = "ftl.slc_cache."

    blocks: int | None = field(default=None, validator=validators.COUNT_OR_NONE)
    """Blocks of a plane that are kept for SLC mode, a static cache; null: none."""
    free_share: float | None = field(default=None, validator=validators.SHARE_OR_NONE)
    """Share of the other blocks without data that may be in SLC mode, a dynamic cache; null: none."""
    when_full: str = field(default="bypass", validator=one_of("bypass", "fold"))
    """Where the host's writes go when the cache is full."""
    fold_in_idle: bool = True
    """Whether the cache is folded while the host is idle (see ftl.gc.idle_us)."""

    @property
    def wanted(self) -> bool:
        """Whether there is a cache."""
        return bool(self.blocks or self.free_share)
