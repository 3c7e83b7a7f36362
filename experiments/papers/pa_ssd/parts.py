"""What is run: the device at a scale, its workloads, and the runs of each part."""

import argparse
import functools
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import attrs

from ssdsim.command.compose import composed
from ssdsim.config import HardwareConfig

from ...study.command import chosen, scaled
from ...study.runs import Runs, grid
from ...study.study import Parts
from ...study.traces import footprint, real_pieces, replayed, typical_part, whole_traces
from . import orders
from .held import BLIND, ORDERS, ROUNDS
from .paper import MOST_PAGES
from .sections import FULL, Load
from .systems import COMMON, SYSTEMS
from .workloads import PAGE_KIB, REAL_PIECES, TABLE_2, recognised, synthetic_trace

PLANES, BLOCKS = 16, 384
"""Planes a chip and blocks a plane of the paper's device (Table 1)."""
FEWEST_PLANES, FEWEST_BLOCKS = 2, 32
SMALLEST = Fraction(FEWEST_PLANES * FEWEST_BLOCKS, PLANES * BLOCKS)

ROUND_COUNT = 3
ROUND_SYSTEMS = ("baseline", "sLF", "sQD+sU", "sQD+sUB")
FULL_SYSTEMS = ("baseline", "sU", "sLF")
BLIND_REQUESTS = 20_000


def geometry(scale: Fraction) -> tuple[int, int]:
    """Return the planes a chip and blocks a plane that a share of the device has: fewer planes before fewer blocks."""
    planes = max(round(PLANES * scale), FEWEST_PLANES)
    return planes, scaled(PLANES * BLOCKS // planes, scale, FEWEST_BLOCKS)


def device(planes: int, blocks: int) -> list[str]:
    """Return the overrides of the paper's device with so many planes a chip and blocks a plane.

    Collection needs two free blocks to work with, and three active blocks beside the data: of few blocks that is more
    than the paper's over-provisioning.
    """
    hard = max(0.05, 2.001 / blocks)
    spare = max(0.15, 4 / blocks + hard)
    return [
        "hardware=pa_ssd",
        f"hardware.planes_per_die={planes}",
        f"hardware.blocks_per_plane={blocks}",
        f"hardware.over_provisioning={spare:.6f}",
        f"ftl.gc.hard_threshold={hard:.6f}",
    ]


@functools.cache
def hardware(scale: Fraction) -> HardwareConfig:
    """Return the geometry of the device at a scale."""
    return composed(device(*geometry(scale))).hardware


def roomy(scale: Fraction, footprint_bytes: int) -> list[str]:
    """Return the overrides of the device at a scale, with more blocks a plane if `footprint_bytes` do not fit."""
    planes, blocks = geometry(scale)
    while composed(device(planes, blocks)).hardware.capacity_bytes < footprint_bytes:
        blocks += -(-blocks // 8)
    return device(planes, blocks)


def loads(options: argparse.Namespace) -> Mapping[str, Load]:
    """Return the workloads: the eight of Table 2, then whole traces of other names."""
    whole = whole_traces(options.traces, recognised)
    names = chosen(options.workloads, list(dict.fromkeys([*TABLE_2, *whole])))
    return {name: _real(whole[name], options) if name in whole else synthetic(name, options) for name in names}


def _real(path: Path, options: argparse.Namespace) -> Load:
    trace = replayed(path)
    trace += typical_part(trace, options.scale)
    return Load([*roomy(options.scale, footprint(trace, PAGE_KIB * 1024)), *trace], "real")


def synthetic(name: str, options: argparse.Namespace, piece: str = "") -> Load:
    """Return a workload of Table 2, with the arrivals of another `piece` if there is one."""
    row = attrs.evolve(TABLE_2[name], piece=piece or TABLE_2[name].piece)
    scale, file = options.scale, f"{name} {piece}" if piece else name
    trace = synthetic_trace(file, row, scale, hardware(scale), options.seed, options.folder / "traces")
    return Load([*device(*geometry(scale)), *trace], "synthetic")


def pieces(options: argparse.Namespace) -> dict[str, Load]:
    """Return the pieces of real traces."""
    found = real_pieces(REAL_PIECES) if options.workloads is None else {}
    return {
        name: Load([*roomy(options.scale, footprint(trace, PAGE_KIB * 1024)), *trace], "piece")
        for name, trace in found.items()
    }


def parts(found: Mapping[str, Load], seed: int, *common: str) -> dict[str, Runs]:
    """Return the runs of all systems, a part a workload."""
    return {
        name: grid(SYSTEMS, {name: load.overrides}, [*COMMON, f"seed={seed}", *common]) for name, load in found.items()
    }


def rounds(found: Mapping[str, Load], seed: int, *common: str) -> dict[str, Runs]:
    """Return the runs of tMSFS several times over."""
    if "tMSFS" not in found:
        return {}
    systems = {name: SYSTEMS[name] for name in ROUND_SYSTEMS}
    repeated = [*found["tMSFS"].overrides, f"workload.repeat={ROUND_COUNT}"]
    return {ROUNDS: grid(systems, {"tMSFS": repeated}, [*COMMON, f"seed={seed}", *common])}


def blind_writes(seed: int) -> Runs:
    """Return the runs of Fig. 6: aligned writes of so many pages at random places of the conventional SSD."""
    common = [*COMMON, f"seed={seed}", "hardware=pa_ssd_small", "workload=synthetic", "workload.align_kib=8"]
    common += [f"workload.requests={BLIND_REQUESTS}", "workload.read_share=0", "workload.footprint=0.05"]
    sizes = {f"{pages} pages": [f"workload.size_kib={8 * pages}"] for pages in range(1, MOST_PAGES + 1)}
    return grid({"baseline": SYSTEMS["baseline"]}, sizes, common)


def full_size(options: argparse.Namespace) -> dict[str, Runs]:
    """Return the runs of a workload at the paper's size."""
    full = argparse.Namespace(**vars(options) | {"scale": Fraction(1)})
    systems = {name: SYSTEMS[name] for name in FULL_SYSTEMS}
    common = [*COMMON, f"seed={options.seed}"]
    return {"full size": grid(systems, {FULL: synthetic(FULL, full).overrides}, common)}


def of_seed(options: argparse.Namespace, seed: int) -> Parts:
    """Return the runs under a seed."""
    found = loads(argparse.Namespace(**vars(options) | {"seed": seed}))
    return {
        **parts(found, seed),
        **rounds(found, seed),
        BLIND: blind_writes(seed),
        ORDERS: orders.runs(options.folder / "traces"),
    }
