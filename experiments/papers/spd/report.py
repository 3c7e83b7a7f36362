"""What was run, and the figures of the paper that are not one measure of all workloads and systems."""

from collections.abc import Mapping
from fractions import Fraction

import attrs

from ...study.former.claims import Comparison, comparison_table
from ...study.former.figure import averaged, held
from ...study.former.report import Output
from ...study.measures import mean, ratio
from ...study.tables import Row, markdown, table
from . import comparisons, measures
from .measures import GC_PARTS, WRITE, Grid, Seeds
from .systems import BASE

CASES = ("single", "unaligned", "parallel")


@attrs.frozen
class Study:
    """Everything that was run."""

    free: Seeds
    collecting: Seeds
    four_planes: Seeds
    separated: Seeds
    """With hot and cold blocks too, called by `systems.apart`."""
    buffers: Grid
    """One workload, named by the buffer's size in MiB."""
    variants: Mapping[str, Grid]
    """By state of the device and what is changed, under one seed."""
    whole: Grid
    """One workload at the paper's size; empty if it was not asked for."""
    kinds: Mapping[str, str]
    """Whether a workload is synthetic, a real trace or a piece of one."""
    buffer_mib: Mapping[str, float]
    planes: int
    blocks: int
    scale: Fraction
    seeds: int
    seed: int


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
        "## Fig. 11: planes at work when an eviction completes\n\n"
        f"Mean, and most, of {study.planes}.\n\n"
        + markdown(list(rows[0]), averaged(grid, rows))
        + "\n"
        + out.picture("fig11", rows, grid.systems)
        + comparison_table(planes_held(study))
    )


def planes_held(study: Study) -> list[Comparison]:
    """Hold Fig. 11 against what the text says of it."""
    return held(lambda grid: comparisons.plane_comparisons(grid, study.planes), study.free)


def figure_15(study: Study, out: Output) -> str:
    """Time of a collection by what it goes into."""
    grid = study.collecting
    rows: list[Row] = [
        {
            "workload": name,
            "system": system,
            **{part: grid.value(measures.gc_part(part), name, system) for part in GC_PARTS},
        }
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
        "the same at any. SPD itself asks for a page of every plane (4.2.2), 1 MiB on this device.\n\n"
        + out.table("fig21", rows)
        + "\n"
        + out.picture("fig21", rows, grid.systems)
    )
