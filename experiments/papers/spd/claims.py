"""What the SPD paper claims (`claims.tsv`), how each claim is measured, and what was chosen later (`afterwards.md`).

Reductions and rises are in percent of Baseline-D's, and averages are over its eleven workloads, where nothing else is
said. Where the text has words and no number, a difference called similar is within 5 percent, multi-plane commands rise
largely by 10 percent of the page writes, and planes are not well used up to 50. What means nothing by the paper's own
words are 1.203 percent of read latencies (6.2) and 1.92 of hit ratios (6.1).
"""

from collections.abc import Iterable
from operator import itemgetter
from statistics import StatisticsError, correlation, fmean

from ...study.claims import published
from ...study.measures import Measure, collections, erases, percent
from ...study.numbers import ByWorkload, Number, computed, largest, least, mean, of_all, of_known, others, summary_value
from ...study.study import Held, Results
from . import measures
from .measures import PLUS, READ, WRITE, blocked, blocked_each, gc_cost, gc_cost_each, joined
from .runs import BUFFERS, BUFFERS_MIB, FOUR_PLANES, MAPPINGS, SEPARATING
from .systems import BASE, COLLECTING, FREE, SYSTEMS, UNCOLLECTED, key, mapped_name, separated_name
from .workloads import TABLE_2

CLAIMS, AFTERWARDS = published(__file__)

ABOVE_15 = ("HM_0", "PRN_0", "PROJ_3", "SRC2_0", "PRXY_0")
LIKE_BASELINE = ("RSR_0", "STG_0", "TS_0", "PRXY_0")
SLIGHT = ("PRN_0", "PRN_1", "TS_0")
"""Workloads that the text names together: SPD gains over 15 percent, TwinBlk nothing, collection blocks little."""

MEAN_PLANES = measures.planes("mean")
GROUPING = ("TwinBlk", "SuperPage", "ParaGC")  # the rivals that collect blocks of several planes


def levels(part: str, measure: Measure, system: str) -> ByWorkload:
    """Return a measure of a system, by workload."""
    return {name: summary_value(part, name, system, measure) for name in TABLE_2}


def reductions(part: str, measure: Measure, system: str, base: str = BASE) -> ByWorkload:
    """Return by how many percent a system lowers a measure of `base`, by workload."""
    ours, theirs = (levels(part, measure, name) for name in (system, base))
    return {name: ours[name].below(theirs[name]) for name in ours}


def level(part: str, measure: Measure, system: str) -> Number:
    """Return the average of a measure over the workloads."""
    return mean(levels(part, measure, system).values())


def average(part: str, measure: Measure, system: str, base: str = BASE) -> Number:
    """Return the average reduction over the workloads."""
    return mean(reductions(part, measure, system, base).values())


def lead(part: str, measure: Measure, rivals: Iterable[str]) -> Number:
    """Return SPD's average reduction less the largest of the rivals'."""
    return average(part, measure, "SPD") - largest(average(part, measure, rival) for rival in rivals)


def wins(part: str, measure: Measure, rivals: Iterable[str]) -> Number:
    """Return the number of workloads under which SPD's measure is below those of all rivals."""
    against = [reductions(part, measure, "SPD", rival) for rival in rivals]
    won = [of_all(lambda leads: min(leads) > 0, (by_name[name] for by_name in against)) for name in TABLE_2]
    return of_known(sum, won)


def apart(numbers: ByWorkload, names: Iterable[str]) -> Number:
    """Return the mean under the workloads `names`, all of which are known, less that under the others."""
    return of_all(fmean, (numbers[name] for name in names)) - mean(others(numbers, *names))


