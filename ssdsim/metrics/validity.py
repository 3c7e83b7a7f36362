"""Whether the numbers of a run can be relied on: what speaks against them, by rules that are written down.

Each rule looks at one thing, applies only where there is something to look at, and has a threshold with its reason. A
run that no rule speaks against is not proven right; a finding says which numbers it concerns, and why.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, inf, log10, sqrt
from typing import Any

import attrs
import numpy as np

from ssdsim.metrics.confidence import BATCHES, FEWEST_BATCHES, FEWEST_IN_BATCH, MOST_CORRELATED, STUDENT_975
from ssdsim.metrics.course import Course

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

CHOSEN = 2.0
"""Times that a transient differs by more than by chance, as its end is that of eight which looks most like one: where
nothing but chance differs, 1 in 100 runs is told so."""

BACKLOG = 0.01
"""Of the requests, those still to be completed when the last one arrives: more than the device holds at a time."""

BEYOND_PERCENTILE = 10
"""So many requests beyond a percentile are expected to vary by a third (1 / sqrt(10)) from run to run."""

STARVED = 100.0
"""Times the mean: of exponential response times p99.9 is 7 times that. What was merely in a queue is served after at
most as many requests as the device holds, so that has to be exceeded, too."""

MOST_IN_A_BURST = 0.5

FEWEST_REQUESTS = BATCHES * FEWEST_IN_BATCH
"""Reads or writes that an interval of their mean takes."""

UNWRITTEN = 0.5
"""Of the pages read, those that were never written: the mean is no longer that of flash."""

QUARTERS = 4


@attrs.frozen(kw_only=True)
class Evidence:
    """The numbers that a run is judged by.

    `free_pages_taken` is by how much free blocks have become fewer, in pages, `buffered_pages` by how many the write
    buffer holds more. `is_cut` says whether power was cut, None if it was not to be. `unusual` has keys that are far
    from what devices take. Of the traces `cut_gaps` were longer than is allowed. `settled` says whether writes before
    the run led to a steady state, None without any. The load is `stationary` if its statistics do not change by
    themselves, as those of a trace do. `total` counts all its requests, `requests` reads and writes, where these take
    time. `responses` are mean response times in microseconds of batches, in order, by operation; `estimates` have
    values of the whole run with half of their intervals, None where that is not known; asked is a `half_width`, as a
    share. `backlog` has the requests that have arrived and
    are not complete, by time since the run began; `last_arrival_ns` counts from there, None if arrivals follow
    completions. `streams` is that of the summary; `longest_turn_us` is how long the device takes for as many programs
    and erases, one after the other, as it holds requests. Closed loops together ask for `asked_depth` requests at once,
    of which the host's queues hold `held_depth`. `page_reads` are those that the host asked for, written before or not.
    """

    partial: bool = False
    settled: bool | None = None
    stationary: bool = True
    logical_pages: int
    total: int = 0
    requested_pages: int = 0
    written_pages: int = 0
    free_pages_taken: int = 0
    buffered_pages: int = 0
    is_cut: bool | None = None
    unusual: Mapping[str, str] = attrs.field(factory=dict)
    cut_gaps: int = 0
    course: Course
    requests: Mapping[str, int] = attrs.field(factory=dict)
    responses: Mapping[str, np.ndarray] = attrs.field(factory=dict)
    estimates: Mapping[str, tuple[float, float | None]] = attrs.field(factory=dict)
    half_width: float = 0.1
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
    *("partial", "not_cut", "unusual", "gaps_cut", "on_its_way", "too_short", "backlog", "starvation", "tail"),
    *("deeper_than_host", "unwritten_reads"),
)
"""The words for what is found. A run that is neither on its way to a steady state nor too short is in it."""


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


def not_steady(run: Evidence) -> Iterator[Finding]:
    """Find a run that is on its way to a steady state, or in it and too short for the intervals that are asked."""
    if why := [*_changes(run)]:
        yield Finding("on_its_way", {}, "The run is on its way to a steady state: " + "; ".join(why) + ".")
        return
    lacks = dict(_lacks(run))
    if not lacks:
        return
    times = max(lacks.values())
    enough = None if times == inf else _rounded_up(times * run.total)
    remedy = f"about {enough:,} requests would do" if enough else "so short that it is not known how many would do"
    yield Finding(
        "too_short",
        {"requests": enough},
        f"The run is in its steady state, but too short for {' and '.join(lacks)}: {remedy}.",
    )


def _changes(run: Evidence) -> Iterator[str]:
    """Yield in words what is still changing in the course of the run."""
    if run.settled is False:
        yield (
            "write amplification had not settled when the writes before the run ended (raise "
            "precondition.max_windows, or precondition.tolerance)"
        )
    capacities = run.requested_pages / run.logical_pages
    if run.requested_pages and not run.settled and capacities < CAPACITIES_WRITTEN:
        yield f"the host wrote {capacities:.2g} times the capacity, and only once it has been is collection typical"
    share = run.free_pages_taken / max(run.written_pages, 1)  # negative where collection has made more room than needed
    if not run.settled and abs(share) > FREE_SPACE_TAKEN:
        where = "went to blocks that were free before" if share > 0 else "is what collection made room for beyond them"
        wrong = "too low" if share > 0 else "too high"
        yield f"{abs(share):.0%} of the page writes {where}, so that write amplification is {wrong} for a longer run"
    if run.stationary:
        batches = {"write amplification": _amplification_by_share(run)}
        batches |= {f"mean {op} response": means for op, means in run.responses.items()}
        for measure, values in batches.items():
            yield from _drift(measure, values)
    else:
        yield from _between_rounds("write amplification", [entry["write_amplification"] for entry in run.rounds])
        for op in run.responses:
            means = [entry["requests"][op]["response_us"]["mean"] for entry in run.rounds]
            yield from _between_rounds(f"mean {op} response", means)


def _lacks(run: Evidence) -> Iterator[tuple[str, float]]:
    """Yield in words what a run in its steady state is too short for, and how many times as long it should be."""
    pages = max(run.written_pages, 1)
    if abs(share := run.free_pages_taken / pages) > FREE_SPACE_TAKEN:  # some blocks more or less, of each plane
        yield (
            f"what collection costs ({abs(share):.0%} of the page writes are free blocks taken or made)",
            (abs(share) / FREE_SPACE_TAKEN),
        )
    if (share := run.buffered_pages / max(run.requested_pages, 1)) > FREE_SPACE_TAKEN:
        yield f"what the write buffer holds ({share:.0%} of the page writes)", share / FREE_SPACE_TAKEN
    for op, count in run.requests.items():
        if run.stationary and 0 < count < FEWEST_REQUESTS:
            yield f"an interval of mean {op} response", FEWEST_REQUESTS / count
    for measure, (value, half) in run.estimates.items():
        if half is None:
            yield f"an interval of {measure}", inf
        elif run.stationary and half > run.half_width * value:  # a trace is as long as it is
            # an interval is narrower by the root of the length
            yield f"{measure} within {run.half_width:.0%} ({half / value:.0%})", (half / value / run.half_width) ** 2


def _rounded_up(count: float) -> int:
    """Return a count rounded up to two digits."""
    digit = 10 ** max(floor(log10(count)) - 1, 0)
    return ceil(count / digit) * digit


def _amplification_by_share(run: Evidence) -> np.ndarray:
    """Return the write amplification of equal shares of the page writes, in order."""
    course = run.course
    if not course.requested.any():  # where a run was stopped before the end of its first window
        return np.zeros(0)
    done = np.cumsum(course.requested)
    # equal shares of the writes, not of time: a load may write in bursts
    ends = np.searchsorted(done, np.linspace(0, run.requested_pages, BATCHES + 1)[1:-1], side="right")
    starts = sorted({0, *ends[ends < len(done)].tolist()})
    requested, written = (np.add.reduceat(pages, starts) for pages in (course.requested, course.written))
    # a piece of few writes says little: at least half a share
    known = requested > run.requested_pages / BATCHES / 2
    return written[known] / requested[known]


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


def _drift(measure: str, batches: np.ndarray) -> Iterator[str]:
    """Yield in words that the first batches differ from the rest by more than `DRIFT` of halves, and than by chance.

    They are cut in halves, and where the rest is best known: the initial transient of MSER, the fewest batches without
    which the mean's variance is least (White, Simulation 69(6), 1997, "An effective truncation heuristic for bias
    reduction in simulation output"). A short transient counts by what it shifts the mean.
    """
    count = len(batches)
    if count < FEWEST_BATCHES:
        return
    half, mean = count // 2, float(batches.mean())
    # a short transient may hide what halves differ by in its own scatter
    transient = int(np.argmin([batches[cut:].var() / (count - cut) for cut in range(half)]))
    for cut, factor in ((half, 1.0), (transient, CHOSEN)):
        first, rest = batches[:cut], batches[cut:]
        if not cut:
            continue
        scatter = _variance(rest) / len(rest) + (_variance(first) if cut == half else _variance(rest)) / cut
        chance = factor * STUDENT_975[len(rest) - 2] * sqrt(scatter)
        if abs(rest.mean() - first.mean()) > max(DRIFT * mean * half / cut, chance):
            yield _told(measure, f"first {cut / count:.0%}", float(first.mean()), "rest", float(rest.mean()))
            return


def _variance(batches: np.ndarray) -> float:
    """Return the variance of batches, wider where neighbours depend on each other, as in `confidence.half_width`."""
    off = batches - batches.mean()
    squares = float(off @ off)
    correlation = min(max(float(off[1:] @ off[:-1]) / squares, 0.0), MOST_CORRELATED) if squares else 0.0
    return squares / (len(batches) - 1) * (1 + correlation) / (1 - correlation)


def _between_rounds(measure: str, by_round: Sequence[float | None]) -> Iterator[str]:
    """Yield in words that the last two rounds of a trace that is repeated differ; a single one is what it is."""
    if len(by_round) < 2:
        return
    before, last = by_round[-2:]
    # a share of their mean: neither is the right one
    if before and last and abs(last - before) > DRIFT * (before + last) / 2:
        yield _told(measure, "last round but one", before, "last", last)


def _told(measure: str, first: str, before: float, second: str, after: float) -> str:
    shown = "{:,.1f} us" if measure.endswith("response") else "{:.3f}"
    change = f" ({after / before - 1:+.0%})" if before else ""
    return f"{measure} was {shown.format(before)} in the {first} and {shown.format(after)} in the {second}{change}"


RULES: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (
    *(not_as_asked, not_steady, backlog_grows, starved, few_beyond_percentiles),
    *(deeper_than_host, reads_unwritten),
)
"""The order in which findings are told."""
