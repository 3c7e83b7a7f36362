"""The garbage collector that a configuration describes: its unit of collection, and how it moves pages."""

from typing import Any

from ssdsim.assembly.capacity import counted_thresholds
from ssdsim.config import SimulationConfig
from ssdsim.errors import ConfigError
from ssdsim.ftl.fast.mapping import FastMapping
from ssdsim.ftl.fast.merges import LogMerges
from ssdsim.ftl.frontier import WriteFrontier
from ssdsim.ftl.hotness import Hotness
from ssdsim.ftl.reclaim.collector import GarbageCollector, PageMoves
from ssdsim.ftl.reclaim.moves import CopyBackMoves, DieMoves, ParallelMoves, RowMoves
from ssdsim.ftl.reclaim.unit import CollectionUnit, ParallelPlanes
from ssdsim.ftl.reclaim.victims import VictimPolicy
from ssdsim.ftl.reclaim.wear_leveling import StaticWearLeveling, WearLeveling


def make_hotness(config: SimulationConfig) -> Hotness | None:
    """Return what tells hot data from cold, or None where nothing does."""
    ftl, hardware = config.ftl, config.hardware
    if ftl.active_blocks != "hot_cold":
        return None
    return Hotness(hardware.logical_pages, super_page(config), round(ftl.hot_window_s * 1e9), ftl.hot_updates)


def super_page(config: SimulationConfig) -> int:
    """Return how many consecutive logical pages are always written together."""
    return config.hardware.planes_per_die if config.ftl.write_unit == "super_page" else 1


def make_collector(
    config: SimulationConfig,
    blocks: Any,
    mapping: Any,
    frontier: WriteFrontier,
    policy: VictimPolicy,
    page_types: Any,
    hotness: Hotness | None,
    buffer: Any,
) -> GarbageCollector:
    """Return the collector; raise `ConfigError` for what does not go together."""
    check_combination(config, frontier, buffer)
    ftl, hardware = config.ftl, config.hardware
    if isinstance(mapping, FastMapping):
        planes = CollectionUnit(blocks, frontier, policy, WearLeveling(), ftl.gc, hardware)  # thresholds do not count
        return LogMerges(blocks, mapping, frontier, planes, ftl.gc, hardware)
    leveling = StaticWearLeveling(blocks, ftl.wear_leveling.static_threshold) if ftl.wear_leveling.static else None
    kind = ParallelPlanes if ftl.gc.unit == "parallel" else CollectionUnit
    unit = kind(blocks, frontier, policy, leveling or WearLeveling(), counted_thresholds(config), hardware)
    moves = make_moves(config, buffer)
    return GarbageCollector(blocks, mapping, frontier, unit, moves, page_types, hotness, ftl.gc, hardware)


def make_moves(config: SimulationConfig, buffer: Any) -> PageMoves:
    """Return how valid pages are moved."""
    if config.ftl.gc.copyback:
        return CopyBackMoves(config.ftl.gc.copyback_waste)
    if config.ftl.write_unit == "die":
        return DieMoves(config.ftl.gc.combine_writes, buffer)
    moves: dict[str, type[PageMoves]] = {"block": PageMoves, "parallel": ParallelMoves, "aligned": RowMoves}
    return moves[config.ftl.gc.unit]()


def check_combination(config: SimulationConfig, frontier: WriteFrontier, buffer: Any) -> None:
    """Refuse units of writing and of collection that do not fit one another, the frontier or the buffer."""
    ftl, gc = config.ftl, config.ftl.gc
    if frontier.aligned != (gc.unit == "aligned"):
        raise ConfigError(
            f"ftl.gc.unit={gc.unit}: does not go with ftl.block_allocation={ftl.block_allocation}: aligned blocks are "
            "collected together, and no others are; set both to aligned, as stack=tbm does, or neither."
        )
    has_points = type(frontier).write_point is not WriteFrontier.write_point or ftl.mapping.scheme == "fast"
    if gc.unit == "parallel" and not has_points:
        raise ConfigError(
            f"ftl.gc.unit=parallel: evens out write points, and ftl.block_allocation={ftl.block_allocation} has none "
            "for a plane; set it to sequential."
        )
    if gc.copyback and (gc.unit != "block" or ftl.write_unit != "page"):
        raise ConfigError(
            f"ftl.gc.copyback=true: moves pages one by one within their plane, and ftl.gc.unit={gc.unit} and "
            f"ftl.write_unit={ftl.write_unit} move them together; set these to block and page, or copyback to false."
        )
    if gc.copyback and type(frontier).allocate_copy is WriteFrontier.allocate_copy:
        raise ConfigError(
            f"ftl.gc.copyback=true: needs blocks that are filled page after page, which ftl.block_allocation="
            f"{ftl.block_allocation} does not do; set it to sequential."
        )
    if gc.copyback and ftl.backup != "none":
        raise ConfigError(
            f"ftl.gc.copyback=true: moves pages past the controller, which ftl.backup={ftl.backup} would have to back "
            "up; set one of them to false or none."
        )
    if ftl.plane_allocation == "token" and gc.unit != "block":
        raise ConfigError(
            f"ftl.plane_allocation=token: keeps the pages of a plane there, and ftl.gc.unit={gc.unit} mixes those of a "
            "die; set it to block and ftl.block_allocation to sequential, or ftl.plane_allocation to CWDP."
        )
    if gc.ranking == "least" and gc.unit != "aligned":
        raise ConfigError(f"ftl.gc.ranking=least: ranks aligned blocks, and ftl.gc.unit={gc.unit}; set it to aligned.")
    if gc.combine_writes and ftl.write_unit != "die":
        raise ConfigError(
            f"ftl.gc.combine_writes=true: makes up rows, and ftl.write_unit={ftl.write_unit}; set it to die."
        )
    if gc.combine_writes and gc.background_threshold is not None:
        raise ConfigError(
            "ftl.gc.combine_writes=true: has the host's pages wait for a collection, which ftl.gc.background_threshold="
            f"{gc.background_threshold:g} would have wait for the host; set it to false, or the threshold to null."
        )
    if ftl.write_unit != "page":
        _check_rows(config, frontier, buffer)


def _check_rows(config: SimulationConfig, frontier: WriteFrontier, buffer: Any) -> None:
    unit = f"ftl.write_unit={config.ftl.write_unit}"
    if not frontier.aligned:
        raise ConfigError(
            f"{unit}: writes a page of every plane of a die at once, which ftl.block_allocation="
            f"{config.ftl.block_allocation} does not align; set it to aligned."
        )
    if config.ftl.write_unit == "die" and (buffer is None or not buffer.replacement.knows_dies):
        raise ConfigError(
            f"{unit}: needs a write buffer that knows the die of each page, and buffer.replacement="
            f"{config.buffer.replacement}; set it to epo or plane_lists."
        )
    if config.timing == "off" or (config.precondition.mode == "writes" and not config.precondition.timed):
        key = "timing=off" if config.timing == "off" else "precondition.timed=false"
        raise ConfigError(f"{unit}: rows are made up as time passes, and {key}; set it to the other value.")
