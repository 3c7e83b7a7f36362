"""Entry point of `python -m experiments.papers.pa_ssd`."""

import argparse
import functools
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import attrs

from ssdsim.command.compose import composed
from ssdsim.config import HardwareConfig

from ...study.command import Command, chosen, scaled
from ...study.runs import Runs, grid
from ...study.study import Choice, Parts, Study, Value
from ...study.traces import footprint, real_pieces, replayed, typical_part, whole_traces
from . import orders
from .held import BLIND, ORDERS, ROUNDS, course, holding, lowest, succeeding
from .paper import AFTERWARDS, CLAIMS, MOST_PAGES
from .sections import FULL, Load, sections
from .systems import COMMON, QUEUE_DEPTH, SYSTEMS
from .workloads import PAGE_KIB, POISSON, REAL_PIECES, TABLE_2, recognised, synthetic_trace

PLANES, BLOCKS = 16, 384
"""Planes a chip and blocks a plane of the paper's device (Table 1)."""
FEWEST_PLANES, FEWEST_BLOCKS = 2, 32

ROUND_COUNT = 3
ROUND_SYSTEMS = ("baseline", "sLF", "sQD+sU", "sQD+sUB")
FULL_SYSTEMS = ("baseline", "sU", "sLF")
BLIND_REQUESTS = 20_000
DEEP = ("tDTR", "tMSFS", "tBS")
"""Workloads that ever have more than 32 requests under way: for others the depth of the queue makes no difference."""

OTHER_DEPTHS = (32, 64)
OTHER_ARRIVALS = ("MSR 20-80", "Financial1", POISSON)
LONG_QUEUES, OF_SERVER = ("tDAP", "tExch"), "DevelopmentToolsRelease"
"""Workloads of Microsoft's servers that do not have that one's arrivals, as the text has longer queues."""
BOTH = ("MSR 20-80", 32)
CHOICE_SCALE = Fraction(1, 2)
"""Of the scale, what other values of choices are run at."""

IDEAS = {
    "types at random": ["+ftl.page_type_options.uniform.order=random"],
    "wordlines in DRAM": ["flash.wordline_buffer=true"],
}
"""What else sU could be: types drawn (4.2 allows it), and without the reads of unbuffered wordlines."""


