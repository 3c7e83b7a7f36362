"""Entry point of `python -m experiments.papers.spd`."""

import argparse
import sys
from fractions import Fraction

from ...study.command import Command, scaled
from ...study.runs import run_parts
from .loads import hardware, loads, small_loads
from .measures import Grid
from .report import Study
from .runs import SEPARATED_LOADS, Plan
from .sections import sections
from .systems import COMMON

BLOCKS = 2048
FEWEST_BLOCKS = 32
"""Blocks a plane, whole and at least: 7 percent of fewer are too few for collection to work with."""


def study(options: argparse.Namespace) -> Study:
    """Run everything that `options` ask for."""
    blocks = scaled(BLOCKS, options.scale, FEWEST_BLOCKS)
    found = loads(options, blocks)
    small = small_loads(options, blocks, [name for name in SEPARATED_LOADS if name in found])
    parts = Plan(found, small, [*COMMON, f"seed={options.seed}"]).parts()
    results = run_parts(parts, options.folder / "runs", options.jobs)
    free, collecting, buffers, four_planes, separated, speeds = map(Grid, results.values())
    return Study(
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
    )


DOC = "The experiments of the SPD paper: its figures and tables, and its numbers beside ours."
main = Command(__package__, DOC, study, sections, scale=Fraction(1, 64))

if __name__ == "__main__":
    sys.exit(main())
