"""Entry point of `python -m experiments.papers.spd`."""

import argparse
import sys
from fractions import Fraction

from ...study.former.command import Command, scaled
from ...study.runs import Runs, grid, run_parts
from .loads import hardware, loads, rushing_loads
from .measures import Grid, Seeds
from .report import Study
from .runs import VARIED, Plan
from .sections import sections
from .systems import COLLECTING, COMMON, FREE, STATES, SYSTEMS
from .workloads import RUSHES

BLOCKS = 2048
FEWEST_BLOCKS = 32
"""Blocks a plane, whole and at least: 7 percent of fewer are too few for collection to work with."""

WHOLE = "WDEV_0"
WHOLE_SYSTEMS = ("Baseline-D", "SPD", "SPD+")
"""What is run at full size with --whole, with collection."""


def study(options: argparse.Namespace) -> Study:
    """Run everything that `options` ask for."""
    blocks = scaled(BLOCKS, options.scale, FEWEST_BLOCKS)
    seeds = range(options.seed, options.seed + options.seeds)
    plans = {seed: plan(options, seed, blocks) for seed in seeds}
    first = plans[options.seed]
    parts = {f"seed {seed}/{part}": runs for seed in seeds for part, runs in plans[seed].figures().items()}
    parts |= first.further()
    if options.whole:
        parts["whole"] = whole(options)
    results = run_parts(parts, options.folder / "runs", options.means)

    def over_seeds(part: str) -> Seeds:
        return Seeds.of([Grid(results[f"seed {seed}/{part}"]) for seed in seeds])

    variants = {part: Grid(results[part]) for part in first.further() if part != "buffers"}
    return Study(
        free=over_seeds(FREE),
        collecting=over_seeds(COLLECTING),
        four_planes=over_seeds("four planes"),
        separated=over_seeds("separated"),
        buffers=Grid(results["buffers"]),
        variants=variants,
        whole=Grid(results.get("whole", {})),
        kinds={name: load.kind for name, load in first.loads.items()},
        buffer_mib={name: load.buffer_mib for name, load in first.loads.items()},
        planes=hardware(blocks).planes,
        blocks=blocks,
        scale=options.scale,
        seeds=options.seeds,
        seed=options.seed,
    )


def plan(options: argparse.Namespace, seed: int, blocks: int) -> Plan:
    """Return the runs under a seed."""
    of_seed = argparse.Namespace(**{**vars(options), "seed": seed})
    found = loads(of_seed, blocks)
    varied = [name for name in VARIED if name in found and found[name].kind == "synthetic"]
    rushes = {told: rushing_loads(of_seed, blocks, varied, share) for told, share in RUSHES.items()}
    return Plan(found, rushes, [*COMMON, f"seed={seed}"], blocks)


def whole(options: argparse.Namespace) -> Runs:
    """Return the runs of one workload at the paper's size."""
    full = argparse.Namespace(**{**vars(options), "scale": Fraction(1), "only": [WHOLE]})
    systems = {name: SYSTEMS[name] for name in WHOLE_SYSTEMS}
    workload = {WHOLE: loads(full, BLOCKS)[WHOLE].buffered()}
    return grid(systems, workload, [*COMMON, *STATES[COLLECTING], f"seed={options.seed}"])


DOC = "The experiments of the SPD paper: its figures and tables, and its numbers beside ours."
SWITCHES = {"--whole": f"also run {WHOLE} at --scale 1, with collection"}
main = Command(__package__, DOC, study, sections, scale=Fraction(1, 64), seeds=3, switches=SWITCHES)

if __name__ == "__main__":
    sys.exit(main())
