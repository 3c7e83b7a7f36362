"""From results to the figures and tables of the paper: a table, a CSV file and a picture each, and what it says."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import attrs

from ...study.claims import Comparison, comparison_table
from ...study.measures import Measure, mean, ratio
from ...study.report import Output
from ...study.tables import Row, markdown, table
from . import comparisons, measures
from .measures import GC_PARTS, WRITE, Grid
from .systems import BASE

CASES = ("single", "unaligned", "parallel")
AVERAGE = "average of the paper's"


@attrs.frozen
class Study:
    """Everything that was run."""

    free: Grid
    collecting: Grid
    buffers: Grid
    """One workload, named by the buffer's size in MiB."""
    four_planes: Grid
    separated: Grid
    """With hot and cold blocks too, called by `systems.apart`."""
    speeds: Grid
    """Runs named `workload xspeed, state/system`."""
    kinds: Mapping[str, str]
    """Whether a workload is synthetic, a real trace or a piece of one."""
    buffer_mib: Mapping[str, float]
    planes: int
    blocks: int
    scale: Fraction
    seed: int


@attrs.frozen
class Figure:
    """A measure of all workloads and systems, absolute or over that of the system `against`."""

    name: str
    title: str
    measure: Measure
    unit: str
    against: str = ""
    compare: Callable[[Grid], list[Comparison]] | None = None
    note: str = ""
    systems: tuple[str, ...] = ()
    """Those shown; all by default."""

    def held(self, grid: Grid) -> list[Comparison]:
        """Return the paper's numbers beside ours; none if none of its workloads was run."""
        return self.compare(grid) if self.compare and grid.of_paper else []

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


def figure_2(study: Study, out: Output) -> str:
    """Page writes alone, unaligned and parallel."""
    rows: list[Row] = []
    for name in study.free.workloads:
        cases = study.free.summary(name, BASE)["multi_plane"]["cases"]
        known = cases and sum(cases[case] for case in CASES)
        if known:
            rows.append({"workload": name, **{case: 100 * cases[case] / known for case in CASES}})
    if not rows:
        return ""
    out.csv("fig02", rows)
    return (
        "## Fig. 2: page writes alone, unaligned and parallel\n\n"
        f"{BASE} without collection, in percent of those that meet no other kind of operation (the paper's case 2). "
        "The paper: far from all are parallel, and a large part is unaligned.\n\n"
        + markdown(list(rows[0]), averaged(study.free, rows))
        + "\n"
        + out.picture("fig02", rows)
    )


def figure_11(study: Study, out: Output) -> str:
    """Planes at work at the same time."""
    grid = study.free
    rows: list[Row] = [
        {
            "workload": name,
            **{system: grid.value(measures.planes("mean"), name, system) for system in grid.systems},
            **{f"{system}, most": grid.value(measures.planes("max"), name, system) for system in grid.systems},
        }
        for name in grid.workloads
    ]
    out.csv("fig11", rows)
    return (
        "## Fig. 11: planes at work when a page write completes\n\n"
        f"Mean, and most, of {study.planes}.\n\n"
        + markdown(list(rows[0]), averaged(grid, rows))
        + "\n"
        + out.picture("fig11", rows, grid.systems)
        + comparison_table(comparisons.plane_comparisons(grid, study.planes))
    )


def figure_15(study: Study, out: Output) -> str:
    """Time of a collection by what it goes into."""
    grid = study.collecting
    rows: list[Row] = [
        {"workload": name, "system": system, **measures.gc_parts(grid.summary(name, system))}
        for name in grid.workloads
        for system in grid.systems
    ]
    out.csv("fig15", rows)
    means: list[Row] = []
    for system in grid.systems:
        of = [row for row in rows if row["system"] == system and row["workload"] in (grid.of_paper or grid.workloads)]
        parts = {part: mean(row[part] for row in of) or 0.0 for part in GC_PARTS}
        means.append({"system": system, **parts, "total": sum(parts.values())})
    return (
        "## Fig. 15: what the time of a collection goes into\n\n"
        "Milliseconds a collection, average of the paper's workloads. The paper: SPD's is less than TwinBlk's and "
        "ParaGC's and like Baseline-D's, though of two blocks; SuperPage's is the least; writes are most of it.\n\n"
        + table(means)
        + "\n"
        + out.picture("fig15", means)
    )


def figure_21(study: Study, out: Output) -> str:
    """Write latency by the buffer's size."""
    grid = study.buffers
    if not grid.results:
        return ""
    largest = grid.value(WRITE, grid.workloads[0], BASE) or 1.0
    rows: list[Row] = [
        {
            "MiB": float(size),
            **{name: ratio(grid.value(WRITE, size, name), largest) for name in grid.systems},
            "saved by SPD %": grid.reduction(WRITE, size, "SPD"),
        }
        for size in grid.workloads
    ]
    return (
        "## Fig. 21: write latency of RSR_0 by the size of the buffer\n\n"
        f"Without collection, over {BASE}'s with the smallest. The paper: all fall with the size, and SPD saves about "
        "the same at any. SPD itself asks for a page of every plane (4.2.2), 1 MiB on this device: with less there is "
        "often no die of which two pages are dirty, and it waits.\n\n"
        + out.table("fig21", rows)
        + "\n"
        + out.picture("fig21", rows, grid.systems)
    )
