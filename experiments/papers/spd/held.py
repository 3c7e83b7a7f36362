"""How each claim of the SPD paper is measured: a function of the results by part, under the claim's name."""

from ...study.measures import erases, mean, negative, percent, ratio, rise
from ...study.study import Held, Results
from . import aggregates, measures
from .aggregates import average, average_rise, level, most_rise, reductions, under, values
from .measures import PLUS, READ, WRITE, Grid, blocked, blocked_each, collections, gc_cost, gc_cost_each, joined
from .paper import ABOVE_15, LIKE_BASELINE, SLIGHT
from .systems import (
    BASE,
    BUFFERS,
    COLLECTING,
    FOUR_PLANES,
    FREE,
    MAPPINGS,
    SEPARATING,
    SYSTEMS,
    UNCOLLECTED,
    key,
    mapped_name,
    separated_name,
)

MEAN_PLANES = measures.planes("mean")
GROUPING = ("TwinBlk", "SuperPage", "ParaGC")
PAIRING = ("TwinBlk", "ParaGC")
"""The rivals that collect blocks of several planes, and those of them that write no super pages."""


def without_collection() -> dict[str, Held]:
    """Return the measures of the claims of Sections 3 and 6.1."""
    others = [name for name in UNCOLLECTED if name != "SPD"]
    unaligned = (BASE, "Baseline-P", "TwinBlk")
    return {
        "fig2.parallel": level(FREE, measures.case("parallel"), BASE),
        "fig2.unaligned": level(FREE, measures.case("unaligned"), BASE),
        **{f"fig9.{key(system)}": average(FREE, WRITE, system) for system in ("TwinBlk", "SuperPage", "Baseline-P")},
        "fig9.baseline_p.most": lambda results: aggregates.largest(
            reductions(results, FREE, WRITE, "Baseline-P").values()
        ),
        **{f"fig9.spd.{key(name)}": under(name, FREE, WRITE, "SPD") for name in ABOVE_15},
        **{f"fig9.twinblk.{key(name)}": under(name, FREE, WRITE, "TwinBlk") for name in LIKE_BASELINE},
        "fig9.spd.all": aggregates.below(FREE, WRITE, [BASE]),
        "fig9.spd.lowest": aggregates.below(FREE, WRITE, others),
        "fig9.spd.best": aggregates.above_best(FREE, WRITE, others),
        "fig10.spd": level(FREE, joined, "SPD"),
        **{f"fig10.{key(system)}.some": level(FREE, joined, system) for system in unaligned},
        **{f"fig10.{key(system)}": aggregates.above_base(FREE, joined, system) for system in unaligned[1:]},
        "fig10.twinblk.limited": lambda results: aggregates.apart(
            values(results, FREE, joined, "TwinBlk"), LIKE_BASELINE
        ),
        **{f"table3.{key(system)}": average(FREE, READ, system) for system in UNCOLLECTED if system != BASE},
        **{f"fig11.{key(system)}": average_rise(FREE, MEAN_PLANES, system) for system in ("SuperPage", "SPD")},
        **{f"fig11.over.{key(each)}": average_rise(FREE, MEAN_PLANES, "SPD", each) for each in unaligned[1:]},
        "fig11.spd.all": all_planes,
        "fig11.superpage.all": lambda results: aggregates.largest(
            values(results, FREE, measures.most_planes_percent, "SuperPage").values()
        ),
        "fig11.pattern": lambda results: aggregates.alike(
            {name: -each for name, each in reductions(results, FREE, MEAN_PLANES, "SPD").items()},
            reductions(results, FREE, WRITE, "SPD"),
        ),
        "fig12.spd": average(FREE, measures.hit_ratio, "SPD"),
    }


def all_planes(results: Results) -> float | None:
    """Return under how many workloads SPD has all planes at work at once."""
    most = values(results, FREE, measures.most_planes_percent, "SPD")
    return sum(each == 100 for each in most.values()) if most else None


