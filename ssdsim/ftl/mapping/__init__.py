"""Where each logical page lies: the mapping schemes."""

from ssdsim.ftl.mapping.dftl import DemandMapping
from ssdsim.ftl.mapping.page import PageMapping

__all__ = ["DemandMapping", "PageMapping"]
