"""Entry point of `python -m experiments.papers.spd`."""

import argparse
import sys
from collections.abc import Iterable
from fractions import Fraction

import attrs

from ...study.command import Command, scaled
from ...study.report import Report
from ...study.runs import Runs
from ...study.study import Study
from . import sections
from .choices import choices
from .held import HELD
from .loads import Load, fewer_dies, hardware, loads, pieces, rushing_loads
from .paper import AFTERWARDS, CLAIMS
from .runs import SEPARATED, Plan
from .systems import COLLECTING, SYSTEMS
from .workloads import RUSHES

BLOCKS = 2048
FEWEST_BLOCKS = 32
"""Blocks a plane, whole and at least: 7 percent of fewer are too few for collection to work with."""

LARGER = 4
"""Times the scale of the other figures that Fig. 24 is run at."""

WHOLE = "WDEV_0"
WHOLE_SYSTEMS = ("Baseline-D", "SPD", "SPD+")
"""What is run at full size with --whole, with collection."""


def study(options: argparse.Namespace) -> Study:
    """Return the study that `options` ask for."""
    blocks = scaled(BLOCKS, options.scale, FEWEST_BLOCKS)
    seeds = range(options.seed, options.seed + options.seeds)
    plans = {seed: plan(options, seed, blocks) for seed in seeds}
    first, larger_plans = plans[options.seed], {seed: larger(options, seed, blocks) for seed in seeds}
    rushes = {told: attrs.evolve(first, loads=rushing_loads(options, blocks, share)) for told, share in RUSHES.items()}
    dies = attrs.evolve(first, loads=fewer_dies(first.loads, blocks))

    planes = hardware(blocks).planes

    def told(report: Report) -> Iterable[str]:
        return sections.sections(report, sections.setup(report, first.loads, blocks, planes), planes)

    return Study(
        seeds={seed: of.parts() | larger_plans[seed].separating() for seed, of in plans.items()},
        held=HELD,
        sections=told,
        choices=choices(first, larger_plans[options.seed], rushes, dies),
        further={sections.PIECES: of_pieces(options, blocks), sections.WHOLE: whole(options)},
    )


def plan(options: argparse.Namespace, seed: int, blocks: int) -> Plan:
    """Return the runs under a seed."""
    return Plan(loads(argparse.Namespace(**{**vars(options), "seed": seed}), blocks), seed)


def larger(options: argparse.Namespace, seed: int, blocks: int) -> Plan:
    """Return the runs of Fig. 24: of the smallest device one more active block would take a 32nd of a plane."""
    times = min(LARGER, BLOCKS // blocks)
    names = [name for name in SEPARATED if name in (options.workloads or SEPARATED)]
    if not names:
        return Plan({}, seed)
    scaled_up = argparse.Namespace(**{**vars(options), "scale": options.scale * times, "workloads": names})
    return plan(scaled_up, seed, blocks * times)


def of_pieces(options: argparse.Namespace, blocks: int) -> Runs:
    """Return the runs of pieces of real traces, none if workloads were chosen."""
    found: dict[str, Load] = {} if options.workloads else pieces(blocks)
    return Plan(found, options.seed).collecting()[COLLECTING]


def whole(options: argparse.Namespace) -> Runs:
    """Return the runs of one workload at the paper's size, if they are asked for."""
    if not options.whole:
        return {}
    full = argparse.Namespace(**{**vars(options), "scale": Fraction(1), "workloads": [WHOLE]})
    full_plan = plan(full, options.seed, BLOCKS)
    return full_plan.runs(COLLECTING, {name: SYSTEMS[name] for name in WHOLE_SYSTEMS}, full_plan.buffered())


main = Command(
    __package__,
    "The experiments of the SPD paper: its figures and tables, and its numbers beside ours.",
    study,
    CLAIMS,
    AFTERWARDS,
    scale=Fraction(1, 64),
    switches={"--whole": f"also run {WHOLE} at --scale 1, with collection"},
)

if __name__ == "__main__":
    sys.exit(main())
