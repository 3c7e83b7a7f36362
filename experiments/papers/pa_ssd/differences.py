"""What the runs show of where our numbers and the paper's part."""

from statistics import fmean

from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row, number

from ...study.arrivals import FITTED
from ...study.measures import Grid, dies_busy, percent
from ...study.report import Report
from . import measures
from .claims import MEAN_PROGRAM_US
from .measures import page_writes, response_us, share, waiting
from .parts import ROUNDS
from .systems import REORDERED
from .workloads import TABLE_2

CHIPS = 16
# Mean program of CSB and MSB pages, with the reads of the other pages of their wordlines (5.1).
SLOW_PROGRAM_US = (2000 + 100 + 5500 + 200) / 2

THRESHOLD = 10  # requests in the device queue above which sQD takes LSB pages
IDLE = 30  # percent of a write's time that is waiting below which writes hardly wait

# Table 3: by how much PAS lowers the writes' response time of each scheme, in the order of `systems.REORDERED`.
PAS_REDUCTION = {
    "tFin": (0, 0, 0, 0, 0),
    "tRA": (2, 7, 7, 2, 2),
    "tDAP": (21, 25, 25, 13, 13),
    "tRBESS": (60, 76, 71, 7, 7),
    "tDTR": (40, 47, 33, 9, 30),
    "tExch": (44, 67, 70, 22, 25),
    "tMSFS": (42, 51, 78, 1, 11),
    "tBS": (33, 50, 47, 38, 45),
}


def differences(runs: Grid, report: Report) -> str:
    """Show the evidence of the runs for the causes of differences."""
    evidence = [sentence for sentence in (short_queues(runs), pages_of_small_writes(runs), moves(report)) if sentence]
    text = "## What the runs show of the differences\n\n" + "".join(f"- {sentence}\n" for sentence in evidence)
    rows = [_load_row(runs, name) for name in runs.workloads]
    return f"{text}\n{report.out.table('load', rows)}\n{rounds_table(report)}"


def _load_row(runs: Grid, name: str) -> Row:
    base = runs.summary(name, "baseline")
    return {
        "workload": name,
        "dies busy %": dies_busy(base),
        "queue mean": base["queue_depth"]["mean"],
        "queue max": base["queue_depth"]["max"],
        "pages a write": pages_a_write(runs, name),
        f"writes that meet more than {THRESHOLD} %": met_long_queue(runs, name),
        "a write's time waiting %": waiting(base),
        "LSB pages for, % of page writes": measures.lsb_supply(runs.results[f"{name}/baseline"]),
    }


def pages_a_write(runs: Grid, name: str) -> float:
    """Return the mean number of pages that a write lies on."""
    base = runs.summary(name, "baseline")
    return page_writes(base) / max(base["requests"]["write"]["count"], 1)


def met_long_queue(runs: Grid, name: str) -> float | None:
    """Return the percent of writes that met more than `THRESHOLD` requests under sQD+sU.

    Those are fast, and of the others as many as under sU, so long as there are LSB pages.
    """
    without, fast = (share("fast")(runs.summary(name, system)) or 0.0 for system in ("sU", "sQD+sU"))
    return None if without == 100 else max(0.0, 100 * (fast - without) / (100 - without))


def short_queues(runs: Grid) -> str:
    """List where PAS saves more in the paper than it could here."""
    beyond = [
        f"{name} {scheme} ({number(share_waiting)}, {theirs:g})"
        for name in runs.workloads
        for scheme, theirs in zip(REORDERED, PAS_REDUCTION.get(name, ()), strict=False)
        if (share_waiting := runs.value(waiting, name, scheme)) is not None and theirs > share_waiting
    ]
    if not beyond:
        return ""
    return (
        "Queues are shorter than under the paper's traces. PAS saves at most the time that writes wait, and that is "
        f"less than it saves in the paper in {', '.join(beyond)} (percent of a write's time waiting, the paper's "
        "saving)."
    )


def pages_of_small_writes(runs: Grid) -> str:
    """Describe the response times of sU by the pages of a write where the device is idle."""
    pairs = [
        f"{name} {number(pages_a_write(runs, name))}, {number(runs.reduction(response_us(), name, 'sU', 'baseline'))}"
        for name in runs.workloads
        if (runs.value(waiting, name, "baseline") or 100.0) < IDLE
    ]
    if not pairs:
        return ""
    return (
        "What sU saves where writes hardly wait comes from writes of several pages (pages a write, percent saved): "
        f"{'; '.join(pairs)}."
    )


def moves(report: Report) -> str:
    """Say how many pages the systems move in three rounds, and how fast writes come in a rush."""
    if ROUNDS not in report.first:
        return ""
    three = Grid(report.first[ROUNDS])
    counts = [f"{name} {three.summary('tMSFS', name)['gc']['page_moves']:,}" for name in three.systems]
    all_types, slow = (CHIPS * 10**6 / us for us in (MEAN_PROGRAM_US, SLOW_PROGRAM_US))
    return (
        f"In three rounds of tMSFS collection moves so many pages: {', '.join(counts)}. Pages written in a second of a "
        f"rush: {number(rush(three, 'tMSFS'), 4)}; what the chips can program: {number(all_types, 4)} of all types "
        f"alike, and {number(slow, 4)} of CSB and MSB pages with the reads before them. So a scheme that has used up "
        "its LSB pages falls behind in a rush, while the baseline does not."
    )


def rush(runs: Grid, name: str) -> float:
    """Return how many pages a second are written in a rush, by the arrivals of the workload."""
    base, (time_share, traffic, _) = runs.summary(name, "baseline"), FITTED[TABLE_2[name].piece].write_levels[0]
    return page_writes(base) / base["simulated_s"] * traffic / time_share


def rounds_table(report: Report) -> str:
    """Show the collections and page writes of each round."""
    if ROUNDS not in report.first:
        return ""
    rows = [_round_row(name.rpartition("/")[2], result) for name, result in report.first[ROUNDS].items()]
    text = "Collections of tMSFS by round, and flash pages written for each that the host writes.\n\n"
    return text + report.out.table("rounds", rows)


def _round_row(system: str, result: Result) -> Row:
    rounds = [*enumerate(result.summary["rounds"], 1)]
    return {
        "system": system,
        **{f"round {count}": served["gc_collections"] for count, served in rounds},
        **{f"written in round {count}": served["write_amplification"] for count, served in rounds},
        "pages moved": result.summary["gc"]["page_moves"],
        "success %": percent(result.summary["page_types"]["success_rate"]),
        "dies busy %": 100 * fmean(result.summary["utilization"]["die"]),
    }
