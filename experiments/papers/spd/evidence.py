"""What in the runs explains where our numbers and the paper's part: the same with one thing changed at a time."""

from collections.abc import Mapping, Sequence

from ...study.former.claims import Comparison
from ...study.former.report import Output
from ...study.measures import Summary, dies_busy, erases, percent, ratio
from ...study.tables import Row, markdown, number
from . import measures
from .measures import PLUS, WRITE, Grid
from .report import CASES, Study
from .systems import BASE, COLLECTING, FREE


def variants(study: Study, out: Output) -> str:
    """Return the section of what is left open: the averages under each variant, without and with collection."""
    if not any(grid.results for grid in study.variants.values()):
        return ""
    text = ""
    for state in (FREE, COLLECTING):
        rows = [
            _variant(name.removeprefix(f"{state}, "), grid)
            for name, grid in study.variants.items()
            if name.startswith(f"{state}, ") and grid.results
        ]
        if rows:
            text += f"\n{state[0].upper()}{state[1:]}:\n\n" + out.table(f"variants_{state.replace(' ', '_')}", rows)
    return (
        "## One thing changed at a time\n\n"
        f"Averages of {varied(study)}, of seed {study.seed}: how much lower the mean write latency is than "
        f"{BASE}'s, in percent (of SPD+ than SPD's), and the percent of SPD's time of page writes that is blocked. The "
        "rows in rushes have the arrivals of `study/msr.py` with such a share of the requests in rushes of 290, none "
        "being a Poisson process.\n" + text
    )


def varied(study: Study) -> str:
    """Return the workloads that the variants were run under."""
    return " and ".join(next((grid.workloads for grid in study.variants.values()), []))


def _variant(name: str, grid: Grid) -> Row:
    shown: Row = {"": name}
    for system in grid.systems:
        if system == PLUS:
            shown["SPD+ below SPD"] = grid.mean_reduction(WRITE, PLUS, "SPD")
        elif system != BASE:
            shown[system] = grid.mean_reduction(WRITE, system)
    if PLUS in grid.systems:
        shown["blocked, SPD"] = _average(grid, measures.blocked, "SPD")
        shown["collections, SPD below"] = grid.mean_reduction(measures.collections, "SPD")
    else:
        shown[f"alone, {BASE}"] = _average(grid, alone, BASE)
    return shown


def _average(grid: Grid, measure: measures.Measure, system: str) -> float | None:
    return measures.mean(grid.value(measure, name, system) for name in grid.of_paper)


def whole(study: Study, out: Output) -> str:
    """Return the section of the workload that was run at the paper's size, beside the scaled one."""
    if not study.whole.results:
        return ""
    rows: list[Row] = []
    for name in study.whole.workloads:
        for told, grid in (("1", study.whole), (f"{study.scale}", study.collecting)):
            rows.append(
                {
                    "workload": name,
                    "scale": told,
                    f"{BASE} ms": grid.value(WRITE, name, BASE),
                    "SPD ms": grid.value(WRITE, name, "SPD"),
                    "SPD below, %": grid.reduction(WRITE, name, "SPD"),
                    "SPD+ below SPD, %": grid.reduction(WRITE, name, PLUS, "SPD"),
                    "collections, SPD below, %": grid.reduction(measures.collections, name, "SPD"),
                    "cost, SPD below, %": grid.reduction(measures.gc_cost, name, "SPD"),
                    "blocked, SPD %": grid.value(measures.blocked, name, "SPD"),
                    "moves a block, SPD": grid.value(moves_a_block, name, "SPD"),
                }
            )
    return (
        "## At the paper's size\n\n"
        f"The whole device and the whole trace, with collection, seed {study.seed}, beside the scaled one.\n\n"
        + out.table("whole", rows)
    )


