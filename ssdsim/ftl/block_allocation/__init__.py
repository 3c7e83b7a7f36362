"""Which block and page of a plane a write goes to."""

from ssdsim.ftl.block_allocation.aligned import AlignedFrontier
from ssdsim.ftl.block_allocation.frontier import RESERVED_BLOCKS, WriteFrontier
from ssdsim.ftl.block_allocation.page_type import PageTypeFrontier
from ssdsim.ftl.block_allocation.return_to_fast import ReturnToFastFrontier
from ssdsim.ftl.block_allocation.sequential import SequentialFrontier
from ssdsim.ftl.block_allocation.two_phase import TwoPhaseFrontier

__all__ = [
    "RESERVED_BLOCKS",
    "AlignedFrontier",
    "PageTypeFrontier",
    "ReturnToFastFrontier",
    "SequentialFrontier",
    "TwoPhaseFrontier",
    "WriteFrontier",
]
