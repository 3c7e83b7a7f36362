"""What in the runs explains where our numbers and the paper's part."""

from experiments.flexftl.measures import Grid
from experiments.measures import dies_busy, percent, ratio
from experiments.output import Output
from experiments.study import Comparison, Row, comparison_table, markdown

LATENCY = "mean"


def evidence(grid: Grid, held: list[Comparison], out: Output) -> str:
    """Return the section: what of `held` parts, and what the runs show about it."""
    rows = [_row(grid, workload, system) for workload in grid.workloads for system in grid.systems]
    out.csv("evidence", rows)
    return (
        "## Where and why our numbers part from the paper's\n\n"
        + comparison_table(each for each in held if not each.agrees)
        + "\n"
        + markdown(list(rows[0]), [row.values() for row in rows])
    )


def _row(grid: Grid, workload: str, system: str) -> Row:
    summary = grid.summary(workload, system)
    dies = summary["utilization"]["die"]
    served = summary["requests"]
    return {
        "": f"{workload}, {system}",
        "read ms": served["read"]["response_us"]["mean"] / 1000,
        "write ms": served["write"]["response_us"]["mean"] / 1000,
        "dies busy %": dies_busy(summary),
        "dies busy while not idle %": percent(
            ratio(sum(dies) / len(dies) * summary["simulated_s"], summary["simulated_s"] - grid.idle_s[workload])
        ),
        "collection, % of programs": percent(
            ratio(summary["flash"]["programs"]["gc"], sum(summary["flash"]["programs"].values()))
        ),
        "hit ratio %": percent(summary["buffer"]["hit_ratio"]),
    }
