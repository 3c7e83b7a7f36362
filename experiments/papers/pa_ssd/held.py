"""How each claim is measured: a function of the results, by the claim's name."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from ...study.measures import mean, ratio
from ...study.study import Held, Results
from . import measures, paper
from .measures import SPEEDS, Measured, reduction
from .paper import HEAVY, LIGHT, WORKLOADS, key
from .systems import COMBINED, REORDERED

BLIND = "writes of the baseline"
ORDERS = "orders of three writes"
ROUNDS = "three rounds"
BEST = "sQD+sUB+PAS"

FIGURE_13 = {"fig13a": "write", "fig13b": "read"}

Of = Callable[[Measured], float | None]


def of(results: Results, workload: str) -> Measured:
    """Return the measures under a workload, whose part is called like it."""
    return Measured(workload, results[workload])


def under(workload: str, measure: Of) -> Held:
    """Return the measure of a claim on one workload."""
    return lambda results: measure(of(results, workload))


def average(measure: Of, workloads: Iterable[str] = WORKLOADS) -> Held:
    """Return the mean of a measure over workloads, all of which have to be there."""

    def held(results: Results) -> float | None:
        found = [measure(of(results, name)) for name in workloads]
        return None if None in found else mean(found)

    return held


def difference(ours: Held, theirs: Held) -> Held:
    """Return the difference of two numbers as a measure."""

    def held(results: Results) -> float | None:
        values = [each(results) for each in (ours, theirs)]
        return None if None in values else values[0] - values[1]  # type: ignore[operator]

    return held


def saved(system: str, op: str = "write", against: str = "baseline", key: str = "mean") -> Of:
    """Return the reduction of a response time by a system as a measure, in percent."""
    return lambda measured: measured.reduction(system, op, against, key)


def times_as_fast(system: str, op: str) -> Held:
    """Return the average speed-up of a system as a measure, by the mean of its reductions."""
    reduced = average(saved(system, op))

    def held(results: Results) -> float | None:
        value = reduced(results)
        return None if value is None else 1 / (1 - value / 100)

    return held


def best_below(system: str) -> Of:
    """Return the lead of the best of the other schemes over `system` in writes as a measure, in percent."""
    return lambda measured: reduction(measured.lowest_but(system), measured.response(system))


def below_best(system: str) -> Of:
    """Return the lead of `system` over the best of the other schemes in writes as a measure, in percent."""
    return lambda measured: reduction(measured.response(system), measured.lowest_but(system))


def share(system: str, speed: str) -> Of:
    """Return the share of fast, medium or slow writes as a measure, in percent."""
    return lambda measured: measured.shares(system)[speed]


def slow_beyond(measured: Measured, system: str, which: Callable[[float, float], float] = max) -> float:
    """Return how many more of the writes are slow than of the `which` of the other kinds, in percent of all."""
    shares = measured.shares(system)
    return shares["slow"] - which(shares["fast"], shares["medium"])


def fewest_slow(measured: Measured) -> float:
    """Return how many fewer of the writes are slow than of each other kind, under the scheme that this is least for."""
    return min(-slow_beyond(measured, system, min) for system in COMBINED)


def most_slow(measured: Measured) -> float:
    """Return the largest percent of slow writes under a scheme."""
    return max(measured.shares(system)["slow"] for system in COMBINED)


def unevenness(system: str) -> Of:
    """Return the excess of the most frequent kind of writes over the rarest as a measure, in percent."""
    return lambda measured: max(measured.shares(system).values()) - min(measured.shares(system).values())


def success(system: str, joined: Callable[[list[tuple[float, int]]], float]) -> Held:
    """Return a scheme's success rate as a measure, joined of the rates and page writes of all workloads."""

    def held(results: Results) -> float | None:
        found = [of(results, name) for name in WORKLOADS]
        return joined([(each.success(system) or 0.0, each.page_writes(system)) for each in found])

    return held


def over_all(rates: list[tuple[float, int]]) -> float:
    """Return the rate of all page writes together."""
    return sum(rate * writes for rate, writes in rates) / sum(writes for _, writes in rates)


def lowest(rates: list[tuple[float, int]]) -> float:
    """Return the rate of the workload that has the lowest."""
    return min(rate for rate, _ in rates)


