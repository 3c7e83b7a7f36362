"""The SPD paper's schemes on page mapping, DFTL and FAST (its Fig. 23): RSR_0 without collection, as in its 6.1."""

import argparse
from fractions import Fraction
from pathlib import Path

from ...study.former.claims import Comparison
from ...study.former.command import scaled
from ...study.measures import percent, ratio
from ...study.tables import Row
from ..spd.loads import Load, buffer_mib, synthetic_overrides
from ..spd.measures import WRITE, Grid
from ..spd.systems import BASE, COMMON, FREE, STATES, SYSTEMS
from ..spd.workloads import GB, TABLE_2
from . import paper
from .measures import always

NAME = "RSR_0"
BLOCKS, FEWEST_BLOCKS = 2048, 32
SPD = "SPD"
SCHEMES = [BASE, "Baseline-P", "TwinBlk", "SuperPage", "ParaGC", SPD]
PAGE, DFTL, FAST = "page map", "DFTL", "FAST"
MAPPINGS = {
    PAGE: [],
    DFTL: ["ftl.mapping.scheme=dftl"],
    FAST: ["ftl.mapping.scheme=fast", "ftl.mapping.log_blocks=1", "precondition.whole_blocks=true"],
}
"""FAST fills whole data blocks, the others start in the middle of an active block. It has one log block a plane, the
fewest, so that it merges: 3 percent of the blocks, as DFTL's authors give it, would take all of the 14.6 GB that the
trace writes."""

LOG_BLOCKS = {f"{FAST}, {count or 'all'} log blocks": count for count in (2, 3, None)}
"""Of Baseline-D and SPD, to see what that decides; None is as many as there is room for."""

CACHES = {f"{DFTL}, {kib} KiB": kib for kib in (4, 16, 256, 1024)}
"""DFTL's cache of the same two; the comparison takes 64."""

SMALLER = 2
"""Of the scale of the other runs, since the device is 64 times the size."""


def runs(scale: Fraction, seed: int, folder: Path, sweeps: bool = True) -> dict[str, list[str]]:
    """Return the runs, named `scheme/mapping`: the first part of the trace, as in `experiments.papers.spd`."""
    smaller = argparse.Namespace(scale=scale / SMALLER, seed=seed, folder=folder)
    blocks = scaled(BLOCKS, smaller.scale, FEWEST_BLOCKS)
    size = buffer_mib(TABLE_2[NAME].footprint_gb * GB, blocks)
    load = Load(synthetic_overrides(NAME, smaller, blocks), size, "synthetic")
    common = [*COMMON, f"seed={seed}", *STATES[FREE], *load.buffered()]
    larger = {
        name: [*MAPPINGS[FAST], f"ftl.mapping.log_blocks={'null' if count is None else count}"]
        for name, count in LOG_BLOCKS.items()
    } | {name: [*MAPPINGS[DFTL], f"ftl.mapping.cache_kib={kib}"] for name, kib in CACHES.items()}
    return {
        f"{scheme}/{mapping}": [*common, *SYSTEMS[scheme], *chosen]
        for scheme in SCHEMES
        for mapping, chosen in (MAPPINGS | (larger if sweeps and scheme in (BASE, SPD) else {})).items()
    }


def saved(grid: Grid, mapping: str) -> float | None:
    """Return by how many percent SPD's write latency is below Baseline-D's with a mapping."""
    to = ratio(grid.value(WRITE, SPD, mapping), grid.value(WRITE, BASE, mapping))
    return None if to is None else 100 * (1 - to)


def above(grid: Grid, mapping: str) -> float | None:
    """Return by how many percent SPD's write latency with a mapping is above that with the page map."""
    to = ratio(grid.value(WRITE, SPD, mapping), grid.value(WRITE, SPD, PAGE))
    return None if to is None else 100 * (to - 1)


def hits(grid: Grid, mapping: str) -> float | None:
    """Return the percent of look-ups that DFTL's cache serves under SPD."""
    return grid.value(lambda summary: percent(summary["mapping"]["hit_ratio"]), SPD, mapping)


def costs(grid: Grid, scheme: str, mapping: str) -> Row:
    """Return the memory that a mapping needs, and what it reads, writes and merges."""
    summary = grid.summary(scheme, mapping)
    of, requests = summary["mapping"], sum(summary["requests"][op]["count"] for op in ("read", "write"))
    return {
        "": f"{scheme}, {mapping}",
        "map, KiB of memory": of["memory_bytes"] / 1024,
        "hit %": percent(of["hit_ratio"]),
        "map reads a request": ratio(of["reads"], requests),
        "map writes a request": ratio(of["writes"], requests),
        "merges": sum((of.get("merges") or {}).values()),
        "of these full": (of.get("merges") or {}).get("full", 0),
        "write ms": grid.value(WRITE, scheme, mapping),
    }


def comparisons(grid: Grid, dftl: str = DFTL, fast: str = FAST) -> list[Comparison]:
    """Hold Fig. 23 against what the text says of it, with a cache of DFTL and a number of log blocks."""

    def slower(scheme: str, mapping: str, than: str) -> bool | None:
        one, other = (grid.value(WRITE, scheme, each) for each in (mapping, than))
        return None if one is None or other is None else one > other

    others = [scheme for scheme in grid.workloads if scheme != SPD]
    of_spd = [grid.value(WRITE, scheme, fast) for scheme in (SPD, *others)]
    return [
        Comparison("SPD, write latency, DFTL above page map", above(grid, dftl), paper.DFTL_ON_SPD),
        Comparison("FAST, write latency, SPD below Baseline-D", saved(grid, fast), paper.FAST_ON_SPD),
        always("slower with DFTL than with the page map, by scheme", [slower(s, dftl, PAGE) for s in grid.workloads]),
        always("slower with FAST than with DFTL, by scheme", [slower(s, fast, dftl) for s in grid.workloads]),
        always(
            "SPD faster than the others with FAST, by scheme",
            [None if None in (of_spd[0], of) else of_spd[0] < of for of in of_spd[1:]],  # type: ignore[operator]
        ),
    ]
