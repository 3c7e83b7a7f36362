"""Which plane a logical page is written to."""

from ssdsim.ftl.plane_allocation.interface import PlaneAllocation
from ssdsim.ftl.plane_allocation.policies import (
    ChipPlaneAllocation,
    StaticPlaneAllocation,
    TokenPlaneAllocation,
    stripe,
    striped_planes,
)
from ssdsim.ftl.plane_allocation.turns import (
    ChannelsByStream,
    DieByPage,
    DynamicPlaneAllocation,
    PlanesBeforeDies,
    RoundRobinPlaneAllocation,
)

__all__ = [
    "ChannelsByStream",
    "ChipPlaneAllocation",
    "DieByPage",
    "DynamicPlaneAllocation",
    "PlaneAllocation",
    "PlanesBeforeDies",
    "RoundRobinPlaneAllocation",
    "StaticPlaneAllocation",
    "TokenPlaneAllocation",
    "stripe",
    "striped_planes",
]