def with_collection() -> dict[str, Held]:
    """Return the measures of the claims of Section 6.2."""
    others = [name for name in SYSTEMS if name not in ("SPD", PLUS)]
    return {
        **{f"fig13.{key(other)}": average(COLLECTING, WRITE, "SPD", other) for other in others},
        "fig13.all": aggregates.below(COLLECTING, WRITE, [BASE]),
        "fig13.prn_1": under("PRN_1", COLLECTING, WRITE, "SPD"),
        "fig13.prn_1.least": lambda results: aggregates.above_least(saved(results), "PRN_1"),
        "fig13.slight": lambda results: aggregates.apart(saved(results), SLIGHT),
        **{f"fig14.{key(each)}": average(COLLECTING, gc_cost, each) for each in (*GROUPING, "SPD")},
        **{f"fig14.over.{key(each)}": average_rise(COLLECTING, gc_cost, "TwinBlk", each) for each in GROUPING[1:]},
        "fig14.twinblk.dearer": most_rise(COLLECTING, gc_cost, "TwinBlk"),
        "fig14.spd.best": aggregates.above_best(COLLECTING, gc_cost, others),
        **{f"table4.{key(each)}": average(COLLECTING, READ, each) for each in (*others[1:], "SPD")},
    }


def saved(results: Results) -> aggregates.Values:
    """Return the reductions of the write latency with collection by SPD."""
    return reductions(results, COLLECTING, WRITE, "SPD")


def of_collection() -> dict[str, Held]:
    """Return the measures of the claims of Section 6.3."""
    return {
        "fig15.writes": lambda results: mean(
            level(COLLECTING, measures.writes_of_cost, system)(results) for system in SYSTEMS if system != PLUS
        ),
        **{
            f"fig15.below.{key(each)}": average(COLLECTING, gc_cost_each, "SPD", each) for each in ("TwinBlk", "ParaGC")
        },
        **{f"fig15.like.{key(each)}": spd_of(each) for each in (BASE, "Baseline-P")},
        "fig15.superpage.least": superpage_above_least,
        "fig16.spd.least": lambda results: aggregates.least(fewer(results).values()),
        "fig16.spd.most": lambda results: aggregates.largest(fewer(results).values()),
        **{
            f"fig16.{key(each)}": average(COLLECTING, collections, each) for each in ("Baseline-P", "TwinBlk", "ParaGC")
        },
        "fig16.superpage": average_rise(COLLECTING, collections, "SuperPage"),
        "fig16.over.spd": average_rise(COLLECTING, collections, "TwinBlk", "SPD"),
        "fig16.proj_0": lambda results: aggregates.difference(
            0.0, reductions(results, COLLECTING, collections, "SPD", "TwinBlk").get("PROJ_0")
        ),
        **{f"fig17.below.{key(each)}": average(COLLECTING, erases, "SPD", each) for each in GROUPING},
        **{f"fig17.most.{key(each)}": most_rise(COLLECTING, erases, each) for each in GROUPING},
        "fig17.twinblk.prxy_0": lambda results: aggregates.difference(
            0.0, aggregates.above_least(reductions(results, COLLECTING, erases, "TwinBlk"), "PRXY_0")
        ),
        **{f"fig17.{key(each)}": average_rise(COLLECTING, erases, each) for each in (*GROUPING, "SPD")},
        "fig17.spd.fewest": aggregates.below(COLLECTING, erases, GROUPING),
    }


def fewer(results: Results) -> aggregates.Values:
    """Return the reductions of the number of collections by SPD."""
    return reductions(results, COLLECTING, collections, "SPD")


def spd_of(other: str) -> Held:
    """Return the average cost of a collection of SPD in percent of that of `other`."""
    reduction = average(COLLECTING, gc_cost_each, "SPD", other)
    return lambda results: aggregates.difference(100.0, reduction(results))


def superpage_above_least(results: Results) -> float | None:
    """Return by how many percent SuperPage's average cost of a collection is above the least of the others'."""
    others = [name for name in SYSTEMS if name not in ("SuperPage", PLUS)]
    return aggregates.largest(average_rise(COLLECTING, gc_cost_each, "SuperPage", other)(results) for other in others)


