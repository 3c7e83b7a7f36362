import numpy as np
import numpy.typing as npt

from ssdsim._core.blocks import Blocks
from ssdsim._core.random import RandomStream
from ssdsim._core.table import IndexTable

def fill_planes(
    blocks: Blocks,
    mapping: IndexTable,
    plane: int,
    places: int,
    place: int,
    logical_pages: int,
    taken: npt.NDArray[np.int64],
    valid_pages: int,
    random: RandomStream,
    wanted: npt.NDArray[np.uint8] | None = None,
) -> None: ...
def fill_in_place(blocks: Blocks, aligned: int, lpas: npt.NDArray[np.int64]) -> None: ...
def recount(blocks: Blocks, mapping: IndexTable) -> str | None: ...
