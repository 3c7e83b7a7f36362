"""Configurations that cannot work, refused before the run with the numbers."""

from collections.abc import Callable
from contextlib import suppress
from math import ceil
from pathlib import Path

import attrs

from ssdsim.assembly.parts import Parts
from ssdsim.config import GarbageCollectionConfig, HardwareConfig, SimulationConfig
from ssdsim.errors import ConfigError
from ssdsim.ftl.backup.backups import BLOCKS
from ssdsim.ftl.fast.log_blocks import LogFrontier
from ssdsim.ftl.frontier.tables import blocks_of_table
from ssdsim.ftl.plane_allocation.policies import planes_of_streams


def active_blocks(parts: Parts) -> int:
    """Return how many blocks of a plane are being filled."""
    return parts.frontier.active_blocks(parts.hardware, parts.ftl)


def backup_blocks(parts: Parts) -> int:
    """Return the blocks of a plane for backups."""
    return 0 if parts.backup is None else BLOCKS


def taken_blocks(parts: Parts) -> dict[str, float]:
    """Return how many blocks of a plane there are for what takes some beside the data, by the words for it."""
    hardware, ftl, span = parts.hardware, parts.ftl, len(parts.places)
    lost = 1 - 1 / hardware.planes_per_die if ftl.unit == "die" else 0.0  # pages of each block: less than a row
    padded = 0.0  # pages of each block: collection pads its last wordlines
    if hardware.pages_programmed > 1:
        padded = len(parts.separation.moved) * (hardware.pages_open(span, ftl.by_rows) - 1) / span
    blocks_a_page = hardware.physical_blocks / hardware.block_pages
    return {
        "{:.0f} active blocks": active_blocks(parts),
        "{:.1f} of dead pages that do not make up a row": lost * blocks_a_page,
        "{:.1f} of dead pages that padding of wordlines takes": padded * blocks_a_page,
        "{:.0f} for backups": backup_blocks(parts),
        "{:.0f} kept for the SLC cache": ftl.slc_cache.blocks or 0,
        "{:.1f} of the mapping table": blocks_of_table(hardware, parts.translation_pages, ftl.by_rows),
    }


NUMBERED: tuple[tuple[int, str, Callable[[HardwareConfig], int]], ...] = (
    (2**30, "blocks", lambda hardware: hardware.planes * hardware.physical_blocks),
    (2**31 - 1, "pages a die", lambda hardware: hardware.planes_per_die * hardware.pages_per_plane),
    (2**32 - 2, "pages", lambda hardware: hardware.planes * hardware.pages_per_plane),
    (2**16, "dies", lambda hardware: hardware.dies),
)
"""The most that there can be of each: blocks are numbered in 32 bits, in heaps whose places are doubled; so are pages
of a die, of which collection and merges count those of blocks together; a page has 4 bytes in tables. Of dies, each an
object with its process, there are as many as take a quarter of a minute to build."""

GEOMETRY = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane", "pages_per_block")


def check_numbers(hardware: HardwareConfig) -> None:
    """Raise `ConfigError` for a device that has more of something than can be numbered."""
    for most, what, count in NUMBERED:
        if count(hardware) > most:
            key = max(GEOMETRY, key=lambda name: getattr(hardware, name) / getattr(HardwareConfig(), name))
            raise ConfigError(
                f"hardware.{key}={getattr(hardware, key)}: makes a device of {count(hardware):,} {what}, of which "
                f"{most:,} can be; set it lower."
            )


MEMINFO = Path("/proc/meminfo")

BLOCK_BYTES = 64
"""A block's state, and its places among the free ones and the victims (`ssdsim._core.blocks`)."""


def needed_bytes(config: SimulationConfig) -> int:
    """Return the memory that a device takes at least: tables of pages take theirs as pages are written."""
    hardware = config.hardware
    pages, logical = hardware.planes * hardware.pages_per_plane, hardware.logical_pages
    per_page = 4 + (24 if config.integrity == "on" else 16 if config.power_loss.wanted else 0)  # of its spare area
    filled = pages * per_page + logical * 4 if config.precondition.mode != "none" else 0
    return hardware.planes * hardware.physical_blocks * BLOCK_BYTES + filled


def check_memory(config: SimulationConfig) -> None:
    """Raise `ConfigError` for a device that takes more memory than is left: the system would end the process."""
    with suppress(OSError):  # where that is not told
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
        kib = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
        left, needed = kib["MemAvailable"] + kib["SwapFree"], needed_bytes(config) // 1024
        if needed > left:
            blocks = config.hardware.blocks_per_plane
            raise ConfigError(
                f"hardware.blocks_per_plane={blocks}: makes a device that takes at least {needed // 1024:,} MiB, and "
                f"the machine has {left // 1024:,} MiB left; set it lower, or take a machine with more memory."
            )


