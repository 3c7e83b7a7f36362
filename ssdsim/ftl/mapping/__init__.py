"""Where each logical page lies: the mapping schemes."""

from ssdsim.ftl.mapping.dftl import DemandMapping
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.mapping.translation import TranslationPages

__all__ = ["DemandMapping", "PageMapping", "TranslationPages"]
