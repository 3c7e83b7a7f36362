"""Whether the numbers of a run can be relied on: what speaks against them, by rules that are written down.

Each rule looks at one thing, applies only where there is something to look at, and has a threshold with its reason. A
run that no rule speaks against is not proven right; a finding says which numbers it concerns, and why.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any

import attrs
import numpy as np

from ssdsim.metrics.confidence import BATCHES, FEWEST_BATCHES, STUDENT_975
from ssdsim.metrics.course import Course

CAPACITIES_WRITTEN = 1.0
"""Pages that are written at random have all been overwritten about once when the capacity has been written, and only
then do blocks hold as much valid data as they go on to; SNIA's performance test prepares a device by writing twice its
capacity (Solid State Storage Performance Test Specification 2.0.1, workload independent preconditioning)."""

SPARES_WRITTEN = 1.0
"""Of a device that was in its steady state each spare page should have been used once; less is a part of a cycle."""

COLLECTIONS = 10
"""A plane: the valid share of so few victims is known to a third of its spread at best (1 / sqrt(10))."""

FREE_SPACE_TAKEN = 0.1
"""Of the pages written, those that went to blocks that were free before the run, and that no collection made room for:
so much could be missing of write amplification."""

DRIFT = 0.1
"""Between the halves of a run; SNIA's test calls a trend of 10 percent over the time that is measured the most that a
steady state may have (the same, definition of steady state)."""

BACKLOG = 0.01
"""Of the requests, those still to be completed when the last one arrives: more than the device holds at a time."""

BEYOND_PERCENTILE = 10
"""So many requests beyond a percentile are expected to vary by a third (1 / sqrt(10)) from run to run."""

STARVED = 100.0
"""Times the mean: of exponential response times p99.9 is 7 times that. What was merely in a queue is served after at
most as many requests as the device holds, so that has to be exceeded, too."""

MOST_IN_A_BURST = 0.5

UNWRITTEN = 0.5
"""Of the pages read, those that were never written: the mean is no longer that of flash."""

QUARTERS = 4


@attrs.frozen(kw_only=True)
class Evidence:
    """The numbers that a run is judged by.

    `units` are planes, or groups of planes that are collected together. `free_pages_taken` is by how much free blocks
    have become fewer, in pages, `buffered_pages` by how many the write buffer holds more. `is_cut` says whether power
    was cut, None if it was not to be. `unusual` has keys that are far from what devices take. Of the traces `cut_gaps`
    were longer than is allowed. `settled` says whether writes before the run led to a steady state, None without any.
    The load is `stationary` if its statistics do not change by themselves, as those of a trace do. `responses` are mean
    response times in microseconds of batches, in order, by operation. `backlog` has the requests that have arrived and
    are not complete, by time since the run began; `last_arrival_ns` counts from there, None if arrivals follow
    completions. `streams` is that of the summary; `longest_turn_us` is how long the device takes for as many programs
    and erases, one after the other, as it holds requests. Closed loops together ask for `asked_depth` requests at once,
    of which the host's queues hold `held_depth`. `page_reads` are those that the host asked for, written before or not.
    """

    partial: bool = False
    precondition: str = "none"
    settled: bool | None = None
    stationary: bool = True
    logical_pages: int
    spare_pages: int
    units: int
    requested_pages: int = 0
    written_pages: int = 0
    collections: int = 0
    free_pages_taken: int = 0
    buffered_pages: int = 0
    is_cut: bool | None = None
    unusual: Mapping[str, str] = attrs.field(factory=dict)
    cut_gaps: int = 0
    course: Course
    requests: Mapping[str, int] = attrs.field(factory=dict)
    responses: Mapping[str, np.ndarray] = attrs.field(factory=dict)
    backlog: np.ndarray = attrs.field(factory=lambda: np.zeros((0, 2), np.int64))
    last_arrival_ns: int | None = None
    percentiles: Mapping[str, float] = attrs.field(factory=dict)
    rounds: Sequence[Mapping[str, Any]] = ()
    streams: Mapping[str, Any] = attrs.field(factory=dict)
    longest_turn_us: float = 0.0
    asked_depth: int = 0
    held_depth: int = 0
    page_reads: int = 0
    unwritten_page_reads: int = 0


CODES = (
    *("partial", "not_cut", "unusual", "gaps_cut", "unsettled", "transient", "collections", "free_space", "buffered"),
    *("write_amplification_drifts", "read_response_drifts", "write_response_drifts", "backlog", "starvation", "tail"),
    *("deeper_than_host", "unwritten_reads"),
)
"""The words for what is found."""


@attrs.frozen
class Finding:
    """Something that speaks against numbers of a run: a word for it, the numbers that show it, and a sentence."""

    code: str = attrs.field(validator=attrs.validators.in_(CODES))
    numbers: dict[str, Any]
    sentence: str


def judge(run: Evidence) -> list[dict[str, Any]]:
    """Return the findings against the numbers of a run, as they stand in `summary.json`."""
    return [attrs.asdict(finding) for rule in RULES for finding in rule(run)]


def not_as_asked(run: Evidence) -> Iterator[Finding]:
    """Find a run without the end, cut of power, usual times, recorded gaps or steady state that it was to have.

    Times that no device takes are those of a slip of the unit. Where many gaps of a trace are cut out, requests come
    closer together than they did.
    """
    if run.partial:
        yield Finding("partial", {}, "The run was stopped before its end.")
    if run.is_cut is False:
        yield Finding("not_cut", {}, "Power was not cut: the run was over before the moment that power_loss names.")
    for key, usual in run.unusual.items():
        yield Finding("unusual", {"key": key, "usual": usual}, f"{key}: devices take {usual}; is the unit right?")
    total = sum(run.requests.values())
    if total and run.cut_gaps / total >= BACKLOG:
        yield Finding(
            "gaps_cut",
            {"gaps": run.cut_gaps},
            f"{run.cut_gaps:,} gaps between requests were longer than workload.max_gap_s and cut out: requests come "
            "closer together than was recorded.",
        )
    if run.settled is False:
        why = "Write amplification had not settled when the writes before the run ended"
        remedy = "raise precondition.max_windows, or precondition.tolerance"
        yield Finding("unsettled", {}, f"{why}: {remedy}.")


def little_written(run: Evidence) -> Iterator[Finding]:
    """Find writes that are too few for a steady state, held against the capacity and against the spare space."""
    if not run.requested_pages:
        return
    capacities = run.requested_pages / run.logical_pages
    # no spare space is never written once
    spares = run.requested_pages / run.spare_pages if run.spare_pages else float("inf")
    # in a steady state it is enough that the spare space has turned over
    if capacities >= CAPACITIES_WRITTEN or (run.settled and spares >= SPARES_WRITTEN):
        return
    space = "spare space" if run.settled else "capacity"
    yield Finding(
        "transient",
        {"capacities_written": capacities, "spare_spaces_written": spares if run.spare_pages else None},
        f"The host wrote {capacities:.2g} times the capacity and {spares:.2g} times the spare space: before the "
        f"{space} has been written once, write amplification, and what collection costs, are those of the way to a "
        "steady state.",
    )


def few_collections(run: Evidence) -> Iterator[Finding]:
    """Find too few collections, where there were some or the device had been filled."""
    if not run.requested_pages or not (run.collections or run.precondition != "none"):
        return
    count = run.collections / run.units
    if count >= COLLECTIONS:
        return
    yield Finding(
        "collections",
        {"collections_a_plane": count},
        f"There were {count:.2g} collections a plane, and with fewer than {COLLECTIONS} what they cost is a matter of "
        "the few blocks that they found."
        if run.collections
        else "Nothing was collected, though the device had been filled: what collection costs is not in these numbers.",
    )


def free_space_taken(run: Evidence) -> Iterator[Finding]:
    """Find writes that free blocks took, or collection that made more room than writes needed."""
    if not run.written_pages:
        return
    share = run.free_pages_taken / run.written_pages  # negative where collection has made more room than was needed
    if abs(share) <= FREE_SPACE_TAKEN:
        return
    where = "went to blocks that were free before" if share > 0 else "is what collection made room for beyond them"
    wrong = "too low" if share > 0 else "too high"
    yield Finding(
        "free_space",
        {"share_of_page_writes": share},
        f"{abs(share):.0%} of the page writes {where}: write amplification is {wrong} for a run that goes on.",
    )


def still_buffered(run: Evidence) -> Iterator[Finding]:
    """Find writes that a buffer took which was not as full before."""
    share = run.buffered_pages / run.requested_pages if run.requested_pages else 0.0
    if share > FREE_SPACE_TAKEN:
        yield Finding(
            "buffered",
            {"share_of_page_writes": share},
            f"{share:.0%} of the page writes have filled the write buffer and are still there: write amplification is "
            "too low for a run that goes on.",
        )


def write_amplification_drifts(run: Evidence) -> Iterator[Finding]:
    """Find write amplification that differs between the first and the second half of the page writes."""
    course = run.course
    if not run.stationary:
        yield from _between_rounds("write_amplification", [entry["write_amplification"] for entry in run.rounds])
        return
    if course.requested.any():  # not where a run was stopped before the end of its first window
        done = np.cumsum(course.requested)
        # equal shares of the writes, not of time: a load may write in bursts
        ends = np.searchsorted(done, np.linspace(0, run.requested_pages, BATCHES + 1)[1:-1], side="right")
        starts = sorted({0, *ends[ends < len(done)].tolist()})
        requested, written = (np.add.reduceat(pages, starts) for pages in (course.requested, course.written))
        # a piece of few writes says little: at least half a share
        known = requested > run.requested_pages / BATCHES / 2
        yield from _drift("write_amplification", written[known] / requested[known])


def responses_drift(run: Evidence) -> Iterator[Finding]:
    """Find mean response times that differ between the first and the second half of the requests."""
    for op, means in run.responses.items():
        if run.stationary:
            yield from _drift(f"{op}_response", means)
        else:
            means_of_rounds = [entry["requests"][op]["response_us"]["mean"] for entry in run.rounds]
            yield from _between_rounds(f"{op}_response", means_of_rounds)


def backlog_grows(run: Evidence) -> Iterator[Finding]:
    """Find requests that arrive faster than they are completed: their number in the device and before it only grows.

    What is in one burst at the end is no backlog, unless it is half of all.
    """
    course, total = run.course, sum(run.requests.values())
    if run.last_arrival_ns is None or not total:
        return
    ends = np.cumsum(course.length_ns)  # ns since the start of the run
    # of windows that had ended by then: the last counts as waiting
    waiting = total - int(course.completed[: int(np.searchsorted(ends, run.last_arrival_ns, side="right"))].sum())
    share, late_ns = waiting / total, int(ends[-1]) - run.last_arrival_ns
    if waiting < BEYOND_PERCENTILE or share < BACKLOG:
        return
    known = run.backlog[run.backlog[:, 0] <= run.last_arrival_ns, 1]
    quarters = (
        [float(quarter.mean()) for quarter in np.array_split(known, QUARTERS)] if len(known) >= 2 * QUARTERS else []
    )  # two windows a quarter, at least
    # more in every quarter, and in the end twice as many
    grows = quarters and all(a < b for a, b in pairwise(quarters)) and quarters[-1] >= 2 * quarters[0]
    if grows or share >= MOST_IN_A_BURST:
        yield Finding(
            "backlog",
            {"waiting": waiting, "share": share, "seconds_late": late_ns / 1e9, "by_quarter": quarters},
            f"When the last request arrived, {waiting:,} were not complete, {share:.1%} of all, "
            f"{'which had become more all the time, ' if grows else ''}and took {late_ns / 1e9:.3g} s more: the device "
            "was offered more than it can take, and response times depend on how long the run is.",
        )


def starved(run: Evidence) -> Iterator[Finding]:
    """Find requests of a stream before which others were served again and again."""
    for stream, operations in run.streams.items():
        for op, served in operations.items():
            times = served["response_us"]
            mean, slow = times["mean"], times["p99_9"]
            if not mean or slow < STARVED * mean or slow < run.longest_turn_us:
                continue
            whose = f"{op}s of stream {stream}" if len(run.streams) > 1 else f"{op}s"
            yield Finding(
                "starvation",
                {"stream": stream, "op": op, "mean_us": mean, "p99_9_us": slow},
                f"One in a thousand {whose} took {slow / 1e6:.3g} s or more, {slow / mean:,.0f} times their mean of "
                f"{mean / 1e3:.3g} ms: others, or collection, go before them again and again; metrics.blame=true says "
                "which.",
            )


def few_beyond_percentiles(run: Evidence) -> Iterator[Finding]:
    """Find percentiles that few requests are beyond."""
    for op, count in run.requests.items():
        beyond = {name: count * (1 - share) for name, share in run.percentiles.items() if share < 1}
        # 1e-9: 10 are 10, for all their binary digits
        few = {name: number for name, number in beyond.items() if number < BEYOND_PERCENTILE * (1 - 1e-9)}
        if count and few:
            names = ", ".join(f"{number:.2g} beyond {name.replace('_', '.')}" for name, number in few.items())
            yield Finding(
                "tail",
                {"op": op, "requests": count, "beyond": few},
                f"Of {count:,} {op}s there are {names}: with fewer than {BEYOND_PERCENTILE} a percentile is a matter "
                "of chance.",
            )


def deeper_than_host(run: Evidence) -> Iterator[Finding]:
    """Find closed loops that keep more requests outstanding than the host's queues hold."""
    if run.asked_depth > run.held_depth:
        yield Finding(
            "deeper_than_host",
            {"asked": run.asked_depth, "held": run.held_depth},
            f"Closed loops keep {run.asked_depth:,} requests outstanding, of which the host's queue holds "
            f"{run.held_depth:,}: the others wait before it, and that is in their response times (host.queue_depth; "
            "with host.interface=nvme host.nvme.queue_depth).",
        )


