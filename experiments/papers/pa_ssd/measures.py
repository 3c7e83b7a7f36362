"""The paper's measures, from the results of the runs, and what the paper says of them."""

from collections.abc import Iterable, Mapping

import attrs
import numpy as np

from ssdsim.metrics.result import Result

from ...study.former.claims import Comparison
from ...study.measures import mean
from . import paper
from .systems import COMBINED, REORDERED

SPEEDS = ("fast", "medium", "slow")
THRESHOLD = 10
"""Requests in the device queue above which sQD takes LSB pages."""

MEAN_PROGRAM_US = (500 + 2000 + 5500) / 3


@attrs.frozen
class Load:
    """A workload: its overrides, whether it is synthetic, a real trace or a piece of one, and its device's pages."""

    overrides: list[str]
    kind: str
    pages: int


@attrs.frozen
class Grid:
    """The results of all systems under all workloads, named `workload/system`."""

    results: Mapping[str, Result]
    loads: Mapping[str, Load]

    def summary(self, workload: str, system: str) -> dict:
        """Return the summary of a run."""
        return self.results[f"{workload}/{system}"].summary

    def response(self, workload: str, system: str, op: str = "write", key: str = "mean") -> float | None:
        """Return a number of the response time's distribution in microseconds, None without such requests."""
        served = self.summary(workload, system)["requests"][op]
        return served["response_us"][key] if served["count"] else None

    def reduction(
        self, workload: str, system: str, op: str = "write", against: str = "baseline", key: str = "mean"
    ) -> float | None:
        """Return by how many percent `system` lowers a response time of `against`."""
        ours, theirs = self.response(workload, system, op, key), self.response(workload, against, op, key)
        return 100 * (1 - ours / theirs) if ours is not None and theirs else None

    def of_paper(self, among: Iterable[str] = paper.PAS_REDUCTION) -> list[str]:
        """Return those of the paper's workloads that were run."""
        return [name for name in among if name in self.loads]

    def mean_reduction(self, system: str, op: str = "write") -> float | None:
        """Return the average reduction over the paper's workloads that were run."""
        return mean(self.reduction(name, system, op) for name in self.of_paper())


def closed_forms(pages: int) -> tuple[float, float, float]:
    """Return the chances that a write of so many pages is fast, medium or slow where types are blind (Section 3)."""
    fast, not_slow = (1 / 3) ** pages, (2 / 3) ** pages
    return fast, not_slow - fast, 1 - not_slow


def response_comparisons(grid: Grid, op: str) -> list[Comparison]:
    """Hold the averages of Fig. 13a (write) or 13b (read) against the paper's."""
    if not grid.of_paper():
        return []
    reductions = {"write": paper.WRITE_REDUCTION, "read": paper.READ_REDUCTION}[op]
    compared = [
        Comparison(f"{op} response time, average reduction by {system}", grid.mean_reduction(system, op), theirs)
        for system, theirs in reductions.items()
    ]
    best = "sQD+sUB+PAS"
    reduced = grid.mean_reduction(best, op)
    faster = None if reduced is None else 1 / (1 - reduced / 100)
    compared.append(Comparison(f"{op} performance of {best}, average", faster, paper.SPEEDUP[op], "x", slack=0.05))
    return compared + (_queue_depth_comparisons(grid) if op == "write" else [])


def _queue_depth_comparisons(grid: Grid) -> list[Comparison]:
    compared = []
    for workloads, lower in paper.QD_SUB_OVER_QD_SU.items():
        if names := grid.of_paper(workloads):
            ours = mean(grid.reduction(name, "sQD+sUB", against="sQD+sU") for name in names)
            compared.append(Comparison(f"writes, sQD+sUB below sQD+sU, average of {', '.join(names)}", ours, lower))
    if "tMSFS" in grid.loads:
        ours = grid.reduction("tMSFS", "sQD+sUB")
        compared.append(Comparison("tMSFS, write response time, reduction by sQD+sUB", ours, paper.MSFS_REDUCTION))
    return compared


def write_shares(grid: Grid, workload: str, system: str) -> dict[str, float]:
    """Return the percent of fast, medium and slow writes."""
    types = grid.summary(workload, system)["page_types"]
    return {speed: 100 * (types[speed] or 0.0) for speed in SPEEDS}


