"""Entry point of `python -m experiments.papers.tbm`."""

import argparse
import sys
from collections.abc import Mapping
from fractions import Fraction

from ssdsim.metrics.result import Result

from ...study.former.command import Command, chosen
from ...study.runs import Runs, grid, run_parts
from .measures import Course, Grid, course
from .report import SPEEDUPS, Study, sections
from .systems import COMMON, F2, SYSTEMS, VARIANTS, WITH_TBM, WITHOUT_TBM, device
from .workloads import (
    LONG_RUN,
    NAMES,
    POISSON,
    ROUND,
    TABLE_1,
    Load,
    geometry,
    real,
    real_files,
    synthetic,
    valid_share,
)

SATURATED = "workload.speedup=1e6"
"""Requests come so fast that the queue of the device is always full."""

SHOWN = "prj-0"
"""The workload of Figs. 2 and 6, which is varied, too."""

FOOTPRINTS = [0.02, 0.1, 0.5]
ARRIVALS = [POISSON, "DevelopmentToolsRelease"]
SIZES_VOLUME = 0.01
"""What is written to devices of both sizes, which have been filled before: a share of their pages."""


def loads(options: argparse.Namespace, of: list[str], seed: int) -> dict[str, Load]:
    """Return the workloads: those of Table 1, then whole traces of other names."""
    files, folder = real_files(options.traces), options.folder / "traces"
    names = [name for name in dict.fromkeys([*NAMES, *files]) if name in files or name in TABLE_1]
    return {
        name: real(name, files[name], of, folder) if name in files else synthetic(name, of, seed, folder)
        for name in chosen(options.only, names)
    }


def variations(options: argparse.Namespace, load: Load, of: list[str], common: list[str]) -> Runs:
    """Return the runs of one workload otherwise: at other speeds, and if it is synthetic with other data and times."""
    round_of, folder = load.until(ROUND), options.folder / "traces"
    runs = grid(SYSTEMS, {f"x{speed}": [*round_of, f"workload.speedup={speed}"] for speed in SPEEDUPS}, common)
    for name, overrides in VARIANTS.items():
        runs |= grid(SYSTEMS, {name: [*round_of, SATURATED]}, [*common, *overrides])
    if load.kind == "synthetic":
        others = {
            f"footprint {share:g}": [*synthetic(SHOWN, of, options.seed, folder, share).until(ROUND), SATURATED]
            for share in FOOTPRINTS
        } | {
            f"arrivals of {piece}": synthetic(SHOWN, of, options.seed, folder, piece=piece).until(ROUND)
            for piece in ARRIVALS
            if piece != TABLE_1[SHOWN].piece
        }
        runs |= grid(SYSTEMS, others, common)
    return runs


def sizes(options: argparse.Namespace, load: Load, common: list[str]) -> Runs:
    """Return the runs of one workload on the paper's device and on the scaled one, both filled with as much data."""
    filled = ["precondition=fill", f"precondition.valid_share={valid_share(load, ROUND):.4f}", SATURATED]
    made = {
        f"scale {scale}": synthetic(
            SHOWN, device(scale), options.seed, options.folder / "traces", volume=SIZES_VOLUME
        ).overrides
        for scale in (options.scale, Fraction(1))
    }
    return grid(SYSTEMS, {name: [*overrides, *filled] for name, overrides in made.items()}, common)


def study(options: argparse.Namespace) -> Study:
    """Run everything that `options` ask for: the paper's figures under each seed, all else under the first."""
    if options.full:
        options.scale = Fraction(1)
    of = device(options.scale)
    volume = LONG_RUN if options.full else ROUND
    seeds = range(options.seed, options.seed + options.seeds)
    found = {seed: loads(options, of, seed) for seed in seeds}
    parts: dict[str, Runs] = {}
    for seed, given in found.items():
        common = [*COMMON, f"seed={seed}"]
        timely = {name: load.until(volume) for name, load in given.items()}
        saturated = {name: [*each, SATURATED] for name, each in timely.items()}
        parts[f"timely {seed}"] = grid(SYSTEMS, timely, common)
        parts[f"saturated {seed}"] = grid(SYSTEMS | F2, saturated, common)
        if SHOWN in given:
            parts[f"long {seed}"] = grid(WITHOUT_TBM | WITH_TBM, {SHOWN: given[SHOWN].until(LONG_RUN)}, common)
    common, first = [*COMMON, f"seed={options.seed}"], found[options.seed]
    if SHOWN in first:
        parts["varied"] = variations(options, first[SHOWN], of, common)
        if first[SHOWN].kind == "synthetic" and options.scale < 1:
            parts["sizes"] = sizes(options, first[SHOWN], common)
    results = run_parts(parts, options.folder / "runs", options.means)
    hardware = geometry(of)
    pages = hardware.planes * hardware.pages_per_plane
    return Study(
        grids=[Grid(results[f"timely {seed}"], results[f"saturated {seed}"], found[seed], pages) for seed in seeds],
        longs=[_courses(results[f"long {seed}"], pages) for seed in seeds if f"long {seed}" in results],
        varied={name: course(run, pages) for name, run in results.get("varied", {}).items()},
        sizes={name: run.summary for name, run in results.get("sizes", {}).items()},
        scale=options.scale,
        hardware=hardware,
        seed=options.seed,
        full=options.full,
    )


def _courses(runs: Mapping[str, Result], pages: int) -> dict[str, Course]:
    return {name.partition("/")[2]: course(run, pages) for name, run in runs.items()}


SWITCHES = {"--full": "the paper's size and length (--scale 1, all runs long)"}
DOC = "The experiments of the TBM paper: its Figs. 2, 6 and 7, and its numbers beside ours."
main = Command(__package__, DOC, study, sections, scale=Fraction(1, 256), seeds=3, switches=SWITCHES)

if __name__ == "__main__":
    sys.exit(main())
