"""What in the runs explains where our numbers and the paper's part."""

from collections.abc import Sequence
from statistics import fmean

from experiments.output import Output
from experiments.spd import measures
from experiments.spd.measures import READ, WRITE, Grid
from experiments.spd.report import Study
from experiments.spd.systems import BASE
from experiments.study import Comparison, Row, comparison_table, markdown


def evidence(study: Study, held: Sequence[Comparison], out: Output) -> str:
    """Return the section: what of `held` parts, what the runs show about it, and how all depends on the load."""
    free = [_free_row(study.free, name) for name in study.free.workloads]
    collecting = [_collecting_row(study.collecting, name) for name in study.collecting.workloads]
    out.csv("load_without_gc", free)
    out.csv("load_with_gc", collecting)
    return (
        "## Where and why our numbers part from the paper's\n\n"
        + comparison_table(each for each in held if not each.agrees)
        + "\nWithout GC:\n\n"
        + markdown(list(free[0]), [row.values() for row in free])
        + "\nWith GC:\n\n"
        + markdown(list(collecting[0]), [row.values() for row in collecting])
        + _speeds(study, out)
    )


def _free_row(grid: Grid, workload: str) -> Row:
    summary = grid.summary(workload, BASE)
    return {
        "workload": workload,
        "dies busy %": 100 * fmean(summary["utilization"]["die"]),
        "queue, most": summary["queue_depth"]["max"],
        "pages written a write": pages_a_write(grid, workload),
        **{
            f"writes taken at once, {system} %": measures.taken_at_once(grid.results[f"{workload}/{system}"])
            for system in (BASE, "SPD")
        },
        "pages more written by SuperPage %": _rise(grid, workload, "SuperPage"),
        "by SPD %": _rise(grid, workload, "SPD"),
    }


def pages_a_write(grid: Grid, workload: str) -> float | None:
    """Return the page writes to flash for each write of the host."""
    summary = grid.summary(workload, BASE)
    return measures.ratio(summary["host_page_writes"], summary["requests"]["write"]["count"])


def _rise(grid: Grid, workload: str, system: str) -> float | None:
    reduced = grid.reduction(lambda summary: summary["flash"]["programs"]["host"], workload, system)
    return None if reduced is None else -reduced


def _collecting_row(grid: Grid, workload: str) -> Row:
    summary = grid.summary(workload, BASE)
    gc = summary["gc"]
    return {
        "workload": workload,
        "dies busy %": 100 * fmean(summary["utilization"]["die"]),
        "collection, % of the dies' time": 100 * measures.gc_cost(summary) / _die_seconds(summary),
        "moves a page written": measures.ratio(gc["page_moves"], summary["host_page_writes"]),
        **{
            f"moves a block, {system}": measures.ratio(
                grid.value(lambda of: of["gc"]["page_moves"], workload, system),
                grid.value(measures.erases, workload, system),
            )
            for system in grid.systems
            if system not in ("Baseline-P", "SPD+")
        },
        "blocked page writes %": measures.percent(
            measures.ratio(gc["blocked_writes"], summary["flash"]["programs"]["host"])
        ),
    }


def _die_seconds(summary: measures.Summary) -> float:
    return len(summary["utilization"]["die"]) * float(summary["simulated_s"])


def _speeds(study: Study, out: Output) -> str:
    grid = study.speeds
    if not grid.results:
        return ""
    rows: list[Row] = [
        {
            "run": name,
            f"{BASE} ms": grid.value(WRITE, name, BASE),
            "queue mean": grid.summary(name, BASE)["queue_depth"]["mean"],
            "parallel, Baseline-D %": grid.value(measures.joined, name, BASE),
            **{f"{system} %": grid.reduction(WRITE, name, system) for system in grid.systems if system != BASE},
            "reads, SPD %": grid.reduction(READ, name, "SPD"),
        }
        for name in grid.workloads
    ]
    out.csv("speeds", rows)
    return (
        "\nThe same at multiples of the volumes' rates; nothing else changes. Reductions of the mean write latency of "
        "Baseline-D.\n\n" + markdown(list(rows[0]), [row.values() for row in rows])
    )
