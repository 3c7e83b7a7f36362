"""The comparison on other terms: one thing changed at a time, of one system or of all, and what the claims come to."""

import itertools
from collections.abc import Mapping

from ssdsim.metrics.result import Result

from ...study.former.claims import Comparison
from ...study.measures import Grid, negative
from ...study.tables import Row
from . import measures, schemes
from .measures import Grids, below, collections, response_ms, sdwpp
from .runs import (
    AT_EVICTION,
    BUSY,
    BY_PLANE,
    CACHES,
    CHANNELS,
    CMT_SIZES,
    DEFAULT,
    EAGER,
    EQUAL,
    EXTRA,
    IDLE_TOO,
    LONG,
    NOT_IDLE,
    OURS_CACHED,
    PLACED,
    POOLS,
    RIVAL_CACHED,
    RIVAL_THROUGH,
    SEARCHED,
    SEARCHES,
    THROUGH_CONTROLLER,
    UNCACHED,
    UNHELD,
    WHOLE_MAP,
    cached,
)
from .study import Study
from .systems import BASE, OURS, RIVAL, SYSTEMS

AS_ABOVE = "as above"
COPY_BACK = "copy-back"
REUSED = "updates that come back as soon as in the piece of Fin1"

TERMS: Mapping[str, Mapping[str, str]] = {
    AS_ABOVE: {},
    "DFTL's map for all, idle collection for all": {RIVAL: RIVAL_CACHED, OURS: OURS_CACHED},
    "the same, DLOOP with channels before planes": {RIVAL: EQUAL, OURS: OURS_CACHED},
    "whole map in memory for all": {BASE: WHOLE_MAP},
    "whole map, idle collection for all": {BASE: WHOLE_MAP, RIVAL: IDLE_TOO},
    "idle collection for all": {RIVAL: IDLE_TOO},
    "idle collection for none": {BASE: NOT_IDLE, OURS: BUSY},
    "idle collection for PCFTL only": {BASE: NOT_IDLE},
    **{f"{kib} KiB of cache for DFTL's map": {BASE: cached(kib)} for kib in CMT_SIZES},
    "DFTL holding no requests": {BASE: UNHELD},
    "DFTL collected by plane, CWDP": {BASE: BY_PLANE},
    "DLOOP with channels before planes": {RIVAL: CHANNELS},
    f"no {COPY_BACK}": {RIVAL: RIVAL_THROUGH, OURS: THROUGH_CONTROLLER},
    f"PCFTL without {COPY_BACK}": {OURS: THROUGH_CONTROLLER},
    "PCFTL without a cache": {OURS: UNCACHED},
    "PCFTL with DLOOP's places": {OURS: PLACED},
    "PCFTL with slots free at eviction": {OURS: AT_EVICTION},
    "PCFTL collecting all it can in idle time": {OURS: EAGER},
}
"""By what is changed, the variants that take the place of systems."""

DEVICES = {
    "planes that work by themselves": "independent",
    "a device that holds only what is read": "empty",
    "planes in use alike": "even",
    REUSED: f"reused, {DEFAULT.name}",
}
"""By what is changed, the part of `Plan.further` that has all systems so."""

LARGER_CACHES = {REUSED: ("reused, ", CACHES)} | {
    f"a search of {ns} ns a page": (f"search {ns} ns, ", SEARCHED) for ns in SEARCHES
}
"""By what is changed, the parts with other sizes of the write cache: what they begin with, and the settings."""


def grids(study: Study) -> dict[str, Grid]:
    """Return the results at default values by what is changed."""
    known = study.default.results | study.variants.results
    workloads = [name for name in study.default.workloads if name != LONG] or study.default.workloads
    found = {
        name: _known({f"{each}/{system}": f"{each}/{changed.get(system, system)}" for each, system in pairs}, known)
        for pairs in [[*itertools.product(workloads, SYSTEMS)]]
        for name, changed in TERMS.items()
    }
    for name, part in DEVICES.items():
        given = study.further.get(part, measures.NOT_RUN)  # pieces are what they are
        runs = [f"{each}/{system}" for each in workloads if each in given.workloads for system in SYSTEMS]
        found[name] = _known(dict(zip(runs, runs, strict=True)), given.results)
    return {name: grid for name, grid in found.items() if measures.of_paper(grid)}


