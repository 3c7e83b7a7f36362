"""The flash translation layer: where data goes, and how space is won back."""

from typing import Any

from attrs import define, field

from ssdsim.config.registry import AXES
from ssdsim.config.validators import (
    OPTIONS_BY_SCHEME,
    POSITIVE,
    SCHEMES,
    SHARE,
    Section,
    by_stream,
    completed,
    list_of,
    number,
    one_of,
    require,
    whole,
)


@define(kw_only=True, field_transformer=completed)
class GarbageCollectionConfig(Section, group="ftl.gc."):
    """When a plane or die is collected, and which block: `docs/pages/model/collection.md` has rules and sources."""

    moves: str | None = field(default=None, validator=one_of("controller", "copyback", "rows", "parallel", "chip"))
    """How valid pages of a victim are moved; null: as `ftl.unit` has it, rows or controller."""
    scope: str = field(default="unit", validator=one_of("unit", "device"))
    """What a victim is the best of: its plane or die, or the whole device."""
    ranking: str = field(default="total", validator=one_of("total", "least"))
    """Whether twin blocks rank by all their valid pages or by those of the least valid one."""
    joins: str = field(default="any", validator=one_of("any", "same_page"))
    """Which programs of moved pages join into a multi-plane command: any, or those of one page offset."""
    partner_gain: float = field(default=0.5, validator=SHARE)
    """Dead pages that the partner of a victim must have (moves=parallel), of the victim's."""
    chip_margin: float | None = field(default=None, validator=SHARE)
    """How close to its threshold a neighbour is collected along with one; null: never."""
    combine_writes: bool = False
    """Whether evicted pages are written in rows with moved ones."""
    holds_writes: bool = False
    """Whether writes wait for the end of an urgent collection of their plane or die."""
    paced: bool = False
    """Whether writes are given no more pages than a collection wins back as it goes on, once few are left."""
    holds_requests: bool = False
    """Whether requests wait for the end of a collection."""
    yields_to_reads: bool = True
    """Whether reads still pass urgent collection until writes find no room."""
    starts_before_write: bool = False
    """Whether a collection goes before the write that called for it."""
    holds_cause: bool = False
    """Whether the write that called for a collection is complete only at its end."""
    begin: str = field(default="below", validator=one_of("below", "per_write"))
    """Whether one collection follows another for as long as too little is free, or a page written calls for each."""
    copyback_waste: float = field(default=0.25, validator=SHARE)
    """Dead pages that a copy-back may pass over, of its victim's."""
    background_threshold: float | None = field(default=None, validator=SHARE)
    """Free blocks of a plane below which it is collected in idle time; null: never."""
    idle_us: float = 0.0
    """How long the host must have had nothing under way before collection in idle time."""
    victim: str = field(default="greedy", validator=AXES["ftl.gc.victim"])
    """Which block is collected."""
    options: dict[str, Any] = field(factory=dict)
    """Options of the victim policy."""
    trigger: str = field(
        default="free_blocks", validator=one_of("free_blocks", "block_share", "free_pages", "spare_blocks")
    )
    """What both thresholds count: free blocks, or a share of all blocks, of free pages or of spare blocks."""
    soft_threshold: float = field(default=4, validator=POSITIVE)  # blocks, as `trigger` has it by default
    """What is free when collection begins (see `trigger`)."""
    hard_threshold: float = field(default=2, validator=POSITIVE)
    """What is free when collection becomes urgent (see `trigger`)."""
    # one, so that moved pages find a block
    reserved_blocks: int = 1
    """Free blocks kept from the host's writes; if more than one, as many victims are collected beside another one."""
    moves_in_flight: int = 16
    """Pages of a collection that are moved at once, at most."""
    min_gain: float = field(default=0.0, validator=SHARE)
    """Dead pages that a victim must have above the hard threshold."""
    page_type: list[str] = field(factory=lambda: ["utilization"], validator=SCHEMES)
    """Schemes that specify the page types of moved pages, in order."""

    def __attrs_post_init__(self) -> None:
        """Refuse thresholds in the wrong order or unit."""
        soft, hard, trigger = self.soft_threshold, self.hard_threshold, self.trigger
        # equal is allowed: collection is then urgent at once
        require(self, "hard_threshold", hard <= soft, f"at most ftl.gc.soft_threshold={soft:g}")
        # with all pages or blocks collection would begin with the first page in use
        holds = trigger == "free_blocks" or soft < 1 or (trigger == "spare_blocks" and soft == 1)
        require(self, "soft_threshold", holds, f"a share below 1, as ftl.gc.trigger={trigger}")


@define(kw_only=True, field_transformer=completed)
class MappingConfig(Section, group="ftl.mapping."):
    """Where each logical page lies, and what of that is in controller memory: `docs/pages/model/mapping.md`."""

    scheme: str = field(default="page", validator=AXES["ftl.mapping.scheme"])
    """Where the map of logical pages is kept, and of what."""
    options: dict[str, Any] = field(factory=dict)
    """Arguments of a mapping of your own."""
    cache_kib: float = field(default=64.0, validator=POSITIVE)
    """Cache of DFTL's mapping entries, of 8 bytes each."""
    protected_share: float = 0.5
    """Of that cache, what entries that were used again have for themselves."""
    log_blocks: int | None = None
    """FAST's random log blocks of a plane, or aligned ones of a die; null: as many as fit."""


@define(kw_only=True, field_transformer=completed)
class WearLevelingConfig(Section, group="ftl.wear_leveling."):
    """Dynamic: allocate the least erased free block. Static: that, and move cold data out of little-worn blocks."""

    dynamic: bool = False
    """Whether the least erased free block is taken."""
    static: bool = False
    """Whether that, and cold data is moved out of little-worn blocks."""
    static_threshold: int = 32
    """Erases that a block must be ahead of the least worn full one for that."""


