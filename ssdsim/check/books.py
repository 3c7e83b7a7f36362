"""The books of a device, recounted from the flash up."""

from typing import Any

import numpy as np

from ssdsim._core.blocks import STATES, Blocks
from ssdsim._core.recount import recount
from ssdsim.errors import SimulationError


def check_books(blocks: Blocks, mapping: Any) -> None:
    """Raise `SimulationError` on the first thing that is not as the state of the blocks says.

    Held against it is `mapping`, the table of what is mapped where.
    """
    difference = recount(blocks, mapping)
    if difference is not None:
        raise SimulationError(f"check: {difference}.")
    active: list[int] = np.flatnonzero(blocks.column("state") == STATES.index("active")).tolist()
    for aligned in {blocks.aligned_of(block) for block in active if blocks.span > 1}:
        if not is_filled_by_rows(blocks, aligned):
            raise SimulationError(f"check: the aligned blocks {aligned} are not filled row by row, in their order.")


def is_filled_by_rows(blocks: Blocks, aligned: int) -> bool:
    """Return whether the pages of each type of an aligned block are handed out row by row, each row in its order."""
    members = [blocks.member(aligned, place) for place in range(blocks.span)]
    left = [[blocks.unwritten_of(block, kind) for block in members] for kind in range(blocks.page_types)]
    return all(of_type == sorted(of_type) and of_type[-1] - of_type[0] <= 1 for of_type in left)
