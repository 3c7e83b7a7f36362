"""The paper's measures, from the results of the runs."""

from collections.abc import Callable, Iterable

import numpy as np

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row

from ...study.measures import Summary, erases, negative, ratio, rise
from ...study.study import NotRunError, Results
from .runs import part
from .systems import OURS, QUOTA
from .workloads import NAMES

U_HIGH = 0.8
"""The buffer utilization above which the quota is used (4.1)."""

Measure = Callable[[str, Result], float | None]
"""A measure of a result, given the name of the workload."""


def result(results: Results, workload: str, system: str) -> Result:
    """Return the result of a system under a workload; raise `NotRunError` without such a run."""
    name = part(workload, system)
    found = results[name].get(f"{workload}/{system}")
    if found is None:
        raise NotRunError(name)
    return found


def workloads_run(results: Results) -> list[str]:
    """Return the workloads that were run."""
    return [name for name in NAMES if part(name, OURS) in results]


def gain(results: Results, measure: Measure, workload: str, against: str) -> float | None:
    """Return by how many percent a measure of flexFTL is above that of `against`."""
    return rise(*(measure(workload, result(results, workload, system)) for system in (OURS, against)))


def saving(results: Results, measure: Measure, workload: str, against: str) -> float | None:
    """Return by how many percent a measure of flexFTL is below that of `against`."""
    return negative(gain(results, measure, workload, against))


def requests(summary: Summary) -> int:
    """Return the number of reads and writes."""
    return int(sum(summary["requests"][op]["count"] for op in ("read", "write")))


def programs(summary: Summary) -> int:
    """Return the number of pages programmed."""
    return int(sum(summary["flash"]["programs"].values()))


def for_each_of_host(summary: Summary, source: str) -> float | None:
    """Return the pages programmed by a `source` for each page of the host."""
    made = summary["flash"]["programs"]
    return ratio(made[source], made["host"])


def pages_for_two(summary: Summary) -> float:
    """Return the pages written, with backups, for two pages of data."""
    made = summary["flash"]["programs"]
    return 2 + 2 * float(made["backup"] / (made["host"] + made["gc"]))


def initial_quota(hardware: HardwareConfig) -> int:
    """Return the LSB pages that flexFTL may write ahead at first."""
    return int(QUOTA * hardware.planes * hardware.physical_blocks * hardware.wordlines)


def quota_spent(found: Result) -> float:
    """Return the percent of windows with completed requests at whose end the quota is spent."""
    return 100 * float((_at_completions(found, "lsb_quota") <= 0).mean())


def course(found: Result, initial: int) -> Row:
    """Return q, in multiples of the `initial` one, and u, at the ends of windows in which requests were completed."""
    left, used = (_at_completions(found, name) for name in ("lsb_quota", "buffer_utilization"))
    return {
        "q, mean": float(left.mean()) / initial,
        "least": float(left.min()) / initial,
        "spent, % of windows": quota_spent(found),
        "u, mean": float(used.mean()),
        f"above {U_HIGH:g}, % of windows": 100 * float((used > U_HIGH).mean()),
    }


def _at_completions(found: Result, column: str) -> np.ndarray:
    series = found.timeseries
    completed = series["reads"].to_numpy() + series["writes"].to_numpy() > 0
    values: np.ndarray = series[column].to_numpy()[completed]
    return values


def _later(found: Result) -> np.ndarray:
    """Return the windows of the time series in which the host writes its second half of pages."""
    written = np.cumsum(found.timeseries["host_page_writes"].to_numpy())
    chosen: np.ndarray = written > written[-1] / 2
    return chosen


def later_erases(_: str, found: Result) -> int:
    """Return the blocks erased in the second half of a run."""
    return int(found.timeseries["erases"].to_numpy()[_later(found)].sum())


def all_erases(_: str, found: Result) -> int:
    """Return the blocks erased in a whole run."""
    return erases(found.summary)


def all_programs(_: str, found: Result) -> int:
    """Return the pages programmed in a whole run."""
    return programs(found.summary)


def later_iops(_: str, found: Result) -> float:
    """Return the reads and writes completed a second in the second half of a run."""
    series, later = found.timeseries, _later(found)
    done, window_s = series["reads"].to_numpy() + series["writes"].to_numpy(), series["window_s"].to_numpy()
    return float(done[later].sum() / window_s[later].sum())


def all_iops(_: str, found: Result) -> float | None:
    """Return the requests a second of a whole run."""
    return ratio(requests(found.summary), found.summary["simulated_s"])


def known_mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of `values`, None if one is not known."""
    known = [*values]
    return None if None in known or not known else sum(known) / len(known)  # type: ignore[arg-type]
