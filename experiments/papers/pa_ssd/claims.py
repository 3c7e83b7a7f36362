"""What the PA-SSD paper claims (`claims.tsv`), how each claim is measured, and what was chosen later (`afterwards.md`).

Reductions are in percent, of the baseline where nothing else is said.
"""

from collections.abc import Callable, Iterable
from functools import partial
from operator import mul
from statistics import fmean

from ...study.claims import published
from ...study.measures import collections
from ...study.numbers import Number, computed, of_all, of_known, run_value, summary_value
from ...study.study import Held
from . import measures
from .measures import SPEEDS, response_us, share
from .orders import ORDERS, ORDERS_PART
from .parts import BLIND, MOST_PAGES, ROUNDS
from .systems import COMBINED, REORDERED, SYSTEMS

CLAIMS, AFTERWARDS = published(__file__)

HEAVY = ("tMSFS", "tBS")
LIGHT = ("tFin", "tRA", "tDAP", "tRBESS", "tDTR", "tExch")
WORKLOADS = (*LIGHT, *HEAVY)

MEAN_PROGRAM_US = (500 + 2000 + 5500) / 3
BEST = "sQD+sUB+PAS"
FIGURE_13 = {"fig13a": "write", "fig13b": "read"}

# Section 6.4: of the writes' response time in the third round of tMSFS (Fig. 17).
THIRD_ROUND_REDUCTION = {"sLF": 66, "sQD+sU": 79, "sQD+sUB": 93}


def key(system: str) -> str:
    """Return a system's name as it stands in the name of a claim."""
    return system.replace("+", "_").lower()


def response(workload: str, system: str, op: str = "write", statistic: str = "mean") -> Number:
    """Return a response time of a system under a workload, whose part is called like it."""
    return summary_value(workload, workload, system, response_us(op, statistic))


def saved(workload: str, system: str, op: str = "write", base: str = "baseline", statistic: str = "mean") -> Number:
    """Return by how many percent a system lowers a response time of `base`."""
    return response(workload, system, op, statistic).below(response(workload, base, op, statistic))


def average(system: str, op: str = "write", base: str = "baseline", workloads: Iterable[str] = WORKLOADS) -> Number:
    """Return the mean reduction of a response time over workloads, all of which have to be there."""
    return of_all(fmean, (saved(name, system, op, base) for name in workloads))


def times_as_fast(system: str, op: str) -> Number:
    """Return the average speed-up of a system, by the mean of its reductions."""
    return computed(lambda reduced: 1 / (1 - reduced / 100), average(system, op))


def lowest_but(workload: str, system: str) -> Number:
    """Return the lowest write response time of the schemes other than `system`."""
    return of_all(min, (response(workload, name) for name in COMBINED if name != system))


def motivation() -> dict[str, Held]:
    """Return the measures of the claims of Sections 1, 3 and 4."""
    slow = {name: summary_value("tDAP", "tDAP", name, share("slow")) for name in ("baseline", BEST)}
    blind = {
        (speed, pages): summary_value(BLIND, f"{pages} pages", "baseline", share(speed))
        for speed in SPEEDS
        for pages in (1, 4, MOST_PAGES)
    }
    orders = {
        order: run_value(ORDERS_PART, order, "in turn", partial(measures.last_mean, requests=3)) for order in ORDERS
    }
    msb_first, csb_first, lsb_first = (orders[order] for order in ORDERS)
    return {
        # 1: half of tDAP's writes are slow on the baseline
        "fig1.baseline_slow": slow["baseline"],
        "fig1.fewer_slow": slow["baseline"] - slow[BEST],
        **{f"fig1.{op}": saved("tDAP", BEST, op) for op in ("write", "read")},
        # 3: where types are blind, a larger write is more likely slow
        **{f"fig6.{speed}_of_one_page": blind[speed, 1] for speed in SPEEDS},
        **{f"fig6.{speed}": blind[speed, 4] for speed in SPEEDS},
        **{f"fig6.{speed}_falls": blind[speed, 1] - blind[speed, MOST_PAGES] for speed in ("fast", "medium")},
        "fig6.slow_rises": blind["slow", MOST_PAGES] - blind["slow", 1],
        # 4.4.1: the faster page first lets the others wait less
        "fig11.csb_first": csb_first.below(msb_first),
        "fig11.lsb_first": lsb_first.below(msb_first),
        "fig11.lsb_or_csb": lsb_first.below(csb_first),
    }


