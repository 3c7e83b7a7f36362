"""Entry point of `python -m experiments.papers.flexftl`."""

import argparse
import sys
from fractions import Fraction
from functools import partial

import attrs

from ssdsim.command.compose import composed

from ...study.command import Command, chosen, scaled, seeds
from ...study.study import Study
from .choices import choices
from .claims import AFTERWARDS, CLAIMS, held
from .runs import figure_8, further, loads_of
from .sections import sections
from .systems import BLOCKS, FEWEST_BLOCKS, Device
from .workloads import NAMES


def study(options: argparse.Namespace) -> Study:
    """Return the study that `options` ask for."""
    device = Device(scaled(BLOCKS, options.scale, FEWEST_BLOCKS), options.seed)
    names, hardware = chosen(options.workloads, NAMES), composed(device.overrides()).hardware
    loads = {seed: loads_of(attrs.evolve(device, seed=seed), names) for seed in seeds(options)}
    return Study(
        seeds={seed: figure_8(made) for seed, made in loads.items()},
        held=held(hardware),
        sections=partial(sections, loads[device.seed], hardware),
        choices=choices(device, names, hardware),
        further=further(device, names),
    )


DOC = "The experiments of the flexFTL paper: its Fig. 8, and its numbers beside ours."
main = Command(__package__, DOC, study, CLAIMS, AFTERWARDS, scale=Fraction(1, 8), traces=False)

if __name__ == "__main__":
    sys.exit(main())
