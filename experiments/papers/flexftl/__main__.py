"""Entry point of `python -m experiments.papers.flexftl`."""

import argparse
import sys
from collections.abc import Mapping
from fractions import Fraction

from ...compose import composed
from ...study.former.command import Command, chosen, scaled
from ...study.runs import run_parts
from .measures import Grid
from .report import Study, sections
from .runs import plan
from .systems import BLOCKS, FEWEST_BLOCKS, Device
from .workloads import NAMES, Load


def idle_s(loads: Mapping[str, Load]) -> dict[str, float]:
    """Return for how long each workload has the host idle."""
    return {name: load.idle_s for name, load in loads.items()}


def study(options: argparse.Namespace) -> Study:
    """Run everything that `options` ask for."""
    device = Device(scaled(BLOCKS, options.scale, FEWEST_BLOCKS), options.seed)
    made = plan(device, chosen(options.only, NAMES), options.seeds)
    results = run_parts(made.parts(), options.folder / "runs", options.means)
    return Study(
        grids=[Grid(results[f"seed {place}"], idle_s(of)) for place, of in enumerate(made.loads)],
        varied=Grid(results["varied"], idle_s(made.varied)),
        full=Grid(results["full"], idle_s(made.full)),
        power_loss=results["power loss"],
        example=results["example"],
        hardware=composed(device.overrides()).hardware,
        scale=options.scale,
        seed=options.seed,
    )


DOC = "The experiments of the flexFTL paper: its Fig. 8, and its numbers beside ours."
main = Command(__package__, DOC, study, sections, scale=Fraction(1, 8), traces=False, seeds=3)

if __name__ == "__main__":
    sys.exit(main())
