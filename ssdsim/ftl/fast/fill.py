"""FAST's data blocks of a device that is filled before the run."""

from typing import Any

import numpy as np

from ssdsim._core.fill import fill_in_place
from ssdsim.config import SimulationConfig
from ssdsim.ftl.fast.log_blocks import data_blocks
from ssdsim.ftl.fast.mapping import FastMapping


def fill_data_blocks(config: SimulationConfig, blocks: Any, mapping: FastMapping, wanted: np.ndarray | None) -> None:
    """Give as many logical blocks a data block as `precondition` wants, with as many valid pages, drawn at random.

    Pages that are `wanted` come first, and all of them, in more data blocks if need be. The log stays empty.
    """
    wish = config.precondition
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([config.seed, 0xFA57])))
    whole = config.hardware.blocks_per_plane
    lowest = data_blocks(config.hardware) if wish.fill_share is None else int(wish.fill_share * whole + 1e-9)
    highest = lowest if wish.fill_share_to is None else int(wish.fill_share_to * whole + 1e-9)
    for unit in range(blocks.units):
        count = min(int(random.integers(lowest, highest + 1)), mapping.logical_blocks)
        shape = (mapping.logical_blocks, mapping.block_pages)
        lpas = np.array([mapping.lpa_at(unit, index) for index in range(shape[0] * shape[1])]).reshape(shape)
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
