import numpy as np
import numpy.typing as npt

from ssdsim._core.blocks import Blocks
from ssdsim._core.random import RandomStream
from ssdsim._core.table import IndexTable

def fill_plane(
    blocks: Blocks,
    mapping: IndexTable,
    plane: int,
    place: int,
    logical_pages: int,
    filled_blocks: int,
    valid_pages: int,
    random: RandomStream,
    wanted: npt.NDArray[np.uint8] | None = None,
) -> None: ...
def recount(blocks: Blocks, mapping: IndexTable) -> str | None: ...
