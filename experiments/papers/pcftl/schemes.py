"""The SPD paper's schemes on page mapping, DFTL and FAST (its Fig. 23): RSR_0 without collection, as in its 6.1."""

import argparse

from ...study.claims import Comparison
from ...study.command import scaled
from ...study.measures import percent, ratio
from ...study.tables import Row
from ..spd.loads import Load, buffer_mib, synthetic_overrides
from ..spd.measures import WRITE, Grid
from ..spd.systems import BASE, COMMON, FREE, STATES, SYSTEMS
from ..spd.workloads import GB, TABLE_2
from . import paper

NAME = "RSR_0"
BLOCKS, FEWEST_BLOCKS = 2048, 32
SPD = "SPD"
SCHEMES = [BASE, "Baseline-P", "TwinBlk", "SuperPage", "ParaGC", SPD]
PAGE, DFTL, FAST = "page map", "DFTL", "FAST"
MAPPINGS = {
    PAGE: [],
    DFTL: ["ftl.mapping.scheme=dftl"],
    FAST: ["ftl.mapping.scheme=fast", "ftl.mapping.log_blocks=1"],
}
"""FAST has one log block a plane, the fewest, so that it merges: 3 percent of the blocks, as DFTL's authors give it,
would take all of the 14.6 GB that the trace writes."""

LOG_BLOCKS = {f"{FAST}, {count or 'all'} log blocks": count for count in (2, 3, None)}
"""Of Baseline-D and SPD, to see what that decides; None is as many as there is room for."""

CACHES = {f"{DFTL}, {kib} KiB": kib for kib in (4, 16, 256, 1024)}
"""DFTL's cache of the same two; the comparison takes 64."""

SMALLER = 2
"""Of the scale of the other runs, since the device is 64 times the size."""


def runs(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the runs, named `scheme/mapping`: the first part of the trace, as in `experiments.papers.spd`."""
    smaller = argparse.Namespace(scale=options.scale / SMALLER, seed=options.seed, folder=options.folder)
    blocks = scaled(BLOCKS, smaller.scale, FEWEST_BLOCKS)
    size = buffer_mib(TABLE_2[NAME].footprint_gb * GB, blocks)
    load = Load(synthetic_overrides(NAME, smaller, blocks), size, "synthetic")
    common = [*COMMON, f"seed={options.seed}", *STATES[FREE], *load.buffered()]
    larger = {
        name: [*MAPPINGS[FAST], f"ftl.mapping.log_blocks={'null' if count is None else count}"]
        for name, count in LOG_BLOCKS.items()
    } | {name: [*MAPPINGS[DFTL], f"ftl.mapping.cache_kib={kib}"] for name, kib in CACHES.items()}
    return {
        f"{scheme}/{mapping}": [*common, *SYSTEMS[scheme], *chosen]
        for scheme in SCHEMES
        for mapping, chosen in (MAPPINGS | (larger if scheme in (BASE, SPD) else {})).items()
    }


def saved(grid: Grid, mapping: str) -> float | None:
    """Return by how many percent SPD's write latency is below Baseline-D's with a mapping."""
    to = ratio(grid.value(WRITE, SPD, mapping), grid.value(WRITE, BASE, mapping))
    return None if to is None else 100 * (1 - to)


def above(grid: Grid, mapping: str) -> float | None:
    """Return by how many percent SPD's write latency with a mapping is above that with the page map."""
    to = ratio(grid.value(WRITE, SPD, mapping), grid.value(WRITE, SPD, PAGE))
    return None if to is None else 100 * (to - 1)


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
    }


def comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 23 against what the text says of it."""

    def latency(scheme: str, mapping: str) -> float:
        return grid.value(WRITE, scheme, mapping) or 0.0

    page, dftl, fast = (latency(SPD, mapping) for mapping in (PAGE, DFTL, FAST))
    in_order = [s for s in grid.workloads if latency(s, PAGE) < latency(s, DFTL) < latency(s, FAST)]
    beaten = [s for s in grid.workloads if s != SPD and fast < latency(s, FAST)]
    return [
        Comparison("SPD, write latency, DFTL above page map", 100 * (dftl / page - 1), paper.DFTL_ON_SPD),
        Comparison("FAST, write latency, SPD below Baseline-D", saved(grid, FAST), paper.FAST_ON_SPD),
        Comparison("schemes slower with DFTL than with page map, and slowest with FAST", len(in_order), 6, "", 0),
        Comparison("schemes that SPD is faster than with FAST", len(beaten), 5, "", 0),
    ]
