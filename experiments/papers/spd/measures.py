"""The paper's measures, from the results of the runs."""

from ...study.measures import Measure, Summary, collections, percent, ratio

GC_PARTS = ("read", "write", "transfer", "erase")
CASES = ("single", "unaligned", "parallel")  # the paper's cases 1, 3 and 4 (Section 3)

PLUS = "SPD+"
PLANES_PER_DIE = 2


def latency(op: str) -> Measure:
    """Return the measure of the mean response time of reads or writes in milliseconds."""

    def measure(summary: Summary) -> float | None:
        served = summary["requests"][op]
        return served["response_us"]["mean"] / 1000 if served["count"] else None

    return measure


WRITE, READ = latency("write"), latency("read")


def joined(summary: Summary) -> float | None:
    """Return the percent of page writes made by multi-plane commands."""
    return percent(summary["multi_plane"]["write_share"])


def case(name: str) -> Measure:
    """Return the measure of the percent of page writes of one of `CASES`, of those that are of any."""

    def measure(summary: Summary) -> float | None:
        cases = summary["multi_plane"]["cases"] or {}
        return percent(ratio(cases.get(name), sum(cases.get(kind, 0) for kind in CASES)))

    return measure


def planes(statistic: str) -> Measure:
    """Return the measure of the `mean` or `max` number of planes at work when an eviction is complete."""
    return lambda summary: summary["planes_at_work"][statistic]


def most_planes_percent(summary: Summary) -> float:
    """Return the most planes at work when an eviction is complete, in percent of all."""
    return 100 * summary["planes_at_work"]["max"] / (PLANES_PER_DIE * len(summary["utilization"]["die"]))


def hit_ratio(summary: Summary) -> float | None:
    """Return the percent of page accesses that the buffer serves."""
    return percent(summary["buffer"]["hit_ratio"])


def gc_cost(summary: Summary) -> float:
    """Return the seconds that collection took, of its commands and transfers."""
    return sum(summary["gc"]["cost_us"][part] for part in GC_PARTS) / 1e6


def gc_cost_each(summary: Summary) -> float | None:
    """Return the milliseconds that a collection took in the mean."""
    return ratio(1000 * gc_cost(summary), collections(summary))


def gc_part(part: str) -> Measure:
    """Return the measure of the milliseconds of a collection that went into one of `GC_PARTS`."""
    return lambda summary: ratio(summary["gc"]["cost_us"][part] / 1000, collections(summary))


def writes_of_cost(summary: Summary) -> float | None:
    """Return the percent of the time of collection that goes into writes."""
    return percent(ratio(summary["gc"]["cost_us"]["write"] / 1e6, gc_cost(summary)))


def blocked(summary: Summary) -> float | None:
    """Return the percent of the page writes' time that those take that are blocked by collection."""
    return percent(ratio(summary["gc"]["blocked_write_us"], summary["gc"]["write_us"]))


def blocked_each(summary: Summary) -> float | None:
    """Return the milliseconds that a blocked page write takes in the mean."""
    return ratio(summary["gc"]["blocked_write_us"] / 1000, summary["gc"]["blocked_writes"])
