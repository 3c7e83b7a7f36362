"""Entry point of `python -m experiments.papers.pcftl`."""

import argparse
import sys
from fractions import Fraction

from ...compose import composed
from ...study.command import Command, chosen
from ...study.measures import Grid
from ...study.runs import run_parts
from ..spd.measures import Grid as SpdGrid
from . import schemes
from .report import sections
from .runs import CACHES, DEFAULT, EXTRA, PAGES, Plan
from .study import Study
from .systems import Device
from .workloads import available, loads


def study(options: argparse.Namespace) -> Study:
    """Run everything that `options` ask for."""
    device, known = Device(options.scale, options.seed), available()
    names = chosen(options.only, [*known, schemes.NAME])
    found = loads(device, {name: load for name, load in known.items() if name in names})
    plan = Plan(device, found, schemes.runs(options) if schemes.NAME in names else {})
    results = run_parts(plan.parts(), options.folder / "runs", options.jobs)
    hardware = composed([*device.overrides(DEFAULT, "DLOOP"), "workload=synthetic"]).hardware
    return Study(
        grids={setting: Grid(results[setting.name]) for setting in (*PAGES, *EXTRA, *CACHES)},
        variants=Grid(results["parts"]),
        empty=Grid(results["empty"]),
        independent=Grid(results["independent"]),
        threshold=Grid(results["threshold"]),
        schemes=SpdGrid(results["schemes"]),
        loads=found,
        device=device,
        pages=hardware.logical_pages,
        scale=options.scale,
        seed=options.seed,
    )


DOC = "The experiments of the PCFTL paper and SPD's Fig. 23: their figures, and their numbers beside ours."
main = Command(__package__, DOC, study, sections, scale=Fraction(1, 8), traces=False)

if __name__ == "__main__":
    sys.exit(main())
