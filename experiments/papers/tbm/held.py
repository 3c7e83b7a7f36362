"""What measures each claim of the TBM paper, from the results of the parts that it needs."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from ...study.measures import difference, mean, negative, rise
from ...study.study import Held
from .measures import ADMITTED, ARRIVED, COLLECTIONS, EARLY, LATE, READS, SETTLED, WRITES, Measured, Span
from .systems import BASE
from .workloads import SHOWN

MOST = {"f_tbm": "F+TBM", "d_tbm": "D+TBM", "f2_tbm": "F2+TBM"}
"""Section 6 has the largest gain of each over all workloads: of D+TBM over D, of the others over F."""

LONG, SATURATED, TIMELY = "long", "saturated", "timely"
"""The parts: Figs. 2 and 6, and Fig. 7 as fast as the device takes requests and at the trace's own times."""

Pages = Mapping[str, int]
Measure = Callable[[Measured], float | None]


def held(pages: Pages) -> dict[str, Held]:
    """Return the measure of each claim, on devices of so many `pages` by workload."""
    return {
        **of(LONG, pages, long_run()),
        **long_responses(pages, ADMITTED),
        **of(SATURATED, pages, saturated()),
        **responses(pages, TIMELY, ARRIVED),
    }


def long_responses(pages: Pages, key: str) -> dict[str, Held]:
    """Return the measures of the response times of the long run, from arrival or admission."""
    return of(LONG, pages, long_response(key))


def responses(pages: Pages, part: str, key: str) -> dict[str, Held]:
    """Return the measures of the response times of Fig. 7, of either part, from arrival or admission."""
    return of(part, pages, gains("response", key, -1))


def of(part: str, pages: Pages, measures: Mapping[str, Measure]) -> dict[str, Held]:
    """Return `measures` as those of the results of a part."""
    return {name: _held(part, pages, measure) for name, measure in measures.items()}


def _held(part: str, pages: Pages, measure: Measure) -> Held:
    return lambda results: measure(Measured(results[part], pages))


def long_run() -> dict[str, Measure]:
    """Return the measures of the claims about Figs. 2 and 6 but those of response times."""
    return {
        "fig2.start": lambda runs: start(runs, "D"),
        **{f"fig2.reads_{name}": falls(READS, system) for name, system in WITHOUT.items()},
        "fig2.early_writes": points(WRITES, "D", "F", EARLY),
        "fig2.writes_d": falls(WRITES, "D"),
        "fig2.writes_d_bac": falls(WRITES, "D+BAC"),
        "fig3.bac": points(WRITES, "D", "D+BAC", EARLY),
        "fig5.erases": lambda runs: runs.erased_together(SHOWN, "D+TBM"),
        "fig6.collections_f": below(COLLECTIONS, "F+TBM", "F"),
        "fig6.collections_d": below(COLLECTIONS, "D+TBM", "D"),
        "fig6.writes_d": falls(WRITES, "D+TBM"),
        "fig6.writes_d_bac": falls(WRITES, "D+BAC+TBM"),
        **{f"fig6.reads_{name}": falls(READS, f"{system}+TBM") for name, system in WITHOUT.items()},
    }


WITHOUT = {"f": "F", "d": "D", "f_bac": "F+BAC", "d_bac": "D+BAC"}


def long_response(key: str) -> dict[str, Measure]:
    """Return the measures of the claims about response times of Figs. 2 and 6."""
    return {
        "fig2.early": below(key, "D", "F", EARLY),
        "fig2.early_bac": below(key, "D+BAC", "F+BAC", EARLY),
        "fig2.late": below(key, "D", "F"),
        "fig2.late_bac": below(key, "D+BAC", "F+BAC"),
        **{f"fig2.rise_{name}": rises(key, system) for name, system in WITHOUT.items()},
        "fig2.rise_more": rises_more(key, "D", "F"),
        "fig2.rise_more_bac": rises_more(key, "D+BAC", "F+BAC"),
        "fig2.bac_d": below(key, "D", "D+BAC"),
        "fig2.bac_f": below(key, "F", "F+BAC"),
        "fig6.response_f": below(key, "F+TBM", "F"),
        "fig6.response_d": below(key, "D+TBM", "D"),
        "fig6.bac_f": below(key, "F+TBM", "F+BAC+TBM"),
        "fig6.bac_d": below(key, "D+TBM", "D+BAC+TBM"),
    }


