"""The paper's measures, from the results of the runs, and what the paper says of them."""

from collections.abc import Callable, Iterable, Mapping

import attrs
import numpy as np

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result

from ...study import measures
from ...study.former.claims import Comparison
from ...study.measures import Summary, mean, negative, ratio, rise
from ...study.tables import Row
from . import paper
from .bandwidth import Programs
from .systems import BASE, OTHERS, OURS, QUOTA, VARIANTS
from .workloads import NAMES

U_HIGH = 0.8
"""The buffer utilization above which the quota is used (4.1)."""

SIMILAR = 5
"""Percent within which IOPS are called similar, as the paper does without a number."""


@attrs.frozen
class Grid(measures.Grid):
    """Results named `workload/system`, and the seconds that each workload has the host idle.

    IOPS and erases are of the half of a run in which the host writes its second half of pages: at first blocks are
    collected that the device was filled with, and rtfFTL fills eight blocks a chip from their first pages on.
    """

    idle_s: Mapping[str, float]

    def of(self, measure: Callable[[Result], float | None], workload: str, system: str) -> float | None:
        """Return a measure of a result; None if there is no such run."""
        found = self.results.get(f"{workload}/{system}")
        return None if found is None else measure(found)

    def iops(self, workload: str, system: str) -> float | None:
        """Return the requests a second of all of the time, idle times included."""
        return self.of(later_iops, workload, system)

    def iops_busy(self, workload: str, system: str) -> float | None:
        """Return the requests a second of the time in which the host has any under way, of the whole run."""
        idle_s = self.idle_s[workload]
        return self.value(lambda of: ratio(requests(of), of["simulated_s"] - idle_s), workload, system)

    def rise(self, workload: str, against: str) -> float | None:
        """Return by how many percent flexFTL has more IOPS than `against`."""
        return rise(self.iops(workload, OURS), self.iops(workload, against))

    def saved(self, workload: str, against: str) -> float | None:
        """Return by how many percent flexFTL erases fewer blocks than `against`."""
        return fewer(self.of(later_erases, workload, OURS), self.of(later_erases, workload, against))


def fewer(ours: float | None, theirs: float | None) -> float | None:
    """Return by how many percent `ours` is less than `theirs`."""
    return negative(rise(ours, theirs))


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


def _later(result: Result) -> np.ndarray:
    """Return which windows of the time series are of the half in which the host writes its second half of pages."""
    written = np.cumsum(result.timeseries["host_page_writes"].to_numpy())
    chosen: np.ndarray = written > written[-1] / 2
    return chosen


def later_erases(result: Result) -> int:
    """Return the blocks erased in the second half of a run."""
    return int(result.timeseries["erases"].to_numpy()[_later(result)].sum())


def later_iops(result: Result) -> float:
    """Return the reads and writes completed a second in the second half of a run."""
    series, later = result.timeseries, _later(result)
    done, window_s = series["reads"].to_numpy() + series["writes"].to_numpy(), series["window_s"].to_numpy()
    return float(done[later].sum() / window_s[later].sum())


def ends(found: Iterable[float | None]) -> tuple[float | None, float | None]:
    """Return the largest of what is known, and the mean."""
    known = [each for each in found if each is not None]
    return max(known, default=None), mean(known)


def _held(
    grid: Grid, gain: Callable[[str, str], float | None], what: str, theirs: Mapping[str, tuple[float, float]]
) -> list[Comparison]:
    """Hold the largest and the mean gain over all workloads against the paper's."""
    return [
        Comparison(f"{what} {against}'s, {statistic}", ours, number)
        for against, numbers in theirs.items()
        for statistic, ours, number in zip(
            ("largest", "mean"), ends(gain(name, against) for name in grid.workloads), numbers, strict=True
        )
    ]


def iops_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 8(a) against what the text says of it."""
    compared = _held(grid, grid.rise, "IOPS of flexFTL above", paper.IOPS_RISE)
    above = f"IOPS of flexFTL above {BASE}'s under"
    gain = {name: grid.rise(name, BASE) for name in (*NAMES, *grid.workloads)}
    compared += [Comparison(f"{above} {name} (similar)", gain[name], 0, slack=SIMILAR) for name in paper.AS_PAGE_FTL]
    compared.append(
        Comparison(f"{above} {paper.NOT_ABOVE_PAGE_FTL}", gain[paper.NOT_ABOVE_PAGE_FTL], 0, rule="at most")
    )
    known = {name: rise for name, rise in gain.items() if rise is not None}
    others = [rise for name, rise in known.items() if name != paper.NOT_ABOVE_PAGE_FTL]
    workload_count = len(NAMES) - 1
    what = f"workloads but {paper.NOT_ABOVE_PAGE_FTL} under which flexFTL has more IOPS than {BASE}"
    compared.append(
        _at_least(what, sum(rise > 0 for rise in others) if len(others) == workload_count else None, workload_count)
    )
    first = sorted(known, key=lambda name: known[name], reverse=True)[: len(paper.MOST_EFFECTIVE)]
    told = " and ".join(paper.MOST_EFFECTIVE)
    found = len({*first} & {*paper.MOST_EFFECTIVE}) if {*paper.MOST_EFFECTIVE} <= {*known} else None
    return [*compared, _at_least(f"{told} among the largest gains over {BASE}", found, len(paper.MOST_EFFECTIVE))]


def _at_least(what: str, ours: int | None, theirs: float) -> Comparison:
    return Comparison(what, ours, theirs, unit="", slack=0, rule="at least")


def erase_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 8(b) against what the text says of it."""
    return _held(grid, grid.saved, "erases of flexFTL below", paper.ERASES_SAVED)


def bandwidth_comparisons(programs: Mapping[str, Programs], page_bytes: int) -> list[Comparison]:
    """Hold Fig. 8(c) against what the text says of it, given the host's programs by system; empty if not recorded."""
    found = {name: made.by_window(page_bytes) for name, made in programs.items()}
    peak = {name: float(values.max()) for name, values in found.items()}
    others = max((peak[name] for name in OTHERS if name in peak), default=None)
    ours, theirs = peak.get(OURS), peak.get("rtfFTL")
    compared = [
        Comparison("peak write bandwidth of flexFTL over rtfFTL's", ratio(ours, theirs), paper.PEAK, unit=""),
        Comparison("the same over the highest of the others'", ratio(ours, others), paper.PEAK, unit=""),
        _at_least("peak of rtfFTL over the highest of the others'", ratio(theirs, others), 1),
    ]
    average = {name: float(values.mean()) for name, values in found.items()}
    over_all = {name: made.average(page_bytes) for name, made in programs.items()}
    return compared + [
        Comparison(f"{what} write bandwidth of flexFTL above {name}'s", rise(of.get(OURS), of.get(name)), number)
        for what, of in (("mean", average), ("over all of the time, mean", over_all))
        for name, number in paper.BANDWIDTH_RISE.items()
    ]


def variant_comparisons(grid: Grid) -> list[Comparison]:
    """Hold the mean gains over variants of other systems, under the workloads that these are run with, likewise."""
    compared = []
    for name, (system, _) in VARIANTS.items():
        under = [workload for workload in grid.workloads if f"{workload}/{name}" in grid.results]
        for each in (system, name):
            told = f"{each} under {' and '.join(under)}"
            gain, saved = (mean(of(workload, each) for workload in under) for of in (grid.rise, grid.saved))
            compared.append(Comparison(f"IOPS of flexFTL above {told}", gain, paper.IOPS_RISE[system][1]))
            compared.append(Comparison(f"erases of flexFTL below {told}", saved, paper.ERASES_SAVED[system][1]))
    return compared
