import numpy as np
import numpy.typing as npt

from ssdsim._core.blocks import Blocks
from ssdsim._core.table import IndexTable

def content_word(lpa: int, version: int) -> int: ...
def programmed_pages(blocks: Blocks) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int32], npt.NDArray[np.uint8]]: ...
def take_cells(
    blocks: Blocks,
    spare: IndexTable,
    programmed: npt.NDArray[np.uint16],
    erases: npt.NDArray[np.int32],
    rounds: npt.NDArray[np.uint8],
) -> None: ...
def rebuild(
    blocks: Blocks,
    mapping: IndexTable,
    versions: npt.NDArray[np.int64],
    stamps: npt.NDArray[np.int64],
    set_aside: npt.NDArray[np.int64],
    restorable: dict[int, int],
) -> tuple[list[int], list[int]]: ...
