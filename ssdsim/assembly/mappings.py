"""The mapping scheme that a configuration describes."""

from math import ceil
from typing import Any

from ssdsim.config import SimulationConfig
from ssdsim.ftl.fast.sizing import make_fast_mapping
from ssdsim.ftl.mapping import DemandMapping, PageMapping, TranslationPages
from ssdsim.ftl.mapping.dftl import entries_cached, entries_per_page
from ssdsim.ftl.plane_allocation import stripe


def translation_pages(config: SimulationConfig) -> int:
    """Return how many pages of flash the mapping table takes at most, 0 where all of it is in controller memory.

    That is so, too, where the cache has room for all entries: none is ever evicted then.
    """
    hardware, wanted = config.hardware, config.ftl.mapping
    if wanted.scheme != "dftl" or entries_cached(wanted) >= hardware.logical_pages:
        return 0
    entries = entries_per_page(hardware.page_bytes, hardware.planes * hardware.pages_per_plane)
    return ceil(hardware.logical_pages / entries)


def make_mapping(config: SimulationConfig, blocks: Any, frontier: Any, super_page: int) -> PageMapping:
    """Return the mapping, in which nothing is mapped yet; so many consecutive pages are always written together."""
    hardware, wanted = config.hardware, config.ftl.mapping
    if wanted.scheme == "fast":
        return make_fast_mapping(config, blocks, frontier, super_page)
    if wanted.scheme == "dftl":
        return DemandMapping(hardware.logical_pages, blocks.pages, hardware.page_bytes, wanted)
    return PageMapping(hardware.logical_pages, blocks.pages)


def make_translation(
    config: SimulationConfig, mapping: PageMapping, blocks: Any, frontier: Any, collector: Any, even: bool
) -> TranslationPages | None:
    """Return what brings the mapping from flash and back, or None where it is all in controller memory.

    `even` says that the data is spread evenly over the planes, so that translation pages have to be, too.
    """
    if not isinstance(mapping, DemandMapping):
        return None
    planes = stripe("CWDP", config.hardware, blocks.span)
    row = 1 if config.ftl.write_unit == "page" else blocks.span
    return TranslationPages(mapping, blocks, frontier, collector, planes, row, even)