def check_shares(config: SimulationConfig) -> None:
    """Raise `ConfigError` where namespaces are larger than the planes that their streams have for themselves."""
    parts, hardware = Parts(config), config.hardware
    if not parts.isolates:
        return
    owned = [set(planes) for planes in planes_of_streams(config.ftl.isolation, parts.streams, hardware)]
    for name, planes in zip(parts.streams, owned, strict=True):
        inside = {space for other, space in zip(owned, parts.namespace_pages, strict=False) if other <= planes}
        pages, room = sum(size for _, size in inside), len(planes) * hardware.logical_pages_per_plane
        if pages > room and len(planes) < hardware.planes:
            raise ConfigError(
                f"ftl.plane_allocation={config.ftl.plane_allocation}: the planes of {name} have room for "
                f"{room * hardware.page_bytes / 2**20:g} MiB, and the namespaces that go there are "
                f"{pages * hardware.page_bytes / 2**20:g} MiB; give {name} more of the device in "
                "ftl.isolation.units, or a smaller part in host.namespace_share."
            )


def check_room(config: SimulationConfig) -> None:
    """Raise `ConfigError` unless garbage collection can always reach its thresholds and never runs out of space.

    With every logical page valid, the blocks left over after the data, the active blocks and one block that is partly
    dead must still reach the soft threshold; otherwise collection would never rest, or the host would be stuck. Where
    only worthwhile victims are collected above the hard threshold (`ftl.gc.min_gain`), it is that one that counts; so
    it is, in effect, with blocks by page type, of which only full ones are collected above it.
    """
    hardware, gc = config.hardware, config.ftl.gc
    if hardware.logical_pages_per_plane < 1:
        raise ConfigError(
            f"hardware.over_provisioning={hardware.over_provisioning:.9g}: leaves no logical page; set it lower, or "
            "hardware.blocks_per_plane higher."
        )
    parts = Parts(config)
    if isinstance(parts.page_order, LogFrontier):  # merges win space by no threshold
        parts.page_order.check_room(config)
        return
    pages, blocks = hardware.block_pages, hardware.physical_blocks
    needed_blocks = gc.reserved_blocks + 1
    for name in ("hard_threshold", "soft_threshold"):
        given = in_blocks(config, getattr(gc, name))
        if given < needed_blocks:
            reserve = "1 free block" if gc.reserved_blocks == 1 else f"ftl.gc.reserved_blocks={gc.reserved_blocks}"
            raise ConfigError(
                f"ftl.gc.{name}={getattr(gc, name):g}: is {given:g} blocks a plane, but the host stops at {reserve}, "
                f"so collection must come first from at least {needed_blocks} on; set it higher."
            )
    key = "hard_threshold" if gc.min_gain else "soft_threshold"
    threshold = getattr(gc, key)
    wanted = in_blocks(config, threshold)
    beyond = wanted - spare_blocks(config)
    if beyond > 1e-9:
        taken = ", ".join(text.format(count) for text, count in taken_blocks(parts).items() if count)
        share = ceil((hardware.over_provisioning + beyond / hardware.blocks_per_plane) * 1000) / 1000
        lower = "ftl.gc.reserved_blocks" if gc.trigger == "block_share" else "the threshold"
        more = f"hardware.over_provisioning to about {share:g}, or " if share < 1 else ""
        raise ConfigError(
            f"hardware.over_provisioning={hardware.over_provisioning:g}: a plane of {blocks} blocks holds "
            f"{hardware.logical_pages_per_plane / pages:.1f} blocks of data, {taken}, and "
            f"ftl.gc.{key}={threshold:g} ({wanted:g} free blocks), which is {beyond:.1f} too many; set "
            f"{more}hardware.blocks_per_plane higher, or {lower} lower."
        )


def spare_blocks(config: SimulationConfig) -> float:
    """Return the blocks of a plane that stay free, whatever is written, when every logical page is valid.

    They are what data and all that takes blocks beside it leave of them: the highest level that collection can always
    get back to.
    """
    hardware = config.hardware
    taken = sum(taken_blocks(Parts(config)).values())
    return hardware.physical_blocks - hardware.logical_pages_per_plane / hardware.block_pages - taken


def in_blocks(config: SimulationConfig, threshold: float) -> float:
    """Return a threshold of garbage collection in free blocks of a plane, whatever its trigger's unit."""
    if config.ftl.gc.trigger == "free_pages":
        return threshold * config.hardware.physical_blocks
    if config.ftl.gc.trigger == "block_share":  # collection comes before the host stops, however few blocks there are
        return max(int(threshold * config.hardware.physical_blocks + 1e-9), config.ftl.gc.reserved_blocks + 1)
    if config.ftl.gc.trigger == "spare_blocks":
        return max(int(threshold * spare_blocks(config) + 1e-9), 0)
    return threshold


def counted_thresholds(config: SimulationConfig) -> GarbageCollectionConfig:
    """Return the settings of collection, with thresholds in the unit that a run counts: free blocks or free pages.

    The threshold of idle times is a share of the spare blocks and the active ones: with 1, the pool is full again then.
    """
    gc, hardware = config.ftl.gc, config.hardware
    if gc.trigger not in ("block_share", "spare_blocks"):
        return gc
    soft, hard = in_blocks(config, gc.soft_threshold), in_blocks(config, gc.hard_threshold)
    share = gc.background_threshold
    if share is not None and gc.trigger == "spare_blocks":
        pool = spare_blocks(config) + active_blocks(Parts(config))
        share = max(int(share * pool + 1e-9) - 0.5, 0) / hardware.physical_blocks  # a half less, as it is rounded up
    return attrs.evolve(gc, trigger="free_blocks", soft_threshold=soft, hard_threshold=hard, background_threshold=share)
