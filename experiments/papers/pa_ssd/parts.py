"""What is run: the device at a scale, its workloads, and the runs of each part."""

import argparse
import functools
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import attrs

from ssdsim.command.compose import composed
from ssdsim.config import HardwareConfig

from ...study.command import changed, loads_chosen, scaled
from ...study.runs import Runs, grid
from ...study.study import Parts
from ...study.traces import footprint, real_pieces, replayed, typical_part
from . import orders
from .systems import COMMON, SYSTEMS
from .workloads import PAGE_KIB, REAL_PIECES, TABLE_2, Load, recognised, synthetic_trace

PLANES, BLOCKS = 16, 384  # planes a chip and blocks a plane of the paper's device (Table 1)
FEWEST_PLANES, FEWEST_BLOCKS = 2, 32
SMALLEST = Fraction(FEWEST_PLANES * FEWEST_BLOCKS, PLANES * BLOCKS)

BLIND, ROUNDS, FULL_SIZE = "writes of the baseline", "three rounds", "full size"
"""Parts beside those of the workloads, which are called like these."""

MOST_PAGES = 8  # pages of the largest writes of Fig. 6
FULL = "tRA"  # the workload that is run at the paper's size, too

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


def loads(options: argparse.Namespace) -> dict[str, Load]:
    """Return the workloads: the eight of Table 2, then whole traces of other names."""

    def real(_: str, file: Path) -> Load:
        trace = replayed(file)
        return _with_room([*trace, *typical_part(trace, options.scale)], "real", options)

    return loads_chosen(options, TABLE_2, recognised, lambda name: synthetic(name, options), real)


def pieces(options: argparse.Namespace) -> dict[str, Load]:
    """Return the pieces of real traces."""
    traces = real_pieces(REAL_PIECES) if options.workloads is None else {}
    return {name: _with_room(trace, "piece", options) for name, trace in traces.items()}


def _with_room(trace: list[str], kind: str, options: argparse.Namespace) -> Load:
    return Load([*roomy(options.scale, footprint(trace, PAGE_KIB * 1024)), *trace], kind)


def synthetic(name: str, options: argparse.Namespace, piece: str = "") -> Load:
    """Return a workload of Table 2, with the arrivals of another `piece` if there is one."""
    row = attrs.evolve(TABLE_2[name], piece=piece or TABLE_2[name].piece)
    scale, file = options.scale, f"{name} {piece}" if piece else name
    trace = synthetic_trace(file, row, scale, hardware(scale), options.seed, options.folder / "traces")
    return Load([*device(*geometry(scale)), *trace], "synthetic")


def runs(
    workloads: Mapping[str, Load], seed: int, systems: Iterable[str] = tuple(SYSTEMS), common: Sequence[str] = ()
) -> Runs:
    """Return the runs of systems under workloads, with overrides in `common`."""
    overrides = {name: load.overrides for name, load in workloads.items()}
    return grid({name: SYSTEMS[name] for name in systems}, overrides, [*COMMON, f"seed={seed}", *common])


def parts(workloads: Mapping[str, Load], seed: int, *common: str) -> dict[str, Runs]:
    """Return the runs of all systems, a part a workload."""
    return {name: runs({name: load}, seed, common=common) for name, load in workloads.items()}


def rounds(workloads: Mapping[str, Load], seed: int, *common: str) -> dict[str, Runs]:
    """Return the runs of tMSFS several times over."""
    repeated = {
        name: attrs.evolve(load, overrides=[*load.overrides, f"workload.repeat={ROUND_COUNT}"])
        for name, load in workloads.items()
        if name == "tMSFS"
    }
    return {ROUNDS: runs(repeated, seed, ROUND_SYSTEMS, common)} if repeated else {}


def blind_writes(seed: int) -> Runs:
    """Return the runs of Fig. 6: aligned writes of so many pages at random places of the conventional SSD."""
    common = [*COMMON, f"seed={seed}", "hardware=pa_ssd_small", "workload=synthetic", "workload.align_kib=8"]
    common += [f"workload.requests={BLIND_REQUESTS}", "workload.read_share=0", "workload.footprint=0.05"]
    sizes = {f"{pages} pages": [f"workload.size_kib={8 * pages}"] for pages in range(1, MOST_PAGES + 1)}
    return grid({"baseline": SYSTEMS["baseline"]}, sizes, common)


def full_size(options: argparse.Namespace) -> Runs:
    """Return the runs of a workload at the paper's size."""
    return runs({FULL: synthetic(FULL, changed(options, scale=Fraction(1)))}, options.seed, FULL_SYSTEMS)


def of_seed(options: argparse.Namespace, seed: int) -> Parts:
    """Return the runs under a seed."""
    made = loads(changed(options, seed=seed))
    return {
        **parts(made, seed),
        **rounds(made, seed),
        BLIND: blind_writes(seed),
        orders.ORDERS_PART: orders.runs(options.folder / "traces"),
    }
