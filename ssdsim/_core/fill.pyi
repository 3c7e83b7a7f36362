from collections.abc import Callable, MutableSequence

import numpy as np
import numpy.typing as npt

from ssdsim._core.blocks import Blocks
from ssdsim._core.random import RandomStream
from ssdsim._core.table import IndexTable

def places_of(
    plane_for: Callable[[int], int], left: MutableSequence[int], together: int, random: RandomStream
) -> npt.NDArray[np.integer]: ...
def fill_planes(
    blocks: Blocks,
    mapping: IndexTable,
    plane: int,
    together: int,
    numbers: npt.NDArray[np.int64],
    taken: npt.NDArray[np.int64],
    valid_pages: int,
    random: RandomStream,
    wanted: npt.NDArray[np.uint8] | None = None,
) -> None: ...
def fill_in_place(blocks: Blocks, aligned: int, lpas: npt.NDArray[np.int64]) -> None: ...
def recount(blocks: Blocks, mapping: IndexTable) -> str | None: ...
