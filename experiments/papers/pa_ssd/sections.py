"""The sections of the report on collection, on the course of a run, on long runs, and on what explains differences."""

from statistics import fmean

from ssdsim.metrics.result import Result

from ...study.former.claims import Comparison, comparison_table, over_seeds
from ...study.former.report import Output, parting
from ...study.measures import dies_busy
from ...study.tables import Row, markdown, number
from . import measures, paper
from .measures import THRESHOLD, Grid
from .report import COURSES, Study, claim_row, figure_6, figure_13, figure_14, figure_15, setup, table_3
from .systems import REORDERED

READ_US = 100
"""Time of a page read (Table 1)."""

BUSY = 80
"""Percent of the time from which on dies are the bottleneck."""

AFTERWARDS = " It was run after the results above had been seen, to find out what they come from."


def sections(study: Study, out: Output) -> list[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    return [
        setup(study),
        figure_6(study, out),
        figure_13(study, "write", out),
        figure_13(study, "read", out),
        figure_14(study, out),
        figure_15(study, out),
        table_3(study, out),
        collections(study, out),
        figure_16(study, out),
        figure_17(study, out),
        full_size(study, out),
        evidence(study, out),
    ]


def collections(study: Study, out: Output) -> str:
    """How often each system collected."""
    grid = study.grid
    counts = {name: measures.collections(grid, name) for name in grid.loads}
    out.csv("collections", [{"workload": name, **of} for name, of in counts.items()])
    rows = []
    for name, of in counts.items():
        differences = {
            system: 100 * (count / of["baseline"] - 1) if of["baseline"] else 0.0 for system, count in of.items()
        }
        farthest_system = max(differences, key=lambda system: abs(differences[system]))
        wasted = max(grid.summary(name, system)["gc"]["unused_pages"] for system in of)
        rows.append(
            [
                name,
                of["baseline"],
                f"{differences[farthest_system]:+.2f} {farthest_system}" if differences[farthest_system] else "0",
                wasted,
            ]
        )
    return (
        "## Garbage collections\n\n"
        "SLC mode, whose blocks are smaller, is left out.\n\n"
        + markdown(["", "baseline", "largest difference, %", "pages wasted, at most"], rows)
        + "\n"
        + comparison_table(study.held(measures.collection_comparisons))
    )


def figure_16(study: Study, out: Output) -> str:
    """Write response time and free LSB pages over time."""
    workloads = [name for name in ("tFin", "tMSFS") if name in study.grid.loads]
    if not workloads:
        return ""
    rows = [
        {"workload": workload, "system": system, **row}
        for workload in workloads
        for system in COURSES
        for row in _course(study.grid.results[f"{workload}/{system}"])
    ]
    out.csv("fig16", rows)
    return (
        "## Fig. 16: write response time and free LSB pages over time\n\n"
        + out.picture("fig16", study.grid, workloads, COURSES)
        + comparison_table(study.held(measures.course_comparisons))
    )


def _course(result: Result) -> list[Row]:
    columns = ["time_s", "window_s", "writes", "write_response_us", "free_lsb", "free_csb", "free_msb", "queue_depth"]
    rows: list[Row] = result.timeseries.select(columns).to_pylist()
    return rows


def figure_17(study: Study, out: Output) -> str:
    """Workload tMSFS several times over."""
    if not study.rounds:
        return ""
    first = study.rounds[0]
    rows: list[Row] = [
        {"system": name, **{f"round {at} ms": ms for at, ms in enumerate(measures.round_means(result), 1)}}
        for name, result in first.items()
    ]
    return (
        "## Fig. 17: tMSFS three times over\n\nMean write response time.\n\n"
        + out.table("fig17", rows)
        + "\n"
        + out.picture("fig17", {name: measures.round_means(result)[-1] for name, result in first.items()})
        + comparison_table(over_seeds(map(measures.long_term_comparisons, study.rounds)))
    )


def full_size(study: Study, out: Output) -> str:
    """Show a workload at the paper's size beside the same scaled."""
    full = study.full
    if not full.results:
        return ""
    rows: list[Row] = [
        _at(f"{name}, {scale}", of, name, system)
        for name in full.loads
        for system in [each.partition("/")[2] for each in full.results]
        for scale, of in (("1", full), (str(study.scale), study.grid))
    ]
    return (
        "## At the paper's size\n\n"
        "A workload with all of its requests on the whole device, beside the same at the scale of this report.\n\n"
        + out.table("full", rows)
    )


def _at(what: str, grid: Grid, workload: str, system: str) -> Row:
    result = grid.results[f"{workload}/{system}"]
    return {
        "workload, scale": what,
        "system": system,
        "write ms": (grid.response(workload, system) or 0.0) / 1000,
        "below the baseline %": grid.reduction(workload, system),
        "reads below %": grid.reduction(workload, system, "read"),
        "success %": measures.success(grid, workload, system),
        "collections": result.summary["gc"]["collections"],
        "LSB pages last for, % of the run": measures.lasted(result),
    }


def evidence(study: Study, out: Output) -> str:
    """Show what in the runs explains where our numbers and the paper's part."""
    grid, claims = study.grid, _all(study)
    out.csv("claims", [claim_row(each) for each in claims])
    rows = [_load_row(grid, name) for name in grid.loads]
    told = reasons(study)
    text = parting(claims, told, "Cells of Table 3 are marked there. ")
    text += "\n" + out.table("load", rows)
    return "\n".join([text, *(_arrivals(study, name, out) for name in study.arrivals)])


def _all(study: Study) -> list[Comparison]:
    found = [each for op in ("write", "read") for each in _responses(study, op)]
    for claims in (
        *(measures.order_comparisons, measures.share_comparisons, measures.success_comparisons),
        *(measures.pas_averages, measures.collection_comparisons, measures.course_comparisons),
    ):
        found += study.held(claims)
    return [*found, *over_seeds(map(measures.long_term_comparisons, study.rounds))]


def _responses(study: Study, op: str) -> list[Comparison]:
    return study.held(lambda grid: measures.response_comparisons(grid, op))


def _load_row(grid: Grid, workload: str) -> Row:
    summary = grid.summary(workload, "baseline")
    return {
        "workload": workload,
        "dies busy %": 100 * fmean(summary["utilization"]["die"]),
        "queue mean": summary["queue_depth"]["mean"],
        "queue max": summary["queue_depth"]["max"],
        "pages a write": pages_a_write(grid, workload),
        f"writes that meet more than {THRESHOLD} %": measures.met_long_queue(grid, workload),
        "a write's time waiting %": measures.waiting(grid, workload, "baseline"),
        "LSB pages for, % of page writes": measures.lsb_supply(grid, workload),
        "they last under sQD+sUB for, % of the run": measures.lasted(grid.results[f"{workload}/sQD+sUB"]),
    }


def pages_a_write(grid: Grid, workload: str) -> float:
    """Return the mean number of pages that a write lies on."""
    summary = grid.summary(workload, "baseline")
    return summary["host_page_writes"] / max(summary["requests"]["write"]["count"], 1)


def reasons(study: Study) -> list[str]:
    """Return what the numbers of the runs say about the differences, a paragraph each; nothing where they say none."""
    grid = study.grid
    found = [_short_queues(grid), _spent_pages(grid), _pages_of_small_writes(grid), _busy_dies(grid), _range(study)]
    found.append(_long_run(study))
    return [each for each in found if each]


def _short_queues(grid: Grid) -> str:
    """List where PAS saves more in the paper than it could here."""
    beyond = []
    for workload in grid.of_paper():
        for scheme, theirs in zip(REORDERED, paper.PAS_REDUCTION[workload], strict=True):
            waiting_share = measures.waiting(grid, workload, scheme)
            if waiting_share is not None and theirs > waiting_share:
                beyond.append(f"{workload} {scheme} ({number(waiting_share)}, {theirs:g})")
    if not beyond:
        return ""
    return (
        "Queues are shorter than under the paper's traces. PAS saves at most the time that writes wait, and that is "
        f"less than it saves in the paper in {', '.join(beyond)} (percent of a write's time waiting, the paper's "
        "saving)."
    )


def _spent_pages(grid: Grid) -> str:
    """Say where sQD runs out of LSB pages."""
    spent = [name for name in grid.of_paper() if measures.lasted(grid.results[f"{name}/sQD+sUB"]) < 100]
    if not spent:
        return ""
    taken = ", ".join(f"{name} {number(measures.lsb_taken(grid, name, 'sQD+sUB'))}" for name in spent)
    supply = ", ".join(f"{name} {number(measures.lsb_supply(grid, name))}" for name in spent)
    return (
        "Under sQD+sUB LSB pages run out before the end, after which its gain and its success rate fall: so many page "
        f"writes take one until then (percent: {taken}), and there are LSB pages for so many ({supply})."
    )


def _long_run(study: Study) -> str:
    """Say which schemes are slower than the baseline in the last round, having run out of the type specified."""
    found = []
    for rounds in study.rounds[:1]:
        last = {name: measures.round_means(result)[-1] for name, result in rounds.items()}
        for name, result in rounds.items():
            rate = result.summary["page_types"]["success_rate"]
            if rate is not None and 100 * rate < paper.LEAST_SUCCESS and last[name] > last["baseline"]:
                found.append(f"{name} {number(100 * rate)}")
    if not found:
        return ""
    return (
        "Over several rounds no more than a third of the pages written can be LSB pages, and these schemes ask for "
        f"more: so many percent of the sub-requests got the type specified: {', '.join(found)}. In the last round "
        "their writes take longer than the baseline's, which spreads over all types."
    )


def _busy_dies(grid: Grid) -> str:
    """Say where sU saves nothing since dies are the bottleneck."""
    longer = 100 * READ_US / measures.MEAN_PROGRAM_US
    full = [
        f"{name} {number(busy)}, {number(grid.reduction(name, 'sU'))}"
        for name in grid.loads
        if (busy := dies_busy(grid.summary(name, "baseline"))) > BUSY and (grid.reduction(name, "sU") or 0.0) < longer
    ]
    if not full:
        return ""
    return (
        "Where dies are the bottleneck sU saves hardly anything: its programs first read the other pages of their "
        f"wordline, one page on average, so the mean program takes {longer:.1f} percent longer than the baseline's "
        f"(percent of the time that dies are busy, saved by sU: {'; '.join(full)})."
    )


def _range(study: Study) -> str:
    """Say which of the reductions arrivals alone change by more than a third of the paper's number."""
    found = []
    for workload, swept in study.arrivals.items():
        for scheme, theirs in paper.WRITE_REDUCTION.items():
            if not all(f"{name}/{scheme}" in swept.results for name in swept.loads):
                continue
            known = [each for name in swept.loads if (each := swept.reduction(name, scheme)) is not None]
            if known and max(known) - min(known) > theirs / 3:
                minimum, maximum = number(min(known)), number(max(known))
                found.append(f"{workload} {scheme} {minimum} to {maximum} (the paper's average {theirs})")
    for scheme, by_piece in _last_round(study).items():
        theirs, minimum, maximum = paper.THIRD_ROUND_REDUCTION[scheme], min(by_piece.values()), max(by_piece.values())
        if maximum - minimum > theirs / 3:
            found.append(f"third round of tMSFS {scheme} {number(minimum)} to {number(maximum)} (the paper's {theirs})")
    if not found:
        return ""
    return (
        "With the arrivals of one piece or another, and nothing else changed, the writes' reduction (the tables below) "
        f"is, in percent: {'; '.join(found)}."
    )


def _last_round(study: Study) -> dict[str, dict[str, float]]:
    """Return by scheme and piece what is saved, in percent, in the last of several rounds with the piece's arrivals."""
    last = {name: measures.round_means(of)[-1] for name, of in study.repeated.items()}
    pieces = [name.removesuffix("/baseline") for name in last if name.endswith("/baseline")]
    return {
        scheme: {piece: 100 * (1 - last[f"{piece}/{scheme}"] / last[f"{piece}/baseline"]) for piece in pieces}
        for scheme in paper.THIRD_ROUND_REDUCTION
        if pieces and f"{pieces[0]}/{scheme}" in last
    }


def _pages_of_small_writes(grid: Grid) -> str:
    """Say how sU depends on the pages that a write lies on where the device is idle."""
    idle = [name for name in grid.loads if (measures.waiting(grid, name, "baseline") or 100.0) < 30]
    if not idle:
        return ""
    each = [f"{name} {number(pages_a_write(grid, name))}, {number(grid.reduction(name, 'sU'))}" for name in idle]
    return (
        "What sU saves where writes hardly wait comes from writes of several pages (pages a write, percent saved): "
        f"{'; '.join(each)}."
    )


def _arrivals(study: Study, workload: str, out: Output) -> str:
    """Show a workload with the arrivals of every piece, and what is left of it in the last of several rounds."""
    grid, best = study.arrivals[workload], "sQD+sUB"
    again = _last_round(study) if workload == "tMSFS" else {}
    schemes = [name for name in REORDERED if all(f"{piece}/{name}" in grid.results for piece in grid.loads)]
    reordered = [name for name in schemes if all(f"{piece}/{name}+PAS" in grid.results for piece in grid.loads)]
    rows: list[Row] = [
        {
            "arrivals of": name,
            "baseline ms": (grid.response(name, "baseline") or 0) / 1000,
            "queue mean": grid.summary(name, "baseline")["queue_depth"]["mean"],
            **{f"{scheme} %": grid.reduction(name, scheme) for scheme in schemes},
            **{f"PAS, {scheme} %": grid.reduction(name, f"{scheme}+PAS", against=scheme) for scheme in reordered},
            f"deviation, PAS, {best} %": grid.reduction(name, f"{best}+PAS", against=best, key="std"),
            f"success, {best} %": measures.success(grid, name, best),
            **{f"third round, {scheme} %": by_piece[name] for scheme, by_piece in again.items()},
        }
        for name in grid.loads
    ]
    theirs = dict(zip(REORDERED, paper.PAS_REDUCTION_AVERAGE, strict=True))
    averages = [paper.WRITE_REDUCTION.get(name) for name in schemes]
    of_paper = ["the paper", "", "", *averages, *(theirs[name] for name in reordered), paper.PAS_STD_REDUCTION, "> 98"]
    of_paper += [paper.THIRD_ROUND_REDUCTION[name] for name in again]
    return (
        f"{workload}, the same synthetic requests with the arrivals of every piece, at its own mean rate, and with "
        "Poisson arrivals; nothing else changes. This is the range that the rule for arrivals leaves. Reductions of "
        "the write response time, of the baseline by the scheme and of the scheme by PAS; the paper's are its averages "
        "over all workloads."
        + (AFTERWARDS if again else "")
        + "\n\n"
        + out.table(f"arrivals_{workload}", rows, of_paper)
    )
