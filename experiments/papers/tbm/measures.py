"""The paper's measures, from the results of the runs, and what the paper says of them."""

from collections import defaultdict
from collections.abc import Mapping

import attrs
import numpy as np

from ssdsim.metrics.result import Result

from ...study.former.claims import Comparison
from ...study.measures import erases, negative, ratio
from ...study.tables import Row
from . import paper
from .systems import BASE
from .workloads import Load

SUMS = ("reads", "writes", "host_page_writes", "gc_page_moves", "gc_collections")
JOINED = {"write": ("host_programs_joined", "host_programs"), "read": ("host_reads_joined", "host_reads")}

GAINS = {
    "iops": ("IOPS, saturated, raised by", "iops", 1),
    "saturated": ("response time, saturated, lowered by", "saturated_ms", -1),
    "response": ("response time at the trace's times, lowered by", "response_ms", -1),
}
"""What a system may gain: in words, the measure, and whether more or less of that is better."""

PANELS = {
    "response_ms": ("Response time", "ms"),
    "collections per 1000 pages": ("Collections", "per 1000 pages written"),
    "multi-plane write %": ("Multi-plane writes", "percent of the host's"),
    "multi-plane read %": ("Multi-plane reads", "percent of the host's"),
}
"""What Figs. 2 and 6 show, with title and unit."""

EARLY, LATE = (0.0, 0.75), 8.0
"""Volumes before collection starts, and from which on the long run is long."""

SETTLED = 1.25
"""Volume from which on numbers are those of the long run: collection has gone through a fair part of the blocks."""


@attrs.frozen
class Course:
    """A run as a course over the volume written, in units of the capacity."""

    volume: np.ndarray
    """What had been written at the end of each window."""

    sums: Mapping[str, np.ndarray]
    """By window: numbers of `SUMS` and `JOINED`, the `window_s` that it took, and of all its requests the `response_us`
    and the `queued_s` from admission to the device to completion."""

    def between(self, start: float, end: float = np.inf) -> Row:
        """Return what was measured between two volumes; None for what did not happen."""
        within = (self.volume > start) & (self.volume <= end)
        total = {name: float(values[within].sum()) for name, values in self.sums.items()}
        requests = total["reads"] + total["writes"]
        return {
            "response_ms": ratio(total["response_us"], 1000 * requests),
            "queued_ms": ratio(1000 * total["queued_s"], requests),
            "iops": ratio(requests, total["window_s"]),
            "collections per 1000 pages": ratio(1000 * total["gc_collections"], total["host_page_writes"]),
            **{f"multi-plane {op} %": ratio(100 * total[joined], total[all_]) for op, (joined, all_) in JOINED.items()},
        }

    def points(self, step: float) -> list[Row]:
        """Return the course in steps of so much volume."""
        ends = np.arange(1, round(float(self.volume[-1]) / step) + 1) * step
        return [{"volume": float(end - step / 2), **self.between(end - step, end)} for end in ends]


def course(result: Result, pages: int) -> Course:
    """Return the course of a run on a device of `pages`."""
    series = result.timeseries
    column = {name: np.nan_to_num(series[name].to_numpy().astype(float)) for name in series.column_names}
    sums = {name: column[name] for name in (*SUMS, *(name for pair in JOINED.values() for name in pair))}
    sums["response_us"] = sum(column[f"{op}s"] * column[f"{op}_response_us"] for op in ("read", "write"))
    sums["window_s"] = np.diff(column["time_s"] + column["window_s"], prepend=0.0)
    sums["queued_s"] = column["queue_depth"] * sums["window_s"]
    return Course(np.cumsum(column["host_page_writes"]) / pages, sums)


@attrs.frozen
class Grid:
    """The results of all systems under all workloads, at the trace's own times and as fast as the device can.

    Runs are called `workload/system`; `pages` are those of the device.
    """

    timely: Mapping[str, Result]
    saturated: Mapping[str, Result]
    loads: Mapping[str, Load]
    pages: int

    def long_term(self, workload: str, system: str) -> Row:
        """Return the numbers of Fig. 7; `saturated` ones are those of the device that is never idle.

        Its response time counts from admission, as requests are taken to come when there is room for them.
        """
        name = f"{workload}/{system}"
        saturated = course(self.saturated[name], self.pages).between(SETTLED)
        timely = course(self.timely[name], self.pages).between(SETTLED) if name in self.timely else defaultdict(none)
        gc = self.saturated[name].summary["gc"]
        return {
            "iops": saturated["iops"],
            "saturated_ms": saturated["queued_ms"],
            "response_ms": timely["response_ms"],
            **{f"multi-plane {op} %, saturated": saturated[f"multi-plane {op} %"] for op in JOINED},
            **{f"multi-plane {op} %": timely[f"multi-plane {op} %"] for op in JOINED},
            "collections per 1000 pages": saturated["collections per 1000 pages"],
            "moves a collection": ratio(gc["page_moves"], gc["collections"]),
            "moves a block": ratio(gc["page_moves"], erases(self.saturated[name].summary)),
        }

    def gain(self, workload: str, system: str, of: str) -> float | None:
        """Return by how many percent a system is better than what it is held against, in a measure of `GAINS`."""
        _, key, sign = GAINS[of]
        ours, base = (self.long_term(workload, name)[key] for name in (system, BASE[system]))
        if ours is None or base is None:
            return None
        return 100 * sign * (ours / base - 1)

    def largest_gain(self, system: str, of: str) -> float | None:
        """Return the largest gain over all workloads."""
        gains = (self.gain(name, system, of) for name in self.loads)
        return max((gain for gain in gains if gain is not None), default=None)

    def largest_difference(self, system: str, base: str, of: str) -> float | None:
        """Return by how many percent a saturated system differs from another at most, in a measure of `GAINS`."""
        key = GAINS[of][1]
        pairs = [
            (self.long_term(name, system)[key], self.long_term(name, base)[key])
            for name in self.loads
            if f"{name}/{system}" in self.saturated
        ]
        found = [100 * (ours / theirs - 1) for ours, theirs in pairs if ours is not None and theirs]
        return max(found, key=abs, default=None)