def responses() -> dict[str, Held]:
    """Return the measures of the claims on the response times of Fig. 13."""
    held: dict[str, Held] = {}
    for figure, op in FIGURE_13.items():
        # 6.1: the averages of the text
        held |= {f"{figure}.{key(name)}": average(name, op) for name in ("sU", "sLF", "sSB+sU", "sQD+sU")}
        held |= {f"{figure}.{key(name)}_times": times_as_fast(name, op) for name in ("sQD+sU", BEST)}
        # 6.1: the gain is larger under heavy workloads
        heavy, light = (average("sQD+sU", op, workloads=names) for names in (HEAVY, LIGHT))
        held[f"{figure}.sqd_su_heavy"] = heavy - light
    return held


def orders_of_schemes() -> dict[str, Held]:
    """Return the measures of the claims on which scheme is faster under which workloads (Fig. 13a)."""
    of_slf = {name: (response(name, "sLF"), lowest_but(name, "sLF")) for name in WORKLOADS}
    reduced = [saved(name, "sSB+sUB") for name in WORKLOADS]
    by_weight = {"light": LIGHT, "heavy": HEAVY}
    return {
        # 6.1: sLF is the lowest under the light workloads, and not under the heavy ones
        **{f"fig13a.slf_lowest.{name}": of_slf[name][0].below(of_slf[name][1]) for name in LIGHT},
        **{f"fig13a.slf_not_lowest.{name}": of_slf[name][1].below(of_slf[name][0]) for name in HEAVY},
        **{f"fig13a.sqd_sub_lower.{name}": saved(name, "sQD+sUB", base="sQD+sU") for name in HEAVY},
        # few of the writes of these two are large (Table 2), so that size tells little
        **{f"fig13a.ssb_small.{name}": saved(name, "sSB+sU") for name in ("tFin", "tMSFS")},
        "fig13a.ssb_sub_longer": -of_all(min, reduced),
        # 6.1: under the lightest workloads sQD+sU is like sU
        **{f"fig13a.sqd_like_su.{name}": saved(name, "sQD+sU", base="sU") for name in ("tFin", "tRA")},
        **{
            f"fig13a.sqd_sub_{weight}": average("sQD+sUB", base="sQD+sU", workloads=names)
            for weight, names in by_weight.items()
        },
        "fig13a.msfs": saved("tMSFS", "sQD+sUB"),
    }


def largest_difference() -> Number:
    """Return the largest difference of the number of collections to the baseline's, in percent."""
    counts = {
        (name, system): summary_value(name, name, system, collections) for name in WORKLOADS for system in SYSTEMS
    }
    rises = [count.above(counts[name, "baseline"]) for (name, _), count in counts.items()]
    return of_known(lambda known: max(map(abs, known)), rises)


def speeds() -> dict[str, Held]:
    """Return the measures of the claims on fast, medium and slow writes of tDAP (Fig. 14)."""
    shares = {
        system: {speed: summary_value("tDAP", "tDAP", system, share(speed)) for speed in SPEEDS} for system in SYSTEMS
    }

    def slow_beyond(system: str, choose: Callable[[float, float], float]) -> Number:
        """Return the excess of slow writes over the more or less frequent of the other kinds."""
        kinds = shares[system]
        return kinds["slow"] - computed(choose, kinds["fast"], kinds["medium"])

    def unevenness(system: str) -> Number:
        return of_all(lambda kinds: max(kinds) - min(kinds), shares[system].values())

    held: dict[str, Held] = {
        # 6.1: shares of tDAP's writes
        **{f"fig14.su_{speed}": shares["sU"][speed] for speed in ("fast", "slow")},
        "fig14.baseline": slow_beyond("baseline", max),
        "fig14.slow": of_all(max, (shares[name]["slow"] for name in COMBINED)),
        "fig14.slow_fewest": of_all(min, (-slow_beyond(name, min) for name in COMBINED)),
    }
    for system in ("sLF", "sSB+sU", "sQD+sU"):
        held[f"fig14.fast.{key(system)}"] = shares[system]["fast"] - shares["sU"]["fast"]
        held[f"fig14.slow.{key(system)}"] = shares["sU"]["slow"] - shares[system]["slow"]
    for scheme in ("sSB", "sQD"):
        # 6.1: the kinds of writes are more even with sUB than with sU
        held[f"fig14.even.{key(scheme)}"] = unevenness(f"{scheme}+sU") - unevenness(f"{scheme}+sUB")
    return held


