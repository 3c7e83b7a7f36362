"""Entry point of `python -m experiments.papers.spd`."""

import argparse
import functools
import sys
from fractions import Fraction

import attrs

from ...study.command import Command, changed, scaled, seeds
from ...study.runs import Runs
from ...study.study import Study
from .choices import choices
from .claims import AFTERWARDS, CLAIMS, HELD
from .runs import SEPARATED, Plan
from .sections import PIECES, WHOLE, sections
from .systems import BLOCKS, COLLECTING, FEWEST_BLOCKS, SYSTEMS
from .workloads import RUSHES, fewer_dies, loads, pieces, rushing_loads

LARGER = 4  # times the scale of the other figures that Fig. 24 is run at

WHOLE_WORKLOAD = "WDEV_0"  # what is run at full size with --whole, with collection
WHOLE_SYSTEMS = ("Baseline-D", "SPD", "SPD+")


def study(options: argparse.Namespace) -> Study:
    """Return the study that `options` ask for."""
    blocks = scaled(BLOCKS, options.scale, FEWEST_BLOCKS)
    plans = {seed: plan(options, blocks, seed=seed) for seed in seeds(options)}
    larger_plans = {seed: larger(options, blocks, seed) for seed in seeds(options)}
    first = plans[options.seed]
    rushes = {name: attrs.evolve(first, loads=rushing_loads(options, blocks, share)) for name, share in RUSHES.items()}
    dies = attrs.evolve(first, loads=fewer_dies(first.loads, blocks))
    of_pieces = Plan({} if options.workloads else pieces(blocks), options.seed)
    return Study(
        seeds={seed: made.parts() | larger_plans[seed].separating() for seed, made in plans.items()},
        held=HELD,
        sections=functools.partial(sections, loads=first.loads, blocks=blocks),
        choices=choices(first, larger_plans[options.seed], rushes, dies),
        further={PIECES: of_pieces.collecting()[COLLECTING], WHOLE: whole(options)},
    )


def plan(options: argparse.Namespace, blocks: int, **given: object) -> Plan:
    """Return the runs under options, some of which are `given` otherwise."""
    options = changed(options, **given)
    return Plan(loads(options, blocks), options.seed)


def larger(options: argparse.Namespace, blocks: int, seed: int) -> Plan:
    """Return the runs of Fig. 24: of the smallest device one more active block would take a 32nd of a plane."""
    times = min(LARGER, BLOCKS // blocks)
    names = [name for name in SEPARATED if name in (options.workloads or SEPARATED)]
    if not names:
        return Plan({}, seed)
    return plan(options, blocks * times, seed=seed, scale=options.scale * times, workloads=names)


def whole(options: argparse.Namespace) -> Runs:
    """Return the runs of one workload at the paper's size, if they are asked for."""
    if not options.whole:
        return {}
    full = plan(options, BLOCKS, scale=Fraction(1), workloads=[WHOLE_WORKLOAD])
    return full.runs(COLLECTING, {name: SYSTEMS[name] for name in WHOLE_SYSTEMS}, full.buffered())


DOC = "The experiments of the SPD paper: its figures and tables, and its numbers beside ours."
SWITCHES = {"--whole": f"also run {WHOLE_WORKLOAD} at --scale 1, with collection"}
main = Command(__package__, DOC, study, CLAIMS, AFTERWARDS, scale=Fraction(1, 64), switches=SWITCHES)

if __name__ == "__main__":
    sys.exit(main())
