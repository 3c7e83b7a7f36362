"""The paper's Fig. 8: a table, a CSV file and a picture of each part, and what the paper says of it."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...study.former.claims import comparison_table, over_seeds
from ...study.former.report import Output
from ...study.measures import erases, mean, ratio
from ...study.tables import Row, table
from . import bandwidth, measures
from .bandwidth import Programs
from .measures import Grid
from .systems import BASE, OURS, SYSTEMS


def iops(grids: Sequence[Grid], out: Output) -> str:
    """Show IOPS over pageFTL's (Fig. 8a)."""
    grid = grids[0]
    rows = _over_base(grid, grid.iops)
    out.csv("fig08a", rows)
    return (
        f"## Fig. 8(a): IOPS over {BASE}'s\n\n"
        + out.picture("fig08a", f"IOPS over {BASE}'s (Fig. 8a)", rows, by="over_base")
        + _averaged(rows)
        + "\n"
        + comparison_table(over_seeds(map(measures.iops_comparisons, grids)))
        + "\nOf the whole run, and only of the time in which the host has anything under way:\n\n"
        + _averaged(_over_base(grid, grid.iops_busy))
    )


def erasures(grids: Sequence[Grid], out: Output) -> str:
    """Show block erasures over pageFTL's (Fig. 8b)."""
    grid = grids[0]
    rows = _over_base(grid, lambda name, system: grid.of(measures.later_erases, name, system))
    out.csv("fig08b", rows)
    return (
        f"## Fig. 8(b): block erasures over {BASE}'s\n\n"
        "Of blocks of data and of backups.\n\n"
        + out.picture("fig08b", f"Block erasures over {BASE}'s (Fig. 8b)", rows, by="over_base")
        + _averaged(rows)
        + "\n"
        + comparison_table(over_seeds(map(measures.erase_comparisons, grids)))
        + "\nOf the whole run:\n\n"
        + _averaged(_over_base(grid, lambda name, system: grid.value(erases, name, system)))
    )


def variants(grids: Sequence[Grid]) -> str:
    """Show what the paper leaves open of the other systems, both ways."""
    compared = [each for each in over_seeds(map(measures.variant_comparisons, grids)) if each.ours is not None]
    if not compared:
        return ""
    return (
        "## What the paper leaves open of the others\n\n"
        "ParityFTL's parity in the chip of its pages, or on the next channel; rtfFTL's copies of every page to any "
        "page, or to LSB pages and not of moved pages whose block still holds them. The paper's numbers are its means "
        "over all workloads.\n\n" + comparison_table(compared)
    )


def _over_base(grid: Grid, value: Callable[[str, str], float | None]) -> list[Row]:
    return [
        {"workload": name, **{system: ratio(value(name, system), value(name, BASE)) for system in SYSTEMS}}
        for name in grid.workloads
    ]


def _averaged(rows: list[Row]) -> str:
    """Return the table of `rows` with the mean of each column."""
    last = ["mean", *(mean(row[key] for row in rows) for key in rows[0] if key != "workload")]
    return table(rows, last)


def write_bandwidth(seeds: Sequence[Mapping[str, Programs]], workload: str, page_bytes: int, out: Output) -> str:
    """Show the distribution of the write bandwidth, given the host's programs by system under each seed (Fig. 8c)."""
    programs = seeds[0]
    if not programs:
        return ""
    found = {name: made.by_window(page_bytes) for name, made in programs.items()}
    points: list[Row] = [
        {"system": name, "MiB/s": at, "share of windows": share}
        for name, values in found.items()
        for at, share in zip(*(column.tolist() for column in bandwidth.distribution(values)), strict=True)
    ]
    out.csv("fig08c", points)
    rows = [_bandwidth_row(name, made, found[name], page_bytes) for name, made in programs.items()]
    return (
        f"## Fig. 8(c): write bandwidth under {workload}\n\n"
        f"Page programs of the host in windows of {1000 * bandwidth.WINDOW_S:g} ms, in the second half of a run; "
        "windows without any are left out (`experiments/papers/flexftl/bandwidth.py` says why).\n\n"
        + out.picture("fig08c", found)
        + table(rows)
        + "\n"
        + comparison_table(over_seeds(measures.bandwidth_comparisons(each, page_bytes) for each in seeds))
        + "\nWhat a peak is depends on the width of the window. Peaks in MiB/s, and flexFTL's over rtfFTL's:\n\n"
        + _peaks(programs, page_bytes)
    )


def _bandwidth_row(name: str, made: Programs, values: np.ndarray, page_bytes: int) -> Row:
    return {
        "": name,
        "mean MiB/s": float(values.mean()),
        "median": float(np.median(values)),
        "90 %": float(np.quantile(values, 0.9)),
        "peak": float(values.max()),
        "windows": len(values),
        "LSB pages, % of the host's": 100 * float((made.page_types == 0).mean()),
        "mean over all of the time, MiB/s": made.average(page_bytes),
    }


def _peaks(programs: Mapping[str, Programs], page_bytes: int) -> str:
    rows: list[Row] = []
    for width_s in bandwidth.WINDOWS_S:
        peak = {name: float(made.by_window(page_bytes, width_s).max()) for name, made in programs.items()}
        rows.append({"window": f"{1000 * width_s:g} ms", **peak, "times": peak[OURS] / peak["rtfFTL"]})
    return table(rows)
