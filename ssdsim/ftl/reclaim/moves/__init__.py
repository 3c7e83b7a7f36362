"""How the valid pages of victims are moved."""

from ssdsim.ftl.reclaim.moves.die import DieMoves
from ssdsim.ftl.reclaim.moves.interface import PageMoves
from ssdsim.ftl.reclaim.moves.single import ChipMoves, CopyBackMoves, SingleMoves
from ssdsim.ftl.reclaim.moves.superblock import StripedMoves
from ssdsim.ftl.reclaim.moves.together import ParallelMoves, RowMoves

__all__ = [
    "ChipMoves",
    "CopyBackMoves",
    "DieMoves",
    "PageMoves",
    "ParallelMoves",
    "RowMoves",
    "SingleMoves",
    "StripedMoves",
]
