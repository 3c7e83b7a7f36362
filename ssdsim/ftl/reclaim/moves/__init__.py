"""How the valid pages of victims are moved."""

from ssdsim.ftl.reclaim.moves.chip import ChipMoves
from ssdsim.ftl.reclaim.moves.copyback import CopyBackMoves
from ssdsim.ftl.reclaim.moves.die import DieMoves
from ssdsim.ftl.reclaim.moves.interface import PageMoves
from ssdsim.ftl.reclaim.moves.parallel import ParallelMoves
from ssdsim.ftl.reclaim.moves.rows import RowMoves
from ssdsim.ftl.reclaim.moves.single import SingleMoves

__all__ = ["ChipMoves", "CopyBackMoves", "DieMoves", "PageMoves", "ParallelMoves", "RowMoves", "SingleMoves"]