def share_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 14 against what the text says of it."""
    if "tDAP" not in grid.loads:
        return []
    ours = write_shares(grid, "tDAP", "sU")
    slow = max(write_shares(grid, "tDAP", system)["slow"] for system in COMBINED)
    return [
        *(Comparison(f"tDAP, {speed} writes under sU", ours[speed], of) for speed, of in paper.UNDER_SU.items()),
        Comparison("tDAP, slow writes under any scheme", slow, 100 / 3, rule="at most"),
    ]


def success(grid: Grid, workload: str, system: str) -> float | None:
    """Return the percent of sub-requests that got the page type specified."""
    rate = grid.summary(workload, system)["page_types"]["success_rate"]
    return None if rate is None else 100 * rate


def success_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 15 against the paper's: each scheme under the workload that it succeeds least under."""
    compared = []
    for scheme in COMBINED:
        rates = [rate for name in grid.of_paper() if (rate := success(grid, name, scheme)) is not None]
        rule = "at most" if scheme == "sLF" else "at least"
        lowest_rate = min(rates) if rates else None
        compared.append(
            Comparison(f"{scheme}, lowest success rate", lowest_rate, paper.LEAST_SUCCESS, slack=0, rule=rule)
        )
    return compared


def collection_comparisons(grid: Grid) -> list[Comparison]:
    """Hold the numbers of collections against the paper's: the largest difference to the baseline."""
    differences = [
        abs(100 * (count / of["baseline"] - 1))
        for of in (collections(grid, name) for name in grid.of_paper())
        if of["baseline"]
        for count in of.values()
    ]
    what, difference = "collections, largest difference to the baseline's", max(differences, default=None)
    return [Comparison(what, difference, paper.MOST_GC_DIFFERENCE, slack=0, rule="at most")]


def order_comparisons(grid: Grid) -> list[Comparison]:
    """Hold what the text says of who is first against ours; a count, all of which the paper has."""
    light, heavy = grid.of_paper(paper.LIGHT), grid.of_paper(paper.HEAVY)

    def is_lowest(name: str) -> bool:
        return min(COMBINED, key=lambda system: grid.response(name, system) or 0.0) == "sLF"

    longer = [name for name in grid.of_paper() if (grid.reduction(name, "sSB+sUB") or 0.0) < 0]
    compared = []
    if light:
        ours = sum(map(is_lowest, light))
        what = "light workloads whose writes are quickest under sLF"
        compared.append(Comparison(what, ours, len(light), "", 0, "at least"))
    if heavy:
        ours = sum(not is_lowest(name) for name in heavy)
        what = "heavy workloads whose writes are quicker than under sLF"
        compared.append(Comparison(what, ours, len(heavy), "", 0, "at least"))
    if len(grid.of_paper()) == len(paper.PAS_REDUCTION):
        what = "workloads whose writes sSB+sUB makes slower than the baseline"
        compared.append(Comparison(what, len(longer), 1, "", 0, "at least"))
    return compared


def pas_reductions(grid: Grid, workload: str) -> dict[str, float | None]:
    """Return a row of Table 3: by how many percent PAS lowers each scheme's write response time."""
    return {name: grid.reduction(workload, f"{name}+PAS", against=name) for name in REORDERED}


def cell_name(workload: str, scheme: str) -> str:
    """Return what a cell of Table 3 is called."""
    return f"{workload}, {scheme}+PAS below {scheme}"


def pas_cells(grid: Grid) -> list[Comparison]:
    """Hold the cells of Table 3 against the paper's; a percent more or less means nothing."""
    return [
        Comparison(cell_name(workload, scheme), ours, theirs, slack=1.5)
        for workload in grid.of_paper()
        for (scheme, ours), theirs in zip(
            pas_reductions(grid, workload).items(), paper.PAS_REDUCTION[workload], strict=True
        )
    ]


def pas_averages(grid: Grid) -> list[Comparison]:
    """Hold the averages of Table 3, and of the standard deviation, against the paper's."""
    if not grid.of_paper():
        return []
    cells = {each.what: each.ours for each in pas_cells(grid)}
    compared = [
        Comparison(f"average, {scheme}+PAS", mean(cells[cell_name(name, scheme)] for name in grid.of_paper()), theirs)
        for scheme, theirs in zip(REORDERED, paper.PAS_REDUCTION_AVERAGE, strict=True)
    ]
    best = "sQD+sUB"
    spread = mean(grid.reduction(name, f"{best}+PAS", against=best, key="std") for name in grid.of_paper())
    return [*compared, Comparison(f"standard deviation, average, {best}+PAS", spread, paper.PAS_STD_REDUCTION)]


