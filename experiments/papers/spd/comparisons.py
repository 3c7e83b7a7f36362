"""What the paper says of its measures, held against the runs."""

from collections.abc import Mapping
from typing import Any

from ...study.former.claims import Comparison
from ...study.measures import Measure, erases, mean, negative
from . import paper
from .measures import (
    PLUS,
    READ,
    WRITE,
    Grid,
    blocked,
    blocked_each,
    collections,
    gc_cost,
    gc_cost_each,
    hit_ratio,
    joined,
    planes,
)
from .systems import BASE, separated_name


def averages(grid: Grid, measure: Measure, what: str, theirs: Mapping[str, float], **more: Any) -> list[Comparison]:
    """Hold the average reductions of a measure by several systems against the paper's."""
    return [
        Comparison(f"{what}, average reduction by {system}", grid.mean_reduction(measure, system), number, **more)
        for system, number in theirs.items()
    ]


def single(grid: Grid, measure: Measure, what: str, of: Mapping[str, float], by: str, against: str) -> list[Comparison]:
    """Hold reductions under single workloads, if they were run, against the paper's."""
    return [
        Comparison(f"{what} under {name}, reduction by {by}", grid.reduction(measure, name, by, against), theirs)
        for name, theirs in of.items()
        if name in grid.workloads
    ]


def write_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 9 against what the text says of it."""
    best = max((grid.reduction(WRITE, name, "Baseline-P") or 0.0 for name in grid.of_paper), default=None)
    other = [name for name in grid.systems if name != "SPD"]
    lowest = [
        name for name in grid.of_paper if all((grid.reduction(WRITE, name, "SPD", of) or 0.0) > 0 for of in other)
    ]
    half = paper.MOST_BY_BASELINE_P / 2
    return [
        *averages(grid, WRITE, "write latency", paper.WRITE_REDUCTION),
        Comparison(
            "write latency, average reduction by Baseline-P (0 to 1.4)",
            grid.mean_reduction(WRITE, "Baseline-P"),
            half,
            slack=half,
        ),
        Comparison("write latency, largest reduction by Baseline-P", best, paper.MOST_BY_BASELINE_P, rule="at most"),
        *(
            Comparison(
                f"write latency under {name}, reduction by SPD",
                grid.reduction(WRITE, name, "SPD"),
                paper.SPD_LEAST_OF_FIVE,
                rule="at least",
            )
            for name in paper.SPD_ABOVE_15
            if name in grid.workloads
        ),
        Comparison(
            "workloads with SPD's write latency below all others",
            len(lowest),
            len(grid.of_paper),
            unit="",
            rule="at least",
        ),
    ]


def joined_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 10 against what the text says of it."""
    by = {of: mean(grid.value(joined, name, of) for name in grid.of_paper) for of in (BASE, "Baseline-P", "TwinBlk")}
    ours = mean(grid.value(joined, name, "SPD") for name in grid.of_paper)
    what = "page writes by multi-plane commands, average of"
    base = by[BASE] or 0.0
    return [
        Comparison(f"{what} SPD", ours, paper.JOINED_BY_SPD, rule="at least"),
        Comparison(
            f"{what} Baseline-P, more than of {BASE}",
            None if by["Baseline-P"] is None else by["Baseline-P"] - base,
            0,
            slack=5,
        ),
        Comparison(
            f"{what} TwinBlk, more than of {BASE}",
            None if by["TwinBlk"] is None else by["TwinBlk"] - base,
            10,
            rule="at least",
        ),
    ]


def plane_comparisons(grid: Grid, planes_in_all: int) -> list[Comparison]:
    """Hold Fig. 11 against what the text says of it; most of the workloads are more than half of them."""
    compared = []
    for system, theirs in paper.UTILIZATION_RISE.items():
        ours = negative(grid.mean_reduction(planes("mean"), system))
        compared.append(Comparison(f"plane utilization, average rise by {system}", ours, theirs))
    full = [name for name in grid.of_paper if grid.value(planes("max"), name, "SPD") == planes_in_all]
    majority = len(grid.of_paper) // 2 + 1
    what = "workloads under which SPD has all planes at work at once (most)"
    return [*compared, Comparison(what, len(full), majority, unit="", rule="at least")]


