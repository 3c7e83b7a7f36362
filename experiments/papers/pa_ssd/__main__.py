"""Entry point of `python -m experiments.papers.pa_ssd`."""

import argparse
import functools
import sys
from collections.abc import Mapping
from pathlib import Path

import attrs

from ssdsim.config import HardwareConfig

from ...compose import composed
from ...study.command import Command, chosen, scaled
from ...study.runs import grid, run_all
from ...study.traces import real_pieces, replayed, whole_traces
from .measures import Grid, Load
from .report import COURSES, LARGER, Study
from .sections import sections
from .systems import COMMON, SYSTEMS
from .workloads import REAL_PIECES, TABLE_2, Published, recognised, synthetic_trace

BLOCKS = 384
FEWEST_BLOCKS = 16
PIECE_BLOCKS = 48
"""Blocks a plane for pieces of real traces, which are not scaled: enough for what they touch, also in SLC mode."""

ROUNDS = 3
BURST_PEAKS = [3, 10, 31, 100, 300]
BURST_SYSTEMS = {name: SYSTEMS[name] for name in SYSTEMS if "SLC" not in name and "sSB+sUB" not in name}
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
        kind, overrides = "real", [*device(blocks), *replayed(whole[name])]
        if name in TABLE_2 and options.scale < 1:
            overrides.append(f"workload.limit={round(TABLE_2[name].requests * options.scale)}")
    elif name in TABLE_2:
        kind, overrides = "synthetic", _synthetic(name, TABLE_2[name], options, blocks)
    else:
        blocks = max(blocks, PIECE_BLOCKS)
        kind, overrides = "piece", [*device(blocks), *pieces[name]]
    pages = hardware(blocks).planes * hardware(blocks).pages_per_plane
    return Load(overrides, kind, pages)


def larger_load(options: argparse.Namespace) -> list[str]:
    """Return the synthetic tRA and its device, both `LARGER` times as large as the others."""
    scaled = argparse.Namespace(**vars(options) | {"scale": options.scale * LARGER})
    return _synthetic("tRA", TABLE_2["tRA"], scaled, round(BLOCKS * scaled.scale))


def _synthetic(name: str, row: Published, options: argparse.Namespace, blocks: int) -> list[str]:
    trace = synthetic_trace(name, row, options.scale, hardware(blocks), options.seed, options.folder / "traces")
    return [*device(blocks), *trace]


def burst_loads(options: argparse.Namespace, blocks: int) -> dict[str, Load]:
    """Return the synthetic tExch with bursts of other rates, named by the rate in multiples of the mean."""
    row, found = TABLE_2["tExch"], {}
    for peak in BURST_PEAKS:
        other = attrs.evolve(row, bursts=attrs.evolve(row.bursts, peak=float(peak)))
        found[f"x{peak}"] = Load(_synthetic(f"tExch-x{peak}", other, options, blocks), "synthetic", 0)
    return found


@functools.cache
def hardware(blocks: int) -> HardwareConfig:
    """Return the device's geometry."""
    return composed(device(blocks)).hardware


def blind_writes(seed: int) -> dict[str, list[str]]:
    """Return the runs of Fig. 6: aligned writes of so many pages at random places of the conventional SSD."""
    common = [*COMMON, "hardware=pa_ssd_small", *SYSTEMS["baseline"], "workload=synthetic", "workload.align_kib=8"]
    common += [f"workload.requests={FIGURE_6_REQUESTS}", "workload.read_share=0", "workload.footprint=0.05"]
    common.append(f"seed={seed}")
    return {f"Fig. 6/{pages} pages": [*common, f"workload.size_kib={8 * pages}"] for pages in FIGURE_6_PAGES}


def study(options: argparse.Namespace) -> Study:
    """Run everything that `options` ask for."""
    blocks = scaled(BLOCKS, options.scale, FEWEST_BLOCKS)
    folder = options.folder
    found = loads(options, blocks)
    common = [*COMMON, f"seed={options.seed}"]
    systems = grid(SYSTEMS, {name: load.overrides for name, load in found.items()}, common)
    blind = blind_writes(options.seed)
    rounds, bursts, larger = {}, {}, {}
    if "tMSFS" in found:
        repeated = [*found["tMSFS"].overrides, f"workload.repeat={ROUNDS}"]
        rounds = grid({name: SYSTEMS[name] for name in COURSES}, {"tMSFS repeated": repeated}, common)
    if "tExch" in found and found["tExch"].kind == "synthetic":
        bursts = burst_loads(options, blocks)
    if "tRA" in found and found["tRA"].kind == "synthetic" and options.scale * LARGER <= 1:
        larger = {"tRA larger/sU": [*common, *SYSTEMS["sU"], *larger_load(options)]}
    peaks = grid(BURST_SYSTEMS, {name: load.overrides for name, load in bursts.items()}, common)
    results = run_all(systems | blind | rounds | peaks | larger, folder / "runs", options.jobs)
    return Study(
        grid=Grid({name: results[name] for name in systems}, found),
        blind=[results[name] for name in blind],
        rounds={name.partition("/")[2]: results[name] for name in rounds},
        larger=next((results[name] for name in larger), None),
        bursts=Grid({name: results[name] for name in peaks}, bursts),
        scale=options.scale,
        blocks=blocks,
        seed=options.seed,
    )


DOC = "The experiments of the PA-SSD paper: its figures and tables, and its numbers beside ours."
main = Command(__package__, DOC, study, sections)

if __name__ == "__main__":
    sys.exit(main())
