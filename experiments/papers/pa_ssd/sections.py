"""The sections of the report on collection, on the course of a run, on long runs, and on what explains differences."""

from statistics import fmean

from ssdsim.metrics.result import Result

from ...study.claims import Comparison, comparison_table
from ...study.report import Output, parting
from ...study.tables import Row, markdown, number
from . import measures, paper
from .measures import THRESHOLD, Grid
from .report import COURSES, Study, figure_6, figure_13, figure_14, figure_15, setup, table_3
from .systems import REORDERED

READ_US = 100
"""Time of a page read (Table 1)."""


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
        most = max(differences, key=lambda system: abs(differences[system]))
        wasted = max(grid.summary(name, system)["gc"]["unused_pages"] for system in of)
        rows.append([name, of["baseline"], f"{differences[most]:+.2f} {most}" if differences[most] else "0", wasted])
    return (
        "## Garbage collections\n\n"
        f"The paper: less than {paper.MOST_GC_DIFFERENCE} percent between any two, SLC mode aside.\n\n"
        + markdown(["", "baseline", "largest difference, %", "pages wasted, at most"], rows)
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
        + comparison_table(measures.course_comparisons(study.grid))
    )


def _course(result: Result) -> list[Row]:
    columns = ["time_s", "window_s", "writes", "write_response_us", "free_lsb", "free_csb", "free_msb", "queue_depth"]
    rows: list[Row] = result.timeseries.select(columns).to_pylist()
    return rows


def figure_17(study: Study, out: Output) -> str:
    """Workload tMSFS several times over."""
    if not study.rounds:
        return ""
    rows: list[Row] = [
        {"system": name, **{f"round {at} ms": ms for at, ms in enumerate(measures.round_means(result), 1)}}
        for name, result in study.rounds.items()
    ]
    return (
        "## Fig. 17: tMSFS three times over\n\nMean write response time.\n\n"
        + out.table("fig17", rows)
        + "\n"
        + out.picture("fig17", {name: measures.round_means(result)[-1] for name, result in study.rounds.items()})
        + comparison_table(measures.long_term_comparisons(study.rounds))
    )


def evidence(study: Study, out: Output) -> str:
    """Show what in the runs explains where our numbers and the paper's part."""
    grid = study.grid
    rows = [_load_row(grid, name) for name in grid.loads]
    text = parting(_all(study), reasons(grid), "Cells of Table 3 are marked there. What the runs show:")
    text += "\n" + out.table("load", rows)
    return text + ("\n" + _bursts(study, out) if study.bursts.loads else "")


def _all(study: Study) -> list[Comparison]:
    grid = study.grid
    found = [each for op in ("write", "read") for each in measures.response_comparisons(grid, op)]
    found += [*measures.share_comparisons(grid), *measures.pas_averages(grid), *measures.course_comparisons(grid)]
    return [*found, *measures.long_term_comparisons(study.rounds)]


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


def reasons(grid: Grid) -> list[str]:
    """Return what the numbers of the runs say about the differences, a paragraph each."""
    found = [_short_queues(grid), _spent_pages(grid), _pages_of_small_writes(grid), _reads(grid)]
    longer = 100 * READ_US / measures.MEAN_PROGRAM_US
    found.append(
        "Where dies are the bottleneck sU saves nothing: its programs first read the other pages of their wordline, "
        f"one page on average, so the mean program takes {longer:.1f} percent longer than the baseline's."
    )
    return [each for each in found if each]


def _short_queues(grid: Grid) -> str:
    """List where PAS saves more in the paper than it could here."""
    beyond = []
    for (workload, scheme), cell in measures.pas_cells(grid).items():
        most = measures.waiting(grid, workload, scheme)
        if most is not None and cell.paper > most:
            beyond.append(f"{workload} {scheme} ({number(most)}, {cell.paper:g})")
    if not beyond:
        return ""
    return (
        "Queues are shorter than under the paper's traces. PAS saves at most the time that writes wait, and that is "
        f"less than it saves in the paper in {', '.join(beyond)} (percent of a write's time waiting, the paper's "
        "saving)."
    )


def _spent_pages(grid: Grid) -> str:
    """Say where sQD runs out of LSB pages, and what it means that the paper's did not."""
    spent = [name for name in grid.of_paper() if measures.lasted(grid.results[f"{name}/sQD+sUB"]) < 100]
    if not spent:
        return ""
    taken = ", ".join(f"{name} {number(measures.lsb_taken(grid, name, 'sQD+sUB'))}" for name in spent)
    supply = ", ".join(f"{name} {number(measures.lsb_supply(grid, name))}" for name in spent)
    return (
        "All requests of a synthetic workload belong to bursts, so under sQD+sUB too many page writes take an LSB page "
        f"until these run out (percent: {taken}). From then on its gain and its success rate fall, and sUB has nothing "
        f"left to save; so too in the later rounds of Fig. 17. The paper's succeed in more than {paper.LEAST_SUCCESS} "
        "percent of cases: under its traces fewer page writes meet long queues than there are LSB pages (percent of "
        f"page writes: {supply}), and yet these make the mean that sQD+sUB lowers by {paper.MSFS_REDUCTION} percent. "
        "Such few and very long queues are what our bursts lack."
    )


def _reads(grid: Grid) -> str:
    """Say how much of a read's time could be saved, and what is not explained."""
    shares = [measures.waiting(grid, name, "baseline", "read") for name in grid.of_paper()]
    waiting = measures.mean(shares)
    if waiting is None:
        return ""
    return (
        f"Reads of the baseline wait for {number(waiting)} percent of their time, on average of the workloads. It is "
        "not explained why sLF saves more of it here than in the paper, nor why PAS lowers the writes' deviation less."
    )


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


def _bursts(study: Study, out: Output) -> str:
    grid, schemes = study.bursts, [name for name in REORDERED if name != "sSB+sUB"]
    best = "sQD+sUB"
    rows: list[Row] = [
        {
            "bursts": name,
            "baseline ms": (grid.response(name, "baseline") or 0) / 1000,
            "queue mean": grid.summary(name, "baseline")["queue_depth"]["mean"],
            **{f"{scheme} %": grid.reduction(name, scheme) for scheme in schemes},
            **{f"PAS, {scheme} %": grid.reduction(name, f"{scheme}+PAS", against=scheme) for scheme in schemes},
            f"deviation, PAS, {best} %": grid.reduction(name, f"{best}+PAS", against=best, key="std"),
            f"success, {best} %": measures.success(grid, name, best),
        }
        for name in grid.loads
    ]
    theirs = dict(zip(REORDERED, paper.PAS_REDUCTION["tExch"], strict=True))
    averages = [paper.WRITE_REDUCTION.get(name) for name in schemes]
    last = ["the paper", "", "", *averages, *(theirs[name] for name in schemes), paper.PAS_STD_REDUCTION, "> 98"]
    return (
        "The same synthetic tExch with bursts of other rates, in multiples of its mean rate; nothing else changes. "
        "Reductions of the write response time, of the baseline by the scheme and of the scheme by PAS. The paper's "
        "reductions of the baseline and of the deviation are its averages over all workloads.\n\n"
        + out.table("bursts", rows, last)
    )
