"""Which block and page of a plane a write goes to."""

from ssdsim.ftl.frontier.interface import RESERVED_BLOCKS, WriteFrontier
from ssdsim.ftl.frontier.page_type import PageTypeFrontier, TwoPhaseFrontier
from ssdsim.ftl.frontier.return_to_fast import ReturnToFastFrontier
from ssdsim.ftl.frontier.sequential import SequentialFrontier

__all__ = [
    "RESERVED_BLOCKS",
    "PageTypeFrontier",
    "ReturnToFastFrontier",
    "SequentialFrontier",
    "TwoPhaseFrontier",
    "WriteFrontier",
]