def largest_difference(results: Results) -> float | None:
    """Return the largest difference of the number of collections to the baseline's, in percent."""
    found = [each for name in WORKLOADS if (each := of(results, name).collections()).get("baseline")]
    return max((abs(100 * (count / each["baseline"] - 1)) for each in found for count in each.values()), default=None)


def largest_rise(system: str) -> Held:
    """Return the largest rise of a write response time over the baseline's as a measure, in percent."""

    def held(results: Results) -> float | None:
        found = [of(results, name).reduction(system) for name in WORKLOADS]
        return None if None in found else -min(each for each in found if each is not None)

    return held


def above_program(measured: Measured) -> float | None:
    """Return by how many percent the baseline's write response time is above the mean program."""
    response = measured.response("baseline")
    return None if response is None else 100 * (response / paper.MEAN_PROGRAM_US - 1)


def lasts(system: str, used_up: float) -> Of:
    """Return the share of the run with LSB pages left as a measure, in percent."""
    return lambda measured: measures.lasted(measured.of(system), used_up)


def course(used_up: float = measures.USED_UP) -> dict[str, Held]:
    """Return the measures of the time that LSB pages last."""
    slf, sqd_su, sqd_sub = (under("tMSFS", lasts(name, used_up)) for name in ("sLF", "sQD+sU", "sQD+sUB"))
    return {
        "fig16a.lasted": under("tFin", lasts("sLF", used_up)),
        "fig16b.slf": slf,
        "fig16b.sqd_sub": sqd_sub,
        "fig16b.times": lambda results: ratio(sqd_sub(results), slf(results)),
        "fig16b.longer": difference(sqd_su, slf),
    }


def _left(results: Results, system: str) -> float:
    return measures.left(Measured("tMSFS", results[ROUNDS]).of(system), 2 / 3)


def _blind(results: Results, pages: int, speed: str) -> float:
    return Measured(f"{pages} pages", results[BLIND]).shares("baseline")[speed]


def _order(results: Results, first: str, against: str) -> float | None:
    ours, theirs = (Measured(name, results[ORDERS]).of("in turn") for name in (first, against))
    return reduction(measures.last_mean(ours, 3), measures.last_mean(theirs, 3))


def _third_round(results: Results, system: str) -> float | None:
    found = (Measured("tMSFS", results[ROUNDS]).of(name) for name in (system, "baseline"))
    ours, theirs = (measures.round_means(each)[-1] for each in found)
    return reduction(ours, theirs)


def _motivation() -> Iterator[tuple[str, Held]]:
    yield "fig1.baseline_slow", under("tDAP", share("baseline", "slow"))
    yield "fig1.fewer_slow", difference(*(under("tDAP", share(name, "slow")) for name in ("baseline", BEST)))
    for op in ("write", "read"):
        yield f"fig1.{op}", under("tDAP", saved(BEST, op))
    most, least = paper.MOST_PAGES, 1
    for speed in SPEEDS:
        yield f"fig6.{speed}_of_one_page", partial(_blind, pages=1, speed=speed)
        yield f"fig6.{speed}", partial(_blind, pages=4, speed=speed)
        of_many, of_one = (partial(_blind, pages=pages, speed=speed) for pages in (most, least))
        if speed == "slow":
            yield "fig6.slow_rises", difference(of_many, of_one)
        else:
            yield f"fig6.{speed}_falls", difference(of_one, of_many)
    yield "fig11.csb_first", partial(_order, first="CSB MSB LSB", against="MSB CSB LSB")
    yield "fig11.lsb_first", partial(_order, first="LSB CSB MSB", against="MSB CSB LSB")
    yield "fig11.lsb_or_csb", partial(_order, first="LSB CSB MSB", against="CSB MSB LSB")


def _responses() -> Iterator[tuple[str, Held]]:
    for figure, op in FIGURE_13.items():
        for system in ("sU", "sLF", "sSB+sU", "sQD+sU"):
            yield f"{figure}.{key(system)}", average(saved(system, op))
        for system in ("sQD+sU", BEST):
            yield f"{figure}.{key(system)}_times", times_as_fast(system, op)
        heavy, light = (average(saved("sQD+sU", op), of) for of in (HEAVY, LIGHT))
        yield f"{figure}.sqd_su_heavy", difference(heavy, light)


