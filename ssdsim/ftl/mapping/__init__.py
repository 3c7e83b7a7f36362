"""Where each logical page lies, and what of that the controller knows: the mapping schemes."""

from ssdsim.ftl.mapping.dftl import DemandMapping
from ssdsim.ftl.mapping.page import PageMapping

__all__ = ["DemandMapping", "PageMapping"]
