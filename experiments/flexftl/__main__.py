"""Entry point of `python -m experiments.flexftl`."""

import argparse
import sys
from collections.abc import Mapping
from fractions import Fraction

from experiments.flexftl.measures import Grid
from experiments.flexftl.report import Study, write_report
from experiments.flexftl.runs import plan
from experiments.flexftl.systems import BLOCKS, FEWEST_BLOCKS, Device
from experiments.flexftl.workloads import NAMES, Load, composed
from experiments.study import chosen, exit_status, parser, run_parts, scaled


def idle_s(loads: Mapping[str, Load]) -> dict[str, float]:
    """Return for how long each workload has the host idle."""
    return {name: load.idle_s for name, load in loads.items()}


def study(options: argparse.Namespace) -> None:
    """Run everything and write the report."""
    device = Device(scaled(BLOCKS, options.scale, FEWEST_BLOCKS), options.seed)
    made = plan(device, chosen(options.only, NAMES))
    results = run_parts(made.parts(), options.folder / "runs", options.jobs)
    grid = Grid(results["figure 8"], idle_s(made.loads))
    varied = Grid(results["varied"], idle_s(made.varied))
    write_report(
        Study(
            grid=grid,
            varied=varied,
            larger=Grid(results["larger"], idle_s(made.larger)),
            power_loss=results["power loss"],
            example=results["example"],
            hardware=composed(device.overrides()).hardware,
            scale=options.scale,
            seed=options.seed,
        ),
        options.folder,
    )
    print(options.folder / "report.md")


def main(arguments: list[str] | None = None) -> int:
    """Return 0, 1 if a run failed, 2 if something given cannot be used, 130 if stopped."""
    doc = "The experiments of the flexFTL paper: its Fig. 8, and its numbers beside ours."
    options = parser("experiments.flexftl", doc, "results/flexftl", Fraction(1, 8), traces=False).parse_args(arguments)
    return exit_status(lambda: study(options))


if __name__ == "__main__":
    sys.exit(main())