def _orders() -> Iterator[tuple[str, Held]]:
    for name in LIGHT:
        yield f"fig13a.slf_lowest.{name}", under(name, below_best("sLF"))
    for name in HEAVY:
        yield f"fig13a.slf_not_lowest.{name}", under(name, best_below("sLF"))
        yield f"fig13a.sqd_sub_lower.{name}", under(name, saved("sQD+sUB", against="sQD+sU"))
    for name in ("tFin", "tMSFS"):
        yield f"fig13a.ssb_small.{name}", under(name, saved("sSB+sU"))
    yield "fig13a.ssb_sub_longer", largest_rise("sSB+sUB")
    for name in ("tFin", "tRA"):
        yield f"fig13a.sqd_like_su.{name}", under(name, saved("sQD+sU", against="sU"))
    for name, workloads in (("light", LIGHT), ("heavy", HEAVY)):
        yield f"fig13a.sqd_sub_{name}", average(saved("sQD+sUB", against="sQD+sU"), workloads)
    yield "fig13a.msfs", under("tMSFS", saved("sQD+sUB"))


def _shares() -> Iterator[tuple[str, Held]]:
    yield "collections", largest_difference
    for speed in ("fast", "slow"):
        yield f"fig14.su_{speed}", under("tDAP", share("sU", speed))
    yield "fig14.baseline", under("tDAP", partial(slow_beyond, system="baseline"))
    yield "fig14.slow", under("tDAP", most_slow)
    yield "fig14.slow_fewest", under("tDAP", fewest_slow)
    for system in ("sLF", "sSB+sU", "sQD+sU"):
        fast, slow = ([under("tDAP", share(name, speed)) for name in (system, "sU")] for speed in ("fast", "slow"))
        yield f"fig14.fast.{key(system)}", difference(*fast)
        yield f"fig14.slow.{key(system)}", difference(*reversed(slow))
    for scheme in ("sSB", "sQD"):
        yield (
            f"fig14.even.{key(scheme)}",
            difference(*(under("tDAP", unevenness(f"{scheme}+{other}")) for other in ("sU", "sUB"))),
        )
    yield from succeeding(over_all).items()


def succeeding(joined: Callable[[list[tuple[float, int]]], float]) -> dict[str, Held]:
    """Return the measures of the success rates of Fig. 15."""
    return {f"fig15.{key(system)}": success(system, joined) for system in COMBINED}


def _reordered() -> Iterator[tuple[str, Held]]:
    averages = {}
    for system in REORDERED:
        measure = saved(f"{system}+PAS", against=system)
        averages[system] = average(measure)
        yield f"table3.average.{key(system)}", averages[system]
        for name in WORKLOADS:
            yield f"table3.{name}.{key(system)}", under(name, measure)
    for system in ("sSB+sU", "sSB+sUB"):
        yield f"table3.better.{key(system)}", difference(averages[system], averages["sU"])
    for system in ("sQD+sU", "sQD+sUB"):
        yield f"table3.lower.{key(system)}", difference(averages["sU"], averages[system])
    yield "table3.deviation", average(saved(BEST, against="sQD+sUB", key="std"))


def _course() -> Iterator[tuple[str, Held]]:
    yield "fig16a.baseline", under("tFin", above_program)
    yield "fig16a.su", under("tFin", saved("sU"))
    for system in ("sQD+sU", "sQD+sUB"):
        yield f"fig16a.{key(system)}", under("tFin", saved(system, against="sU"))
    yield "fig16a.slf", under("tFin", saved("sLF", against="sU"))
    for system in paper.THIRD_ROUND_REDUCTION:
        yield f"fig17.{key(system)}", partial(_third_round, system=system)
        yield f"fig17.used_up.{key(system)}", partial(_left, system=system)


HELD: Mapping[str, Held] = {
    **dict(_motivation()),
    **dict(_responses()),
    **dict(_orders()),
    **dict(_shares()),
    **dict(_reordered()),
    **dict(_course()),
    **course(),
}
"""What measures each claim, by its name."""
