"""What the TBM paper claims (`claims.tsv`), how each claim is measured, and what was chosen later (`afterwards.md`)."""

from collections.abc import Callable, Mapping, Sequence

import attrs

from ssdsim.metrics.result import Result

from ...study.claims import published
from ...study.measures import moves_a_block, percent
from ...study.numbers import Number, mean, of_known, run_value, summary_value
from ...study.study import Held
from .measures import ADMITTED, ARRIVED, COLLECTIONS, EARLY, LATE, READS, SETTLED, WRITES, Span, course
from .systems import BASE
from .workloads import SHOWN

CLAIMS, AFTERWARDS = published(__file__)

# Section 6 has the largest gain of each over all workloads: of D+TBM over D, of the others over F.
MOST = {"f_tbm": "F+TBM", "d_tbm": "D+TBM", "f2_tbm": "F2+TBM"}

LOSERS = {"fin1": "fin1", "prn_1": "prn-1"}
WITHOUT = {"f": "F", "d": "D", "f_bac": "F+BAC", "d_bac": "D+BAC"}

# The parts: Figs. 2 and 6, and Fig. 7 as fast as the device takes requests and at the trace's own times.
LONG, SATURATED, TIMELY = "long", "saturated", "timely"

Pages = Mapping[str, int]


@attrs.frozen
class PartRuns:
    """The numbers of the runs of a part, on devices of so many pages by workload."""

    part: str
    pages: Pages

    def number(self, workload: str, system: str, measure: Callable[[Result], float | None]) -> Number:
        """Return a measure of a run."""
        return run_value(self.part, workload, system, measure)

    def figure(self, key: str, workload: str, system: str, span: Span = SETTLED) -> Number:
        """Return a figure of a run between two volumes."""
        return self.number(workload, system, lambda result: course(result, self.pages[workload]).between(span)[key])

    def moves(self, workload: str, system: str) -> Number:
        """Return the pages that collection moves for each block that it erases."""
        return summary_value(self.part, workload, system, moves_a_block)

    def more(self, key: str, workload: str, system: str, base: str) -> Number:
        """Return by how many percent `system` has more than `base` in the long run of a workload."""
        return self.figure(key, workload, system).above(self.figure(key, workload, base))

    def below(self, key: str, system: str, base: str, span: Span = LATE) -> Number:
        """Return by how many percent `system` is below `base` in the workload of Figs. 2 and 6."""
        return -self.figure(key, SHOWN, system, span).above(self.figure(key, SHOWN, base, span))

    def points(self, key: str, system: str, base: str, span: Span = SETTLED, workload: str = SHOWN) -> Number:
        """Return by how many points a share of `system` is above that of `base`."""
        return self.figure(key, workload, system, span) - self.figure(key, workload, base, span)

    def rise(self, key: str, system: str) -> Number:
        """Return by how many percent a figure rises from early to late in the long run."""
        return self.figure(key, SHOWN, system, LATE).above(self.figure(key, SHOWN, system, EARLY))

    def gain(self, key: str, sign: int, system: str, workload: str) -> Number:
        """Return a system's gain over its base, in percent; less is better where `sign` is negative."""
        more = self.more(key, workload, system, BASE[system])
        return more if sign > 0 else -more

    def extreme(self, choose: Callable[[Sequence[float]], float], key: str, sign: int, system: str) -> Number:
        """Return the largest or smallest gain over all workloads."""
        return of_known(choose, (self.gain(key, sign, system, name) for name in self.pages))


def held(pages: Pages) -> dict[str, Held]:
    """Return the measure of each claim, on devices of so many `pages` by workload."""
    return {
        **long_run(PartRuns(LONG, pages)),
        **long_responses(pages, ADMITTED),
        **saturated(PartRuns(SATURATED, pages)),
        **responses(PartRuns(TIMELY, pages), ARRIVED),
    }


