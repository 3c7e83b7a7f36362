"""The paper's measures, from the results of the runs of a workload, which are called `workload/system`."""

import numpy as np

from ssdsim.metrics.result import Result

from ...study.measures import Measure, Summary, percent, ratio

SPEEDS = ("fast", "medium", "slow")
USED_UP = 3.0
"""Percent of the LSB pages that can be used below which they count as used up, as some planes are written less."""
LSB_A_BLOCK = 384 // 3  # LSB pages of a block (Table 1), at every scale


def response_us(op: str = "write", key: str = "mean") -> Measure:
    """Return the measure of a number of the response time's distribution in microseconds, None without requests."""

    def measure(summary: Summary) -> float | None:
        requests = summary["requests"][op]
        return requests["response_us"][key] if requests["count"] else None

    return measure


def share(speed: str) -> Measure:
    """Return the measure of the percent of writes that are of one of `SPEEDS`."""
    return lambda summary: 100 * (summary["page_types"][speed] or 0.0)


def success(summary: Summary) -> float | None:
    """Return the percent of sub-requests that got the page type specified."""
    return percent(summary["page_types"]["success_rate"])


def page_writes(summary: Summary) -> int:
    """Return how many pages the host wrote."""
    return int(summary["host_page_writes"])


def waiting(summary: Summary) -> float | None:
    """Return the percent of a write's response time that is waiting, also for collection."""
    parts = [response_us(key=part)(summary) or 0.0 for part in ("queue", "gc")]
    return percent(ratio(sum(parts), response_us()(summary)))


def closed_forms(pages: int) -> tuple[float, float, float]:
    """Return the chances that a write of so many pages is fast, medium or slow where types are blind (Section 3)."""
    # fast: all pages are LSB pages; not slow: none is an MSB page
    fast, not_slow = (1 / 3) ** pages, (2 / 3) ** pages
    return fast, not_slow - fast, 1 - not_slow


def free_lsb(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return hours and free LSB pages at the end of each window of the run."""
    series = result.timeseries
    hours = (series["time_s"].to_numpy() + series["window_s"].to_numpy()) / 3600
    return hours, series["free_lsb"].to_numpy().astype(float)


def usable_lsb(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return hours and the free LSB pages but those of the block that each plane keeps for collection."""
    hours, free = free_lsb(result)
    return hours, free - result.planes.num_rows * LSB_A_BLOCK


def lasted(result: Result, used_up: float = USED_UP) -> float:
    """Return the percent of the run after which less than `used_up` percent of the LSB pages were left for use."""
    hours, usable = usable_lsb(result)
    spent = np.flatnonzero(usable < used_up / 100 * usable[0])
    return 100 * float(hours[spent[0]] / hours[-1]) if len(spent) else 100.0


def left(result: Result, run_share: float) -> float:
    """Return the percent of the LSB pages for use that are left at the fewest, in the first `run_share` of a run."""
    hours, usable = usable_lsb(result)
    return 100 * float(usable[hours <= run_share * hours[-1]].min() / usable[0])


def lsb_supply(result: Result) -> float:
    """Return for how many percent of its page writes a run has LSB pages: the free ones, and a third of those written.

    That is what collection gives back, which reclaims a page of every type for each three that are written.
    """
    written = result.summary["host_page_writes"]
    return min(100.0, 100 * (float(free_lsb(result)[1][0]) / written + 1 / 3)) if written else 100.0


def round_means(result: Result) -> list[float]:
    """Return the mean write response time of each round, in milliseconds."""
    return [served["requests"]["write"]["response_us"]["mean"] / 1000 for served in result.summary["rounds"]]


def last_mean(result: Result, requests: int) -> float:
    """Return the mean response time of the last so many requests, in microseconds."""
    return float(result.requests["response_ns"].to_numpy()[-requests:].mean()) / 1000
