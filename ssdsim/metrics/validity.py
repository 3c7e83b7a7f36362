"""Findings that speak against the numbers of a run, by rules that are written down.

Each rule looks at one thing, applies only where there is something to look at, and has a threshold with its reason. A
run that no rule speaks against is not proven right; a finding says which numbers it concerns, and why.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import hypot, inf
from typing import Any

import attrs
import numpy as np

from ssdsim._core.latency import LatencyRecorder
from ssdsim.config import SimulationConfig
from ssdsim.host.interfaces import TAGS
from ssdsim.host.stream import Stream
from ssdsim.metrics import confidence
from ssdsim.metrics.confidence import BATCHES, FEWEST_REQUESTS
from ssdsim.metrics.timeseries import Course, pages_written

CAPACITIES_WRITTEN = 1.0
"""Pages that are written at random have all been overwritten about once when the capacity has been written, and only
then do blocks hold as much valid data as they go on to; SNIA's performance test prepares a device by writing twice its
capacity (Solid State Storage Performance Test Specification 2.0.1, workload independent preconditioning). Where writes
before the run have settled none of it is needed."""

FREE_SPACE_TAKEN = 0.1
"""Of the pages written, those that went to blocks that were free before the run, and that no collection made room for:
so much could be missing of write amplification."""

DRIFT = 0.1
"""Between the halves of a run; SNIA's test calls a trend of 10 percent over the time that is measured the most that a
steady state may have (the same, definition of steady state)."""

FEWEST_BATCHES = 10  # of `BATCHES`: with fewer the spread is hardly known

BACKLOG = 0.01
"""Of the requests, those still to be completed when the last one arrives: more than the device holds at a time."""

FEWEST_WAITING = 10
MOST_IN_A_BURST = 0.5
QUARTERS = 4

UNWRITTEN = 0.5
"""Of the pages read, those that were never written: the mean is no longer that of flash."""

Finding = dict[str, Any]
"""Something that speaks against numbers of a run: a word for it, the numbers that show it, and a sentence."""


@attrs.frozen
class Evidence:
    """The evidence by which a run is judged: its summary, and facts that are not in it."""

    summary: Mapping[str, Any]
    config: SimulationConfig
    growth: Mapping[str, Any]  # by how much each count has grown, and each state changed (`ssdsim.run.measurement`)
    course: Course
    latencies: Mapping[str, LatencyRecorder]  # by operation
    streams: Sequence[Stream]

    @property
    def is_stationary(self) -> bool:
        """Whether the load's statistics do not change by themselves, as those of a trace do."""
        loads = (self.summary["workload"], *self.summary["workloads"].values())
        # a job of fio changes nothing by itself, but a later stage does
        return all(load.get("kind") in ("synthetic", "fio") and not load.get("stage") for load in loads)

    @property
    def taken_share(self) -> float:
        """The share of the page writes by which free blocks have become fewer; below 0 where they are more."""
        taken = -self.growth["free_blocks"] * self.config.hardware.block_pages
        return float(taken / max(pages_written(self.growth), 1))


def judge(run: Evidence) -> list[Finding]:
    """Return the findings against the numbers of a run."""
    rules = (not_as_asked, not_steady, backlog_grows, deeper_than_host, reads_unwritten)
    return [against for rule in rules for against in rule(run)]


def finding(code: str, sentence: str, **numbers: Any) -> Finding:
    """Return a finding as it stands in `summary.json`."""
    return {"code": code, "numbers": numbers, "sentence": sentence}


def not_as_asked(run: Evidence) -> Iterator[Finding]:
    """Find a run without the end, or the cut of power, that it was to have."""
    if run.summary["partial"]:
        yield finding("partial", "The run was stopped before its end.")
    if (run.summary["power_loss"] or {}).get("at_s", 0.0) is None:
        yield finding("not_cut", "Power was not cut: the run was over before the moment that power_loss names.")