def hit_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 12 against what the text says of it."""
    ours = grid.mean_reduction(hit_ratio, "SPD")
    return [Comparison("hit ratio, average reduction by SPD", ours, paper.HIT_RATIO_LOSS)]


def gc_write_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 13 against what the text says of it."""
    compared = [
        Comparison(
            f"write latency, average reduction by SPD of {other}'s", grid.mean_reduction(WRITE, "SPD", other), theirs
        )
        for other, theirs in paper.SPD_BELOW.items()
    ]
    return compared + single(grid, WRITE, "write latency", {"PRN_1": paper.SPD_BELOW_ON_PRN_1}, "SPD", BASE)


def read_comparisons(grid: Grid, theirs: Mapping[str, float]) -> list[Comparison]:
    """Hold Table 3 or 4 against the paper's; what is within a percent is unharmed, as the paper puts it."""
    return averages(grid, READ, "read latency", theirs, slack=1)


def gc_cost_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 14 against what the text says of it."""
    return averages(grid, gc_cost, "total cost of collection", paper.GC_COST_REDUCTION)


def gc_count_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 16 against what the text says of it."""
    reduced = [grid.reduction(collections, name, "SPD") for name in grid.of_paper]
    known = [each for each in reduced if each is not None]
    ends = {"least": min(known, default=None), "largest": max(known, default=None)}
    return [
        Comparison(f"collections, {extreme} reduction by SPD", ours, theirs)
        for (extreme, ours), theirs in zip(ends.items(), paper.COUNT_REDUCTION, strict=True)
    ]


def erase_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 17 against what the text says of it."""
    compared = [
        Comparison(f"erases, average reduction by SPD of {other}'s", grid.mean_reduction(erases, "SPD", other), theirs)
        for other, theirs in paper.ERASES_BELOW.items()
    ]
    for system, theirs in paper.MOST_ERASES.items():
        reduced = [grid.reduction(erases, name, system) for name in grid.of_paper]
        rise = max((-each for each in reduced if each is not None), default=None)
        compared.append(Comparison(f"erases, largest rise by {system}", rise, theirs))
    return compared


def blocked_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 18 against what the text says of it."""
    ours = mean(grid.value(blocked, name, "SPD") for name in grid.of_paper)
    compared = [Comparison("time of page writes of SPD that are blocked, average", ours, paper.BLOCKED_SHARE)]
    if "PRN_1" in grid.workloads:
        ours = grid.value(blocked, "PRN_1", "SPD")
        compared.append(Comparison("the same under PRN_1", ours, paper.BLOCKED_SHARE_PRN_1))
    return compared


def plus_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 19, and what else is said of SPD+, against the paper's."""
    reduced = grid.mean_reduction(WRITE, PLUS, "SPD")
    compared = [Comparison("write latency, average reduction by SPD+ of SPD's", reduced, paper.PLUS_REDUCTION)]
    compared += single(grid, WRITE, "write latency", paper.PLUS_REDUCTIONS, PLUS, "SPD")
    measures = {"total cost": gc_cost, "cost a collection": gc_cost_each, "collections": collections}
    for what, theirs in paper.PLUS_GC.items():
        ours = negative(grid.mean_reduction(measures[what], PLUS, "SPD"))
        compared.append(Comparison(f"{what}, average rise by SPD+ over SPD's", ours, theirs, slack=1))
    reads = grid.mean_reduction(READ, PLUS, "SPD")
    return [*compared, Comparison("read latency, average reduction by SPD+", reads, paper.PLUS_READ_REDUCTION, slack=1)]


def plus_blocked_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 20 against what the text says of it."""
    reduced = grid.mean_reduction(blocked_each, PLUS, "SPD")
    what = "time of a blocked page write"
    return [
        Comparison(f"{what}, average reduction by SPD+ of SPD's", reduced, paper.PLUS_BLOCKED_REDUCTION),
        *single(grid, blocked_each, what, paper.PLUS_BLOCKED_REDUCTIONS, PLUS, "SPD"),
    ]


def four_plane_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 22 against what the text says of it."""
    return averages(grid, WRITE, "write latency, four planes a die", {"SPD": paper.FOUR_PLANES_REDUCTION})


def separation_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 24 against what the text says of it."""
    reduction = grid.mean_reduction(WRITE, separated_name(PLUS), separated_name(BASE))
    alone = grid.mean_reduction(WRITE, separated_name(BASE), BASE)
    return [
        Comparison(
            "write latency, average reduction by SPD+ where all separate", reduction, paper.SEPARATED_PLUS_REDUCTION
        ),
        Comparison("write latency, average reduction by separation in Baseline-D", alone, paper.SEPARATION_REDUCTION),
    ]
