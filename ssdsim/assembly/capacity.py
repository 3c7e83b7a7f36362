"""Configurations that cannot work, refused before the run with the numbers."""

from collections.abc import Callable
from contextlib import suppress
from math import ceil
from pathlib import Path

import attrs

from ssdsim.assembly.parts import Parts
from ssdsim.assembly.rules import refusals
from ssdsim.config import GarbageCollectionConfig, HardwareConfig, SimulationConfig
from ssdsim.errors import ConfigError
from ssdsim.ftl.fast.log_blocks import LogFrontier
from ssdsim.ftl.frontier.tables import blocks_of_table
from ssdsim.ftl.plane_allocation.policies import planes_of_streams


def taken_blocks(parts: Parts) -> dict[str, float]:
    """Return how many blocks of a plane there are for what takes some beside the data, by the words for it."""
    hardware, ftl, span = parts.hardware, parts.ftl, len(parts.places)
    lost = 1 - 1 / hardware.planes_per_die if ftl.unit == "die" else 0.0  # pages of each block: less than a row
    padded = 0.0  # pages of each block: collection pads its last wordlines
    if hardware.pages_programmed > 1:
        padded = len(parts.separation.moved) * (hardware.pages_open(span, ftl.by_rows) - 1) / span
    blocks_a_page = hardware.physical_blocks / hardware.block_pages
    return {
        "{:.0f} active blocks": parts.active_blocks,
        "{:.1f} of dead pages that do not make up a row": lost * blocks_a_page,
        "{:.1f} of dead pages that padding of wordlines takes": padded * blocks_a_page,
        "{:.0f} for backups": parts.backup_blocks,
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


def check_memory(config: SimulationConfig) -> None:
    """Raise `ConfigError` for a device that takes more memory than is left: the system would end the process.

    Counted is the least that it takes: tables of pages take theirs as pages are written.
    """
    hardware = config.hardware
    pages, logical = hardware.planes * hardware.pages_per_plane, hardware.logical_pages
    per_page = 4 + (24 if config.integrity == "on" else 16 if config.power_loss.wanted else 0)  # of its spare area
    filled = pages * per_page + logical * 4 if config.precondition.mode != "none" else 0
    needed = (hardware.planes * hardware.physical_blocks * BLOCK_BYTES + filled) // 1024
    with suppress(OSError):  # where that is not told
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
        kib = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
        left = kib["MemAvailable"] + kib["SwapFree"]
        if needed > left:
            raise ConfigError(
                f"hardware.blocks_per_plane={hardware.blocks_per_plane}: makes a device that takes at least "
                f"{needed // 1024:,} MiB, and the machine has {left // 1024:,} MiB left; set it lower, or take a "
                "machine with more memory."
            )


def check_shares(parts: Parts) -> None:
    """Raise `ConfigError` where namespaces are larger than the planes that their streams have for themselves."""
    ftl, hardware = parts.ftl, parts.hardware
    if not parts.isolates:
        return
    owned = [set(planes) for planes in planes_of_streams(ftl.isolation, parts.streams, hardware)]
    for name, planes in zip(parts.streams, owned, strict=True):
        inside = {space for other, space in zip(owned, parts.namespace_pages, strict=False) if other <= planes}
        pages, room = sum(size for _, size in inside), len(planes) * hardware.logical_pages_per_plane
        if pages > room and len(planes) < hardware.planes:
            raise ConfigError(
                f"ftl.plane_allocation={ftl.plane_allocation}: the planes of {name} have room for "
                f"{room * hardware.page_bytes / 2**20:g} MiB, and the namespaces that go there are "
                f"{pages * hardware.page_bytes / 2**20:g} MiB; give {name} more of the device in "
                "ftl.isolation.units, or a smaller part in host.namespace_share."
            )


def check_room(parts: Parts) -> None:
    """Raise `ConfigError` unless garbage collection can always reach its thresholds and never runs out of space.

    With every logical page valid, the blocks left over after the data, the active blocks and one block that is partly
    dead must still reach the soft threshold; otherwise collection would never rest, or the host would be stuck. Where
    only worthwhile victims are collected above the hard threshold (`ftl.gc.min_gain`), it is that one that counts; so
    it is, in effect, with blocks by page type, of which only full ones are collected above it.
    """
    hardware, gc = parts.hardware, parts.gc
    stated = f"hardware.over_provisioning={hardware.over_provisioning:.9g}"
    if hardware.logical_pages_per_plane < 1:
        raise ConfigError(f"{stated}: leaves no logical page; set it lower, or hardware.blocks_per_plane higher.")
    if isinstance(parts.page_order, LogFrontier):  # merges win space by no threshold
        log, left = parts.ftl.mapping.log_blocks, max(parts.page_order.spare_blocks, 0)
        if (log or 1) > left:
            key = f"ftl.mapping.log_blocks={log}" if log else stated
            told = f"{key}: a plane has {left} blocks to spare for FAST's log"
            raise ConfigError(f"{told}; set hardware.over_provisioning higher, or ftl.mapping.log_blocks lower.")
        return
    needed_blocks = gc.reserved_blocks + 1
    for name in ("hard_threshold", "soft_threshold"):
        given = in_blocks(parts, getattr(gc, name))
        if given < needed_blocks:
            reserve = "1 free block" if gc.reserved_blocks == 1 else f"ftl.gc.reserved_blocks={gc.reserved_blocks}"
            raise ConfigError(
                f"ftl.gc.{name}={getattr(gc, name):g}: is {given:g} blocks a plane, but the host stops at {reserve}, "
                f"so collection must come first from at least {needed_blocks} on; set it higher."
            )
    key = "hard_threshold" if gc.min_gain else "soft_threshold"
    threshold = getattr(gc, key)
    wanted = in_blocks(parts, threshold)
    beyond = wanted - spare_blocks(parts)
    if beyond > 1e-9:
        taken = ", ".join(text.format(count) for text, count in taken_blocks(parts).items() if count)
        share = ceil((hardware.over_provisioning + beyond / hardware.blocks_per_plane) * 1000) / 1000
        lower = "ftl.gc.reserved_blocks" if gc.trigger == "block_share" else "the threshold"
        more = f"hardware.over_provisioning to about {share:g}, or " if share < 1 else ""
        raise ConfigError(
            f"{stated}: a plane of {hardware.physical_blocks} blocks "
            f"holds {hardware.logical_pages_per_plane / hardware.block_pages:.1f} blocks of data, {taken}, and "
            f"ftl.gc.{key}={threshold:g} ({wanted:g} free blocks), which is {beyond:.1f} too many; set "
            f"{more}hardware.blocks_per_plane higher, or {lower} lower."
        )


def checked_parts(config: SimulationConfig) -> Parts:
    """Return the parts of `config`; raise `ConfigError` if one is not as it must be, or they have no room together."""
    check_numbers(config.hardware)  # before a list of all planes, as some parts make
    parts = Parts(config)
    for refusal in refusals(parts):
        raise ConfigError(str(refusal))
    check_shares(parts)
    check_room(parts)
    return parts


def spare_blocks(parts: Parts) -> float:
    """Return the blocks of a plane that stay free, whatever is written, when every logical page is valid.

    They are what data and all that takes blocks beside it leave of them: the highest level that collection can always
    get back to.
    """
    hardware = parts.hardware
    taken = sum(taken_blocks(parts).values())
    return hardware.physical_blocks - hardware.logical_pages_per_plane / hardware.block_pages - taken


def in_blocks(parts: Parts, threshold: float) -> float:
    """Return a threshold of garbage collection in free blocks of a plane, whatever its trigger's unit."""
    gc, blocks = parts.gc, parts.hardware.physical_blocks
    if gc.trigger == "free_pages":
        return threshold * blocks
    if gc.trigger == "block_share":  # collection comes before the host stops, however few blocks there are
        return max(int(threshold * blocks + 1e-9), gc.reserved_blocks + 1)
    return max(int(threshold * spare_blocks(parts) + 1e-9), 0) if gc.trigger == "spare_blocks" else threshold


def counted_thresholds(parts: Parts) -> GarbageCollectionConfig:
    """Return the settings of collection, with thresholds in the unit that a run counts: free blocks or free pages.

    The threshold of idle times is a share of the spare blocks and the active ones: with 1, the pool is full again then.
    """
    gc = parts.gc
    if gc.trigger not in ("block_share", "spare_blocks"):
        return gc
    soft, hard = in_blocks(parts, gc.soft_threshold), in_blocks(parts, gc.hard_threshold)
    share = gc.background_threshold
    if share is not None and gc.trigger == "spare_blocks":
        pool = spare_blocks(parts) + parts.active_blocks
        # a half less, as it is rounded up
        share = max(int(share * pool + 1e-9) - 0.5, 0) / parts.hardware.physical_blocks
    return attrs.evolve(gc, trigger="free_blocks", soft_threshold=soft, hard_threshold=hard, background_threshold=share)
