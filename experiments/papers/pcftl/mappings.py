"""The SPD paper's schemes on page mapping, DFTL and FAST (its Fig. 23): RSR_0 without collection, as in its 6.1."""

import argparse
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from ...study.command import scaled
from ...study.measures import Grid, Summary, percent, ratio
from ...study.runs import Runs
from ...study.study import Choice, Held, Results, Value
from ...study.tables import Row
from ..spd.loads import Load, buffer_mib, synthetic_overrides
from ..spd.systems import BASE, COMMON, FREE, STATES, SYSTEMS
from ..spd.workloads import GB, TABLE_2
from .measures import above, requests, share

PART = "fig23"
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
trace writes. DFTL caches 64 KiB of its map."""

SMALLER = 2
"""Of the scale of the other runs, since the device is 64 times the size."""


def common(scale: Fraction, seed: int, folder: Path) -> list[str]:
    """Return the overrides of device and trace, the first part of it, as in `experiments.papers.spd`."""
    smaller = argparse.Namespace(scale=scale / SMALLER, seed=seed, folder=folder)
    blocks = scaled(BLOCKS, smaller.scale, FEWEST_BLOCKS)
    size = buffer_mib(TABLE_2[NAME].footprint_gb * GB, blocks)
    load = Load(synthetic_overrides(NAME, smaller, blocks), size, "synthetic")
    return [*COMMON, f"seed={seed}", *STATES[FREE], *load.buffered()]


def runs(given: list[str], mapping: str, schemes: Iterable[str] = SCHEMES, more: Iterable[str] = ()) -> Runs:
    """Return the runs with a mapping, named `scheme/mapping`."""
    return {f"{scheme}/{mapping}": [*given, *SYSTEMS[scheme], *MAPPINGS[mapping], *more] for scheme in schemes}


def parts(given: list[str]) -> dict[str, Runs]:
    """Return a part for each mapping."""
    return {f"{PART}, {mapping}": runs(given, mapping) for mapping in MAPPINGS}


def choices(given: list[str]) -> list[Choice]:
    """Return what decides the numbers of the two mappings, for the schemes that these are of."""
    return [
        Choice(
            "Log blocks of FAST",
            "The SPD paper names no number (6.5).",
            "1 a plane",
            {str(count): _value(given, FAST, [f"ftl.mapping.log_blocks={count}"]) for count in (2, 3)}
            | {"as many as there is room for": _value(given, FAST, ["ftl.mapping.log_blocks=null"])},
        ),
        Choice(
            "Cache of DFTL's map in Fig. 23",
            "The SPD paper names no size (6.5).",
            "64 KiB",
            {f"{kib} KiB": _value(given, DFTL, [f"ftl.mapping.cache_kib={kib}"]) for kib in (16, 256)},
        ),
    ]


def _value(given: list[str], mapping: str, more: list[str]) -> Value:
    return Value({f"{PART}, {mapping}": runs(given, mapping, (BASE, SPD), more)})


def write_ms(summary: Summary) -> float | None:
    """Return the mean response time of writes in milliseconds."""
    found: float | None = ratio(summary["requests"]["write"]["response_us"]["mean"], 1000)
    return found


def grid(results: Results) -> Grid:
    """Return the results of all mappings."""
    return Grid({name: each for mapping in MAPPINGS for name, each in results[f"{PART}, {mapping}"].items()})


def lower(one: tuple[str, str], other: tuple[str, str]) -> Held:
    """Return what measures by how many percent the write latency is lower with a scheme on a mapping than another."""

    def held(results: Results) -> float | None:
        values = [
            Grid(results[f"{PART}, {mapping}"]).value(write_ms, scheme, mapping) for scheme, mapping in (one, other)
        ]
        to = ratio(*values)
        return None if to is None else 100 * (1 - to)

    return held


def measures() -> dict[str, Held]:
    """Return what measures the claims of Fig. 23."""
    return {
        "fig23.spd_dftl_above_page_map": above(lower((SPD, DFTL), (SPD, PAGE))),
        "fig23.spd_below_baseline_d_with_fast": lower((SPD, FAST), (BASE, FAST)),
        "fig23.dftl_slower": share(lower((scheme, PAGE), (scheme, DFTL)) for scheme in SCHEMES),
        "fig23.fast_slower": share(lower((scheme, DFTL), (scheme, FAST)) for scheme in SCHEMES),
        "fig23.spd_fastest_with_fast": share(lower((SPD, FAST), (other, FAST)) for other in SCHEMES if other != SPD),
    }


def costs(grid: Grid, scheme: str, mapping: str) -> Row:
    """Return the memory that a mapping needs, and what it reads, writes and merges."""
    summary = grid.summary(scheme, mapping)
    of, count = summary["mapping"], requests(summary)
    return {
        "": f"{scheme}, {mapping}",
        "map, KiB of memory": of["memory_bytes"] / 1024,
        "hit %": percent(of["hit_ratio"]),
        "map reads a request": ratio(of["reads"], count),
        "map writes a request": ratio(of["writes"], count),
        "merges": sum((of.get("merges") or {}).values()),
        "of these full": (of.get("merges") or {}).get("full", 0),
        "write ms": grid.value(write_ms, scheme, mapping),
    }
