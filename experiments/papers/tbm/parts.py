"""The runs of the TBM paper's figures, by part."""

import argparse
from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from ...study.runs import Runs, grid
from ...study.study import Parts
from .claims import LONG, SATURATED, TIMELY
from .systems import BASES, COMMON, F2, TBMS, WITH_TBM, WITHOUT_TBM, device
from .workloads import AT_ONCE, LONG_RUN, ROUND, SHOWN, Load, synthetic

# The parts at the paper's size: as told, and with TBM collecting as much at a time as the paper allows.
WHOLE, TOGETHER = "whole", "whole together"

ANY, MARGIN = ["ftl.gc.joins=any"], ["ftl.gc.chip_margin=0.05"]
"""Moved pages are programmed together wherever they come from; dies of a chip are collected along with one another."""

SAME_ALLOCATION = {name: TBMS[name] for name in ("F+TBM", "D+TBM")}
"""Those that are held against the same allocation without TBM."""

WHOLE_VOLUME = 1.5  # what is written there, in capacities: enough for a fair part of `measures.SETTLED`


@attrs.frozen
class Otherwise:
    """What is otherwise than in `COMMON`: of all systems, and of those with TBM."""

    of_all: Sequence[str] = ()
    with_tbm: Sequence[str] = ()

    def runs(self, loads: Runs, seed: int, without: Runs, with_tbm: Runs) -> Runs:
        """Return the runs of systems without and with TBM under the overrides of workloads."""
        common = [*COMMON, f"seed={seed}", *self.of_all]
        return grid(without, loads, common) | grid(with_tbm, loads, [*common, *self.with_tbm])


AS_TOLD = Otherwise()


def parts(loads: Mapping[str, Load], seed: int, otherwise: Otherwise = AS_TOLD) -> Parts:
    """Return the runs of Figs. 2, 6 and 7."""
    return {**of_fig_7(loads, seed, otherwise), LONG: long(loads, seed, [AT_ONCE], otherwise)}


def of_fig_7(
    loads: Mapping[str, Load], seed: int, otherwise: Otherwise = AS_TOLD, volume: float = ROUND
) -> dict[str, Runs]:
    """Return the runs of Fig. 7, in which so many capacities are written."""
    # as fast as the queue takes them, as at these IOPS all systems would else be the same (Table 1)
    at_once = {name: [*load.until(volume), AT_ONCE] for name, load in loads.items()}
    saturated = otherwise.runs(at_once, seed, BASES | F2, TBMS)
    return {SATURATED: saturated, TIMELY: timely(loads, seed, otherwise, volume)}


def timely(loads: Mapping[str, Load], seed: int, otherwise: Otherwise = AS_TOLD, volume: float = ROUND) -> Runs:
    """Return the runs of Fig. 7 in which requests come at the trace's own times."""
    return otherwise.runs({name: load.until(volume) for name, load in loads.items()}, seed, BASES, TBMS)


def long(loads: Mapping[str, Load], seed: int, speed: Sequence[str] = (), otherwise: Otherwise = AS_TOLD) -> Runs:
    """Return the runs of Figs. 2 and 6, at the trace's own times or another `speed`, if `loads` has their workload."""
    given = {name: [*load.until(LONG_RUN), *speed] for name, load in loads.items() if name == SHOWN}
    return otherwise.runs(given, seed, WITHOUT_TBM, WITH_TBM)


def whole(options: argparse.Namespace) -> Parts:
    """Return the runs of one workload at the paper's size, in which requests come as fast as the queue takes them."""
    load = synthetic(SHOWN, device(Fraction(1)), options.seed, options.folder / "traces", volume=WHOLE_VOLUME)
    given = {SHOWN: [*load.until(WHOLE_VOLUME), AT_ONCE]}
    return {
        WHOLE: AS_TOLD.runs(given, options.seed, BASES, TBMS),
        TOGETHER: Otherwise(with_tbm=[*ANY, *MARGIN]).runs(given, options.seed, {}, SAME_ALLOCATION),
    }