def long_run(runs: PartRuns) -> dict[str, Held]:
    """Return the measures of the claims about Figs. 2 and 6 but those of response times."""

    def first_collection(result: Result) -> float | None:
        return course(result, runs.pages[SHOWN]).first_collection

    def erased_together(result: Result) -> float | None:
        return percent(result.summary["multi_plane"]["erase_share"])

    return {
        # 4: collection starts when about the capacity has been written
        "fig2.start": runs.number(SHOWN, "D", first_collection),
        # 4.2: from there on planes no longer agree, and fewer reads and writes join
        **{f"fig2.reads_{name}": -runs.rise(READS, system) for name, system in WITHOUT.items()},
        "fig2.early_writes": runs.points(WRITES, "D", "F", EARLY),
        "fig2.writes_d": -runs.rise(WRITES, "D"),
        "fig2.writes_d_bac": -runs.rise(WRITES, "D+BAC"),
        # 4.1: early on, write points are equal, so that BAC is met in any case
        "fig3.bac": runs.points(WRITES, "D", "D+BAC", EARLY),
        # 5: twin blocks are erased by one command
        "fig5.erases": runs.number(SHOWN, "D+TBM", erased_together),
        "fig6.collections_f": runs.below(COLLECTIONS, "F+TBM", "F"),
        "fig6.collections_d": runs.below(COLLECTIONS, "D+TBM", "D"),
        # 6: with TBM these hardly fall
        "fig6.writes_d": -runs.rise(WRITES, "D+TBM"),
        "fig6.writes_d_bac": -runs.rise(WRITES, "D+BAC+TBM"),
        **{f"fig6.reads_{name}": -runs.rise(READS, f"{system}+TBM") for name, system in WITHOUT.items()},
    }


def long_responses(pages: Pages, key: str) -> dict[str, Held]:
    """Return the measures of the response times of Figs. 2 and 6, from arrival or admission."""
    runs = PartRuns(LONG, pages)
    return {
        # 4: D is ahead of F early, and no longer late
        "fig2.early": runs.below(key, "D", "F", EARLY),
        "fig2.early_bac": runs.below(key, "D+BAC", "F+BAC", EARLY),
        "fig2.late": runs.below(key, "D", "F"),
        "fig2.late_bac": runs.below(key, "D+BAC", "F+BAC"),
        # 4: response times rise in the long run, D's by more
        **{f"fig2.rise_{name}": runs.rise(key, system) for name, system in WITHOUT.items()},
        "fig2.rise_more": runs.rise(key, "D") - runs.rise(key, "F"),
        "fig2.rise_more_bac": runs.rise(key, "D+BAC") - runs.rise(key, "F+BAC"),
        # 4: BAC costs D in the long run, and F hardly
        "fig2.bac_d": runs.below(key, "D", "D+BAC"),
        "fig2.bac_f": runs.below(key, "F", "F+BAC"),
        # 6: gains over the same allocation without TBM
        "fig6.response_f": runs.below(key, "F+TBM", "F"),
        "fig6.response_d": runs.below(key, "D+TBM", "D"),
        # 6: with TBM, BAC hardly costs anything
        "fig6.bac_f": runs.below(key, "F+TBM", "F+BAC+TBM"),
        "fig6.bac_d": runs.below(key, "D+TBM", "D+BAC+TBM"),
    }


def saturated(runs: PartRuns) -> dict[str, Held]:
    """Return the measures of the claims about Fig. 7 but those of response times."""

    def joined(system: str, name: str) -> Number:
        return runs.points(WRITES, system, BASE[system], workload=name)

    def moved(name: str) -> Number:
        return runs.moves(name, "D+TBM").above(runs.moves(name, "D"))

    like_f = (runs.more("iops", name, "F2", "F") for name in runs.pages)
    return {
        **gains(runs, "iops", "iops", 1),
        # 6: under prn-0 more moves are made up for by writes that join
        "fig7.prn_0_iops": runs.gain("iops", 1, "D+TBM", "prn-0"),
        # the farthest from F, whatever its sign
        "fig7.f2_like_f": of_known(lambda known: max(known, key=abs), like_f),
        **{f"fig7.{short}_writes": mean(joined(system, name) for name in runs.pages) for short, system in MOST.items()},
        "fig7.moves": mean(moved(name) for name in runs.pages),
        "fig7.prn_0_moves": moved("prn-0"),
        "fig7.prn_0_writes": joined("D+TBM", "prn-0"),
        "fig7.prn_0_collections": runs.gain(COLLECTIONS, -1, "D+TBM", "prn-0"),
    }


def responses(runs: PartRuns, key: str) -> dict[str, Held]:
    """Return the measures of the response times of Fig. 7, of either part, from arrival or admission."""
    return gains(runs, "response", key, -1)


def gains(runs: PartRuns, name: str, key: str, sign: int) -> dict[str, Held]:
    """Return the measures of the gains of Fig. 7 in IOPS or response time; less is better where `sign` is negative."""
    return {
        **{f"fig7.{short}_{name}": runs.extreme(max, key, sign, system) for short, system in MOST.items()},
        # 6: F+TBM always gains, D+TBM loses under fin1 and prn-1
        f"fig7.always_{name}": runs.extreme(min, key, sign, "F+TBM"),
        **{f"fig7.{short}_{name}": runs.gain(key, sign, "D+TBM", workload) for short, workload in LOSERS.items()},
    }
