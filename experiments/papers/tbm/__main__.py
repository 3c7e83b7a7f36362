"""Entry point of `python -m experiments.papers.tbm`."""

import argparse
import sys
from fractions import Fraction
from functools import partial

from ...study.command import Command, chosen, seeds
from ...study.study import Study
from .choices import choices
from .claims import AFTERWARDS, CLAIMS, held
from .parts import parts, whole
from .sections import sections
from .systems import device
from .workloads import NAMES, TABLE_1, Load, pages_by_name, real, real_files, synthetic


def loads(options: argparse.Namespace, seed: int) -> dict[str, Load]:
    """Return the workloads: those of Table 1, then whole traces of other names."""
    files, folder = real_files(options.traces), options.folder / "traces"
    names = [name for name in dict.fromkeys([*NAMES, *files]) if name in files or name in TABLE_1]
    return {
        name: real(name, files[name], options.scale, folder)
        if name in files
        else synthetic(name, device(options.scale), seed, folder)
        for name in chosen(options.workloads, names)
    }


def study(options: argparse.Namespace) -> Study:
    """Return the study: the paper's figures under each seed, all else under the first."""
    by_seed = {seed: loads(options, seed) for seed in seeds(options)}
    first = by_seed[options.seed]
    return Study(
        seeds={seed: parts(made, seed) for seed, made in by_seed.items()},
        held=held(pages_by_name(first)),
        sections=partial(sections, loads=first),
        choices=choices(options, first),
        further=whole(options) if options.full else {},
    )


SWITCHES = {"--full": "also run Fig. 7's prj-0 at the paper's size"}
DOC = "The experiments of the TBM paper: its Figs. 2, 6 and 7, and its numbers beside ours."
main = Command(__package__, DOC, study, CLAIMS, AFTERWARDS, scale=Fraction(1, 256), switches=SWITCHES)

if __name__ == "__main__":
    sys.exit(main())
