"""Entry point of `python -m experiments.papers.pa_ssd`."""

import argparse
import functools
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import attrs

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result

from ...compose import composed
from ...study.arrivals import FITTED
from ...study.former.command import Command, chosen, scaled
from ...study.runs import Runs, grid, run_parts
from ...study.traces import footprint, real_pieces, replayed, typical_part, whole_traces
from .measures import Grid, Load
from .report import COURSES, Study
from .sections import sections
from .systems import COMMON, SYSTEMS
from .workloads import PAGE_KIB, POISSON, REAL_PIECES, TABLE_2, Published, recognised, synthetic_trace

BLOCKS = 384
FEWEST_BLOCKS = 16
PIECE_BLOCKS = 48
"""Blocks a plane for pieces of real traces, which are not scaled: enough for what they touch, also in SLC mode."""

ROUNDS = 3
SWEPT = ("tExch", "tMSFS")
"""Workloads that are run with the arrivals of every piece: a light one, and the one that the paper repeats."""
SWEPT_SYSTEMS = {
    name: SYSTEMS[name] for name in ("baseline", "sU", "sSB+sU", "sQD+sU", "sQD+sUB", "sU+PAS", "sQD+sUB+PAS")
}
SWEPT_COURSES = {name: SYSTEMS[name] for name in ("baseline", "sQD+sU", "sQD+sUB")}
FULL = "tRA"
FULL_SYSTEMS = {name: SYSTEMS[name] for name in ("baseline", "sU", "sLF")}
FIGURE_6_PAGES = range(1, 9)
FIGURE_6_REQUESTS = 100_000


def device(blocks: int) -> list[str]:
    """Return the overrides of the paper's device with `blocks` a plane.

    Collection needs two free blocks to work with, and three active blocks beside the data: of few blocks that is more
    than the paper's over-provisioning, which otherwise has no influence on a device this empty.
    """
    hard = max(0.05, 2.001 / blocks)
    spare = max(0.15, 4 / blocks + hard)
    return [
        "hardware=pa_ssd",
        f"hardware.blocks_per_plane={blocks}",
        f"hardware.over_provisioning={spare:.6f}",
        f"ftl.gc.hard_threshold={hard:.6f}",
    ]


def loads(options: argparse.Namespace, blocks: int) -> Mapping[str, Load]:
    """Return the workloads: the eight of Table 2, then whole traces of other names, then the real pieces."""
    whole, pieces = whole_traces(options.traces, recognised), real_pieces(REAL_PIECES)
    names = list(dict.fromkeys([*TABLE_2, *whole, *pieces]))
    return {name: _load(name, whole, pieces, options, blocks) for name in chosen(options.only, names)}


def _load(
    name: str, whole: Mapping[str, Path], pieces: Mapping[str, list[str]], options: argparse.Namespace, blocks: int
) -> Load:
    if name in whole:
        trace = replayed(whole[name])
        trace += typical_part(trace, options.scale)
        kind, blocks, overrides = "real", roomy(blocks, footprint(trace, PAGE_KIB * 1024)), trace
    elif name in TABLE_2:
        kind, overrides = "synthetic", _synthetic(name, TABLE_2[name], options, blocks)
    else:
        kind, blocks, overrides = "piece", max(blocks, PIECE_BLOCKS), pieces[name]
    pages = hardware(blocks).planes * hardware(blocks).pages_per_plane
    return Load([*device(blocks), *overrides], kind, pages)


