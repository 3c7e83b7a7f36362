"""A figure that shows one measure of all systems under all workloads: a table, a CSV file, a picture, and claims."""

from collections.abc import Sequence

import attrs

from ssdsim.report.markdown import Row, markdown

from .measures import Grid, Measure, mean, ratio
from .output import Output
from .report import Report

AVERAGE = "average of the paper's"


@attrs.frozen
class Figure:
    """A measure of all workloads and systems, absolute or over that of the system `against`.

    The claims that its section shows are those called by its name.
    """

    name: str
    title: str
    measure: Measure
    unit: str
    against: str = ""
    note: str = ""
    systems: tuple[str, ...] = ()
    """Those shown; all by default."""

    def rows(self, grid: Grid) -> list[Row]:
        """Return a row a workload: with `against` its measure, and the others' over it."""
        rows = []
        for workload in grid.workloads:
            base = grid.value(self.measure, workload, self.against) if self.against else 1.0
            if base:  # a workload under which it did not run, or nothing happened, has no row
                first = {f"{self.against} {self.unit}": base} if self.against else {}
                ratios = {
                    name: ratio(grid.value(self.measure, workload, name), base)
                    for name in self.systems or grid.systems
                    if name != self.against
                }
                rows.append({"workload": workload, **first, **ratios})
        return rows


def averaged(grid: Grid, rows: Sequence[Row], empty: Sequence[str] = ()) -> list[list[object]]:
    """Return the cells of `rows` and, below, their averages over the paper's workloads but in the `empty` columns."""
    of_paper = [row for row in rows if row["workload"] in grid.of_paper]
    # not of the workloads that we have added
    last = ["" if key in empty else mean(row[key] for row in of_paper) for key in rows[0] if key != "workload"]
    return [[*row.values()] for row in rows] + ([[AVERAGE, *last]] if of_paper else [])


def section(figure: Figure, grid: Grid, report: Report) -> str:
    """Return the section of a figure, and write its table and picture."""
    rows = figure.rows(grid)
    if not rows:
        return ""
    report.out.csv(figure.name, rows)
    base = f"{figure.against} {figure.unit}"
    unit = f"Over {figure.against}'s." if figure.against else f"In {figure.unit}."
    shown = averaged(grid, rows, [base])
    text = f"## {figure.title}\n\n{figure.note or unit}\n\n{markdown(list(rows[0]), shown)}\n"
    return text + picture(figure, rows, report.out) + report.table(figure.name)


def picture(figure: Figure, rows: Sequence[Row], out: Output) -> str:
    """Draw a figure as bars for each workload."""
    base = f"{figure.against} {figure.unit}"
    bars = [{key: value for key, value in row.items() if key != base} for row in rows]
    label = f"times {figure.against}'s" if figure.against else figure.unit
    return out.picture(figure.name, figure.title, label, bars, drawer="bars")
