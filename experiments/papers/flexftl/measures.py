"""The paper's measures, from the results of the runs, and what the paper says of them."""

from collections.abc import Callable, Iterable, Mapping

import attrs
import numpy as np

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result

from ...study import measures
from ...study.claims import Comparison
from ...study.measures import Summary, erases, mean, ratio, rise
from ...study.tables import Row
from . import paper
from .bandwidth import Programs
from .systems import BASE, OTHERS, OURS, QUOTA

U_HIGH = 0.8
"""The buffer utilization above which the quota is used (4.1)."""

SIMILAR = 5
"""Percent within which IOPS are called similar, as the paper does without a number."""


@attrs.frozen
class Grid(measures.Grid):
    """Results named `workload/system`, and the seconds that each workload has the host idle."""

    idle_s: Mapping[str, float]

    def iops(self, workload: str, system: str) -> float | None:
        """Return the requests a second of the time in which the host has any under way; None without such a run."""
        idle_s = self.idle_s[workload]
        return self.value(lambda of: ratio(requests(of), of["simulated_s"] - idle_s), workload, system)

    def iops_of_all(self, workload: str, system: str) -> float | None:
        """Return the requests a second of all of the time."""
        return self.value(lambda of: of["iops"], workload, system)

    def rise(self, workload: str, against: str) -> float | None:
        """Return by how many percent flexFTL has more IOPS than `against`."""
        return rise(self.iops(workload, OURS), self.iops(workload, against))

    def rise_of_all(self, workload: str, against: str) -> float | None:
        """Return the same of all of the time."""
        return rise(self.iops_of_all(workload, OURS), self.iops_of_all(workload, against))

    def saved(self, workload: str, against: str) -> float | None:
        """Return by how many percent flexFTL erases fewer blocks than `against`."""
        return self.reduction(erases, workload, OURS, against)


def requests(summary: Summary) -> int:
    """Return the number of reads and writes."""
    return int(sum(summary["requests"][op]["count"] for op in ("read", "write")))


def programs(summary: Summary) -> int:
    """Return the number of pages programmed."""
    return int(sum(summary["flash"]["programs"].values()))


def moved(summary: Summary) -> float | None:
    """Return the pages moved for each page of the host."""
    made = summary["flash"]["programs"]
    return ratio(made["gc"], made["host"])


def backed_up(summary: Summary) -> float | None:
    """Return the backup pages written for each page of the host."""
    made = summary["flash"]["programs"]
    return ratio(made["backup"], made["host"])


def idle_share(summary: Summary, idle_s: float) -> float:
    """Return the percent of time that the host has nothing under way."""
    return float(100 * idle_s / summary["simulated_s"])


def course(result: Result, initial: int) -> Row:
    """Return q, in multiples of the `initial` one, and u, at the ends of windows in which requests were completed."""
    series = result.timeseries
    completed = series["reads"].to_numpy() + series["writes"].to_numpy() > 0
    left, used = (series[name].to_numpy()[completed] for name in ("lsb_quota", "buffer_utilization"))
    return {
        "q, mean": float(left.mean()) / initial,
        "least": float(left.min()) / initial,
        "spent, % of windows": 100 * float((left <= 0).mean()),
        "u, mean": float(used.mean()),
        f"above {U_HIGH:g}, % of windows": 100 * float((used > U_HIGH).mean()),
    }


def initial_quota(hardware: HardwareConfig) -> int:
    """Return the LSB pages that flexFTL may write ahead at first."""
    return int(QUOTA * hardware.planes * hardware.physical_blocks * hardware.wordlines)


def later_erases(result: Result) -> int:
    """Return the blocks erased in the half of the run in which the host writes its second half of pages."""
    series = result.timeseries
    written = np.cumsum(series["host_page_writes"].to_numpy())
    return int(series["erases"].to_numpy()[written > written[-1] / 2].sum())


def ends(found: Iterable[float | None]) -> tuple[float | None, float | None]:
    """Return the largest of what is known, and the mean."""
    known = [each for each in found if each is not None]
    return max(known, default=None), mean(known)


def _held(
    grid: Grid, gain: Callable[[str, str], float | None], what: str, theirs: Mapping[str, tuple[float, float]]
) -> list[Comparison]:
    """Hold the largest and the mean gain over all workloads against the paper's."""
    return [
        Comparison(f"{what} {against}'s, {which}", ours, number)
        for against, numbers in theirs.items()
        for which, ours, number in zip(
            ("largest", "mean"), ends(gain(name, against) for name in grid.workloads), numbers, strict=True
        )
    ]


def iops_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 8(a) against what the text says of it."""
    compared = _held(grid, grid.rise, "IOPS of flexFTL above", paper.IOPS_RISE)
    for name in paper.AS_PAGE_FTL:
        if name in grid.workloads:
            what = f"IOPS of flexFTL above {BASE}'s under {name} (similar)"
            compared.append(Comparison(what, grid.rise(name, BASE), 0, slack=SIMILAR))
    others = [name for name in grid.workloads if name != paper.NOT_ABOVE_PAGE_FTL]
    above = [name for name in others if (grid.rise(name, BASE) or 0.0) > 0]
    what = f"workloads but {paper.NOT_ABOVE_PAGE_FTL} under which flexFTL has more IOPS than {BASE}"
    return [*compared, Comparison(what, len(above), len(others), unit="", slack=0)]


def iops_of_all_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 8(a) against the same, counted over all of the time."""
    return _held(grid, grid.rise_of_all, "over all of the time, IOPS of flexFTL above", paper.IOPS_RISE)


def erase_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 8(b) against what the text says of it."""
    return _held(grid, grid.saved, "erases of flexFTL below", paper.ERASES_SAVED)


def bandwidth_comparisons(programs: Mapping[str, Programs], page_bytes: int) -> list[Comparison]:
    """Hold Fig. 8(c) against what the text says of it, given the host's programs by system."""
    found = {name: made.by_window(page_bytes) for name, made in programs.items()}
    peak = {name: float(values.max()) for name, values in found.items()}
    average = {name: float(values.mean()) for name, values in found.items()}
    over_all = {name: made.average(page_bytes) for name, made in programs.items()}
    best = max(OTHERS, key=lambda name: peak[name])
    return [
        Comparison("peak write bandwidth of flexFTL over rtfFTL's", peak[OURS] / peak["rtfFTL"], paper.PEAK, unit=""),
        Comparison(f"the same over the highest of the others' ({best})", peak[OURS] / peak[best], paper.PEAK, unit=""),
        *(
            Comparison(f"{what} write bandwidth of flexFTL above {name}'s", rise(of[OURS], of[name]), theirs)
            for what, of in (("mean", average), ("over all of the time, mean", over_all))
            for name, theirs in paper.BANDWIDTH_RISE.items()
        ),
    ]