def reads_unwritten(run: Evidence) -> Iterator[Finding]:
    """Find reads that are mostly of pages that were never written, for which flash does nothing."""
    if run.page_reads and run.unwritten_page_reads / run.page_reads >= UNWRITTEN:
        yield Finding(
            "unwritten_reads",
            {"pages": run.page_reads, "unwritten": run.unwritten_page_reads},
            f"Of {run.page_reads:,} pages read {run.unwritten_page_reads:,} had never been written: flash does nothing "
            "for these, and response times are not those of data; fill the device first (precondition=fill).",
        )


def concerns(finding: Mapping[str, Any], field: str) -> bool:
    """Return whether a finding is about a field of the summary: that of few requests is about percentiles alone."""
    if finding["code"] != "tail":
        return True
    numbers = finding["numbers"]
    return field in {f"requests.{numbers['op']}.response_us.{name}" for name in numbers["beyond"]}


def _drift(measure: str, batches: np.ndarray) -> Iterator[Finding]:
    """Find halves that differ by more than `DRIFT`, and by more than their batches do by chance."""
    if len(batches) < FEWEST_BATCHES:
        return
    first, second = np.array_split(batches, 2)
    scatter = sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second))
    difference = float(second.mean() - first.mean())
    # both halves' means are known: two degrees of freedom less
    if abs(difference) > max(DRIFT * float(batches.mean()), STUDENT_975[len(batches) - 3] * scatter):
        yield _drifted(measure, "first half", float(first.mean()), "second", float(second.mean()))


