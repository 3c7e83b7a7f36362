"""The paper's Fig. 8: a table, a CSV file and a picture of each part, and what the paper says of it."""

from collections.abc import Callable, Mapping

import numpy as np

from ...study.claims import comparison_table
from ...study.measures import erases, mean, ratio
from ...study.report import Output
from ...study.tables import Row, table
from . import bandwidth, measures
from .bandwidth import Programs
from .measures import Grid
from .systems import BASE, OURS


def iops(grid: Grid, out: Output) -> str:
    """Show IOPS over pageFTL's (Fig. 8a)."""
    rows = _over_base(grid, grid.iops)
    of_all = _over_base(grid, grid.iops_of_all)
    out.csv("fig08a", rows)
    return (
        f"## Fig. 8(a): IOPS over {BASE}'s\n\n"
        + out.picture("fig08a", f"IOPS over {BASE}'s (Fig. 8a)", rows, by="over_base")
        + _averaged(rows)
        + "\n"
        + comparison_table(measures.iops_comparisons(grid))
        + "\nOver all of the time, with the host's idle times:\n\n"
        + _averaged(of_all)
        + "\n"
        + comparison_table(measures.iops_of_all_comparisons(grid))
    )


def erasures(grid: Grid, out: Output) -> str:
    """Show block erasures over pageFTL's (Fig. 8b)."""
    rows = _over_base(grid, lambda name, system: grid.value(erases, name, system))
    later = _over_base(grid, lambda name, system: measures.later_erases(grid.results[f"{name}/{system}"]))
    out.csv("fig08b", rows)
    return (
        f"## Fig. 8(b): block erasures over {BASE}'s\n\n"
        "All of them, of blocks of data and of backups.\n\n"
        + out.picture("fig08b", f"Block erasures over {BASE}'s (Fig. 8b)", rows, by="over_base")
        + _averaged(rows)
        + "\nOf the second half of what is written alone, to see whether the beginning matters:\n\n"
        + _averaged(later)
        + "\n"
        + comparison_table(measures.erase_comparisons(grid))
    )


def _over_base(grid: Grid, value: Callable[[str, str], float | None]) -> list[Row]:
    return [
        {"workload": name, **{system: ratio(value(name, system), value(name, BASE)) for system in grid.systems}}
        for name in grid.workloads
    ]


def _averaged(rows: list[Row]) -> str:
    """Return the table of `rows` with the mean of each column."""
    last = ["mean", *(mean(row[key] for row in rows) for key in rows[0] if key != "workload")]
    return table(rows, last)


def write_bandwidth(programs: Mapping[str, Programs], workload: str, page_bytes: int, out: Output) -> str:
    """Show the distribution of the write bandwidth, given the host's programs by system (Fig. 8c)."""
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
        + comparison_table(measures.bandwidth_comparisons(programs, page_bytes))
        + "\nWhat a peak is depends on the window: the eight LSB pages a chip that rtfFTL can write ahead take 4 ms, "
        "and show in short ones only. Peaks in MiB/s, and flexFTL's over rtfFTL's:\n\n" + _peaks(programs, page_bytes)
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