def alike(one: ByWorkload, other: ByWorkload) -> Number:
    """Return the correlation of two measures over the workloads, None where one of them does not vary."""

    def measure(results: Results) -> float | None:
        pairs = [(one[name](results), other[name](results)) for name in one]
        known = [pair for pair in pairs if None not in pair]
        try:
            return correlation(*([pair[side] for pair in known] for side in (0, 1)))  # type: ignore[arg-type, misc]
        except StatisticsError:  # of fewer than two workloads, or of a constant
            return None

    return Number(measure)


def latencies(system: str) -> list[Number]:
    """Return the write latencies of a system, from the smallest buffer to the largest."""
    return [summary_value(BUFFERS, f"{size:g}", system, WRITE) for size in BUFFERS_MIB]


def fall(system: str) -> Number:
    """Return the reduction of the write latency from the smallest buffer to the largest."""
    smallest, biggest = (of_known(itemgetter(place), latencies(system)) for place in (0, -1))
    return -biggest.above(smallest)


def gains_by_size(rival: str) -> list[Number]:
    """Return the reductions of a rival's write latency by SPD, by the size of the buffer."""
    return [ours.below(theirs) for ours, theirs in zip(latencies("SPD"), latencies(rival), strict=True)]


def without_collection() -> dict[str, Held]:
    """Return the measures of the claims of Sections 3 and 6.1."""
    rivals = [name for name in UNCOLLECTED if name != "SPD"]
    unaligned = (BASE, "Baseline-P", "TwinBlk")
    saved, most = reductions(FREE, WRITE, "SPD"), levels(FREE, measures.most_planes_percent, "SPD")
    more_planes = {name: -number for name, number in reductions(FREE, MEAN_PLANES, "SPD").items()}
    return {
        # fewer than half are parallel, and a tenth or more unaligned (3)
        **{f"fig2.{case}": level(FREE, measures.case(case), BASE) for case in ("parallel", "unaligned")},
        # average reductions of the write latency without collection (6.1)
        **{f"fig9.{key(system)}": average(FREE, WRITE, system) for system in ("TwinBlk", "SuperPage", "Baseline-P")},
        "fig9.baseline_p.most": largest(reductions(FREE, WRITE, "Baseline-P").values()),
        **{f"fig9.spd.{key(name)}": saved[name] for name in ABOVE_15},
        **{f"fig9.twinblk.{key(name)}": reductions(FREE, WRITE, "TwinBlk")[name] for name in LIKE_BASELINE},
        # SPD is the lowest under all eleven workloads (6.1)
        "fig9.spd.all": wins(FREE, WRITE, [BASE]),
        "fig9.spd.lowest": wins(FREE, WRITE, rivals),
        "fig9.spd.best": lead(FREE, WRITE, rivals),
        # all of SPD's page writes are by multi-plane commands, only some of the others' (6.1)
        "fig10.spd": level(FREE, joined, "SPD"),
        **{f"fig10.{key(system)}.some": level(FREE, joined, system) for system in unaligned},
        **{f"fig10.{key(name)}": level(FREE, joined, name) - level(FREE, joined, BASE) for name in unaligned[1:]},
        "fig10.twinblk.limited": apart(levels(FREE, joined, "TwinBlk"), LIKE_BASELINE),
        # reads hardly change without collection (6.1)
        **{f"table3.{key(system)}": average(FREE, READ, system) for system in UNCOLLECTED if system != BASE},
        # more planes at work, and in the same pattern as latency falls (6.1)
        **{f"fig11.{key(system)}": -average(FREE, MEAN_PLANES, system) for system in ("SuperPage", "SPD")},
        **{f"fig11.over.{key(rival)}": -average(FREE, MEAN_PLANES, "SPD", rival) for rival in unaligned[1:]},
        "fig11.spd.all": of_known(lambda shares: sum(share == 100 for share in shares), most.values()),
        "fig11.superpage.all": largest(levels(FREE, measures.most_planes_percent, "SuperPage").values()),
        "fig11.pattern": alike(more_planes, saved),
        "fig12.spd": average(FREE, measures.hit_ratio, "SPD"),
    }