def _between_rounds(measure: str, by_round: Sequence[float | None]) -> Iterator[Finding]:
    """Find the last two rounds of a trace that is repeated to differ; a single one is what it is."""
    if len(by_round) < 2:
        return
    before, last = by_round[-2:]
    # a share of their mean: neither is the right one
    if before and last and abs(last - before) > DRIFT * (before + last) / 2:
        yield _drifted(measure, "last round but one", before, "last", last)


def _drifted(measure: str, first: str, before: float, second: str, after: float) -> Finding:
    is_response = measure.endswith("response")
    title = f"Mean {measure.replace('_', ' ')}" if is_response else "Write amplification"
    shown = "{:,.1f} us" if is_response else "{:.3f}"
    change = after / before - 1 if before else 0.0
    return Finding(
        f"{measure}_drifts",
        {"before": before, "after": after},
        f"{title} was {shown.format(before)} in the {first} and {shown.format(after)} in the {second} "
        f"({change:+.0%}): it depends on how long the run is.",
    )


RULES: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (
    *(not_as_asked, little_written, few_collections, free_space_taken, still_buffered),
    *(write_amplification_drifts, responses_drift, backlog_grows, starved, few_beyond_percentiles),
    *(deeper_than_host, reads_unwritten),
)
"""The order in which findings are told."""
