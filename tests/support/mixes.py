"""The systems that are supported: each stack of `conf/`, and the named mixes of what several of them do."""

from functools import cache
from typing import Any

import attrs

from ssdsim.command.compose import composed
from support.tiny_stacks import ALL_STACKS, OF_MLC, chosen

PA_SSD = {
    "ftl.page_order": "page_type",
    "ftl.page_type": ["queue_depth", "utilization"],
    "ftl.gc.page_type": ["utilization"],
    "flash.program_order": "relaxed",
    "scheduler.page_type_aware": True,
}
TWIN, SUPER_PAGE = {"ftl.unit": "twin"}, {"ftl.unit": "super_page"}
SPD = {"ftl.unit": "die", "buffer.replacement": "epo", "ftl.gc.background_threshold": None}
SPD_PLUS = SPD | {"ftl.gc.combine_writes": True, "ftl.gc.holds_writes": True}
DFTL, FAST = {"ftl.mapping.scheme": "dftl"}, {"ftl.mapping.scheme": "fast"}
LEAFTL = {"ftl.mapping.scheme": "experiments.leaftl.LeaFTL", "ftl.mapping.options": {"error": 4, "batch": 8}}
COPIES = {"ftl.backup": "page_copy"}
FEW_COPIES = COPIES | {"ftl.backup_pages": "fast", "ftl.backup_moved": False}
ACROSS = {"ftl.backup_place": "next_channel", "hardware.channels": 2}
HOT_COLD = {"ftl.active_blocks": "hot_cold", "ftl.hot_window_s": 1e-2}
PARITY = {
    "ftl.page_order": "two_phase",
    "ftl.page_type": ["uniform"],
    "ftl.backup": "block_parity",
    "flash.program_order": "rps",
}
SLC = {"hardware.bits_per_cell": 1, "hardware.bits_used": None, "hardware.program_us": [100.0]}
MLC = {"hardware.bits_per_cell": 2, "hardware.bits_used": None, "hardware.program_us": [100.0, 400.0]}
TLC = {"hardware.bits_per_cell": 3, "hardware.program_us": [100.0, 200.0, 400.0]}

MIXES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, MLC if name in OF_MLC else TLC) for name in ALL_STACKS},
    "PA-SSD's types under SPD": ("spd", TLC | PA_SSD),
    "PA-SSD's types under SPD+": ("spd_plus", TLC | PA_SSD),
    "PA-SSD's types, hot and cold, under SPD+": ("spd_plus", TLC | PA_SSD | HOT_COLD),
    "PA-SSD's types on twins": ("twinblk", TLC | PA_SSD),
    "PA-SSD's types on super pages": ("superpage", TLC | PA_SSD),
    "PA-SSD with copy-back": ("pa_ssd", TLC | {"ftl.gc.moves": "copyback"}),
    "PA-SSD with tokens": ("pa_ssd", TLC | {"ftl.plane_allocation": "token"}),
    "PA-SSD with page copies": ("pa_ssd", MLC | COPIES),
    "flexFTL on TLC": ("flex_ftl", TLC | {"ftl.backup": "none"}),
    "flexFTL on twins": ("flex_ftl", MLC | TWIN),
    "flexFTL in die writes": ("flex_ftl", MLC | SPD),
    "flexFTL in SPD+'s die writes": ("flex_ftl", MLC | SPD_PLUS),
    "flexFTL on DFTL": ("flex_ftl", MLC | DFTL),
    "flexFTL's parity across channels": ("flex_ftl", MLC | ACROSS),
    "TBM with block parity": ("tbm", MLC | PARITY),
    "parityFTL on twins": ("parity_ftl", MLC | TWIN),
    "rtfFTL on super pages": ("rtf_ftl", MLC | SUPER_PAGE),
    "rtfFTL with few copies": ("rtf_ftl", MLC | FEW_COPIES),
    "baseline on DFTL": ("baseline", SLC | DFTL),
    "twins on DFTL": ("twinblk", TLC | DFTL),
    "super pages on DFTL": ("superpage", TLC | DFTL),
    "SPD on DFTL": ("spd", SLC | DFTL),
    "SPD on FAST": ("spd", TLC | FAST),
    "FAST on twins": ("fast", TLC | TWIN),
    "ParaGC on DFTL": ("paragc", TLC | DFTL),
    "a map of one's own in flash": ("baseline", TLC | {"ftl.mapping.scheme": "support.mappings.MapInFlash"}),
    "LeaFTL": ("baseline", TLC | LEAFTL),
    "LeaFTL with flexFTL's phases": ("flex_ftl", MLC | LEAFTL),
    "hot and cold": ("baseline", TLC | HOT_COLD),
    "page copies": ("baseline", MLC | COPIES),
    **{f"{name} victims": ("baseline", TLC | {"ftl.gc.victim": name}) for name in ("fifo", "random", "cost_benefit")},
}
"""By name: the stack, and other values by key."""

SMALL = {
    "hardware.channels": 1,
    "hardware.chips_per_channel": 2,
    "hardware.dies_per_chip": 1,
    "hardware.planes_per_die": 2,
    "hardware.blocks_per_plane": 32,
    "hardware.pages_per_block": 12,
    "hardware.bits_per_cell": 2,
    "hardware.bits_used": None,
    "hardware.program_us": [450.0, 950.0],
    "hardware.over_provisioning": 0.6,
    "hardware.extra_blocks": 0,
    "buffer.size_mib": 0.125,
    "buffer.footprint_share": None,
    "ftl.mapping.cache_kib": 0.1,
    "precondition.mode": "none",
}
"""Four planes of 32 blocks of 12 MLC pages, two fifths logical, and a cache for 12 entries of DFTL's table."""


def changed(config: Any, changes: dict[str, Any]) -> Any:
    """Return a section of the configuration with other values at dotted keys."""
    own = {key: value for key, value in changes.items() if "." not in key}
    for name in {key.partition(".")[0] for key in changes.keys() - own.keys()}:
        below = {key.removeprefix(f"{name}."): value for key, value in changes.items() if key.startswith(f"{name}.")}
        own[name] = changed(getattr(config, name), below)
    return attrs.evolve(config, **own)


@cache
def small_stack(name: str) -> Any:
    """Return the stack called `name` on the small device."""
    return changed(composed(chosen(name)), SMALL)
