"""A figure that shows one measure of all systems under all workloads: a table, a CSV file, a picture, and claims."""

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from ..measures import Grid, Measure, mean, ratio
from ..tables import Row, markdown
from .claims import Comparison, comparison_table, over_seeds
from .report import Output

AVERAGE = "average of the paper's"


@attrs.frozen
class Figure:
    """A measure of all workloads and systems, absolute or over that of the system `against`."""

    name: str
    title: str
    measure: Measure
    unit: str
    against: str = ""
    compare: Callable[[Any], list[Comparison]] | None = None
    note: str = ""
    systems: tuple[str, ...] = ()
    """Those shown; all by default."""

    def held(self, grid: Grid) -> list[Comparison]:
        """Return the paper's numbers beside ours, over seeds; none if none of its workloads was run."""
        return held(self.compare, grid) if self.compare else []

    def rows(self, grid: Grid) -> list[Row]:
        """Return a row a workload: with `against` its measure, and the others' over it."""
        found = []
        for workload in grid.workloads:
            base = grid.value(self.measure, workload, self.against) if self.against else 1.0
            if base:
                first = {f"{self.against} {self.unit}": base} if self.against else {}
                of = {
                    name: ratio(grid.value(self.measure, workload, name), base)
                    for name in self.systems or grid.systems
                    if name != self.against
                }
                found.append({"workload": workload, **first, **of})
        return found


def held(compare: Callable[[Any], list[Comparison]], grid: Grid) -> list[Comparison]:
    """Return what `compare` holds against a grid of each seed, as means over these with their intervals."""
    return over_seeds(compare(each) for each in grid.by_seed) if grid.of_paper else []


def averaged(grid: Grid, rows: Sequence[Row], empty: Sequence[str] = ()) -> list[list[object]]:
    """Return the cells of `rows` and, below, their averages over the paper's workloads but in the `empty` columns."""
    of_paper = [row for row in rows if row["workload"] in grid.of_paper]
    last = ["" if key in empty else mean(row[key] for row in of_paper) for key in rows[0] if key != "workload"]
    return [[*row.values()] for row in rows] + ([[AVERAGE, *last]] if of_paper else [])


def section(figure: Figure, grid: Grid, out: Output) -> str:
    """Return the section of a figure, and write its table and picture."""
    rows = figure.rows(grid)
    if not rows:
        return ""
    out.csv(figure.name, rows)
    base = f"{figure.against} {figure.unit}"
    unit = f"Over {figure.against}'s." if figure.against else f"In {figure.unit}."
    shown = averaged(grid, rows, [base])
    text = f"## {figure.title}\n\n{figure.note or unit}\n\n{markdown(list(rows[0]), shown)}\n"
    text += picture(figure, rows, out)
    held = figure.held(grid)
    return text + (comparison_table(held) if held else "")


def picture(figure: Figure, rows: Sequence[Row], out: Output) -> str:
    """Draw a figure as bars for each workload."""
    base = f"{figure.against} {figure.unit}"
    bars = [{key: value for key, value in row.items() if key != base} for row in rows]
    label = f"times {figure.against}'s" if figure.against else figure.unit
    return out.picture(figure.name, figure.title, label, bars, by="bars")