def geometry(scale: Fraction) -> tuple[int, int]:
    """Return the planes a chip and blocks a plane that a share of the device has: fewer planes before fewer blocks."""
    planes = max(round(PLANES * scale), FEWEST_PLANES)
    return planes, scaled(PLANES * BLOCKS // planes, scale, FEWEST_BLOCKS)


def device(planes: int, blocks: int) -> list[str]:
    """Return the overrides of the paper's device with so many planes a chip and blocks a plane.

    Collection needs two free blocks to work with, and three active blocks beside the data: of few blocks that is more
    than the paper's over-provisioning.
    """
    hard = max(0.05, 2.001 / blocks)
    spare = max(0.15, 4 / blocks + hard)
    return [
        "hardware=pa_ssd",
        f"hardware.planes_per_die={planes}",
        f"hardware.blocks_per_plane={blocks}",
        f"hardware.over_provisioning={spare:.6f}",
        f"ftl.gc.hard_threshold={hard:.6f}",
    ]


@functools.cache
def hardware(scale: Fraction) -> HardwareConfig:
    """Return the geometry of the device at a scale."""
    return composed(device(*geometry(scale))).hardware


def reserved_lsb(scale: Fraction) -> int:
    """Return how many LSB pages cannot be used: those of the free block a plane that is kept for collection."""
    of = hardware(scale)
    return of.planes * of.pages_per_block // of.page_types


def roomy(scale: Fraction, footprint_bytes: int) -> list[str]:
    """Return the overrides of the device at a scale, with more blocks a plane if `footprint_bytes` do not fit."""
    planes, blocks = geometry(scale)
    while composed(device(planes, blocks)).hardware.capacity_bytes < footprint_bytes:
        blocks += -(-blocks // 8)
    return device(planes, blocks)


def loads(options: argparse.Namespace) -> Mapping[str, Load]:
    """Return the workloads: the eight of Table 2, then whole traces of other names."""
    whole = whole_traces(options.traces, recognised)
    names = chosen(options.workloads, list(dict.fromkeys([*TABLE_2, *whole])))
    return {name: _real(whole[name], options) if name in whole else synthetic(name, options) for name in names}


def _real(path: Path, options: argparse.Namespace) -> Load:
    trace = replayed(path)
    trace += typical_part(trace, options.scale)
    return Load([*roomy(options.scale, footprint(trace, PAGE_KIB * 1024)), *trace], "real")


def synthetic(name: str, options: argparse.Namespace, piece: str = "") -> Load:
    """Return a workload of Table 2, with the arrivals of another `piece` if there is one."""
    row = attrs.evolve(TABLE_2[name], piece=piece or TABLE_2[name].piece)
    scale, file = options.scale, f"{name} {piece}" if piece else name
    trace = synthetic_trace(file, row, scale, hardware(scale), options.seed, options.folder / "traces")
    return Load([*device(*geometry(scale)), *trace], "synthetic")


def pieces(options: argparse.Namespace) -> dict[str, Load]:
    """Return the pieces of real traces."""
    found = real_pieces(REAL_PIECES) if options.workloads is None else {}
    return {
        name: Load([*roomy(options.scale, footprint(trace, PAGE_KIB * 1024)), *trace], "piece")
        for name, trace in found.items()
    }


def parts(found: Mapping[str, Load], seed: int, *common: str) -> dict[str, Runs]:
    """Return the runs of all systems, a part a workload."""
    return {
        name: grid(SYSTEMS, {name: load.overrides}, [*COMMON, f"seed={seed}", *common]) for name, load in found.items()
    }


def rounds(found: Mapping[str, Load], seed: int, *common: str) -> dict[str, Runs]:
    """Return the runs of tMSFS several times over."""
    if "tMSFS" not in found:
        return {}
    systems = {name: SYSTEMS[name] for name in ROUND_SYSTEMS}
    repeated = [*found["tMSFS"].overrides, f"workload.repeat={ROUND_COUNT}"]
    return {ROUNDS: grid(systems, {"tMSFS": repeated}, [*COMMON, f"seed={seed}", *common])}


def blind_writes(seed: int) -> Runs:
    """Return the runs of Fig. 6: aligned writes of so many pages at random places of the conventional SSD."""
    common = [*COMMON, f"seed={seed}", "hardware=pa_ssd_small", "workload=synthetic", "workload.align_kib=8"]
    common += [f"workload.requests={BLIND_REQUESTS}", "workload.read_share=0", "workload.footprint=0.05"]
    sizes = {f"{pages} pages": [f"workload.size_kib={8 * pages}"] for pages in range(1, MOST_PAGES + 1)}
    return grid({"baseline": SYSTEMS["baseline"]}, sizes, common)


def full_size(options: argparse.Namespace) -> dict[str, Runs]:
    """Return the runs of a workload at the paper's size."""
    full = argparse.Namespace(**vars(options) | {"scale": Fraction(1)})
    systems = {name: SYSTEMS[name] for name in FULL_SYSTEMS}
    common = [*COMMON, f"seed={options.seed}"]
    return {"full size": grid(systems, {FULL: synthetic(FULL, full).overrides}, common)}


def of_seed(options: argparse.Namespace, seed: int) -> Parts:
    """Return the runs under a seed."""
    found = loads(argparse.Namespace(**vars(options) | {"seed": seed}))
    return {
        **parts(found, seed),
        **rounds(found, seed),
        BLIND: blind_writes(seed),
        ORDERS: orders.runs(options.folder / "traces"),
    }


def other(options: argparse.Namespace, names: Iterable[str], piece: str = "", depth: int = QUEUE_DEPTH) -> Value:
    """Return the runs of some workloads with other arrivals or another depth of the queue."""
    fewer = argparse.Namespace(**vars(options) | {"scale": options.scale * CHOICE_SCALE})
    found = {name: synthetic(name, fewer, piece) for name in names}
    common = f"host.queue_depth={depth}"
    held = course(reserved_lsb(fewer.scale)).items()
    measured = {name: of for name, of in held if ("tFin" if name.startswith("fig16a") else "tMSFS") in found}
    return Value({**parts(found, options.seed, common), **rounds(found, options.seed, common)}, measured)


def choices(options: argparse.Namespace, names: Iterable[str]) -> list[Choice]:
    """Return the choices that the paper leaves open, for the synthetic workloads of these names."""
    names = list(names)
    deep = [name for name in names if name in DEEP]
    piece, depth = BOTH
    smaller = f" Others are run at {CHOICE_SCALE} of the scale."
    return [
        Choice(
            "Requests in the device",
            "Section 5 does not say how many requests the device takes at once; more than the 10 of sQD." + smaller,
            str(QUEUE_DEPTH),
            {str(each): other(options, deep, depth=each) for each in OTHER_DEPTHS},
        ),
        Choice(
            "Arrivals",
            "Table 2 has no times. Ours are fitted to the piece of the same trace, or of a server like it; for tDAP and"
            " tExch, whose queues are longer by 6.1 and 6.2, to MSR 20-80. Others are those of one piece for all "
            "workloads, at their own mean rates, or for these two as for the other servers." + smaller,
            "fitted",
            {
                f"tDAP and tExch as {OF_SERVER}": other(options, [*filter(LONG_QUEUES.__contains__, names)], OF_SERVER),
                **{f"as {each}": other(options, names, each) for each in OTHER_ARRIVALS},
                f"as {piece}, {depth} requests": other(options, names, piece, depth),
            },
        ),
        Choice(
            "What sU does",
            "Section 4.2: types of requests in turn or at random. Wordlines in DRAM are against 4.3.1, and show what "
            "the reads before slow programs cost." + smaller,
            "types in turn",
            {name: idea(options, names, overrides) for name, overrides in IDEAS.items()},
        ),
        *measures_left_open(reserved_lsb(options.scale)),
    ]


def idea(options: argparse.Namespace, names: Iterable[str], overrides: Sequence[str]) -> Value:
    """Return the runs of the baseline and of sU with `overrides`."""
    fewer = argparse.Namespace(**vars(options) | {"scale": options.scale * CHOICE_SCALE})
    systems = {"baseline": SYSTEMS["baseline"], "sU": [*SYSTEMS["sU"], *overrides]}
    found = {name: synthetic(name, fewer).overrides for name in names}
    return Value({name: grid(systems, {name: of}, [*COMMON, f"seed={options.seed}"]) for name, of in found.items()})


def measures_left_open(reserved: int) -> list[Choice]:
    """Return the choices that take no runs: what a number is of."""
    return [
        Choice(
            "Success rate",
            "Fig. 15 and 4.3.2 say over 98 percent of sub-requests, and not of which workload.",
            "of all workloads together",
            {"lowest of a workload": Value(held=succeeding(lowest))},
        ),
        Choice(
            "LSB pages used up",
            "Section 6.3 says that LSB pages are used up, and some planes are written less than others.",
            "3 percent left",
            {f"{left} percent left": Value(held=course(reserved, left)) for left in (10, 25)},
        ),
    ]


def study(options: argparse.Namespace) -> Study:
    """Return the study: all runs under the first seed, the paper's workloads under each."""
    found, real = loads(options), pieces(options)
    full = full_size(options) if FULL in found and options.scale < 1 else {}
    return Study(
        seeds={seed: of_seed(options, seed) for seed in range(options.seed, options.seed + options.seeds)},
        held=holding(reserved_lsb(options.scale)),
        sections=functools.partial(sections, {**found, **real}),
        choices=choices(options, [name for name, load in found.items() if load.kind == "synthetic"]),
        further={**parts(real, options.seed), **full},
    )


DOC = "The experiments of the PA-SSD paper: its figures and tables, and its numbers beside ours."
main = Command(__package__, DOC, study, CLAIMS, AFTERWARDS)

if __name__ == "__main__":
    sys.exit(main())
