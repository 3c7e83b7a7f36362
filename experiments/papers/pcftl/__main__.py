"""Entry point of `python -m experiments.papers.pcftl`."""

import argparse
import sys
from fractions import Fraction

from ...study.command import Command, chosen
from ...study.study import Study
from . import mappings
from .held import measures
from .paper import AFTERWARDS, CLAIMS
from .parts import Plan, real, whole
from .sections import sections
from .systems import Device, Setting
from .workloads import TABLE_2, loads


def study(options: argparse.Namespace) -> Study:
    """Return everything that is run: the figures under each seed, all else under the first."""
    folder, seeds = options.folder / "traces", range(options.seed, options.seed + options.seeds)
    names = chosen(options.workloads, [*TABLE_2, mappings.NAME])
    ours = [name for name in names if name in TABLE_2]
    plans = {
        seed: Plan(device, loads(device, ours, folder), folder) for seed, device in devices(options, seeds).items()
    }
    given = {seed: mappings.common(options.scale, seed, options.folder) for seed in seeds if mappings.NAME in names}
    first = plans[options.seed]
    return Study(
        seeds={
            seed: (plan.figures() if ours else {}) | (mappings.parts(given[seed]) if seed in given else {})
            for seed, plan in plans.items()
        },
        held=measures(first.device.pages(Setting())),
        sections=sections,
        choices=(first.choices() if ours else []) + (mappings.choices(given[options.seed]) if given else []),
        further=({} if options.workloads else real(first.device, folder))
        | (whole(options.seed, folder) if options.whole else {}),
    )


def devices(options: argparse.Namespace, seeds: range) -> dict[int, Device]:
    """Return the device of each seed."""
    return {seed: Device(options.scale, seed) for seed in seeds}


DOC = "The experiments of the PCFTL paper and SPD's Fig. 23: their figures, and their numbers beside ours."
main = Command(
    __package__,
    DOC,
    study,
    CLAIMS,
    AFTERWARDS,
    scale=Fraction(1, 8),
    traces=False,
    switches={"--whole": "also run TPC-C at --scale 1"},
)

if __name__ == "__main__":
    sys.exit(main())
