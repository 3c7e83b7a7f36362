"""Where each logical page lies: the mapping schemes."""

from ssdsim.ftl.mapping.page import PageMapping

__all__ = ["PageMapping"]
