"""Entry point of `python -m experiments.papers.pcftl`."""

import argparse
import sys
from fractions import Fraction

from ...study.command import Command, chosen, seeds
from ...study.study import Study
from .choices import choices
from .claims import AFTERWARDS, CLAIMS, held
from .parts import Plan, real, whole
from .sections import sections
from .systems import Device, Setting
from .workloads import TABLE_2, loads


def study(options: argparse.Namespace) -> Study:
    """Return everything that is run: the figures under each seed, all else under the first."""
    folder, names = options.folder / "traces", chosen(options.workloads, [*TABLE_2])
    devices = {seed: Device(options.scale, seed) for seed in seeds(options)}
    plans = {seed: Plan(device, loads(device, names, folder), folder) for seed, device in devices.items()}
    first, has_whole = plans[options.seed], "TPC-C" in names
    return Study(
        seeds={seed: plan.figures() | (whole(seed, folder) if has_whole else {}) for seed, plan in plans.items()},
        held=held(first.device.pages(Setting())),
        sections=sections,
        choices=choices(first),
        further={} if options.workloads else real(first.device, folder),
    )


DOC = "The experiments of the PCFTL paper: its figures, and its numbers beside ours."
main = Command(__package__, DOC, study, CLAIMS, AFTERWARDS, scale=Fraction(1, 8), traces=False)

if __name__ == "__main__":
    sys.exit(main())
