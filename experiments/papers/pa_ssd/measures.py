"""The paper's measures, from the results of the runs of a workload, which are called `workload/system`."""

from collections.abc import Mapping

import attrs
import numpy as np

from ssdsim.metrics.result import Result

from ...study.measures import percent, ratio
from ...study.study import NotRunError
from .systems import COMBINED

Runs = Mapping[str, Result]
Shares = dict[str, float]

SPEEDS = ("fast", "medium", "slow")
USED_UP = 3.0
"""Percent of the LSB pages that can be used below which they count as used up, as some planes are written less."""
LSB_A_BLOCK = 384 // 3
"""LSB pages of a block (Table 1), at every scale."""


def reduction(ours: float | None, theirs: float | None) -> float | None:
    """Return by how many percent `ours` is less than `theirs`."""
    to = ratio(ours, theirs)
    return None if to is None else 100 * (1 - to)


@attrs.frozen
class Measured:
    """What the systems did under one workload."""

    workload: str
    runs: Runs

    def of(self, system: str) -> Result:
        """Return the result of a system; raise `NotRunError` if it was not run."""
        if (name := f"{self.workload}/{system}") not in self.runs:
            raise NotRunError(name)
        return self.runs[name]

    @property
    def systems(self) -> list[str]:
        """The systems that were run."""
        return [name.rpartition("/")[2] for name in self.runs]

    def response(self, system: str, op: str = "write", key: str = "mean") -> float | None:
        """Return a number of the response time's distribution in microseconds, None without such requests."""
        requests = self.of(system).summary["requests"][op]
        return requests["response_us"][key] if requests["count"] else None

    def reduction(self, system: str, op: str = "write", against: str = "baseline", key: str = "mean") -> float | None:
        """Return by how many percent `system` lowers a response time of `against`."""
        return reduction(self.response(system, op, key), self.response(against, op, key))

    def lowest_but(self, system: str) -> float | None:
        """Return the lowest write response time of the schemes other than `system`."""
        return min((us for name in COMBINED if name != system and (us := self.response(name))), default=None)

    def shares(self, system: str) -> Shares:
        """Return the percent of fast, medium and slow writes."""
        return {speed: 100 * (self.of(system).summary["page_types"][speed] or 0.0) for speed in SPEEDS}

    def success(self, system: str) -> float | None:
        """Return the percent of sub-requests that got the page type specified."""
        return percent(self.of(system).summary["page_types"]["success_rate"])

    def page_writes(self, system: str) -> int:
        """Return how many pages the host wrote."""
        return self.of(system).summary["host_page_writes"]

    def collections(self) -> dict[str, int]:
        """Return the number of garbage collections of each system."""
        return {name: self.of(name).summary["gc"]["collections"] for name in self.systems}

    def waiting(self, system: str) -> float | None:
        """Return the percent of a write's response time that is waiting, also for collection."""
        whole = self.response(system)
        parts = [self.response(system, key=part) or 0.0 for part in ("queue", "gc")]
        return percent(ratio(sum(parts), whole))

    def met_long_queue(self) -> float | None:
        """Return the percent of writes that met more than `paper.THRESHOLD` requests under sQD+sU.

        Those are fast, and of the others as many as under sU, so long as there are LSB pages.
        """
        without, fast = (self.shares(name)["fast"] for name in ("sU", "sQD+sU"))
        return None if without == 100 else max(0.0, 100 * (fast - without) / (100 - without))


def closed_forms(pages: int) -> tuple[float, float, float]:
    """Return the chances that a write of so many pages is fast, medium or slow where types are blind (Section 3)."""
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


def left(result: Result, share: float) -> float:
    """Return the percent of the LSB pages for use that are left when they are fewest in the first `share` of a run."""
    hours, usable = usable_lsb(result)
    return 100 * float(usable[hours <= share * hours[-1]].min() / usable[0])


def lsb_supply(result: Result) -> float:
    """Return for how many percent of its page writes a run has LSB pages: the free ones, and a third of those written.

    That is what collection gives back, which reclaims a page of every type for each three that are written.
    """
    written = result.summary["host_page_writes"]
    return min(100.0, 100 * (float(free_lsb(result)[1][0]) / written + 1 / 3)) if written else 100.0


def round_means(result: Result) -> list[float]:
    """Return the mean write response time of each round, in milliseconds."""
    return [each["requests"]["write"]["response_us"]["mean"] / 1000 for each in result.summary["rounds"]]


def last_mean(result: Result, requests: int) -> float:
    """Return the mean response time of the last so many requests, in microseconds."""
    return float(result.requests["response_ns"].to_numpy()[-requests:].mean()) / 1000
