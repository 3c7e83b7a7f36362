"""Entry point of `python -m experiments.papers.tbm`."""

import argparse
import sys
from collections.abc import Mapping
from fractions import Fraction

from ssdsim.metrics.result import Result

from ...study.command import Command, chosen, scaled
from ...study.runs import grid, run_parts
from .measures import Grid, course
from .report import SPEEDUPS, Study, sections
from .systems import BLOCKS, COMMON, FEWEST_BLOCKS, SYSTEMS, WITH_TBM, WITHOUT_TBM, device
from .workloads import LONG_RUN, NAMES, ROUND, TABLE_1, Load, geometry, real, real_files, synthetic

SATURATED = "workload.speedup=1e6"
"""Requests come so fast that the queue of the device is always full."""

SHOWN = "prj-0"
"""The workload of Figs. 2 and 6, which is varied too."""

FOOTPRINTS = [0.02, 0.3, 0.6]


def loads(options: argparse.Namespace, of: list[str]) -> dict[str, Load]:
    """Return the workloads: those of Table 1, then whole traces of other names."""
    files, folder = real_files(options.traces), options.folder / "traces"
    names = [name for name in dict.fromkeys([*NAMES, *files]) if name in files or name in TABLE_1]
    return {
        name: real(name, files[name], of, folder) if name in files else synthetic(name, of, options.seed, folder)
        for name in chosen(options.only, names)
    }


def variations(options: argparse.Namespace, load: Load, of: list[str], common: list[str]) -> dict[str, list[str]]:
    """Return the runs of one workload at other speeds, and with other footprints if it is synthetic."""
    speeds = {f"x{speed}": [*load.until(ROUND), f"workload.speedup={speed}"] for speed in SPEEDUPS}
    runs = grid(SYSTEMS, speeds, common)
    if load.kind == "synthetic":
        others = {
            f"footprint {share:g}": [*synthetic(SHOWN, of, options.seed, options.folder / "traces", share).until(ROUND)]
            for share in FOOTPRINTS
        }
        saturated = {name: [*overrides, SATURATED] for name, overrides in others.items()}
        runs |= grid(SYSTEMS, saturated, common)
    return runs


def study(options: argparse.Namespace) -> Study:
    """Run everything that `options` ask for."""
    if options.full:
        options.scale = Fraction(1)
    blocks = scaled(BLOCKS, options.scale, FEWEST_BLOCKS)
    of, common = device(blocks), [*COMMON, f"seed={options.seed}"]
    found = loads(options, of)
    volume = LONG_RUN if options.full else ROUND
    timely = {name: load.until(volume) for name, load in found.items()}
    runs = {
        "timely": grid(SYSTEMS, timely, common),
        "saturated": grid(SYSTEMS, {name: [*each, SATURATED] for name, each in timely.items()}, common),
    }
    if SHOWN in found:
        runs["long"] = grid(WITHOUT_TBM | WITH_TBM, {SHOWN: found[SHOWN].until(LONG_RUN)}, common)
        runs["varied"] = variations(options, found[SHOWN], of, common)
    parts = run_parts(runs, options.folder / "runs", options.jobs)
    hardware = geometry(of)
    return _study(options, blocks, hardware.planes * hardware.pages_per_plane, found, parts)


def _study(
    options: argparse.Namespace,
    blocks: int,
    pages: int,
    found: Mapping[str, Load],
    parts: Mapping[str, Mapping[str, Result]],
) -> Study:
    return Study(
        grid=Grid(parts["timely"], parts["saturated"], found, pages),
        long={name.partition("/")[2]: course(run, pages) for name, run in parts.get("long", {}).items()},
        varied={name: course(run, pages) for name, run in parts.get("varied", {}).items()},
        scale=options.scale,
        blocks=blocks,
        seed=options.seed,
        full=options.full,
    )


SWITCHES = {"--full": "the paper's size and length (--scale 1, all runs long)"}
DOC = "The experiments of the TBM paper: its Figs. 2, 6 and 7, and its numbers beside ours."
main = Command(__package__, DOC, study, sections, scale=Fraction(1, 64), switches=SWITCHES)

if __name__ == "__main__":
    sys.exit(main())
