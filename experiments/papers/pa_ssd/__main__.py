"""Entry point of `python -m experiments.papers.pa_ssd`."""

import argparse
import functools
import sys

from ...study.command import Command, seeds
from ...study.study import Study
from .choices import choices
from .claims import AFTERWARDS, CLAIMS, HELD
from .parts import FULL, FULL_SIZE, full_size, loads, of_seed, parts, pieces
from .sections import sections


def study(options: argparse.Namespace) -> Study:
    """Return the study: all runs under the first seed, the paper's workloads under each."""
    made, real = loads(options), pieces(options)
    full = {FULL_SIZE: full_size(options)} if FULL in made and options.scale < 1 else {}
    return Study(
        seeds={seed: of_seed(options, seed) for seed in seeds(options)},
        held=HELD,
        sections=functools.partial(sections, {**made, **real}),
        choices=choices(options, [name for name, load in made.items() if load.kind == "synthetic"]),
        further={**parts(real, options.seed), **full},
    )


DOC = "The experiments of the PA-SSD paper: its figures and tables, and its numbers beside ours."
main = Command(__package__, DOC, study, CLAIMS, AFTERWARDS)

if __name__ == "__main__":
    sys.exit(main())
