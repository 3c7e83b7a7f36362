"""The runs of the TBM paper's figures, by part."""

import argparse
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...study.runs import Runs, grid
from ...study.study import Parts
from .held import LONG, SATURATED, TIMELY
from .systems import COMMON, F2, SYSTEMS, WITH_TBM, WITHOUT_TBM, device
from .workloads import AT_ONCE, LONG_RUN, ROUND, SHOWN, Load, synthetic

WHOLE = "whole"
"""The part at the paper's size."""

WHOLE_VOLUME = 1.5
"""What is written there, in capacities: enough for a fair part of `measures.SETTLED`."""


def parts(loads: Mapping[str, Load], seed: int, otherwise: Sequence[str] = ()) -> Parts:
    """Return the runs of Figs. 2, 6 and 7, with some of what all systems share `otherwise`."""
    return {
        SATURATED: saturated(loads, seed, otherwise),
        TIMELY: timely(loads, seed, otherwise),
        LONG: long(loads, seed, [AT_ONCE, *otherwise]),
    }


def saturated(loads: Mapping[str, Load], seed: int, otherwise: Sequence[str] = ()) -> Runs:
    """Return the runs of Fig. 7 in which requests come as fast as the queue takes them."""
    given = {name: [*load.until(ROUND), AT_ONCE] for name, load in loads.items()}
    return grid(SYSTEMS | F2, given, [*_common(seed), *otherwise])


def timely(loads: Mapping[str, Load], seed: int, otherwise: Sequence[str] = ()) -> Runs:
    """Return the runs of Fig. 7 in which requests come at the trace's own times."""
    return grid(SYSTEMS, {name: load.until(ROUND) for name, load in loads.items()}, [*_common(seed), *otherwise])


def long(loads: Mapping[str, Load], seed: int, otherwise: Sequence[str] = ()) -> Runs:
    """Return the runs of Figs. 2 and 6, if their workload is among `loads`."""
    given = {name: load.until(LONG_RUN) for name, load in loads.items() if name == SHOWN}
    return grid(WITHOUT_TBM | WITH_TBM, given, [*_common(seed), *otherwise])


def whole(options: argparse.Namespace) -> Parts:
    """Return the runs of one workload at the paper's size, in which requests come as fast as the queue takes them."""
    load = synthetic(SHOWN, device(Fraction(1)), options.seed, options.folder / "traces", volume=WHOLE_VOLUME)
    return {WHOLE: grid(SYSTEMS, {SHOWN: [*load.until(WHOLE_VOLUME), AT_ONCE]}, _common(options.seed))}


def _common(seed: int) -> list[str]:
    return [*COMMON, f"seed={seed}"]
