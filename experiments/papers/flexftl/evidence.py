"""What in the runs explains where our numbers and the paper's part; what they do not show is not said."""

from collections.abc import Sequence

from ...study.former.claims import Comparison
from ...study.former.report import Output, parting
from ...study.measures import Summary, dies_busy, erases, mean, percent, ratio, rise
from ...study.tables import Row, number
from . import measures, paper
from .measures import Grid
from .runs import SHOWN, VARIED
from .systems import BASE, OURS, SYSTEMS

CLOSE = 5
"""Percent points within which erases follow programs."""

WITHIN = f"{paper.NOT_ABOVE_PAGE_FTL}, bursts within the buffer"


def evidence(grid: Grid, varied: Grid, initial: int, held: Sequence[Comparison], out: Output) -> str:
    """Return the section: what of `held` parts, and what the runs show about it."""
    rows = [_row(grid, workload, system) for workload in grid.workloads for system in SYSTEMS]
    reasons = (_programs(grid), _backups(grid), _webserver(varied, initial), _idle(varied))
    return parting(held, reasons) + "\n" + out.table("evidence", rows)


def _row(grid: Grid, workload: str, system: str) -> Row:
    summary = grid.summary(workload, system)
    served, made = summary["requests"], summary["flash"]["programs"]
    return {
        "": f"{workload}, {system}",
        "read ms": served["read"]["response_us"]["mean"] / 1000,
        "write ms": served["write"]["response_us"]["mean"] / 1000,
        "dies busy %": dies_busy(summary),
        "programs of collection %": percent(ratio(made["gc"], sum(made.values()))),
        "of backups %": percent(ratio(made["backup"], sum(made.values()))),
        "pages moved a block": ratio(made["gc"], summary["flash"]["erases"]["gc"]),
    }


def _programs(grid: Grid) -> str:
    """Say that erases follow programs, where they do."""
    told = []
    for other in paper.ERASES_SAVED:
        fewer = mean(grid.reduction(measures.programs, name, OURS, other) for name in grid.workloads)
        saved = mean(grid.reduction(erases, name, OURS, other) for name in grid.workloads)
        if fewer is not None and saved is not None and abs(fewer - saved) <= CLOSE:
            told.append(f"{number(fewer)} percent fewer pages than {other} (erases: {number(saved)})")
    return (
        f"Erases follow programs: over whole runs flexFTL programs {' and '.join(told)}, in the mean." if told else ""
    )


def _backups(grid: Grid) -> str:
    """Say how much of what others program beyond flexFTL is backups, and how much moved pages."""
    told = []
    for other in paper.ERASES_SAVED:

        def more(source: str, other: str = other) -> float | None:
            return mean(_more(grid.summary(name, other), grid.summary(name, OURS), source) for name in grid.workloads)

        backups, moved = more("backup"), more("gc")
        if backups is not None and moved is not None and backups > 0:
            told.append(f"{other} writes {number(backups)} backups and moves {number(moved)} pages more")
    return f"For each page of the host, {'; '.join(told)} than flexFTL, in the mean." if told else ""


def _more(theirs: Summary, ours: Summary, source: str) -> float | None:
    counts = [ratio(of["flash"]["programs"][source], of["flash"]["programs"]["host"]) for of in (theirs, ours)]
    return None if None in counts else counts[0] - counts[1]  # type: ignore[operator]


def _webserver(varied: Grid, initial: int) -> str:
    """Say that the gain under the web server is that of bursts which fill the buffer, if it is less by a third without.

    That is of the time in which the host has anything under way: shorter bursts leave less of that.
    """
    names = (paper.NOT_ABOVE_PAGE_FTL, WITHIN)
    if not {*names} <= {*varied.workloads}:
        return ""
    whole, within = (rise(varied.iops_busy(name, OURS), varied.iops_busy(name, BASE)) for name in names)
    if whole is None or within is None or whole <= 0 or within > 2 * whole / 3:
        return ""
    column = f"above {measures.U_HIGH:g}, % of windows"
    used = [number(measures.course(varied.results[f"{name}/{OURS}"], initial)[column]) for name in names]
    return (
        f"While the host has anything under way, flexFTL is {number(whole)} percent above {BASE} under "
        f"{paper.NOT_ABOVE_PAGE_FTL}, and {number(within)} where the writes of a burst fit the buffer: utilization is "
        f"above {measures.U_HIGH:g} in {used[0]} and {used[1]} percent of the windows. The difference is "
        "LSB pages written in bursts that overrun the buffer."
    )


def _idle(varied: Grid) -> str:
    """Say what the length of idle times decides, if the gain falls or rises with it, by more than a third in all."""
    names = [name for name in varied.workloads if name in VARIED and "idle time" in name]
    names.sort(key=lambda name: varied.idle_s[name])
    known = {name: gain for name in names if (gain := varied.rise(name, BASE)) is not None}
    gains = [*known.values()]
    one_way = gains in (sorted(gains), sorted(gains, reverse=True))
    if not gains or not one_way or max(gains) - min(gains) <= max(map(abs, gains)) / 3:
        return ""
    listed = "; ".join(f"{name.partition(', ')[2]}: {number(gain)}" for name, gain in known.items())
    return f"Idle times decide how far IOPS of {SHOWN} are above {BASE}'s, in percent ({listed})."
