"""What claims are measured by: values of runs, what is saved from one to another, and means and orders of these."""

from collections.abc import Callable, Iterable
from itertools import pairwise

from ...study.measures import Grid, Measure, Summary, mean, negative, percent, ratio
from ...study.study import Held, Results
from .systems import BASE, EXTRA, LARGER, PAGES, PLANES, SYSTEMS
from .workloads import TABLE_2

NAMES = tuple(TABLE_2)
OVERLOADED = "TPC-C", BASE, {*PAGES, *EXTRA, *LARGER} - {"4 KiB", "8 KiB", "16 KiB"}
"""DFTL cannot carry TPC-C with pages of 2 KiB: its response time grows for as long as requests come, so that it is none
of the device but of the length of the run. No response time there is held against the paper."""

Of = Callable[[Results, str, str, str], float | None]
"""A value of a run, by part, system and workload."""


def of(measure: Measure) -> Of:
    """Return the value of runs that is a measure of their summaries."""

    def value(results: Results, part: str, system: str, workload: str) -> float | None:
        found = results[f"{part}, {system}"].get(f"{workload}/{system}")
        return None if found is None else measure(found.summary)

    return value


def grid(results: Results, part: str, systems: Iterable[str] = SYSTEMS) -> Grid:
    """Return the results of a setting, or whatever else is run with several systems."""
    return Grid({name: each for system in systems for name, each in results[f"{part}, {system}"].items()})


def requests(summary: Summary) -> int:
    """Return the number of reads and writes served."""
    return sum(summary["requests"][op]["count"] for op in ("read", "write"))


def served_ms(summary: Summary) -> float | None:
    """Return the mean time in milliseconds that requests wait for the flash, behind collections that others caused."""
    served = [summary["requests"][op] for op in ("read", "write")]
    return ratio(
        sum(each["count"] * each["response_us"]["mean"] for each in served if each["count"]), 1000 * requests(summary)
    )


def response_ms(summary: Summary) -> float | None:
    """Return the mean response time in milliseconds, with the time of each collection for the write that caused it.

    That write is complete when the collection is (Fig. 9, lines 17 to 33).
    """
    served, caused = served_ms(summary), ratio(sum(summary["gc"]["cost_us"].values()), 1000 * requests(summary))
    return None if served is None or caused is None else served + caused


def sdwpp(summary: Summary) -> float | None:
    """Return the standard deviation of page writes a plane."""
    spread: float | None = summary["page_writes_per_plane_std"]
    return spread


def variation(summary: Summary) -> float | None:
    """Return that deviation in percent of the pages that the host asks to be written, a plane."""
    return percent(ratio(sdwpp(summary), summary["requested_page_writes"] / PLANES))


def collections(summary: Summary) -> int:
    """Return the number of collections."""
    return int(summary["gc"]["collections"])


def valid(summary: Summary) -> float | None:
    """Return the percent of valid pages in victims."""
    return percent(summary["gc"]["victim_valid_share"])


def wasted(pages: int) -> Measure:
    """Return the measure of the pages wasted for parity in percent of the `pages` that the host sees (5.5)."""
    return lambda summary: 100 * summary["wasted_pages"] / pages


def not_copied(summary: Summary) -> float | None:
    """Return the percent of the pages that collection moves that copying back would have gained nothing by."""
    moves = summary["gc"]["page_moves"]
    return percent(ratio(moves - summary["flash"]["copybacks"]["gc"], moves))


def carried(measure: Measure) -> Of:
    """Return the value of runs that is a measure of their response times; None for one that is overloaded."""

    def value(results: Results, part: str, system: str, workload: str) -> float | None:
        name, overloaded, parts = OVERLOADED
        if (workload, system) == (name, overloaded) and part in parts:
            return None
        return of(measure)(results, part, system, workload)

    return value


Place = tuple[str, str]
"""A part without its system, and the system."""


def at(value: Of, place: Place, workload: str) -> Held:
    """Return the measure of a value of one run."""
    return lambda results: value(results, *place, workload)


def saved(value: Of, ours: Place, theirs: Place, workload: str) -> Held:
    """Return the reduction of a value from one place to another as a measure, in percent."""

    def held(results: Results) -> float | None:
        to = ratio(value(results, *ours, workload), value(results, *theirs, workload))
        return None if to is None else 100 * (1 - to)

    return held


def average(helds: Iterable[Held]) -> Held:
    """Return the mean of several measures as one."""
    every = list(helds)
    return lambda results: mean(each(results) for each in every)


def share(helds: Iterable[Held]) -> Held:
    """Return the share of measures above 0 as one, in percent."""
    every = list(helds)
    return lambda results: percent(mean(each and float(each > 0) for each in (held(results) for held in every)))


def above(held: Held) -> Held:
    """Return the measure of a rise, given that of a reduction."""
    return lambda results: negative(held(results))


def less(one: Held, other: Held) -> Held:
    """Return the difference of two measures as one."""

    def held(results: Results) -> float | None:
        given = one(results), other(results)
        return None if given[0] is None or given[1] is None else given[0] - given[1]

    return held


def ahead(of_workload: Callable[[str], Held], name: str) -> list[Held]:
    """Return the excesses of a workload over each of the others as measures."""
    return [less(of_workload(name), of_workload(other)) for other in NAMES if other != name]


def behind(of_workload: Callable[[str], Held], name: str) -> list[Held]:
    """Return the shortfalls of a workload from each of the others as measures."""
    return [less(of_workload(other), of_workload(name)) for other in NAMES if other != name]


def against(value: Of, one: str, other: str, parts: Iterable[str] = PAGES, names: Iterable[str] = NAMES) -> list[Held]:
    """Return the reductions of another system's value by one as measures, by part and workload."""
    return [saved(value, (part, one), (part, other), name) for part in parts for name in names]


def steps(value: Of, parts: Iterable[str], system: str, names: Iterable[str] = NAMES) -> list[Held]:
    """Return the falls of a value from each part to the next as measures."""
    return [saved(value, (to, system), (start, system), name) for start, to in pairwise(parts) for name in names]