def not_steady(run: Evidence) -> Iterator[Finding]:
    """Find a run that is on its way to a steady state, or in it and too short for the intervals that are asked."""
    if why := [*_changes(run)]:
        yield finding("on_its_way", "The run is on its way to a steady state: " + "; ".join(why) + ".")
    elif lacks := dict(_lacks(run)):
        times = max(lacks.values())
        requests = sum(of_op["count"] for of_op in run.summary["requests"].values())
        enough = None if times == inf else int(float(f"{times * requests:.1e}"))  # of two digits
        remedy = f"about {enough:,} requests would do" if enough else "so short that it is not known how many would do"
        sentence = f"The run is in its steady state, but too short for {' and '.join(lacks)}: {remedy}."
        yield finding("too_short", sentence, requests=enough)


def _changes(run: Evidence) -> Iterator[str]:
    """Yield in words what is still changing in the course of the run."""
    requested, settled = run.summary["requested_page_writes"], run.summary["precondition"].get("settled")
    if settled is False:
        remedy = "raise precondition.max_windows, or precondition.tolerance"
        yield f"write amplification had not settled when the writes before the run ended ({remedy})"
    if requested and not settled and (capacities := requested / run.config.hardware.logical_pages) < CAPACITIES_WRITTEN:
        yield f"the host wrote {capacities:.2g} times the capacity, and only once it has been is collection typical"
    share = run.taken_share
    if not settled and abs(share) > FREE_SPACE_TAKEN:
        where = "went to blocks that were free before" if share > 0 else "is what collection made room for beyond them"
        wrong = "too low" if share > 0 else "too high"
        yield f"{abs(share):.0%} of the page writes {where}, so that write amplification is {wrong} for a longer run"
    if run.is_stationary:
        yield from _drift("write amplification", "{:.3f}", _amplification_by_share(run))
        for op, latency in run.latencies.items():
            if latency.count >= FEWEST_REQUESTS:
                yield from _drift(f"mean {op} response", "{:,.1f} us", latency.batch_means(BATCHES) / 1000)


def _lacks(run: Evidence) -> Iterator[tuple[str, float]]:
    """Yield in words what a run in its steady state is too short for, and how many times as long it should be."""
    wanted = run.config.metrics.half_width
    comes_and_goes = {
        "what collection costs": abs(run.taken_share),  # some blocks of each plane
        "what the write buffer holds": run.growth["buffer_used"] / max(run.summary["requested_page_writes"], 1),
    }
    for what, share in comes_and_goes.items():
        if share > FREE_SPACE_TAKEN:
            yield f"{what} ({share:.0%} of the page writes)", share / FREE_SPACE_TAKEN
    written = _amplification_by_share(run)
    half = confidence.half_width(written - written.mean()) if len(written) >= FEWEST_BATCHES else None
    estimates = {"write amplification": (run.summary["write_amplification"], half)}
    for op, latency in run.latencies.items():
        of_op = run.summary["requests"][op]
        if latency.count >= FEWEST_REQUESTS:
            mean, interval = of_op["response_us"]["mean"], of_op["response_us_ci95"]["mean"]
            estimates[f"mean {op} response"] = mean, interval and interval[1] - mean  # the lower half ends at 0
        elif run.is_stationary and latency.count:
            yield f"an interval of mean {op} response", FEWEST_REQUESTS / latency.count
    for measure, (value, half) in estimates.items():
        if value and half is None:
            yield f"an interval of {measure}", inf
        elif value and run.is_stationary and (share := half / value) > wanted:  # a trace is as long as it is
            # an interval is narrower by the root of the length
            yield f"{measure} within {wanted:.0%} ({share:.0%})", (share / wanted) ** 2


def _amplification_by_share(run: Evidence) -> np.ndarray:
    """Return the write amplification of equal shares of the page writes, in order."""
    course, whole = run.course, run.summary["requested_page_writes"]
    if not course.requested.any():  # where a run was stopped before the end of its first window
        return np.zeros(0)
    # equal shares of the writes, not of time: a load may write in bursts
    ends = np.searchsorted(np.cumsum(course.requested), np.linspace(0, whole, BATCHES + 1)[1:-1], side="right")
    starts = sorted({0, *ends[ends < len(course.requested)].tolist()})
    requested, written = (np.add.reduceat(pages, starts) for pages in (course.requested, course.written))
    # a piece of few writes says little: at least half a share
    known = requested > whole / BATCHES / 2
    return written[known] / requested[known]