def waiting(grid: Grid, workload: str, system: str, op: str = "write") -> float | None:
    """Return the percent of a response time that is waiting, also for collection; None without such requests."""
    served = grid.summary(workload, system)["requests"][op]
    times = served["response_us"]
    return 100 * (times["queue"] + times["gc"]) / times["mean"] if served["count"] else None


def met_long_queue(grid: Grid, workload: str) -> float | None:
    """Return the percent of writes that met more than `THRESHOLD` requests under sQD+sU, None if LSB pages ran out.

    Those are fast, and of the others as many as under sU: it follows from the two shares.
    """
    without, fast = (write_shares(grid, workload, system)["fast"] for system in ("sU", "sQD+sU"))
    if without == 100 or lasted(grid.results[f"{workload}/sQD+sU"]) < 100:
        return None
    return max(0.0, 100 * (fast - without) / (100 - without))


def lsb_taken(grid: Grid, workload: str, system: str) -> float:
    """Return the percent of page writes that took an LSB page until those ran out: see `lsb_supply`."""
    share = lasted(grid.results[f"{workload}/{system}"]) / 100
    first = float(free_lsb(grid.results[f"{workload}/{system}"])[1][0])
    return 100 * (first / (share * grid.summary(workload, system)["host_page_writes"]) + 1 / 3)


def collections(grid: Grid, workload: str) -> dict[str, int]:
    """Return the number of garbage collections of each system but SLC mode, whose blocks are smaller."""
    systems = [name.partition("/")[2] for name in grid.results if name.startswith(f"{workload}/")]
    return {name: grid.summary(workload, name)["gc"]["collections"] for name in systems if name != "SLC mode"}


def free_lsb(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return hours and free LSB pages at the end of each window of the run."""
    series = result.timeseries
    hours = (series["time_s"].to_numpy() + series["window_s"].to_numpy()) / 3600
    return hours, series["free_lsb"].to_numpy().astype(float)


def lasted(result: Result, share: float = 0.03) -> float:
    """Return the percent of the run after which less than `share` of the first LSB pages were free.

    Not all are ever used up: some planes are written less than others.
    """
    hours, free = free_lsb(result)
    spent = np.flatnonzero(free < share * free[0])
    return 100 * float(hours[spent[0]] / hours[-1]) if len(spent) else 100.0


def lsb_supply(grid: Grid, workload: str) -> float:
    """Return for how many percent of its page writes a run has LSB pages: the free ones, and a third of those written.

    That is what collection gives back, which reclaims a page of every type for each three that are written.
    """
    result = grid.results[f"{workload}/baseline"]
    written = result.summary["host_page_writes"]
    return min(100.0, 100 * (float(free_lsb(result)[1][0]) / written + 1 / 3)) if written else 100.0


def course_comparisons(grid: Grid) -> list[Comparison]:
    """Hold Fig. 16 against what the text says of it."""
    compared = []
    if "tFin" in grid.loads:
        over = 100 * ((grid.response("tFin", "baseline") or 0.0) / MEAN_PROGRAM_US - 1)
        compared += [
            Comparison("tFin, baseline's write response time above the mean program", over, paper.TFIN_OVER_PROGRAM),
            Comparison("tFin, write response time, reduction by sU", grid.reduction("tFin", "sU"), paper.TFIN_SU),
            Comparison("tFin, sLF has LSB pages for, of the run", lasted(grid.results["tFin/sLF"]), paper.TFIN_LASTED),
        ]
    if "tMSFS" in grid.loads:
        compared += [
            Comparison(f"tMSFS, {system} has LSB pages for, of the run", lasted(grid.results[f"tMSFS/{system}"]), share)
            for system, share in paper.MSFS_LASTED.items()
        ]
    return compared


def round_means(result: Result) -> list[float]:
    """Return the mean write response time of each round, in milliseconds."""
    return [each["requests"]["write"]["response_us"]["mean"] / 1000 for each in result.summary["rounds"]]


def long_term_comparisons(rounds: Mapping[str, Result]) -> list[Comparison]:
    """Hold Fig. 17 against the paper's, from the systems under tMSFS several times over."""
    last = {name: round_means(result)[-1] for name, result in rounds.items()}
    return [
        Comparison(f"third round of tMSFS, reduction by {name}", 100 * (1 - last[name] / last["baseline"]), theirs)
        for name, theirs in paper.THIRD_ROUND_REDUCTION.items()
        if name in last
    ]
