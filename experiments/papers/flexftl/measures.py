"""The paper's measures, from the results of the runs."""

from collections.abc import Callable

import numpy as np

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row

from ...study.measures import Summary, erases, ratio, requests
from .systems import QUOTA

U_HIGH = 0.8  # the buffer utilization above which the quota is used (4.1)

Measure = Callable[[str, Result], float | None]
"""A measure of a result, given the name of the workload."""


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


def quota_spent(result: Result) -> float:
    """Return the percent of windows with completed requests at whose end the quota is spent."""
    return 100 * float((_at_completions(result, "lsb_quota") <= 0).mean())


def course(result: Result, initial: int) -> Row:
    """Return q, in multiples of the `initial` one, and u, at the ends of windows in which requests were completed."""
    left, used = (_at_completions(result, name) for name in ("lsb_quota", "buffer_utilization"))
    return {
        "q, mean": float(left.mean()) / initial,
        "least": float(left.min()) / initial,
        "spent, % of windows": quota_spent(result),
        "u, mean": float(used.mean()),
        f"above {U_HIGH:g}, % of windows": 100 * float((used > U_HIGH).mean()),
    }


def _at_completions(result: Result, column: str) -> np.ndarray:
    series = result.timeseries
    completed = series["reads"].to_numpy() + series["writes"].to_numpy() > 0
    values: np.ndarray = series[column].to_numpy()[completed]
    return values


def _later(result: Result) -> np.ndarray:
    """Return the windows of the time series in which the host writes its second half of pages."""
    written = np.cumsum(result.timeseries["host_page_writes"].to_numpy())
    chosen: np.ndarray = written > written[-1] / 2
    return chosen


def later_erases(_: str, result: Result) -> int:
    """Return the blocks erased in the second half of a run."""
    return int(result.timeseries["erases"].to_numpy()[_later(result)].sum())


def all_erases(_: str, result: Result) -> int:
    """Return the blocks erased in a whole run."""
    return erases(result.summary)


def all_programs(_: str, result: Result) -> int:
    """Return the pages programmed in a whole run."""
    return programs(result.summary)


def later_iops(_: str, result: Result) -> float:
    """Return the reads and writes completed a second in the second half of a run."""
    series, later = result.timeseries, _later(result)
    done, window_s = series["reads"].to_numpy() + series["writes"].to_numpy(), series["window_s"].to_numpy()
    return float(done[later].sum() / window_s[later].sum())


def all_iops(_: str, result: Result) -> float | None:
    """Return the requests a second of a whole run."""
    return ratio(requests(result.summary), result.summary["simulated_s"])