LEVELS = ("channel", "chip", "die", "plane")
"""What streams can have for themselves, the largest first."""


@define(kw_only=True, field_transformer=completed)
class IsolationConfig(Section, group="ftl.isolation."):
    """What streams have for themselves, with `ftl.plane_allocation=by_stream`: `docs/pages/model/isolation.md`."""

    unit: str = field(default="channel", validator=one_of(*LEVELS))
    """Whether it is channels, chips of every channel, dies of every chip, or planes of every die."""
    units: dict[str, list[int]] = field(factory=dict, validator=by_stream(list_of(whole(0))))
    """Numbers, by stream, of those that it has; streams that are not named share the others evenly."""


@define(kw_only=True, field_transformer=completed)
class SlcCacheConfig(Section, group="ftl.slc_cache."):
    """Blocks in SLC mode, for the host's writes: `docs/pages/model/slc_cache.md` has rules and sources."""

    blocks: int | None = None
    """Blocks of a plane that are kept for SLC mode, a static cache; null: none."""
    free_share: float | None = None
    """Share of the other blocks without data that may be in SLC mode, a dynamic cache; null: none."""
    when_full: str = field(default="bypass", validator=one_of("bypass", "fold"))
    """Where writes go when the cache is full: to other blocks, or to the cache once its oldest block is folded."""

    @property
    def wanted(self) -> bool:
        """Whether there is a cache."""
        return bool(self.blocks or self.free_share)


MOVES: dict[str, tuple[str, ...]] = {
    "block": ("controller", "copyback", "parallel", "chip"),
    "twin": ("rows", "controller"),
    "die": ("rows",),
    "super_page": ("rows",),
    "superblock": ("controller",),
}
"""The ways in which pages of each unit can be moved, the usual one first."""


@define(kw_only=True, field_transformer=completed)
class FtlConfig(Section, group="ftl."):
    """The flash translation layer: `docs/pages/model/ftl.md` and `page_types.md` have rules and sources."""

    plane_allocation: str = field(default="CWDP", validator=AXES["ftl.plane_allocation"])
    """Which plane a page goes to; orders of channel, way, die and plane are static."""
    plane_allocation_at: str = field(default="admission", validator=one_of("admission", "dispatch"))
    """When a write is given its plane: at admission, or when a die is free for it."""
    free_blocks: str = field(default="oldest", validator=one_of("oldest", "next"))
    """Which free block is taken: free for longest, or next by address."""
    next_block: str = field(default="needed", validator=one_of("needed", "filled"))
    """When the next active block is taken: when a page of it is needed, or as soon as the last one is filled."""
    unit: str = field(default="block", validator=one_of("block", "twin", "die", "super_page", "superblock"))
    """What is taken, collected and freed together."""
    super_page_of: str = field(default="neighbours", validator=one_of("neighbours", "stripe"))
    """Which logical pages a super page is of: neighbours, or those as far apart as there are dies (no trims then)."""
    page_order: str = field(default="sequential", validator=AXES["ftl.page_order"])
    """In what order pages are handed out."""
    return_to_fast_blocks: int = 8
    """Active blocks of page_order=return_to_fast."""
    active_blocks: str = field(default="separate", validator=AXES["ftl.active_blocks"])
    """Which writes share active blocks."""
    active_block_options: dict[str, Any] = field(factory=dict)
    """Options of a policy of one's own for that."""
    hot_window_s: float = field(default=7200.0, validator=number(1e-9, 1e9))
    """Time in which a page must be updated to count as hot (active_blocks=hot_cold)."""
    hot_updates: int = field(default=2, validator=whole(1, 65535))
    """Updates in that time that make a page hot."""
    page_type: list[str] = field(factory=list, validator=SCHEMES)
    """Schemes that specify the page types of writes, in order; none: as pages come."""
    page_type_options: dict[str, Any] = field(factory=dict, validator=OPTIONS_BY_SCHEME)
    """Options by page-type scheme."""
    bac: bool = False
    """Whether planes join only at the same block offset, too."""
    backup: str = field(default="none", validator=AXES["ftl.backup"])
    """How pages are backed up that the program of a slower page endangers."""
    backup_pages: str = field(default="any", validator=one_of("any", "fast"))
    """Which pages of backup blocks are written: any in order, or fast ones only."""
    backup_place: str = field(default="plane", validator=one_of("plane", "next_channel"))
    """Where backup blocks lie: in the plane of the data, or in its neighbour on the next channel."""
    backup_moved: bool = True
    """Whether page_copy copies moved pages whose old block still holds them."""
    partial_write: str = field(default="read_modify_write", validator=one_of("pad", "read_modify_write"))
    """What becomes of the rest of a page that is written in part: it is not read (pad), or read and written along."""
    mapping: MappingConfig = field(factory=MappingConfig)
    isolation: IsolationConfig = field(factory=IsolationConfig)
    gc: GarbageCollectionConfig = field(factory=GarbageCollectionConfig)
    slc_cache: SlcCacheConfig = field(factory=SlcCacheConfig)
    wear_leveling: WearLevelingConfig = field(factory=WearLevelingConfig)

    @property
    def at_dispatch(self) -> bool:
        """Whether a write waits for its plane until a die is free for it."""
        return self.plane_allocation_at == "dispatch"

    @property
    def by_rows(self) -> bool:
        """Whether rows of aligned blocks are written as wholes."""
        return self.unit in ("die", "super_page")

    @property
    def moves(self) -> str:
        """How pages of victims are moved, also where `gc.moves` leaves it to the unit."""
        return self.gc.moves or MOVES[self.unit][0]  # null leaves it to the unit