def _drift(measure: str, form: str, batches: np.ndarray) -> Iterator[str]:
    """Yield in words that the halves of a run differ by more than `DRIFT`, and than by chance."""
    if len(batches) < FEWEST_BATCHES:
        return
    halves = batches[: len(batches) // 2], batches[len(batches) // 2 :]
    before, after = (float(half.mean()) for half in halves)
    by_chance: list[Any] = [confidence.half_width(half - half.mean()) for half in halves]
    if None not in by_chance and abs(after - before) > max(DRIFT * float(batches.mean()), hypot(*by_chance)):
        change = f" ({after / before - 1:+.0%})" if before else ""
        yield f"{measure} was {form.format(before)} in the first half and {form.format(after)} in the second{change}"


def backlog_grows(run: Evidence) -> Iterator[Finding]:
    """Find requests that arrive faster than they are completed: their number in the device and before it only grows.

    What is in one burst at the end is no backlog, unless it is half of all.
    """
    course, total = run.course, sum(latency.count for latency in run.latencies.values())
    arrivals = [stream.last_arrival_ns() for stream in run.streams]
    if min(arrivals, default=-1) < 0 or not total:  # -1 stands for requests that are yet to arrive
        return
    last_ns = max(arrivals) - course.start_ns
    ends = np.cumsum(course.length_ns)  # ns since the start of the run
    known = ends <= last_ns  # windows that had ended by then: the last counts as waiting
    waiting = total - int(course.completed[known].sum())
    share, seconds_late = waiting / total, (int(ends[-1]) - last_ns) / 1e9
    if waiting < FEWEST_WAITING or share < BACKLOG:
        return
    backlog = course.not_complete[known]
    enough = len(backlog) >= 2 * QUARTERS  # two windows a quarter, at least
    quarters = [float(quarter.mean()) for quarter in np.array_split(backlog, QUARTERS)] if enough else []
    # more in every quarter, and in the end twice as many
    grows = enough and all(a < b for a, b in pairwise(quarters)) and quarters[-1] >= 2 * quarters[0]
    if grows or share >= MOST_IN_A_BURST:
        told = (
            f"When the last request arrived, {waiting:,} were not complete, {share:.1%} of all, "
            f"{'which had become more all the time, ' if grows else ''}and took {seconds_late:.3g} s more: the device "
            "was offered more than it can take, and response times depend on how long the run is."
        )
        yield finding("backlog", told, waiting=waiting, share=share, seconds_late=seconds_late, by_quarter=quarters)


def deeper_than_host(run: Evidence) -> Iterator[Finding]:
    """Find closed loops that keep more requests outstanding than the host's queues hold."""
    host, by_queue = run.config.host, Counter[Any]()
    for stream in run.streams:  # with NVMe a pair of queues is a stream's own
        by_queue[stream.name if host.interface == "nvme" else stream.stage] += stream.queue_depth
    asked, depth = max(by_queue.values(), default=0), host.queue_depth
    held = {"nvme": host.nvme.queue_depth, "sata": min(depth, TAGS)}.get(host.interface, depth)
    if asked > held:
        told = (
            f"Closed loops keep {asked:,} requests outstanding, of which the host's queue holds {held:,}: the others "
            "wait before it, and that is in their response times (host.queue_depth; with host.interface=nvme "
            "host.nvme.queue_depth)."
        )
        yield finding("deeper_than_host", told, asked=asked, held=held)


def reads_unwritten(run: Evidence) -> Iterator[Finding]:
    """Find reads that are mostly of pages that were never written, for which flash does nothing."""
    summary, unwritten = run.summary, run.summary["unmapped_reads"]
    elsewhere = summary["memory_reads"] + summary["coalesced_reads"] + summary["buffer"]["read_hits"]
    pages = summary["flash"]["reads"]["host"] + elsewhere + summary.get("read_cache", {}).get("hits", 0) + unwritten
    if pages and unwritten / pages >= UNWRITTEN:
        told = (
            f"Of {pages:,} pages read {unwritten:,} had never been written: flash does nothing for these, and response "
            "times are not those of data; fill the device first (precondition=fill)."
        )
        yield finding("unwritten_reads", told, pages=pages, unwritten=unwritten)