def below(runs: Mapping[str, Course], span: tuple[float, float]) -> float | None:
    """Return by how many percent the response time of D+BAC is below that of F+BAC between two volumes."""
    ours, theirs = (runs[name].between(*span)["response_ms"] for name in ("D+BAC", "F+BAC"))
    return 100 * (1 - ours / theirs) if ours is not None and theirs else None


def change(run: Course, key: str) -> float | None:
    """Return by how many percent a measure of a long run is higher late than early."""
    early, late = run.between(*EARLY)[key], run.between(LATE)[key]
    return 100 * (late / early - 1) if early and late is not None else None


def lowered(runs: Mapping[str, Course], system: str, by: str, key: str = "response_ms") -> float | None:
    """Return by how many percent a measure of `system` late in the long run is lower with `by` in place of it."""
    ours, theirs = (runs[name].between(LATE)[key] for name in (by, system))
    return 100 * (1 - ours / theirs) if ours is not None and theirs else None


def gain_of(runs: Mapping[str, Course], name: str, system: str, of: str) -> float | None:
    """Return by how many percent a system is better than what it is held against in the runs called `name/system`."""
    key = {"iops": "iops", "saturated": "queued_ms", "response": "response_ms"}[of]
    pair = [runs.get(f"{name}/{each}") for each in (system, BASE[system])]
    ours, base = (None if run is None else run.between(SETTLED)[key] for run in pair)
    return 100 * GAINS[of][2] * (ours / base - 1) if ours is not None and base else None


def none() -> None:
    """Stand for the numbers of a run that there is none of."""


def long_run_comparisons(runs: Mapping[str, Course]) -> list[Comparison]:
    """Hold Figs. 2 and 6 against what the text says of them."""
    written, middle, half = "multi-plane write %", *paper.BAC_COSTS
    lost, kept = (change(runs[name], written) for name in ("D+BAC", "D+TBM"))
    compared = [
        Comparison("D+BAC, multi-plane writes, fall in the long run", negative(lost), paper.WRITE_SHARE_LOST),
        Comparison("D+TBM, multi-plane writes, fall in the long run (nearly none)", negative(kept), 0, slack=10),
        Comparison("D+BAC, response time early, below F+BAC's", below(runs, EARLY), 0, slack=0, rule="at least"),
        Comparison("D+BAC, response time late, below F+BAC's (no more)", below(runs, (LATE, np.inf)), 0, slack=2),
    ]
    return compared + [
        Comparison(
            f"{name}, response time, lowered without BAC (0 to {middle + half})", saved, middle, slack=half + 0.5
        )
        for name, saved in (
            ("D", lowered(runs, "D+BAC", "D")),
            ("F", lowered(runs, "F+BAC", "F")),
            ("D+TBM", lowered(runs, "D+BAC+TBM", "D+TBM")),
        )
    ]


def gain_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 7 against what the text says of it."""
    compared = []
    for system, gains in paper.MOST_GAIN.items():
        for of, theirs in gains.items():
            rule = "at most" if system in paper.LIMITS else "within"
            what = f"{system}, {GAINS[of][0]}, largest of all workloads"
            compared.append(Comparison(what, grid.largest_gain(system, of), theirs, rule=rule))
    largest_difference = grid.largest_difference("F2", "F", "iops")
    compared.append(
        Comparison("F2, IOPS, saturated, over F's, most of all workloads (the same)", largest_difference, 0, slack=2)
    )
    middle, half = paper.LOSS
    for name in paper.LOSERS:
        for of in ("iops", "response"):
            what = f"D+TBM under {name}, {GAINS[of][0]} ({middle - half:g} to {middle + half:g})"
            ours = grid.gain(name, "D+TBM", of) if name in grid.loads else None
            compared.append(Comparison(what, ours, middle, slack=half + 0.5))
    return compared
