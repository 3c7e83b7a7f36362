"""What the paper leaves open (`choices.tsv`), and what else could be meant."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ...study.command import changed
from ...study.runs import grid
from ...study.study import Choice, Value, left_open
from .claims import FIGURE_13, lasting, successes, times_as_fast
from .parts import SMALLEST, parts, rounds, synthetic
from .systems import COMMON, QUEUE_DEPTH, SYSTEMS
from .workloads import POISSON

OPEN = left_open(__file__)
CHOICE_SCALE = Fraction(1, 2)  # of the scale, what other values of choices are run at

OTHER_DEPTHS = (32, 64)
OTHER_ARRIVALS = ("MSR 20-80", "Financial1", POISSON)
LONG_QUEUES, OF_SERVER = ("tDAP", "tExch"), "DevelopmentToolsRelease"
"""Workloads of Microsoft's servers that do not have that one's arrivals, as the text has longer queues."""
BOTH = ("MSR 20-80", 32)

# What else sU could be: types drawn (4.2 allows it), and without the reads of unbuffered wordlines.
IDEAS = {
    "types at random": ["+ftl.page_type_options.uniform.order=random"],
    "wordlines in DRAM": ["flash.wordline_buffer=true"],
}

WITHOUT_PAS = {f"{figure}.sqd_sub_pas_times": times_as_fast("sQD+sUB", op) for figure, op in FIGURE_13.items()}


def choices(options: argparse.Namespace, names: Sequence[str]) -> list[Choice]:
    """Return the choices that the paper leaves open, for the synthetic workloads of these names."""
    smaller = changed(options, scale=max(options.scale * CHOICE_SCALE, SMALLEST))
    others: dict[str, Mapping[str, Value]] = {
        "Arrivals": other_arrivals(smaller, names),
        "Requests in the device": {
            f"{depth}": other(smaller, names, f"host.queue_depth={depth}") for depth in OTHER_DEPTHS
        },
        "What sU does": {name: idea(smaller, names, overrides) for name, overrides in IDEAS.items()},
        "Which sub-request is next": {"first come, first served": other(smaller, names, "scheduler.policy=fcfs")},
        # these take no runs: what a number is of
        "Success rate": {"lowest of a workload": Value(held=successes(lowest=True))},
        "LSB pages used up": {f"{left} percent left": Value(held=lasting(left)) for left in (10, 25)},
        "The best scheme": {"without": Value(held=WITHOUT_PAS)},
    }
    return [OPEN[name].between(values, scale=CHOICE_SCALE, depth=QUEUE_DEPTH) for name, values in others.items()]


def other(options: argparse.Namespace, names: Iterable[str], *common: str, piece: str = "") -> Value:
    """Return the runs of some workloads with further overrides, or with the arrivals of another `piece`."""
    loads = {name: synthetic(name, options, piece) for name in names}
    return Value({**parts(loads, options.seed, *common), **rounds(loads, options.seed, *common)})


def other_arrivals(options: argparse.Namespace, names: Sequence[str]) -> Mapping[str, Value]:
    """Return the runs with other arrivals, by what they are like."""
    piece, depth = BOTH
    long_queues = [name for name in names if name in LONG_QUEUES]
    return {
        f"tDAP and tExch as {OF_SERVER}": other(options, long_queues, piece=OF_SERVER),
        **{f"as {like}": other(options, names, piece=like) for like in OTHER_ARRIVALS},
        f"as {piece}, {depth} requests": other(options, names, f"host.queue_depth={depth}", piece=piece),
    }


def idea(options: argparse.Namespace, names: Iterable[str], overrides: Sequence[str]) -> Value:
    """Return the runs of the baseline and of sU with `overrides`."""
    systems = {"baseline": SYSTEMS["baseline"], "sU": [*SYSTEMS["sU"], *overrides]}
    common = [*COMMON, f"seed={options.seed}"]
    return Value({name: grid(systems, {name: synthetic(name, options).overrides}, common) for name in names})
