"""What the runs show of where our numbers and the paper's part."""

from collections.abc import Iterable
from statistics import fmean

from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row, number

from ...study.arrivals import FITTED
from ...study.measures import Summary, dies_busy
from ...study.report import Report
from . import measures, paper
from .held import ROUNDS
from .measures import Measured
from .systems import REORDERED
from .workloads import TABLE_2

CHIPS = 16
SLOW_PROGRAM_US = (2000 + 100 + 5500 + 200) / 2
"""Mean program of CSB and MSB pages, with the reads of the other pages of their wordlines (5.1)."""

IDLE = 30
"""Percent of a write's time that is waiting below which writes hardly wait."""


def summary(measured: Measured, system: str = "baseline") -> Summary:
    """Return the summary of a run."""
    return measured.of(system).summary


def differences(run: Iterable[Measured], report: Report) -> str:
    """Show the evidence of the runs for the causes of differences."""
    run = list(run)
    told = [each for each in (short_queues(run), pages_of_small_writes(run), moves(report)) if each]
    rows = [_load_row(each) for each in run]
    text = "## What the runs show of the differences\n\n" + "".join(f"- {each}\n" for each in told)
    return f"{text}\n{report.out.table('load', rows)}\n{rounds_table(report)}"


def _load_row(measured: Measured) -> Row:
    of = summary(measured)
    return {
        "workload": measured.workload,
        "dies busy %": dies_busy(of),
        "queue mean": of["queue_depth"]["mean"],
        "queue max": of["queue_depth"]["max"],
        "pages a write": pages_a_write(measured),
        f"writes that meet more than {paper.THRESHOLD} %": measured.met_long_queue(),
        "a write's time waiting %": measured.waiting("baseline"),
        "LSB pages for, % of page writes": measures.lsb_supply(measured.of("baseline")),
    }


def pages_a_write(measured: Measured) -> float:
    """Return the mean number of pages that a write lies on."""
    return measured.page_writes("baseline") / max(summary(measured)["requests"]["write"]["count"], 1)


def short_queues(run: Iterable[Measured]) -> str:
    """List where PAS saves more in the paper than it could here."""
    beyond = [
        f"{each.workload} {scheme} ({number(share)}, {theirs:g})"
        for each in run
        for scheme, theirs in zip(REORDERED, paper.PAS_REDUCTION.get(each.workload, ()), strict=False)
        if (share := each.waiting(scheme)) is not None and theirs > share
    ]
    if not beyond:
        return ""
    return (
        "Queues are shorter than under the paper's traces. PAS saves at most the time that writes wait, and that is "
        f"less than it saves in the paper in {', '.join(beyond)} (percent of a write's time waiting, the paper's "
        "saving)."
    )


def pages_of_small_writes(run: Iterable[Measured]) -> str:
    """Describe the response times of sU by the pages of a write where the device is idle."""
    idle = [each for each in run if (each.waiting("baseline") or 100.0) < IDLE]
    if not idle:
        return ""
    told = [f"{each.workload} {number(pages_a_write(each))}, {number(each.reduction('sU'))}" for each in idle]
    return (
        "What sU saves where writes hardly wait comes from writes of several pages (pages a write, percent saved): "
        f"{'; '.join(told)}."
    )


def moves(report: Report) -> str:
    """Say how many pages the systems move in three rounds, and how fast writes come in a rush."""
    if ROUNDS not in report.first:
        return ""
    three = Measured("tMSFS", report.first[ROUNDS])
    counts = [f"{name} {summary(three, name)['gc']['page_moves']:,}" for name in three.systems]
    all_types, slow = (CHIPS * 10**6 / us for us in (paper.MEAN_PROGRAM_US, SLOW_PROGRAM_US))
    return (
        f"In three rounds of tMSFS collection moves so many pages: {', '.join(counts)}. Pages written in a second of a "
        f"rush: {number(rush(three), 4)}; what the chips can program: {number(all_types, 4)} of all types alike, and "
        f"{number(slow, 4)} of CSB and MSB pages with the reads before them. So a scheme that has used up its LSB "
        "pages falls behind in a rush, while the baseline does not."
    )


def rush(measured: Measured) -> float:
    """Return how many pages a second are written in a rush, by the arrivals of the workload."""
    share, traffic, _ = FITTED[TABLE_2[measured.workload].piece].write_levels[0]
    return measured.page_writes("baseline") / summary(measured)["simulated_s"] * traffic / share


def rounds_table(report: Report) -> str:
    """Show the collections and page writes of each round."""
    if ROUNDS not in report.first:
        return ""
    rows = [_round_row(name.rpartition("/")[2], result) for name, result in report.first[ROUNDS].items()]
    text = "Collections of tMSFS by round, and flash pages written for each that the host writes.\n\n"
    return text + report.out.table("rounds", rows)


def _round_row(system: str, result: Result) -> Row:
    of = result.summary["rounds"]
    counts = {f"round {at}": each["gc_collections"] for at, each in enumerate(of, 1)}
    written = {f"written in round {at}": each["write_amplification"] for at, each in enumerate(of, 1)}
    success = result.summary["page_types"]["success_rate"]
    return {
        "system": system,
        **counts,
        **written,
        "pages moved": result.summary["gc"]["page_moves"],
        "success %": None if success is None else 100 * success,
        "dies busy %": 100 * fmean(result.summary["utilization"]["die"]),
    }