def _known(runs: Mapping[str, str], results: Mapping[str, Result]) -> Grid:
    """Return the runs by what they are to be called, or none if one is missing."""
    whole = set(runs.values()) <= results.keys()
    return Grid({name: results[run] for name, run in runs.items()}) if whole else measures.NOT_RUN


def row(name: str, grid: Grid) -> Row:
    """Return what the systems come to, in percent, means of the paper's workloads."""
    pairs = ((OURS, BASE), (RIVAL, BASE), (OURS, RIVAL))
    return {
        "": name,
        **{f"response, {one} below {other}": below(grid, response_ms, one, other) for one, other in pairs},
        **{f"SDWPP, {OURS} below {other}": below(grid, sdwpp, OURS, other) for other in (BASE, RIVAL)},
        **{f"collections, {one} above {BASE}": negative(below(grid, collections, one, BASE)) for one in (OURS, RIVAL)},
    }


def cache_grids(study: Study) -> dict[str, Grids]:
    """Return the results by the size of the write cache, by what is changed."""
    found = {AS_ABOVE: {setting: study.grids[setting] for setting in CACHES if setting in study.grids}}
    for name, (start, settings) in LARGER_CACHES.items():
        parts = {setting: study.further.get(f"{start}{setting.name}") for setting in settings}
        found[name] = {setting: grid for setting, grid in parts.items() if grid is not None}
    return found


def pool_grids(study: Study) -> dict[str, Grids]:
    """Return the results with the fewest and the most extra blocks, by what the paper may mean."""
    told = ("all extra blocks kept free", "extra blocks free at first, the threshold of 3 percent")
    parts = [study.further.get(f"{setting.name} of 30 %") for setting in POOLS]
    return {
        name: {EXTRA[0]: study.default, EXTRA[-1]: grid, DEFAULT: study.default}
        for name, grid in zip(told, parts, strict=True)
        if grid is not None
    }


def claims(study: Study) -> tuple[dict[str, Comparison], dict[str, dict[str, Comparison]]]:
    """Return the claims under the first seed as they are where only one thing is changed, and with each change.

    Where only default values were run otherwise, and not under all workloads, they are of these as above, too.
    """
    pages = study.pages

    def known(given: Grids) -> dict[str, Comparison]:
        return {each.what: each for each in measures.claims(given, pages) if each.ours is not None}

    under = {name: known({DEFAULT: grid}) for name, grid in grids(study).items() if name != AS_ABOVE}
    for found, of in ((cache_grids(study), "MiB"), (pool_grids(study), "30 percent")):
        for name, given in found.items():
            if name != AS_ABOVE:
                shown = {what: each for what, each in known(given).items() if of in what}
                under[name] = under.get(name, {}) | shown
    for name, held in under.items():
        if COPY_BACK in name:  # what nothing is wasted without explains no waste
            under[name] = {what: each for what, each in held.items() if "wast" not in what}
    base = (known(study.grids) | known({DEFAULT: grids(study)[AS_ABOVE]})) if study.loads else {}
    for grid in study.mapped[:1]:
        base |= {each.what: each for each in schemes.comparisons(grid)}
        for name in schemes.CACHES:
            under[name] = {each.what: each for each in schemes.comparisons(grid, dftl=name) if "FAST" not in each.what}
        for name in schemes.LOG_BLOCKS:
            held = schemes.comparisons(grid, fast=name)
            under[name] = {each.what: each for each in held if "FAST" in each.what and each.ours is not None}
    return base, under
