"""What the runs show about where our numbers and the paper's part: nothing where they do not show it."""

from collections.abc import Sequence

from ...study.former.report import Output
from ...study.measures import Grid, Summary, dies_busy, percent, ratio
from ...study.tables import Row, number
from . import paper, terms
from .measures import (
    below,
    change,
    collections,
    not_copied,
    of_paper,
    response_ms,
    sdwpp,
    wasted,
    wasted_each,
    written,
)
from .runs import CACHES, DEFAULT
from .study import Study
from .systems import BASE, OURS, RIVAL, SYSTEMS

MATTERS = 5.0
"""Percent points from which on a change of the mean is told."""


def evidence(study: Study, out: Output) -> str:
    """Return the section: what the runs show, and what their numbers come from."""
    if not study.loads:
        return ""
    reasons = [each for each in (_map(study), _copy_back(study), _search(study), _reuse(study), *_rest(study)) if each]
    rows = [_row(study.default, name, system) for name in study.default.workloads for system in SYSTEMS]
    return (
        "## What the runs show\n\n"
        + "".join(f"- {each}\n" for each in reasons)
        + "\n"
        + out.table("evidence", rows)
        + "\n"
        + _variants(study, out)
    )


def _rest(study: Study) -> Sequence[str]:
    return _evenness(study), _conventional(study), _waste(study)


def _row(grid: Grid, workload: str, system: str) -> Row:
    summary = grid.summary(workload, system)
    served, mapping = summary["requests"], summary.get("mapping") or {}
    requests = sum(served[op]["count"] for op in ("read", "write"))
    return {
        "": f"{workload}, {system}",
        "read ms": _milliseconds(summary, "read"),
        "write ms": _milliseconds(summary, "write"),
        "dies busy %": dies_busy(summary),
        "map hit %": percent(mapping.get("hit_ratio")),
        "map reads a request": ratio(mapping.get("reads"), requests),
        "map writes a request": ratio(mapping.get("writes"), requests),
        "cache hit %": percent(summary["buffer"]["hit_ratio"]),
        "pages written": int(summary["host_page_writes"]),
        "pages moved a collection": ratio(summary["gc"]["page_moves"], collections(summary)),
        "SDWPP": sdwpp(summary),
    }


def _milliseconds(summary: Summary, op: str) -> float | None:
    of = summary["requests"][op]
    return of["response_us"]["mean"] / 1000 if of["count"] else None


def _variants(study: Study, out: Output) -> str:
    """Show what systems without a part come to under each workload."""
    grid = study.default
    rows: list[Row] = []
    for name in grid.workloads:
        for variant in (*SYSTEMS, *study.variants.systems):
            of = grid if variant in SYSTEMS else study.variants
            row: Row = {"": f"{name}, {variant}"}
            for what, measure in (("response", response_ms), ("SDWPP", sdwpp), ("collections", collections)):
                row[f"{what} over {BASE}'s"] = ratio(of.value(measure, name, variant), grid.value(measure, name, BASE))
            rows.append(row)
    return "All variants under each workload:\n\n" + out.table("variants", rows)


def _lead(study: Study, name: str, pair: tuple[str, str] = (OURS, BASE)) -> float | None:
    """Return by how many percent the first of a pair has a lower response time with something changed."""
    grid = terms.grids(study).get(name)
    return None if grid is None else below(grid, response_ms, *pair)


def _map(study: Study) -> str:
    """Say how much of the lead over DFTL is that of the map."""
    ours, lead_with_map = _lead(study, terms.AS_ABOVE), _lead(study, "whole map in memory for all")
    if ours is None or lead_with_map is None or ours - lead_with_map < MATTERS:
        return ""
    less = f"{number(lead_with_map)} percent" if lead_with_map > 0 else "no longer"
    return (
        f"{OURS}'s response time is {number(ours)} percent below {BASE}'s, and {less} if {BASE}, too, has its whole "
        f"map in memory: {'the rest of the lead' if lead_with_map > 0 else 'the lead'} is what the map costs."
    )


def _copy_back(study: Study) -> str:
    """Say what copying back gains, or that it does not."""
    ours, without = _lead(study, terms.AS_ABOVE), _lead(study, "PCFTL without copy-back")
    if ours is None or without is None:
        return ""
    text = f"With pages moved through the controller {OURS} is {number(without)} percent below {BASE}, with copy-back "
    text += f"{number(ours)}"
    return f"{text}: copy-back hardly adds to the lead." if abs(ours - without) < MATTERS else f"{text}."


