import numpy as np
import numpy.typing as npt

from ssdsim._core.blocks import Blocks
from ssdsim._core.table import IndexTable

def content_word(lpa: int, version: int) -> int: ...
def programmed_pages(blocks: Blocks) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int32]]: ...
def rebuild(
    blocks: Blocks,
    mapping: IndexTable,
    spare: IndexTable,
    programmed: npt.NDArray[np.uint16],
    erases: npt.NDArray[np.int32],
    versions: npt.NDArray[np.int64],
    stamps: npt.NDArray[np.int64],
    set_aside: npt.NDArray[np.int64],
    restores: bool,
) -> tuple[list[int], list[int]]: ...
