"""Entry point of `python -m experiments.pcftl`."""

import argparse
import sys
from fractions import Fraction

from experiments.measures import Grid
from experiments.pcftl import schemes
from experiments.pcftl.report import Study, write_report
from experiments.pcftl.runs import CACHES, DEFAULT, EXTRA, PAGES, Plan
from experiments.pcftl.systems import Device
from experiments.pcftl.workloads import available, composed, loads
from experiments.spd.measures import Grid as SpdGrid
from experiments.study import chosen, exit_status, parser, run_parts


def study(options: argparse.Namespace) -> None:
    """Run everything and write the report."""
    device, known = Device(options.scale, options.seed), available()
    names = chosen(options.only, [*known, schemes.NAME])
    found = loads(device, {name: load for name, load in known.items() if name in names})
    plan = Plan(device, found, schemes.runs(options) if schemes.NAME in names else {})
    results = run_parts(plan.parts(), options.folder / "runs", options.jobs)
    hardware = composed([*device.overrides(DEFAULT, "DLOOP"), "workload=synthetic"]).hardware
    write_report(
        Study(
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
        ),
        options.folder,
    )
    print(options.folder / "report.md")


def main(arguments: list[str] | None = None) -> int:
    """Return 0, 1 if a run failed, 2 if something given cannot be used, 130 if stopped."""
    doc = "The experiments of the PCFTL paper and SPD's Fig. 23: their figures, and their numbers beside ours."
    options = parser("experiments.pcftl", doc, "results/pcftl", Fraction(1, 8), traces=False).parse_args(arguments)
    return exit_status(lambda: study(options))


if __name__ == "__main__":
    sys.exit(main())
