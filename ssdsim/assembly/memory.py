"""The memory that a device takes, held beforehand against what there is."""

import resource
from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attrs import evolve

from ssdsim.config import HardwareConfig, SimulationConfig
from ssdsim.errors import ConfigError

NUMBERED: tuple[tuple[int, str, Callable[[HardwareConfig], int]], ...] = (
    (2**30, "blocks", lambda hardware: hardware.planes * hardware.physical_blocks),
    (2**31 - 1, "pages a die", lambda hardware: hardware.planes_per_die * hardware.pages_per_plane),
    (2**53, "bytes of flash", lambda hardware: hardware.planes * hardware.pages_per_plane * hardware.page_bytes),
    (2**16, "dies", lambda hardware: hardware.dies),
)
"""What the books can number: blocks in 32 bits, in heaps whose places are doubled; pages of a die, of which collection
and merges count those of blocks together, in 32 bits; addresses as traces have them. Of dies, each an object with its
process, it is as many as take a quarter of a minute to build."""

BLOCK_BYTES = 32 + 16
"""A block's state, and its place among the free ones (`ssdsim._core.blocks`)."""

INDEX_BYTES = 16
"""A block's place in the victim index."""

DIE_BYTES = 4000
PLANE_BYTES = 500
"""At least, measured: a die's queues and process, a plane's place in lists of Python's."""

RUN_BYTES = 9 * 2**20
ORACLE_BYTES, REBOOT_BYTES, TABLE_BYTES = 100, 33, 19
"""Measured at peaks: a run beside its device; a logical page under `integrity=on`, a loss of power, and DFTL."""

LITTLE = 2**20
"""What a device may take without the machine being asked what it has."""

GEOMETRY = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane", "pages_per_block")

CGROUPS = Path("/sys/fs/cgroup")
PROC = Path("/proc")


def block_state_bytes(hardware: HardwareConfig) -> int:
    """Return the bytes that a device takes for what is written to when it is built: all but its pages."""
    blocks = hardware.planes * hardware.physical_blocks
    return blocks * BLOCK_BYTES + hardware.planes * PLANE_BYTES + hardware.dies * DIE_BYTES


def page_table_bytes(config: SimulationConfig) -> int:
    """Return the bytes of what is written to as pages are: spare areas, valid bits, mapping, contents, victim index."""
    hardware, ftl = config.hardware, config.ftl
    pages, logical = hardware.planes * hardware.pages_per_plane, hardware.logical_pages
    entry = 8 if pages >= 0xFFFFFFFF else 4
    held = pages * entry + pages // 8 + logical * entry + hardware.planes * hardware.physical_blocks * INDEX_BYTES
    if config.integrity == "on" or config.power_loss.wanted:
        held += 24 * (pages + logical)
    if config.integrity == "on":
        held += 8 * pages + 16 * logical
    if ftl.active_blocks == "hot_cold":
        held += 12 * logical
    if ftl.mapping.scheme == "dftl":
        held += 8 * logical
    return held


def check_memory(config: SimulationConfig) -> None:
    """Raise `ConfigError` for a device that is too large for the memory at hand, or for what can be numbered.

    Tables of pages take memory as they are filled, but address space at once.
    """
    if needed(config, at_once=True) < LITTLE:
        return
    hardware = config.hardware
    blocks = hardware.planes * hardware.physical_blocks
    key = max(GEOMETRY, key=lambda name: getattr(hardware, name) / getattr(HardwareConfig(), name))
    place = f"hardware.{key}={getattr(hardware, key)}: makes a device of {blocks:,} blocks"
    limits = list(available())
    for at_once, there_is, limit in limits:
        if needed(config, at_once) > there_is:
            remedy = _largest_fitting(config, key, limits)
            raise ConfigError(
                f"{place}, which takes at least {needed(config, at_once) / 2**20:,.0f} MiB, and {limit} leaves "
                f"{there_is / 2**20:,.0f} MiB; {remedy}, or take a machine with more memory."
            )
    for can_be, what, count in NUMBERED:
        if count(hardware) > can_be:
            remedy = _largest_fitting(config, key, limits)
            raise ConfigError(f"{place} and {count(hardware):,} {what}, of which there can be {can_be:,}; {remedy}.")


