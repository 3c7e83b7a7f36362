"""The paper's measures, from the results of the runs."""

from collections.abc import Sequence

import attrs

from ssdsim.metrics.result import Result

from ...study import measures
from ...study.measures import Measure, Summary, mean, percent, ratio
from .systems import BASE
from .workloads import TABLE_2

GC_PARTS = ("read", "write", "transfer", "erase")
PLUS = "SPD+"


def latency(op: str) -> Measure:
    """Return the measure of the mean response time of reads or writes in milliseconds."""

    def measure(summary: Summary) -> float | None:
        served = summary["requests"][op]
        return served["response_us"]["mean"] / 1000 if served["count"] else None

    return measure


def joined(summary: Summary) -> float | None:
    """Return the percent of page writes made by multi-plane commands."""
    return percent(summary["multi_plane"]["write_share"])


def planes(statistic: str) -> Measure:
    """Return the measure of the `mean` or `max` number of planes at work when an eviction is complete."""
    return lambda summary: summary["planes_at_work"][statistic]


def hit_ratio(summary: Summary) -> float | None:
    """Return the percent of page accesses that the buffer serves."""
    return percent(summary["buffer"]["hit_ratio"])


def gc_cost(summary: Summary) -> float:
    """Return the seconds that collection took, of its commands and transfers."""
    return sum(summary["gc"]["cost_us"][part] for part in GC_PARTS) / 1e6


def gc_cost_each(summary: Summary) -> float | None:
    """Return the milliseconds that a collection took in the mean."""
    return ratio(1000 * gc_cost(summary), collections(summary))


def gc_part(part: str) -> Measure:
    """Return the measure of the milliseconds of a collection that went into one of `GC_PARTS`."""
    return lambda summary: ratio(summary["gc"]["cost_us"][part] / 1000, collections(summary))


def collections(summary: Summary) -> int:
    """Return the number of collections, one for all blocks that are collected together."""
    return int(summary["gc"]["collections"])


def blocked(summary: Summary) -> float | None:
    """Return the percent of the page writes' time that those take that are blocked by collection."""
    return percent(ratio(summary["gc"]["blocked_write_us"], summary["gc"]["write_us"]))


def blocked_each(summary: Summary) -> float | None:
    """Return the milliseconds that a blocked page write takes in the mean."""
    return ratio(summary["gc"]["blocked_write_us"] / 1000, summary["gc"]["blocked_writes"])


@attrs.frozen
class Grid(measures.Grid):
    """Results of one state of the device."""

    @property
    def of_paper(self) -> list[str]:
        """Those of the workloads that are the paper's."""
        return [name for name in self.workloads if name in TABLE_2]

    def reduction(self, measure: Measure, workload: str, system: str, against: str = BASE) -> float | None:
        """Return by how many percent `system` lowers a measure of `against`."""
        return super().reduction(measure, workload, system, against)

    def mean_reduction(self, measure: Measure, system: str, against: str = BASE) -> float | None:
        """Return the average reduction over the paper's workloads."""
        return mean(self.reduction(measure, name, system, against) for name in self.of_paper)


@attrs.frozen
class Seeds(Grid):
    """The same under several seeds: values are means over these; `results` are those of the first."""

    grids: tuple[Grid, ...] = ()

    @classmethod
    def of(cls, grids: Sequence[Grid]) -> "Seeds":
        """Return the mean of `grids`."""
        return cls(grids[0].results, tuple(grids))

    @property
    def by_seed(self) -> Sequence[Grid]:
        """The grids of single seeds."""
        return self.grids

    def value(self, measure: Measure, workload: str, system: str) -> float | None:
        """Return the mean of a measure."""
        return mean(grid.value(measure, workload, system) for grid in self.grids)

    def reduction(self, measure: Measure, workload: str, system: str, against: str = BASE) -> float | None:
        """Return the mean of a reduction."""
        return mean(grid.reduction(measure, workload, system, against) for grid in self.grids)


WRITE, READ = latency("write"), latency("read")


def taken_at_once(result: Result) -> float | None:
    """Return the percent of writes that the buffer takes at once, as it has room for their pages or holds them."""
    rows = [row for row in result.latency.to_pylist() if row["op"] == "write"]
    at_once = sum(row["count"] for row in rows if row["up_to_us"] == 0)
    return ratio(100 * at_once, sum(row["count"] for row in rows))