def successes(lowest: bool = False) -> dict[str, Held]:
    """Return the measures of the success rates of Fig. 15: of all workloads together, or of the one with the lowest."""
    return {f"fig15.{key(system)}": _success(system, lowest) for system in COMBINED}


def _success(system: str, lowest: bool) -> Number:
    rates = [summary_value(name, name, system, lambda summary: measures.success(summary) or 0.0) for name in WORKLOADS]
    if lowest:
        return of_all(min, rates)
    writes = [summary_value(name, name, system, measures.page_writes) for name in WORKLOADS]
    # a workload counts by its page writes
    weighted = of_all(sum, (computed(mul, *pair) for pair in zip(rates, writes, strict=True)))
    return weighted.over(of_all(sum, writes))


def reordered() -> dict[str, Held]:
    """Return the measures of the reductions by PAS (Table 3)."""
    averages = {name: average(f"{name}+PAS", base=name) for name in REORDERED}
    return {
        **{f"table3.average.{key(name)}": number for name, number in averages.items()},
        **{
            f"table3.{name}.{key(system)}": saved(name, f"{system}+PAS", base=system)
            for system in REORDERED
            for name in WORKLOADS
        },
        # 6.2: PAS saves more where sizes set the types, and less where the queue does
        **{f"table3.better.{key(name)}": averages[name] - averages["sU"] for name in ("sSB+sU", "sSB+sUB")},
        **{f"table3.lower.{key(name)}": averages["sU"] - averages[name] for name in ("sQD+sU", "sQD+sUB")},
        "table3.deviation": of_all(fmean, (saved(name, BEST, base="sQD+sUB", statistic="std") for name in WORKLOADS)),
    }


def courses() -> dict[str, Held]:
    """Return the measures of the claims on response times over time, and in the third of several rounds (6.3, 6.4)."""

    def above_program(us: float) -> float:
        return 100 * (us / MEAN_PROGRAM_US - 1)

    def in_rounds(system: str, measure: Callable[..., float]) -> Number:
        return run_value(ROUNDS, "tMSFS", system, measure)

    third = {name: in_rounds(name, lambda result: measures.round_means(result)[-1]) for name in SYSTEMS}
    return {
        # 6.3: held against the mean program of the three page types
        "fig16a.baseline": computed(above_program, response("tFin", "baseline")),
        "fig16a.su": saved("tFin", "sU"),
        **{f"fig16a.{key(name)}": saved("tFin", name, base="sU") for name in ("sQD+sU", "sQD+sUB", "sLF")},
        # 6.4: of the third round
        **{f"fig17.{key(name)}": third[name].below(third["baseline"]) for name in THIRD_ROUND_REDUCTION},
        # two of three rounds: by then LSB pages are said to be used up
        **{
            f"fig17.used_up.{key(name)}": in_rounds(name, partial(measures.left, run_share=2 / 3))
            for name in THIRD_ROUND_REDUCTION
        },
    }


def lasting(used_up: float = measures.USED_UP) -> dict[str, Held]:
    """Return the measures of the time that LSB pages last."""

    def lasted(workload: str, system: str) -> Number:
        return run_value(workload, workload, system, partial(measures.lasted, used_up=used_up))

    slf, sqd_su, sqd_sub = (lasted("tMSFS", name) for name in ("sLF", "sQD+sU", "sQD+sUB"))
    return {
        # 6.3: LSB pages are used up late under tFin, and by sLF early under tMSFS
        "fig16a.lasted": lasted("tFin", "sLF"),
        "fig16b.slf": slf,
        "fig16b.sqd_sub": sqd_sub,
        "fig16b.times": sqd_sub.over(slf),
        "fig16b.longer": sqd_su - slf,
    }


HELD: dict[str, Held] = {
    **motivation(),
    **responses(),
    **orders_of_schemes(),
    "collections": largest_difference(),
    **speeds(),
    **successes(),
    **reordered(),
    **courses(),
    **lasting(),
}
