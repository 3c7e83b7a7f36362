"""Which plane a logical page is written to."""

from ssdsim.ftl.plane_allocation.dynamic import DieByPage, DynamicPlaneAllocation, PlanesBeforeDies
from ssdsim.ftl.plane_allocation.policies import (
    ChipPlaneAllocation,
    PlaneAllocation,
    StaticPlaneAllocation,
    TokenPlaneAllocation,
    stripe,
    striped_planes,
)
from ssdsim.ftl.plane_allocation.turns import (
    PlanesByStream,
    RoundRobinPlaneAllocation,
    StaticPlanesByStream,
    planes_of_streams,
)

__all__ = [
    "ChipPlaneAllocation",
    "DieByPage",
    "DynamicPlaneAllocation",
    "PlaneAllocation",
    "PlanesBeforeDies",
    "PlanesByStream",
    "RoundRobinPlaneAllocation",
    "StaticPlaneAllocation",
    "StaticPlanesByStream",
    "TokenPlaneAllocation",
    "planes_of_streams",
    "stripe",
    "striped_planes",
]
