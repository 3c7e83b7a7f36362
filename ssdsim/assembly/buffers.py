"""From a configuration to the controller's DRAM and the write buffer in it."""

from ssdsim.buffer.pages import BufferedPages
from ssdsim.buffer.replacement import Replacement
from ssdsim.buffer.write_buffer import WriteBuffer
from ssdsim.config import SimulationConfig
from ssdsim.config.registry import STATIC_ORDERS
from ssdsim.controller.delays import Dram
from ssdsim.flash.data import PageData
from ssdsim.ftl.layer import FlashTranslationLayer
from ssdsim.ftl.plane_allocation import stripe


def make_buffered_pages(
    config: SimulationConfig, policy: Replacement | None, data: PageData | None
) -> BufferedPages | None:
    """Return the pages of the write buffer, or None if there is none."""
    if policy is None:
        return None
    hardware, wanted, together = config.hardware, config.buffer, config.super_page
    order = config.ftl.plane_allocation if config.ftl.plane_allocation in STATIC_ORDERS else "CWDP"
    policy.bind(stripe(order, hardware, together), hardware, together)
    capacity = max(int(wanted.size_mib * 2**20) // hardware.page_bytes, 1)
    early = wanted.slot_free_when == "evicted"
    return BufferedPages(policy, capacity, hardware.page_bytes, together, config.super_page_stripe, early, data)


def make_dram(config: SimulationConfig) -> Dram | None:
    """Return the DRAM that all data or write buffer and read cache share, or None if that takes no time."""
    of_all, wanted = config.dram, config.buffer
    if of_all.bandwidth_mib_s is not None:
        ns_per_byte = 1e9 / 2**20 / of_all.bandwidth_mib_s
        return Dram(of_all.latency_ns, ns_per_byte, of_all.table_accesses, of_all.access_bytes)
    is_used = wanted.replacement != "none" or config.read_cache.size_mib > 0
    if not is_used or not (wanted.access_ns or wanted.transfer_ns_per_byte):
        return None
    return Dram(wanted.access_ns, wanted.transfer_ns_per_byte)


def make_buffer(
    config: SimulationConfig, layer: FlashTranslationLayer, pages: BufferedPages, dram: Dram | None
) -> WriteBuffer:
    """Return the write buffer that holds `pages`, which `dram`, if any, moves."""
    hardware, wanted = config.hardware, config.buffer
    row = hardware.planes_per_die if config.ftl.unit == "die" else 1
    in_flight = 0 if wanted.write_back == "when_full" else wanted.pages_in_flight or 2 * hardware.dies
    buffer = WriteBuffer(pages, layer, layer.writes, row, in_flight, dram, wanted.write_through)
    if layer.rows is not None:
        layer.rows.evictions = buffer.evictions  # in a circle: these write rows
    return buffer
