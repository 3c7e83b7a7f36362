"""Measures of the summaries of runs, and the results of systems under workloads."""

from collections.abc import Callable, Container, Iterable, Mapping
from statistics import fmean
from typing import Any

import attrs

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row

Summary = Mapping[str, Any]
Measure = Callable[[Summary], float | None]


def ratio(numerator: float | None, denominator: float | None) -> float | None:
    """Return a quotient, None if it has none."""
    return numerator / denominator if numerator is not None and denominator else None  # over 0 as over nothing


def rise(ours: float | None, theirs: float | None) -> float | None:
    """Return by how many percent `ours` is more than `theirs`."""
    quotient = ratio(ours, theirs)
    return None if quotient is None else 100 * (quotient - 1)


def reduction(ours: float | None, theirs: float | None) -> float | None:
    """Return by how many percent `ours` is less than `theirs`."""
    quotient = ratio(ours, theirs)
    return None if quotient is None else 100 * (1 - quotient)


def percent(share: float | None) -> float | None:
    """Return a share in percent."""
    return None if share is None else 100 * share


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of those that are not None, or None if all are."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def device_pages(hardware: HardwareConfig) -> int:
    """Return the physical pages of a device."""
    return hardware.planes * hardware.pages_per_plane


def requests(summary: Summary) -> int:
    """Return the number of reads and writes served."""
    return int(sum(summary["requests"][op]["count"] for op in ("read", "write")))


def collections(summary: Summary) -> int:
    """Return the number of collections, one for all blocks that are collected together."""
    return int(summary["gc"]["collections"])


def moves_a_block(summary: Summary) -> float | None:
    """Return the pages that collection moves for each block erased."""
    return ratio(summary["gc"]["page_moves"], erases(summary))


def erases(summary: Summary) -> int:
    """Return the number of blocks erased."""
    return int(sum(summary["flash"]["erases"].values()))


def dies_busy(summary: Summary) -> float:
    """Return the percent of time that a die is busy."""
    return 100 * fmean(summary["utilization"]["die"])


def traffic(summary: Summary) -> dict[str, float | None]:
    """Return the load of the device, as columns of a table."""
    read, write = (summary["requests"][op] for op in ("read", "write"))
    count = requests(summary)
    return {
        "requests": count,
        "writes %": 100 * write["count"] / count,
        "write KiB": ratio(write["bytes"] / 1024, write["count"]),
        "read KiB": ratio(read["bytes"] / 1024, read["count"]),
        "requests/s": count / summary["simulated_s"],
        "hours": summary["simulated_s"] / 3600,
    }


@attrs.frozen
class Grid:
    """Results named `workload/system`."""

    results: Mapping[str, Result]
    published: Container[str] | None = None
    """The names of the paper's workloads, if others may be among them."""

    @property
    def workloads(self) -> list[str]:
        """The workloads, in order."""
        return list(dict.fromkeys(name.rpartition("/")[0] for name in self.results))

    @property
    def systems(self) -> list[str]:
        """The systems, in order."""
        return list(dict.fromkeys(name.rpartition("/")[2] for name in self.results))

    @property
    def of_paper(self) -> list[str]:
        """Those of the workloads that are the paper's."""
        return [name for name in self.workloads if self.published is None or name in self.published]

    def summary(self, workload: str, system: str) -> Summary:
        """Return the summary of a run."""
        return self.results[f"{workload}/{system}"].summary

    def value(self, measure: Measure, workload: str, system: str) -> float | None:
        """Return a measure of a run; None if there is no such run."""
        result = self.results.get(f"{workload}/{system}")
        return None if result is None else measure(result.summary)

    def rows(self, columns: Mapping[str, tuple[Measure, str]]) -> list[Row]:
        """Return a row a workload, with a measure of a system in each of the `columns`."""
        return [
            {
                "workload": name,
                **{column: self.value(measure, name, system) for column, (measure, system) in columns.items()},
            }
            for name in self.workloads
        ]

    def reduction(self, measure: Measure, workload: str, system: str, against: str) -> float | None:
        """Return by how many percent `system` lowers a measure of `against`."""
        return reduction(self.value(measure, workload, system), self.value(measure, workload, against))

    def average(self, measure: Measure, system: str) -> float | None:
        """Return the average of a measure over the paper's workloads."""
        return mean(self.value(measure, name, system) for name in self.of_paper)