def of_plus() -> dict[str, Held]:
    """Return the measures of the claims of Section 6.4."""
    return {
        "fig18.spd": level(COLLECTING, blocked, "SPD"),
        "fig18.prn_1": lambda results: held_up(results).get("PRN_1"),
        "fig18.prn_1.least": lambda results: aggregates.above_least(held_up(results), "PRN_1"),
        "fig18.proj_3": lambda results: aggregates.apart(held_up(results), ["PROJ_3"]),
        "fig18.slight": lambda results: aggregates.apart(held_up(results), SLIGHT),
        "fig18.pattern": lambda results: aggregates.alike(held_up(results), saved(results)),
        "fig19.average": average(COLLECTING, WRITE, PLUS, "SPD"),
        **{f"fig19.{key(name)}": under(name, COLLECTING, WRITE, PLUS, "SPD") for name in (*SLIGHT, "PROJ_3")},
        "fig20.average": average(COLLECTING, blocked_each, PLUS, "SPD"),
        **{f"fig20.{key(name)}": under(name, COLLECTING, blocked_each, PLUS, "SPD") for name in ("PRN_1", "PROJ_3")},
        "fig20.prn_1.least": lambda results: aggregates.above_least(unblocked(results), "PRN_1"),
        "fig20.proj_3.most": lambda results: aggregates.above_largest(unblocked(results), "PROJ_3"),
        "plus.cost": average_rise(COLLECTING, gc_cost, PLUS, "SPD"),
        "plus.each": average_rise(COLLECTING, gc_cost_each, PLUS, "SPD"),
        "plus.count": average_rise(COLLECTING, collections, PLUS, "SPD"),
        "plus.reads": average(COLLECTING, READ, PLUS, "SPD"),
    }


def held_up(results: Results) -> aggregates.Values:
    """Return the percent of the time of SPD's page writes that is blocked, by workload."""
    return values(results, COLLECTING, blocked, "SPD")


def unblocked(results: Results) -> aggregates.Values:
    """Return the reductions of the mean time of a blocked page write by SPD+."""
    return reductions(results, COLLECTING, blocked_each, PLUS, "SPD")


def of_variations() -> dict[str, Held]:
    """Return the measures of the claims of Section 6.5."""
    plus, base = separated_name(PLUS), separated_name(BASE)
    others = [name for name in UNCOLLECTED if name != "SPD"]
    return {
        "fig21.falls": aggregates.least_of(falls(system) for system in UNCOLLECTED),
        "fig21.stable": stable,
        "fig21.best": aggregates.least_of(least_by_size(other) for other in others),
        "fig22.spd": average(FOUR_PLANES, WRITE, "SPD"),
        "fig22.spd.further": lambda results: aggregates.difference(
            average(FOUR_PLANES, WRITE, "SPD")(results), average(FREE, WRITE, "SPD")(results)
        ),
        "fig22.baseline_p": average(FOUR_PLANES, WRITE, "Baseline-P"),
        "fig22.baseline_p.few": level(FOUR_PLANES, joined, "Baseline-P"),
        "fig23.dftl.spd": average_rise(MAPPINGS, WRITE, mapped_name("SPD"), "SPD"),
        "fig23.dftl": average_rise(MAPPINGS, WRITE, mapped_name(BASE)),
        "fig24.spd_plus": average(SEPARATING, WRITE, plus, base),
        "fig24.spd": average(SEPARATING, WRITE, separated_name("SPD"), base),
        "fig24.separation": average(SEPARATING, WRITE, base),
    }


def by_size(results: Results, system: str, against: str) -> list[float]:
    """Return the reduction of the write latency of `against` by a system, from the smallest buffer to the largest."""
    grid = Grid(results[BUFFERS])
    found = (grid.reduction(WRITE, size, system, against) for size in grid.workloads)
    return [each for each in found if each is not None]


def least_by_size(other: str) -> Held:
    """Return the least reduction of the write latency of `other` by SPD, of all sizes of the buffer."""
    return lambda results: aggregates.least(by_size(results, "SPD", other))


def stable(results: Results) -> float | None:
    """Return the least reduction by SPD of all sizes of the buffer, in percent of the average."""
    found = by_size(results, "SPD", BASE)
    least = ratio(aggregates.least(found), mean(found))
    return percent(least)


def falls(system: str) -> Held:
    """Return the reduction of a system's write latency from the smallest buffer to the largest."""

    def held(results: Results) -> float | None:
        grid = Grid(results[BUFFERS])
        of = [grid.value(WRITE, size, system) for size in grid.workloads]
        return negative(rise(of[-1], of[0])) if of else None

    return held


HELD = without_collection() | with_collection() | of_collection() | of_plus() | of_variations()
