"""The memory that a device takes, held beforehand against what there is."""

from collections.abc import Callable
from pathlib import Path

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

GEOMETRY = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane", "pages_per_block")

MEMINFO = Path("/proc/meminfo")


def block_state_bytes(hardware: HardwareConfig) -> int:
    """Return the bytes that a device takes for what is written to when it is built: all but its pages."""
    blocks = hardware.planes * hardware.physical_blocks
    return blocks * BLOCK_BYTES + hardware.planes * PLANE_BYTES + hardware.dies * DIE_BYTES


def page_table_bytes(config: SimulationConfig) -> int:
    """Return the bytes of what is written to as pages are: spare areas, valid bits, mapping, contents, victim index."""
    hardware = config.hardware
    pages, logical = hardware.planes * hardware.pages_per_plane, hardware.logical_pages
    entry = 8 if pages >= 0xFFFFFFFF else 4
    held = pages * entry + pages // 8 + logical * entry + hardware.planes * hardware.physical_blocks * INDEX_BYTES
    if config.integrity == "on" or config.power_loss.wanted:
        held += 24 * (pages + logical)
    if config.integrity == "on":
        held += 8 * pages + 16 * logical
    return held


def check_memory(config: SimulationConfig) -> None:
    """Raise `ConfigError` for a device that is too large for the memory at hand, or for what can be numbered."""
    hardware, there_is = config.hardware, available()
    blocks = hardware.planes * hardware.physical_blocks
    key = max(GEOMETRY, key=lambda name: getattr(hardware, name) / getattr(HardwareConfig(), name))
    place = f"hardware.{key}={getattr(hardware, key)}: makes a device of {blocks:,} blocks"
    if there_is is not None and needed(config) > there_is:
        raise ConfigError(
            f"{place}, which takes at least {needed(config) / 2**20:,.0f} MiB, and the machine has "
            f"{there_is / 2**20:,.0f} MiB left; set it lower, or take a machine with more memory."
        )
    for can_be, what, count in NUMBERED:
        if count(hardware) > can_be:
            raise ConfigError(f"{place} and {count(hardware):,} {what}, of which {can_be:,} can be; set it lower.")


def needed(config: SimulationConfig) -> int:
    """Return the bytes that a device takes at least: tables of pages take memory as they are filled."""
    filled = config.precondition.mode != "none"
    return block_state_bytes(config.hardware) + (page_table_bytes(config) if filled else 0)


def available() -> int | None:
    """Return the bytes of memory that the machine has left, with its swap; None where that cannot be known."""
    try:
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kib = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    return 1024 * (kib["MemAvailable"] + kib["SwapFree"])