def _search(study: Study) -> str:
    """Say with which search the response time rises where the paper's does."""
    told = []
    for name, given in terms.cache_grids(study).items():
        if name == terms.REUSED or not {CACHES[2], DEFAULT} <= given.keys():
            continue
        worse = [
            each
            for each in paper.SLOWER_WITH_2_MIB
            for saving in [change(given, (CACHES[2], DEFAULT), response_ms, each)]
            if saving is not None and saving < 0
        ]
        if worse:
            told.append(f"{name} under {' and '.join(worse)}")
    if not told:
        return ""
    return f"The response time rises from 1 to 2 MiB of write cache, as the paper has it: {'; '.join(told)}."


def _reuse(study: Study) -> str:
    """Say what a larger cache gains where data comes back sooner, and what that does to collections."""
    given, grid = terms.cache_grids(study).get(terms.REUSED, {}), terms.grids(study).get(terms.REUSED)
    if grid is None or not {CACHES[0], CACHES[-1]} <= given.keys():
        return ""
    told = []
    for name in of_paper(grid):
        ends = (CACHES[0], CACHES[-1])
        now, then = (change(each, ends, response_ms, name) for each in (study.grids, given))
        if now is not None and then is not None and then > now:
            told.append(f"{name} {number(now)} to {number(then)}")
    if not told:
        return ""
    fewer, as_is = (below(each, collections, OURS, RIVAL) for each in (grid, study.default))
    return (
        f"With {terms.REUSED}, 4 MiB of write cache save more than they do else, percent of the response time: "
        f"{', '.join(told)}. Such a cache absorbs writes, too: {OURS} collects {number(fewer)} percent less than "
        f"{RIVAL} then, {number(as_is)} as above, {paper.COLLECTIONS_BELOW_DLOOP} in the paper."
    )


def _evenness(study: Study) -> str:
    """Say what makes writes even: the token, the cache, or the workload."""
    found = terms.grids(study)
    named = {
        "as above": terms.AS_ABOVE,
        "without its cache": "PCFTL without a cache",
        "without its token": "PCFTL with DLOOP's places",
        "with places in use alike": "planes in use alike",
    }
    told = [f"{number(below(found[name], sdwpp, OURS, RIVAL))} {what}" for what, name in named.items() if name in found]
    if len(told) < 2:
        return ""
    absorbed = ", ".join(
        f"{name} {number(study.default.reduction(written, name, OURS, RIVAL))}" for name in study.default.workloads
    )
    return (
        f"{OURS}'s SDWPP is below {RIVAL}'s by, percent: {', '.join(told)}. Of the page writes the cache absorbs, "
        f"percent: {absorbed}."
    )


def _conventional(study: Study) -> str:
    """Say how much of collection could not copy back."""
    told = [
        f"{name}, {system} {number(share, 2)}"
        for name in study.default.workloads
        for system in (RIVAL, OURS)
        for share in [study.default.value(not_copied, name, system)]
        if share
    ]
    if not told:
        return "No page was moved through the controller for its parity: the never-ending collection does not occur."
    return (
        "Pages that collection moves through the controller, since copying back would not gain a page in their plane "
        f"(3.4), percent of all moved: {'; '.join(told)}. They stay in their plane: a conventional collection over the "
        "device would win space elsewhere, which updates, that stay in their plane, cannot use."
    )


def _waste(study: Study) -> str:
    """Say how many pages are wasted for each page moved, and what the paper's numbers make of it."""
    grid = study.default
    listed = ", ".join(f"{name} {number(grid.value(wasted_each, name, OURS), 2)}" for name in grid.workloads)
    text = f"Pages wasted for each page moved: {listed}."
    of_all = ratio(paper.WASTED["Fin2"], grid.value(wasted(study.pages), "Fin2", OURS))
    if of_all is None or of_all > 1:
        return text
    pages = written(grid.summary("Fin2", OURS)) / float(study.scale)
    return (
        f"{text} At that rate the paper's {paper.WASTED['Fin2']} percent under Fin2 are those of "
        f"{number(of_all * pages)} page writes; by Table 2 the trace has {number(pages)}. So the paper's device has "
        "room for most of what Fin2 writes before it collects."
    )