def with_collection() -> dict[str, Held]:
    """Return the measures of the claims of Section 6.2."""
    rivals = [name for name in SYSTEMS if name not in ("SPD", PLUS)]
    saved = reductions(COLLECTING, WRITE, "SPD")
    return {
        **{f"fig13.{key(rival)}": average(COLLECTING, WRITE, "SPD", rival) for rival in rivals},
        "fig13.all": wins(COLLECTING, WRITE, [BASE]),
        # PRN_1 gains the least (6.4)
        "fig13.prn_1": saved["PRN_1"],
        "fig13.prn_1.least": saved["PRN_1"] - least(others(saved, "PRN_1")),
        "fig13.slight": apart(saved, SLIGHT),
        **{f"fig14.{key(name)}": average(COLLECTING, gc_cost, name) for name in (*GROUPING, "SPD")},
        # TwinBlk's cost is held against those that collect blocks of several planes, too (6.2)
        **{f"fig14.over.{key(name)}": -average(COLLECTING, gc_cost, "TwinBlk", name) for name in GROUPING[1:]},
        "fig14.twinblk.dearer": -least(reductions(COLLECTING, gc_cost, "TwinBlk").values()),
        "fig14.spd.best": lead(COLLECTING, gc_cost, rivals),
        # what 6.2 says of reads: they do not wait for a collection
        **{f"table4.{key(name)}": average(COLLECTING, READ, name) for name in (*rivals[1:], "SPD")},
    }


def of_collection() -> dict[str, Held]:
    """Return the measures of the claims of Section 6.3."""
    fewer, erased = reductions(COLLECTING, collections, "SPD"), reductions(COLLECTING, erases, "TwinBlk")
    cheaper = {name: average(COLLECTING, gc_cost_each, "SPD", name) for name in (BASE, "Baseline-P", *GROUPING)}
    but_superpage = [name for name in SYSTEMS if name not in ("SuperPage", PLUS)]
    return {
        "fig15.writes": mean(level(COLLECTING, measures.writes_of_cost, name) for name in SYSTEMS if name != PLUS),
        **{f"fig15.below.{key(name)}": cheaper[name] for name in ("TwinBlk", "ParaGC")},
        # «similar» in words: SPD's cost in percent of theirs
        **{
            f"fig15.like.{key(name)}": computed(lambda saved: 100 - saved, cheaper[name])
            for name in (BASE, "Baseline-P")
        },
        # held against the least of the others, whichever that is (6.3)
        "fig15.superpage.least": largest(
            -average(COLLECTING, gc_cost_each, "SuperPage", name) for name in but_superpage
        ),
        # from the least to the largest reduction of all workloads (6.3)
        "fig16.spd.least": least(fewer.values()),
        "fig16.spd.most": largest(fewer.values()),
        **{
            f"fig16.{key(name)}": average(COLLECTING, collections, name) for name in ("Baseline-P", "TwinBlk", "ParaGC")
        },
        "fig16.superpage": -average(COLLECTING, collections, "SuperPage"),
        "fig16.over.spd": -average(COLLECTING, collections, "TwinBlk", "SPD"),
        # PROJ_0 is the one at which TwinBlk collects less (6.3); 0 where both collect as often
        "fig16.proj_0": computed(
            lambda fewer: 0.0 - fewer, reductions(COLLECTING, collections, "SPD", "TwinBlk")["PROJ_0"]
        ),
        # those that collect several blocks at once erase more (6.3)
        **{f"fig17.below.{key(name)}": average(COLLECTING, erases, "SPD", name) for name in GROUPING},
        **{f"fig17.most.{key(name)}": -least(reductions(COLLECTING, erases, name).values()) for name in GROUPING},
        # PRXY_0 is the one at which TwinBlk erases the most (6.3)
        "fig17.twinblk.prxy_0": least(others(erased, "PRXY_0")) - erased["PRXY_0"],
        **{f"fig17.{key(name)}": -average(COLLECTING, erases, name) for name in (*GROUPING, "SPD")},
        "fig17.spd.fewest": wins(COLLECTING, erases, GROUPING),
    }


