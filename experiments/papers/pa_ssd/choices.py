"""What the paper leaves open, and what else could be meant."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ...study.command import changed
from ...study.runs import grid
from ...study.study import Choice, Value
from .claims import FIGURE_13, lasting, successes, times_as_fast
from .parts import SMALLEST, parts, rounds, synthetic
from .systems import COMMON, QUEUE_DEPTH, SYSTEMS
from .workloads import POISSON

CHOICE_SCALE = Fraction(1, 2)
"""Of the scale, what other values of choices are run at."""
SMALLER = f" Others are run at {CHOICE_SCALE} of the scale."

OTHER_DEPTHS = (32, 64)
OTHER_ARRIVALS = ("MSR 20-80", "Financial1", POISSON)
LONG_QUEUES, OF_SERVER = ("tDAP", "tExch"), "DevelopmentToolsRelease"
"""Workloads of Microsoft's servers that do not have that one's arrivals, as the text has longer queues."""
BOTH = ("MSR 20-80", 32)

IDEAS = {
    "types at random": ["+ftl.page_type_options.uniform.order=random"],
    "wordlines in DRAM": ["flash.wordline_buffer=true"],
}
"""What else sU could be: types drawn (4.2 allows it), and without the reads of unbuffered wordlines."""


def choices(options: argparse.Namespace, names: Sequence[str]) -> list[Choice]:
    """Return the choices that the paper leaves open, for the synthetic workloads of these names."""
    smaller = changed(options, scale=max(options.scale * CHOICE_SCALE, SMALLEST))
    return [
        Choice(
            "Arrivals",
            "Table 2 has no times. Ours are fitted to the piece of the same trace, or of a server like it; for tDAP and"
            " tExch, whose queues are longer by 6.1 and 6.2, to MSR 20-80. Others are those of one piece for all "
            "workloads, at their own mean rates, or for these two as for the other servers." + SMALLER,
            "fitted",
            other_arrivals(smaller, names),
        ),
        Choice(
            "Requests in the device",
            "Section 5 does not say how many requests the device takes at once; more than the 10 of sQD." + SMALLER,
            str(QUEUE_DEPTH),
            {f"{depth}": other(smaller, names, f"host.queue_depth={depth}") for depth in OTHER_DEPTHS},
        ),
        Choice(
            "What sU does",
            "Section 4.2: types of requests in turn or at random. Wordlines in DRAM are against 4.3.1, and show what "
            "the reads before slow programs cost." + SMALLER,
            "types in turn",
            {name: idea(smaller, names, overrides) for name, overrides in IDEAS.items()},
        ),
        Choice(
            "Which sub-request is next",
            "Section 2.5 has two basic policies and 4.4.2 puts PAS on top of either; none says which one was run. "
            "SSDSim, in which it was, has reads first." + SMALLER,
            "reads first",
            {"first come, first served": other(smaller, names, "scheduler.policy=fcfs")},
        ),
        *MEASURES,
    ]


def other(options: argparse.Namespace, names: Iterable[str], *common: str, piece: str = "") -> Value:
    """Return the runs of some workloads with further overrides, or with the arrivals of another `piece`."""
    found = {name: synthetic(name, options, piece) for name in names}
    return Value({**parts(found, options.seed, *common), **rounds(found, options.seed, *common)})


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


WITHOUT_PAS = {f"{figure}.sqd_sub_pas_times": times_as_fast("sQD+sUB", op) for figure, op in FIGURE_13.items()}

MEASURES = (
    Choice(
        "Success rate",
        "Fig. 15 and 4.3.2 say over 98 percent of sub-requests, and not of which workload.",
        "of all workloads together",
        {"lowest of a workload": Value(held=successes(lowest=True))},
    ),
    Choice(
        "LSB pages used up",
        "Section 6.3 says that LSB pages are used up, and some planes are written less than others.",
        "3 percent left",
        {f"{left} percent left": Value(held=lasting(left)) for left in (10, 25)},
    ),
    Choice(
        "The best scheme",
        "Its 2.6 and 1.5 times are those of sQD+sUB, with PAS by section 8, and without a word of it by section 1.",
        "with PAS",
        {"without": Value(held=WITHOUT_PAS)},
    ),
)
"""Choices that take no runs: what a number is of."""
