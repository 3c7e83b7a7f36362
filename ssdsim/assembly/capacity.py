"""Configurations that cannot work, refused before the run with the numbers."""

from math import ceil
from typing import Any

import attrs

from ssdsim.assembly.backups import blocks_set_aside
from ssdsim.assembly.mappings import translation_pages
from ssdsim.assembly.registry import make_policy
from ssdsim.assembly.remedies import remedy
from ssdsim.config import GarbageCollectionConfig, SimulationConfig
from ssdsim.errors import ConfigError, NoRoomError
from ssdsim.ftl import frontier as block_allocation
from ssdsim.ftl.fast.sizing import check_fast, make_log_frontier
from ssdsim.ftl.frontier import RESERVED_BLOCKS, WriteFrontier
from ssdsim.ftl.mapping.translation import most_in_one_of


def make_frontier(config: SimulationConfig) -> WriteFrontier:
    """Return the write frontier that `config` names, not yet bound."""
    if config.ftl.mapping.scheme == "fast":
        return make_log_frontier(config)
    frontier: WriteFrontier = make_policy(
        "ftl.block_allocation", config.ftl.block_allocation, WriteFrontier, block_allocation
    )
    return frontier


def check_limits(config: SimulationConfig) -> None:
    """Raise `ConfigError`, with a remedy that was tried, for a device that has too little room (`check_room`)."""
    try:
        check_room(config)
    except NoRoomError as error:
        raise ConfigError(f"{error}; {remedy(config, check_room, worthwhile_thresholds)}.") from None


def check_room(config: SimulationConfig) -> None:
    """Raise `NoRoomError` unless garbage collection can always reach its thresholds and never runs out of space.

    With every logical page valid, the blocks left over after the data, the active blocks and one block that is partly
    dead must still reach the soft threshold; otherwise collection would never rest, or the host would be stuck. Where
    only worthwhile victims are collected above the hard threshold (`ftl.gc.min_gain`), it is that one that counts; so
    it is, in effect, with blocks by page type, of which only full ones are collected above it.
    """
    hardware, gc = config.hardware, config.ftl.gc
    if hardware.logical_pages_per_plane < 1:
        raise NoRoomError(f"hardware.over_provisioning={hardware.over_provisioning:.9g}: leaves no logical page")
    if config.ftl.mapping.scheme == "fast":
        check_fast(config)
        return
    pages, blocks = hardware.block_pages, hardware.physical_blocks
    active = make_frontier(config).active_blocks(hardware, config.ftl)
    backups = blocks_set_aside(config)
    translation = translation_blocks(config)
    lost = unreachable(config)
    least = RESERVED_BLOCKS + 1
    for name in ("hard_threshold", "soft_threshold"):
        given = in_blocks(config, getattr(gc, name))
        if given < least:
            raise NoRoomError(
                f"ftl.gc.{name}={getattr(gc, name):g}: is {given:g} blocks a plane, but the host stops at "
                f"{RESERVED_BLOCKS} free block, so collection must come first from at least {least} on"
            )
    key = "hard_threshold" if gc.min_gain else "soft_threshold"
    threshold = getattr(gc, key)
    wanted = in_blocks(config, threshold)
    beyond = wanted - spare_blocks(config)
    if beyond > 1e-9:
        raise NoRoomError(
            f"hardware.over_provisioning={hardware.over_provisioning:g}: a plane of {blocks} blocks holds "
            f"{hardware.logical_pages_per_plane / pages:.1f} blocks of data, {active} active blocks, "
            f"{f'{lost:.1f} of dead pages that do not make up a row, ' if lost else ''}"
            f"{f'{backups} for backups, ' if backups else ''}"
            f"{f'{translation:.1f} of the mapping table, ' if translation else ''}and "
            f"ftl.gc.{key}={threshold:g} ({wanted:g} free blocks), which is {beyond:.1f} too many"
        )


def worthwhile_thresholds(config: SimulationConfig) -> SimulationConfig:
    """Return `config` with the thresholds of collection raised to where it comes before the host stops."""
    gc, least = config.ftl.gc, RESERVED_BLOCKS + 1
    if config.ftl.mapping.scheme == "fast":  # which has no use for them
        return config
    lowest = float(least)
    if gc.trigger != "free_blocks":  # a share
        of = config.hardware.physical_blocks if gc.trigger == "free_pages" else spare_blocks(config)
        lowest = ceil(least / of * 10**6) / 10**6 if of > least else 1.0
    raised: dict[str, Any] = {
        name: lowest
        for name in ("soft_threshold", "hard_threshold")
        if in_blocks(config, getattr(gc, name)) < least and getattr(gc, name) < lowest
    }
    try:
        return attrs.evolve(config, ftl=attrs.evolve(config.ftl, gc=attrs.evolve(gc, **raised)))
    except ConfigError:
        return config


def spare_blocks(config: SimulationConfig) -> float:
    """Return the blocks of a plane that stay free, whatever is written, when every logical page is valid.

    They are what data, active blocks, backups, the mapping table and dead pages out of reach leave of them: the highest
    level that collection can always get back to.
    """
    hardware = config.hardware
    taken = make_frontier(config).active_blocks(hardware, config.ftl) + blocks_set_aside(config)
    taken += translation_blocks(config) + unreachable(config)
    return hardware.physical_blocks - hardware.logical_pages_per_plane / hardware.block_pages - taken


def translation_blocks(config: SimulationConfig) -> float:
    """Return the blocks of a plane that hold the mapping table, and one more to be filled, if it is in flash."""
    pages = translation_pages(config)
    share = most_in_one_of(config.hardware.planes, pages) + (config.ftl.write_unit != "page")  # a row lies in one die
    return share / config.hardware.block_pages + 1 if pages else 0.0


def unreachable(config: SimulationConfig) -> float:
    """Return the blocks' worth of dead pages that collection may not win back: less than a row in each block."""
    if config.ftl.write_unit != "die":
        return 0.0
    hardware = config.hardware
    return (1 - 1 / hardware.planes_per_die) * hardware.physical_blocks / hardware.block_pages


def in_blocks(config: SimulationConfig, threshold: float) -> float:
    """Return a threshold of garbage collection in free blocks of a plane, whatever its trigger's unit."""
    if config.ftl.gc.trigger == "free_pages":
        return threshold * config.hardware.physical_blocks
    if config.ftl.gc.trigger == "spare_blocks":
        return max(int(threshold * spare_blocks(config) + 1e-9), 0)
    return threshold


def counted_thresholds(config: SimulationConfig) -> GarbageCollectionConfig:
    """Return how garbage is collected, with thresholds in what is counted in a run: free blocks or free pages.

    The threshold of idle times is a share of the spare blocks and the active ones: with 1, the pool is full again then.
    """
    gc, hardware = config.ftl.gc, config.hardware
    if gc.trigger != "spare_blocks":
        return gc
    soft, hard = in_blocks(config, gc.soft_threshold), in_blocks(config, gc.hard_threshold)
    share = gc.background_threshold
    if share is not None:
        pool = spare_blocks(config) + make_frontier(config).active_blocks(hardware, config.ftl)
        share = max(int(share * pool + 1e-9) - 0.5, 0) / hardware.physical_blocks  # a half less, as it is rounded up
    return attrs.evolve(gc, trigger="free_blocks", soft_threshold=soft, hard_threshold=hard, background_threshold=share)
