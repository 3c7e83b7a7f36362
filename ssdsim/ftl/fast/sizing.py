"""FAST put together from a configuration: how many log blocks there are, what it refuses, and how it is filled."""

from collections.abc import Iterator
from math import ceil
from typing import Any

import numpy as np

from ssdsim._core.fill import fill_in_place
from ssdsim.config import STATIC_ORDERS, SimulationConfig
from ssdsim.errors import ConfigError, NoRoomError
from ssdsim.ftl.fast.log_blocks import LogFrontier
from ssdsim.ftl.fast.mapping import FastMapping
from ssdsim.ftl.plane_allocation import stripe

FEWEST_SEQUENTIAL_BLOCKS = 2
"""Sequential log blocks of a unit at least: the present one, and the former one while it is merged."""
SEQUENTIAL_BLOCKS = 3
"""And at most, so that another one can be begun meanwhile."""


def data_blocks(config: SimulationConfig) -> int:
    """Return how many blocks of a plane are data blocks when every logical block has one."""
    return ceil(config.hardware.logical_pages_per_plane / config.hardware.block_pages)


def log_blocks(config: SimulationConfig) -> tuple[int, int]:
    """Return how many random and sequential log blocks a plane has at most; one more block is a merge's target."""
    spare = config.hardware.physical_blocks - data_blocks(config) - 1
    random = config.ftl.mapping.log_blocks
    if random is None:
        random = max(spare - SEQUENTIAL_BLOCKS, 1)
    return random, min(SEQUENTIAL_BLOCKS, spare - random)


def check_fast(config: SimulationConfig) -> None:
    """Raise `ConfigError` for what does not go with FAST, and where there are too few blocks for its log."""
    for key, given, reason in refused(config):
        raise ConfigError(f"{key}={given}: {reason}, and ftl.mapping.scheme=fast; set one of them otherwise.")
    hardware = config.hardware
    random, sequential = log_blocks(config)
    if sequential >= FEWEST_SEQUENTIAL_BLOCKS:
        return
    data, blocks = data_blocks(config), hardware.physical_blocks
    most = blocks - data - 1 - FEWEST_SEQUENTIAL_BLOCKS
    if most >= 1:
        raise ConfigError(
            f"ftl.mapping.log_blocks={random}: a plane of {blocks} blocks has {data} data blocks, and FAST takes "
            f"{FEWEST_SEQUENTIAL_BLOCKS + 1} others; set it to at most {most}."
        )
    raise NoRoomError(
        f"hardware.over_provisioning={hardware.over_provisioning:g}: a plane of {blocks} blocks has {data} data "
        f"blocks, and FAST needs {FEWEST_SEQUENTIAL_BLOCKS + 2} others for its log and for merges"
    )


def refused(config: SimulationConfig) -> Iterator[tuple[str, Any, str]]:
    """Yield the keys that FAST has no use for, with what they are set to and the reason."""
    ftl, gc = config.ftl, config.ftl.gc
    if ftl.block_allocation not in ("sequential", "aligned"):
        yield "ftl.block_allocation", ftl.block_allocation, "log and data blocks are filled page by page or row by row"
    if ftl.plane_allocation not in STATIC_ORDERS:
        yield "ftl.plane_allocation", ftl.plane_allocation, "a static order decides where a page belongs"
    if ftl.page_type:
        yield "ftl.page_type", "+".join(ftl.page_type), "pages of a log block come in order, whatever their type"
    if ftl.active_blocks == "hot_cold":
        yield "ftl.active_blocks", ftl.active_blocks, "log blocks do not tell hot data from cold"
    if ftl.backup != "none":
        yield "ftl.backup", ftl.backup, "log and data blocks are not backed up"
    if ftl.wear_leveling.static:
        yield "ftl.wear_leveling.static", "true", "a data block is only moved by a merge"
    if gc.copyback:
        yield "ftl.gc.copyback", "true", "merges go through the controller"
    if gc.combine_writes:
        yield "ftl.gc.combine_writes", "true", "merges fill data blocks, which the host does not write to"
    if config.power_loss.wanted:
        name = "after_programs" if config.power_loss.at_s is None else "at_s"
        yield f"power_loss.{name}", getattr(config.power_loss, name), "a loss of power needs a page map to rebuild"


def make_log_frontier(config: SimulationConfig) -> LogFrontier:
    """Return the write frontier of FAST, not yet bound."""
    return LogFrontier(config.ftl.block_allocation == "aligned", *log_blocks(config))


def make_fast_mapping(config: SimulationConfig, blocks: Any, frontier: LogFrontier, together: int) -> FastMapping:
    """Return FAST's mapping, and let `frontier` know it."""
    hardware = config.hardware
    planes = stripe(config.ftl.plane_allocation, hardware, together)
    mapping = FastMapping(blocks, planes, together, hardware.logical_pages, log_blocks(config)[0])
    frontier.bind_mapping(mapping)
    return mapping


def fill_data_blocks(config: SimulationConfig, blocks: Any, mapping: FastMapping, wanted: np.ndarray | None) -> None:
    """Give as many logical blocks a data block as `precondition` wants, with as many valid pages, drawn at random.

    Pages that are `wanted` come first, and all of them, in more data blocks if need be. The log stays empty.
    """
    wish = config.precondition
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([config.seed, 0xFA57])))
    whole = config.hardware.blocks_per_plane
    lowest = data_blocks(config) if wish.fill_share is None else int(wish.fill_share * whole + 1e-9)
    highest = lowest if wish.fill_share_to is None else int(wish.fill_share_to * whole + 1e-9)
    for unit in range(blocks.units):
        count = min(int(random.integers(lowest, highest + 1)), mapping.logical_blocks)
        lpas = mapping.lpas_of(unit).reshape(mapping.logical_blocks, mapping.block_pages)
        first = np.zeros(lpas.shape, bool) if wanted is None else (lpas >= 0) & (wanted[lpas] > 0)
        order = np.lexsort((random.random(len(lpas)), ~first.any(axis=1)))
        numbers = order[: max(count, np.count_nonzero(first.any(axis=1)))]
        share = 1.0 if wish.valid_share is None else wish.valid_share
        valid = drawn(lpas[numbers], first[numbers], share, mapping.together, random)
        for number, pages in zip(numbers.tolist(), valid, strict=True):
            aligned = blocks.take_free(unit)
            fill_in_place(blocks, aligned, pages)
            mapping.adopt(unit, number, aligned)


def drawn(lpas: np.ndarray, first: np.ndarray, share: float, together: int, random: np.random.Generator) -> np.ndarray:
    """Return `lpas` with -1 in place of all but `share` of them, drawn so many at a time; `first` ones always stay."""
    groups = lpas.reshape(-1, together)
    stays = first.reshape(-1, together).any(axis=1)
    rank = np.where(groups[:, 0] < 0, 2.0, random.random(len(groups)) - stays)
    keep = np.zeros(len(groups), bool)
    keep[np.argsort(rank, kind="stable")[: max(int(share * len(groups) + 0.5), np.count_nonzero(stays))]] = True
    return np.where(keep[:, np.newaxis], groups, -1).reshape(lpas.shape)