def of_plus() -> dict[str, Held]:
    """Return the measures of the claims of Section 6.4."""
    held_up, saved = levels(COLLECTING, blocked, "SPD"), reductions(COLLECTING, WRITE, PLUS, "SPD")
    unblocked = reductions(COLLECTING, blocked_each, PLUS, "SPD")
    return {
        "fig18.spd": mean(held_up.values()),
        # PRN_1 is blocked the least, PROJ_3 more than the others (6.4)
        "fig18.prn_1": held_up["PRN_1"],
        "fig18.prn_1.least": held_up["PRN_1"] - least(others(held_up, "PRN_1")),
        "fig18.proj_3": apart(held_up, ["PROJ_3"]),
        "fig18.slight": apart(held_up, SLIGHT),
        "fig18.pattern": alike(held_up, reductions(COLLECTING, WRITE, "SPD")),
        "fig19.average": mean(saved.values()),
        # the slight gains, and PROJ_3's, that 6.4 names
        **{f"fig19.{key(name)}": saved[name] for name in (*SLIGHT, "PROJ_3")},
        "fig20.average": mean(unblocked.values()),
        **{f"fig20.{key(name)}": unblocked[name] for name in ("PRN_1", "PROJ_3")},
        "fig20.prn_1.least": unblocked["PRN_1"] - least(others(unblocked, "PRN_1")),
        "fig20.proj_3.most": unblocked["PROJ_3"] - largest(others(unblocked, "PROJ_3")),
        # what SPD+ costs in turn, and what reads gain (6.4)
        "plus.cost": -average(COLLECTING, gc_cost, PLUS, "SPD"),
        "plus.each": -average(COLLECTING, gc_cost_each, PLUS, "SPD"),
        "plus.count": -average(COLLECTING, collections, PLUS, "SPD"),
        "plus.reads": average(COLLECTING, READ, PLUS, "SPD"),
    }


def of_variations() -> dict[str, Held]:
    """Return the measures of the claims of Section 6.5."""
    plus, base = separated_name(PLUS), separated_name(BASE)
    gains, rivals = gains_by_size(BASE), [name for name in UNCOLLECTED if name != "SPD"]
    return {
        # 6.5 (1): all fall with a larger buffer, and SPD's gain is stable
        "fig21.falls": least(fall(system) for system in UNCOLLECTED),
        "fig21.stable": computed(percent, least(gains).over(mean(gains))),
        "fig21.best": least(gain for rival in rivals for gain in gains_by_size(rival)),
        # 6.5 (2): SPD gains further by four planes a die, Baseline-P is similar to Baseline-D
        "fig22.spd": average(FOUR_PLANES, WRITE, "SPD"),
        "fig22.spd.further": average(FOUR_PLANES, WRITE, "SPD") - average(FREE, WRITE, "SPD"),
        "fig22.baseline_p": average(FOUR_PLANES, WRITE, "Baseline-P"),
        "fig22.baseline_p.few": level(FOUR_PLANES, joined, "Baseline-P"),
        # 6.5 (3): DFTL slows both down
        "fig23.dftl.spd": -average(MAPPINGS, WRITE, mapped_name("SPD"), "SPD"),
        "fig23.dftl": -average(MAPPINGS, WRITE, mapped_name(BASE)),
        # 6.5 (4): all with hot and cold blocks, against Baseline-D with them
        "fig24.spd_plus": average(SEPARATING, WRITE, plus, base),
        "fig24.spd": average(SEPARATING, WRITE, separated_name("SPD"), base),
        "fig24.separation": average(SEPARATING, WRITE, base),
    }


HELD = without_collection() | with_collection() | of_collection() | of_plus() | of_variations()
