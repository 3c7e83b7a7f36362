"""What in the runs explains where our numbers and the paper's part."""

from collections.abc import Mapping

from experiments.flexftl import measures
from experiments.flexftl.measures import Grid
from experiments.flexftl.runs import LARGER
from experiments.flexftl.systems import BASE, OTHERS, OURS
from experiments.measures import Measure, Summary, dies_busy, percent, ratio
from experiments.output import Output
from experiments.study import Comparison, Row, comparison_table, markdown, mean, number


def evidence(grid: Grid, larger: Grid, held: list[Comparison], out: Output) -> str:
    """Return the section: what of `held` parts, and what the runs show about it."""
    rows = [_row(grid, workload, system) for workload in grid.workloads for system in grid.systems]
    out.csv("evidence", rows)
    apart = [each for each in held if not each.agrees]
    return (
        "## Where and why our numbers part from the paper's\n\n"
        + (comparison_table(apart) + "\nWhat the runs show:\n\n" if apart else "")
        + "".join(f"- {each}\n" for each in reasons(grid) if each)
        + "\n"
        + markdown(list(rows[0]), [row.values() for row in rows])
        + _sizes(grid, larger, out)
    )


def _row(grid: Grid, workload: str, system: str) -> Row:
    summary = grid.summary(workload, system)
    served, made = summary["requests"], summary["flash"]["programs"]
    return {
        "": f"{workload}, {system}",
        "read ms": served["read"]["response_us"]["mean"] / 1000,
        "write ms": served["write"]["response_us"]["mean"] / 1000,
        "dies busy %": dies_busy(summary),
        "while the host is not idle %, at most": min(100.0, busy_at_work(summary, grid.idle_s[workload])),
        "moved, % of programs": percent(ratio(made["gc"], sum(made.values()))),
        "backups, % of programs": percent(ratio(made["backup"], sum(made.values()))),
        "pages moved a block": ratio(made["gc"], summary["flash"]["erases"]["gc"]),
    }


def busy_at_work(summary: Summary, idle_s: float) -> float:
    """Return the time that the dies are busy in percent of the time in which the host has something under way."""
    return dies_busy(summary) * summary["simulated_s"] / (summary["simulated_s"] - idle_s)


def reasons(grid: Grid) -> list[str]:
    """Return what the numbers of the runs say about the differences, a paragraph each."""
    return []


def _sizes(grid: Grid, larger: Grid, out: Output) -> str:
    """Show what a device of few blocks does to the comparison."""
    rows: list[Row] = [
        {
            "": f"{name}{size}",
            **{f"IOPS above {other}'s, %": of.rise(name, other) for other in OTHERS},
            **{f"erases below {other}'s, %": of.saved(name, other) for other in OTHERS},
            **{f"moved, {system}": of.value(_moved, name, system) for system in grid.systems},
        }
        for name in larger.workloads
        for of, size in ((grid, ""), (larger, f", {LARGER} times the blocks"))
    ]
    if not rows:
        return ""
    out.csv("sizes", rows)
    return "\n" + markdown(list(rows[0]), [row.values() for row in rows])


def _moved(summary: Summary) -> float | None:
    return measures.programs(summary, "gc")
