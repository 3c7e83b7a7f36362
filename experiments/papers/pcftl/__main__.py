"""Entry point of `python -m experiments.papers.pcftl`."""

import argparse
import sys
from fractions import Fraction

from ...compose import composed
from ...study.former.command import Command, chosen
from ...study.measures import Grid
from ...study.runs import run_parts
from ..spd.measures import Grid as SpdGrid
from . import schemes
from .report import sections
from .runs import DEFAULT, Plan, settings, whole
from .study import RESULTS, Study
from .systems import Device
from .workloads import TABLE_2, loads, pieces


def study(options: argparse.Namespace) -> Study:
    """Run everything that `options` ask for: the paper's figures under each seed, all else under the first."""
    folder, real = options.folder / "traces", pieces()
    names = chosen(options.only, [*TABLE_2, *real, schemes.NAME])
    seeds, plans, parts = range(options.seed, options.seed + options.seeds), {}, {}
    for seed in seeds:
        device = Device(options.scale, seed)
        found = loads(device, [name for name in names if name in TABLE_2], folder)
        plans[seed] = plan = Plan(device, found | {name: real[name] for name in names if name in real}, folder)
        figures = plan.figures(ends=seed > options.seed)
        if schemes.NAME in names:
            figures["schemes"] = schemes.runs(options.scale, seed, options.folder, sweeps=seed == options.seed)
        parts |= {f"seed {seed}/{part}": runs for part, runs in figures.items()}
    first = plans[options.seed]
    further = first.further()
    results = run_parts(
        parts | further | ({"whole": whole(options.seed, folder)} if options.whole else {}),
        options.folder / "runs",
        options.means,
    )
    hardware = composed([*first.device.overrides(DEFAULT, "DLOOP"), "workload=synthetic"]).hardware
    return Study(
        seeds=[
            {setting: Grid(results[f"seed {seed}/{setting.name}"]) for setting in settings(ends=seed > options.seed)}
            for seed in seeds
        ],
        further={part: Grid(results[part]) for part in further},
        whole=Grid(results.get("whole", {})),
        schemes=[SpdGrid(results.get(f"seed {seed}/schemes", {})) for seed in seeds],
        loads=first.loads,
        device=first.device,
        pages=hardware.logical_pages,
        scale=options.scale,
        seed=options.seed,
    )


DOC = "The experiments of the PCFTL paper and SPD's Fig. 23: their figures, and their numbers beside ours."
SWITCHES = {"--whole": "also run TPC-C at --scale 1"}
main = Command(
    __package__,
    DOC,
    study,
    sections,
    scale=Fraction(1, 8),
    traces=False,
    seeds=3,
    switches=SWITCHES,
    results=RESULTS,
)

if __name__ == "__main__":
    sys.exit(main())