def saturated() -> dict[str, Measure]:
    """Return the measures of the claims about Fig. 7 but those of response times."""
    return {
        **gains("iops", "iops", 1),
        "fig7.prn_0_iops": gain("iops", 1, "D+TBM", "prn-0"),
        "fig7.f2_like_f": lambda runs: largest(runs, lambda name: over(runs, "iops", name, "F2", "F")),
        **{f"fig7.{name}_writes": partial(more_joined, system) for name, system in MOST.items()},
        "fig7.moves": lambda runs: mean(more_moved(runs, name) for name in runs.workloads),
        "fig7.prn_0_moves": lambda runs: more_moved(runs, "prn-0"),
        "fig7.prn_0_writes": lambda runs: joined_over(runs, "prn-0", "D+TBM"),
        "fig7.prn_0_collections": gain(COLLECTIONS, -1, "D+TBM", "prn-0"),
    }


def gains(name: str, key: str, sign: int) -> dict[str, Measure]:
    """Return the measures of the gains of Fig. 7 in IOPS or response time; less is better where `sign` is negative."""
    most = {f"fig7.{short}_{name}": extreme(max, key, sign, system) for short, system in MOST.items()}
    losers = {f"fig7.{short}_{name}": gain(key, sign, "D+TBM", of) for short, of in LOSERS.items()}
    return {**most, f"fig7.always_{name}": extreme(min, key, sign, "F+TBM"), **losers}


LOSERS = {"fin1": "fin1", "prn_1": "prn-1"}


def start(runs: Measured, system: str) -> float | None:
    """Return the volume at which collection starts."""
    course = runs.course(SHOWN, system)
    return None if course is None else course.first_collection


def below(key: str, system: str, base: str, span: Span = LATE) -> Measure:
    """Return the measure of a reduction by `system` from `base`, in percent."""
    return lambda runs: negative(rise(*(runs.value(key, SHOWN, name, span) for name in (system, base))))


def points(key: str, system: str, base: str, span: Span) -> Measure:
    """Return the measure of a rise of a share by `system` from `base`, in points."""
    return lambda runs: difference(*(runs.value(key, SHOWN, name, span) for name in (system, base)))


def rises(key: str, system: str) -> Measure:
    """Return the measure of a rise of `system` from early to late in the long run, in percent."""
    return lambda runs: rise(*(runs.value(key, SHOWN, system, span) for span in (LATE, EARLY)))


def falls(key: str, system: str) -> Measure:
    """Return the measure of a fall of `system` from early to late in the long run, in percent."""
    return lambda runs: negative(rises(key, system)(runs))


def rises_more(key: str, system: str, than: str) -> Measure:
    """Return the measure of an excess rise of `system` in the long run, in points."""
    return lambda runs: difference(*(rises(key, name)(runs) for name in (system, than)))


def over(runs: Measured, key: str, workload: str, system: str, base: str) -> float | None:
    """Return by how many percent `system` has more than `base` in the long run of a workload."""
    return rise(*(runs.value(key, workload, name, SETTLED) for name in (system, base)))


def gain(key: str, sign: int, system: str, workload: str) -> Measure:
    """Return the measure of a system's gain over its rival, in percent."""
    found = partial(over, key=key, workload=workload, system=system, base=BASE[system])
    return found if sign > 0 else lambda runs: negative(found(runs))


def extreme(choose: Callable[..., float | None], key: str, sign: int, system: str) -> Measure:
    """Return the measure of the largest or smallest gain over all workloads."""
    return lambda runs: choose(_known(gain(key, sign, system, name)(runs) for name in runs.workloads), default=None)


def _known(values: Iterable[float | None]) -> list[float]:
    return [each for each in values if each is not None]


def largest(runs: Measured, of_workload: Callable[[str], float | None]) -> float | None:
    """Return the difference that is the largest over all workloads, whatever its sign."""
    return max(_known(map(of_workload, runs.workloads)), key=abs, default=None)


def more_joined(system: str, runs: Measured) -> float | None:
    """Return by how many points a system has more multi-plane writes than its base, a mean."""
    return mean(joined_over(runs, name, system) for name in runs.workloads)


def joined_over(runs: Measured, workload: str, system: str) -> float | None:
    """Return by how many points of its writes a system has more of them multi-plane than its base."""
    return difference(*(runs.value(WRITES, workload, name) for name in (system, BASE[system])))


def more_moved(runs: Measured, workload: str) -> float | None:
    """Return by how many percent D+TBM moves more pages for each block than D."""
    return rise(*(runs.moves(workload, name) for name in ("D+TBM", "D")))