def explained(study: Study, held: Sequence[Comparison], under: Mapping[str, Sequence[Comparison]]) -> str:
    """Return the table of what does not agree: the variants under which it does, found in the runs, or none.

    A variant explains a claim if the claim agrees under it and does not as above, of the same workloads and seed.
    """
    open_claims = [each for each in held if not each.agrees and each.ours is not None]
    by_variant = {name: {each.what: each for each in claims} for name, claims in under.items()}
    rows = []
    for each in open_claims:
        as_above = [of[each.what] for name, of in by_variant.items() if name.endswith("as above") and each.what in of]
        found = [
            f"{name} ({number(of[each.what].ours)})"
            for name, of in by_variant.items()
            if each.what in of and of[each.what].agrees and as_above and not as_above[0].agrees
        ]
        base = number(as_above[0].ours) if as_above else "-"
        cells = (each.what, number(each.ours), number(each.paper), each.verdict, base)
        rows.append((*cells, "; ".join(found) or ("unexplained" if "**" in each.verdict else "-")))
    agreeing = len([each for each in held if each.agrees])
    measured = [each for each in held if each.ours is not None]
    return (
        "## Where we part from the paper\n\n"
        f"{agreeing} of {len(measured)} numbers agree. The others, with the same claim for {varied(study)} alone "
        f"(seed {study.seed}), and those of the variants above under which it agrees. What no variant brings about is "
        "unexplained.\n\n" + markdown(["", "ours", "paper", "", "alone", "agrees with"], rows)
    )


def loads(study: Study, out: Output) -> str:
    """Return the tables of what the workloads ask of the device."""
    free = [_free_row(study.free, name) for name in study.free.workloads]
    collecting = [_collecting_row(study.collecting, name) for name in study.collecting.workloads]
    return (
        "## What the workloads ask of the device\n\nWithout GC:\n\n"
        + out.table("load_without_gc", free)
        + "\nWith GC:\n\n"
        + out.table("load_with_gc", collecting)
    )


def alone(summary: Summary) -> float | None:
    """Return the percent of page writes that found no other at their die."""
    return percent((summary["multi_plane"]["cases"] or {}).get(CASES[0]))


def longest(summary: Summary) -> float | None:
    """Return the longest response time of a write, in milliseconds."""
    served = summary["requests"]["write"]
    return served["response_us"]["max"] / 1000 if served["count"] else None


def moves_a_block(summary: Summary) -> float | None:
    """Return the pages moved for each block erased."""
    return ratio(summary["gc"]["page_moves"], erases(summary))


def pages_a_write(summary: Summary) -> float | None:
    """Return the page writes to flash for each write of the host."""
    return ratio(summary["host_page_writes"], summary["requests"]["write"]["count"])


def _rise(grid: Grid, workload: str, system: str) -> float | None:
    reduced = grid.reduction(lambda summary: summary["flash"]["programs"]["host"], workload, system)
    return None if reduced is None else -reduced


def _free_row(grid: Grid, workload: str) -> Row:
    return {
        "workload": workload,
        "dies busy %": grid.value(dies_busy, workload, BASE),
        "queue, most": grid.value(lambda summary: summary["queue_depth"]["max"], workload, BASE),
        "pages written a write": grid.value(pages_a_write, workload, BASE),
        "pages more written by SuperPage %": _rise(grid, workload, "SuperPage"),
        "by SPD %": _rise(grid, workload, "SPD"),
    }


def _collecting_row(grid: Grid, workload: str) -> Row:
    def share_of_time(summary: Summary) -> float | None:
        return ratio(100 * measures.gc_cost(summary), len(summary["utilization"]["die"]) * summary["simulated_s"])

    def blocked_writes(summary: Summary) -> float | None:
        return percent(ratio(summary["gc"]["blocked_writes"], summary["flash"]["programs"]["host"]))

    return {
        "workload": workload,
        "dies busy %": grid.value(dies_busy, workload, BASE),
        "collection, % of the dies' time": grid.value(share_of_time, workload, BASE),
        "collections": grid.value(measures.collections, workload, BASE),
        **{
            f"moves a block, {system}": grid.value(moves_a_block, workload, system)
            for system in grid.systems
            if system not in ("Baseline-P", PLUS)
        },
        "blocked page writes %": grid.value(blocked_writes, workload, BASE),
        **{f"longest write, {system} ms": grid.value(longest, workload, system) for system in (BASE, "SPD", PLUS)},
    }
