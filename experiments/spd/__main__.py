"""Entry point of `python -m experiments.spd`."""

import argparse
import sys
from fractions import Fraction

from experiments.spd.loads import hardware, loads, small_loads
from experiments.spd.measures import Grid
from experiments.spd.report import Study
from experiments.spd.runs import SEPARATED_LOADS, Plan
from experiments.spd.sections import write_report
from experiments.spd.systems import COMMON
from experiments.study import exit_status, parser, run_parts, scaled

BLOCKS = 2048
FEWEST_BLOCKS = 32
"""Blocks a plane, whole and at least: 7 percent of fewer are too few for collection to work with."""


def study(options: argparse.Namespace) -> None:
    """Run everything and write the report."""
    blocks = scaled(BLOCKS, options.scale, FEWEST_BLOCKS)
    found = loads(options, blocks)
    small = small_loads(options, blocks, [name for name in SEPARATED_LOADS if name in found])
    parts = Plan(found, small, [*COMMON, f"seed={options.seed}"]).parts()
    results = run_parts(parts, options.folder / "runs", options.jobs)
    free, collecting, buffers, four_planes, separated, speeds = map(Grid, results.values())
    write_report(
        Study(
            free=free,
            collecting=collecting,
            buffers=buffers,
            four_planes=four_planes,
            separated=separated,
            speeds=speeds,
            kinds={name: load.kind for name, load in found.items()},
            buffer_mib={name: load.buffer_mib for name, load in found.items()},
            planes=hardware(blocks).planes,
            blocks=blocks,
            scale=options.scale,
            seed=options.seed,
        ),
        options.folder,
    )
    print(options.folder / "report.md")


def main(arguments: list[str] | None = None) -> int:
    """Return 0, 1 if a run failed, 2 if something given cannot be used, 130 if stopped."""
    doc = "The experiments of the SPD paper: its figures and tables, and its numbers beside ours."
    options = parser("experiments.spd", doc, "results/spd", Fraction(1, 64)).parse_args(arguments)
    return exit_status(lambda: study(options))


if __name__ == "__main__":
    sys.exit(main())
