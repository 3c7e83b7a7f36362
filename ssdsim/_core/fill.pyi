import numpy as np
import numpy.typing as npt

from ssdsim._core.blocks import Blocks
from ssdsim._core.random import RandomStream
from ssdsim._core.table import IndexTable

def shuffled(count: int, random: RandomStream) -> IndexTable: ...
def sort_by_place(numbers: IndexTable, place: IndexTable, places: int) -> None: ...
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
