"""FAST's data blocks of a device that is filled before the run."""

import numpy as np

from ssdsim._core.fill import fill_in_place
from ssdsim._core.table import IndexTable
from ssdsim.config import SimulationConfig
from ssdsim.ftl.fast.log_blocks import LogFrontier, data_blocks


def fill_data_blocks(config: SimulationConfig, log: LogFrontier, table: IndexTable, wanted: np.ndarray) -> None:
    """Give as many logical blocks a data block as `precondition` wants, with as many valid pages, drawn at random.

    Pages that are `wanted` come first, and all of them, in more data blocks if need be. The log stays empty.
    """
    wish, blocks = config.precondition, log.blocks
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([config.seed, 0xFA57])))
    share = 1.0 if wish.valid_share is None else wish.valid_share
    whole = config.hardware.blocks_per_plane
    lowest = data_blocks(config.hardware) if wish.fill_share is None else int(wish.fill_share * whole + 1e-9)
    highest = lowest if wish.fill_share_to is None else int(wish.fill_share_to * whole + 1e-9)
    for unit in range(blocks.units):
        count = min(int(random.integers(lowest, highest + 1)), log.logical_blocks)
        shape = (log.logical_blocks, log.unit_pages)
        lpas = np.array([log.lpa_at(unit, index) for index in range(shape[0] * shape[1])]).reshape(shape)
        first = (lpas >= 0) & (wanted[lpas] > 0)
        order = np.lexsort((random.random(len(lpas)), ~first.any(axis=1)))
        numbers = order[: max(count, np.count_nonzero(first.any(axis=1)))]
        pages, stays = lpas[numbers].reshape(-1), first[numbers].reshape(-1)
        rank = np.where(pages < 0, 2.0, random.random(len(pages)) - stays)
        held = max(int(share * len(pages) + 0.5), np.count_nonzero(stays))
        pages[np.argsort(rank, kind="stable")[held:]] = -1
        for number, of_block in zip(numbers.tolist(), pages.reshape(-1, log.unit_pages), strict=True):
            aligned = blocks.take_free(unit)
            fill_in_place(blocks, table, aligned, of_block)
            log.adopt(unit, number, aligned)
