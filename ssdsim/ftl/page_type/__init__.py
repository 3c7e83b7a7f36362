"""Which type of page a write is given: the schemes of PA-SSD (4.2) and flexFTL (3.2), and their composition."""

from ssdsim.ftl.page_type.interface import BY_PAGE, PASS, PageTypeScheme
from ssdsim.ftl.page_type.schemes import (
    Adaptive,
    HostGuided,
    LsbFirst,
    QueueDepth,
    SizeBased,
    SlowestFirst,
    Uniform,
    Utilization,
    WriteBuffer,
)
from ssdsim.ftl.page_type.specifier import PageTypeSpecifier, check_order

__all__ = [
    "BY_PAGE",
    "PASS",
    "Adaptive",
    "HostGuided",
    "LsbFirst",
    "PageTypeScheme",
    "PageTypeSpecifier",
    "QueueDepth",
    "SizeBased",
    "SlowestFirst",
    "Uniform",
    "Utilization",
    "WriteBuffer",
    "check_order",
]