def needed(config: SimulationConfig, at_once: bool) -> int:
    """Return the bytes that a device takes at least; `at_once`, with what may never be written to."""
    filled = at_once or config.precondition.mode != "none"
    return block_state_bytes(config.hardware) + (page_table_bytes(config) if filled else 0)


def estimated(config: SimulationConfig) -> int:
    """Return the bytes that a run takes about at its peak, beyond what the process has before: more than `needed`.

    Recordings that are kept in memory, as without a folder, come on top.
    """
    each = 0
    if config.integrity == "on":
        each += ORACLE_BYTES
    if config.power_loss.wanted:
        each += REBOOT_BYTES
    if config.ftl.mapping.scheme == "dftl":
        each += TABLE_BYTES
    return needed(config, at_once=True) + RUN_BYTES + each * config.hardware.logical_pages


def resident() -> int:
    """Return the bytes that this process has in memory, 0 where that cannot be known."""
    try:
        pages = (PROC / "self/statm").read_text(encoding="utf-8").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * resource.getpagesize()


def _largest_fitting(config: SimulationConfig, key: str, limits: list[tuple[bool, int, str]]) -> str:
    """Return the advice to set the key to the largest value that fits, or lower, and others, too."""
    step = config.hardware.bits_per_cell if key == "pages_per_block" else 1

    def is_too_large(value: int) -> bool:
        shape: dict[str, Any] = {key: max(value // step, 1) * step}
        tried = evolve_hardware(config, evolve(config.hardware, **shape))
        numbered = all(count(tried.hardware) <= can_be for can_be, _, count in NUMBERED)
        return not (numbered and all(needed(tried, at_once) <= there_is for at_once, there_is, _ in limits))

    low = bisect_left(range(1, getattr(config.hardware, key)), True, key=is_too_large) // step * step
    others = ", ".join(f"hardware.{name}" for name in GEOMETRY if name != key)
    return f"set it to at most {low}" if low else f"set it lower, and {others}, too"


def evolve_hardware(config: SimulationConfig, hardware: HardwareConfig) -> SimulationConfig:
    """Return `config` with other hardware, of whose blocks `ftl.extra_block_share`, if given, are extra ones."""
    if config.ftl.extra_block_share is not None:
        hardware = evolve(hardware, extra_blocks=0)
    return evolve(config, hardware=hardware)


def available() -> Iterator[tuple[bool, int, str]]:
    """Yield the limits of memory: whether they count address space, the bytes that are left, and their names."""
    page = resource.getpagesize()
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    if address_space != resource.RLIM_INFINITY:
        yield True, address_space - (_number(PROC / "self/statm") or 0) * page, "the limit of address space (ulimit -v)"
    for limit, usage in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        for folder in _cgroups():
            allowed, used = _number(folder / limit), _number(folder / usage)
            if allowed is not None and used is not None:
                cache = _fields(folder / "memory.stat").get("inactive_file", 0)
                yield False, allowed - max(used - cache, 0), "the limit of the control group"
    memory = _fields(PROC / "meminfo")
    if "MemAvailable:" in memory:
        yield False, (memory["MemAvailable:"] + memory.get("SwapFree:", 0)) * 1024, "the machine"


def _cgroups() -> Iterator[Path]:
    """Yield the folders of the control groups that this process is in, of either version, up to the root."""
    try:
        lines = (PROC / "self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        root = CGROUPS / "memory" if "memory" in controllers.split(",") else CGROUPS
        if controllers and root == CGROUPS:
            continue
        here = root / path.lstrip("/")
        yield from (here, *(folder for folder in here.parents if folder.is_relative_to(root)))


def _number(file: Path) -> int | None:
    """Return the number that a file begins with, or None if there is none."""
    try:
        return int(file.read_text(encoding="utf-8").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def _fields(file: Path) -> dict[str, int]:
    """Return the numbers of a file of lines `name number`, without their units."""
    try:
        lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return {}
    return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdigit()}