def roomy(blocks: int, footprint_bytes: int) -> int:
    """Return the blocks a plane, at least `blocks`, with which `footprint_bytes` fit the device also in SLC mode."""
    while composed([*device(blocks), *SYSTEMS["SLC mode"]]).hardware.capacity_bytes < footprint_bytes:
        blocks += -(-blocks // 8)
    return blocks


def _synthetic(name: str, row: Published, options: argparse.Namespace, blocks: int) -> list[str]:
    return synthetic_trace(name, row, options.scale, hardware(blocks), options.seed, options.folder / "traces")


def swept_loads(name: str, options: argparse.Namespace, blocks: int) -> dict[str, Load]:
    """Return the synthetic workload `name` with the arrivals of each piece, and with Poisson arrivals."""
    found = {}
    for piece in (POISSON, *FITTED):
        row = attrs.evolve(TABLE_2[name], piece=piece)
        overrides = [*device(blocks), *_synthetic(f"{name} {piece}", row, options, blocks)]
        found[piece] = Load(overrides, "synthetic", 0)
    return found


def full_load(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the synthetic `FULL` at the paper's size, on the paper's device."""
    full = argparse.Namespace(**vars(options) | {"scale": Fraction(1)})
    return {FULL: [*device(BLOCKS), *_synthetic(FULL, TABLE_2[FULL], full, BLOCKS)]}


@functools.cache
def hardware(blocks: int) -> HardwareConfig:
    """Return the device's geometry."""
    return composed(device(blocks)).hardware


def blind_writes(seed: int) -> dict[str, list[str]]:
    """Return the runs of Fig. 6: aligned writes of so many pages at random places of the conventional SSD."""
    common = [*COMMON, "hardware=pa_ssd_small", *SYSTEMS["baseline"], "workload=synthetic", "workload.align_kib=8"]
    common += [f"workload.requests={FIGURE_6_REQUESTS}", "workload.read_share=0", "workload.footprint=0.05"]
    common.append(f"seed={seed}")
    return {f"{pages} pages": [*common, f"workload.size_kib={8 * pages}"] for pages in FIGURE_6_PAGES}


def study(options: argparse.Namespace) -> Study:
    """Run everything that `options` ask for: all under the first seed, the paper's workloads under each."""
    blocks = scaled(BLOCKS, options.scale, FEWEST_BLOCKS)
    seeds = [argparse.Namespace(**vars(options) | {"seed": options.seed + place}) for place in range(options.seeds)]
    found = [loads(each, blocks) for each in seeds]
    found[1:] = [{name: load for name, load in each.items() if load.kind != "piece"} for each in found[1:]]
    parts: dict[str, Runs] = {}
    for each, of in zip(seeds, found, strict=True):
        common = [*COMMON, f"seed={each.seed}"]
        parts[f"seed {each.seed}"] = grid(SYSTEMS, {name: load.overrides for name, load in of.items()}, common)
        if "tMSFS" in of:
            courses = {name: SYSTEMS[name] for name in COURSES}
            parts[f"rounds {each.seed}"] = grid(courses, {"tMSFS repeated": repeated(of["tMSFS"])}, common)
    common = [*COMMON, f"seed={options.seed}"]
    parts["blind"] = blind_writes(options.seed)
    swept = {name: swept_loads(name, options, blocks) for name in SWEPT if _is_synthetic(name, found[0])}
    for name, of in swept.items():
        parts[f"arrivals {name}"] = grid(SWEPT_SYSTEMS, {piece: load.overrides for piece, load in of.items()}, common)
    again = {piece: repeated(load) for piece, load in swept.get("tMSFS", {}).items()}
    parts["arrivals repeated"] = grid(SWEPT_COURSES, again, common)
    if _is_synthetic(FULL, found[0]) and options.scale < 1:
        parts["full size"] = grid(FULL_SYSTEMS, full_load(options), common)
    results = run_parts({name: runs for name, runs in parts.items() if runs}, options.folder / "runs", options.means)
    full = results.get("full size", {})
    return Study(
        grids=[Grid(results[f"seed {each.seed}"], of) for each, of in zip(seeds, found, strict=True)],
        blind=list(results["blind"].values()),
        rounds=[_by_system(results[name]) for name in parts if name.startswith("rounds")],
        full=Grid(full, {FULL: Load([], "synthetic", 0)} if full else {}),
        arrivals={name: Grid(results[f"arrivals {name}"], of) for name, of in swept.items()},
        repeated=results.get("arrivals repeated", {}),
        scale=options.scale,
        blocks=blocks,
        seed=options.seed,
    )


def repeated(load: Load) -> list[str]:
    """Return the overrides of a workload that is run several times over."""
    return [*load.overrides, f"workload.repeat={ROUNDS}"]


def _is_synthetic(name: str, found: Mapping[str, Load]) -> bool:
    return name in found and found[name].kind == "synthetic"


def _by_system(results: Mapping[str, Result]) -> dict[str, Result]:
    return {name.partition("/")[2]: result for name, result in results.items()}


DOC = "The experiments of the PA-SSD paper: its figures and tables, and its numbers beside ours."
main = Command(__package__, DOC, study, sections, seeds=3)

if __name__ == "__main__":
    sys.exit(main())
