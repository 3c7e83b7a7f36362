"""What the TBM paper leaves open (`choices.tsv`), with other values than ours."""

import argparse
from collections.abc import Mapping

from ...study.study import Choice, Parts, Value, left_open
from .claims import LONG, SATURATED, TIMELY, PartRuns, held, long_responses, responses
from .measures import ADMITTED, ARRIVED
from .parts import ANY, MARGIN, Otherwise, long, of_fig_7, parts, timely
from .systems import PAGES, device
from .workloads import LONG_RUN, POISSON, ROUND, SHOWN, TABLE_1, Load, geometry, pages_by_name, synthetic

OPEN = left_open(__file__)
# The workloads of most values: that of Figs. 2 and 6, and the other one under which the gains are large.
VARIED = (SHOWN, "exch")

FOOTPRINT = 0.1
LONGER = 4  # by how much blocks are longer where that is varied

AT_ADMISSION = Otherwise(["ftl.plane_allocation_at=admission"])
TOGETHER, ALL_TOGETHER = Otherwise(with_tbm=MARGIN), Otherwise(ANY, MARGIN)


def choices(options: argparse.Namespace, loads: Mapping[str, Load]) -> list[Choice]:
    """Return the choices that `loads` can tell something of."""
    seed, folder, whole = options.seed, options.folder / "traces", device(options.scale)
    few = {name: load for name, load in loads.items() if name in VARIED}
    made = [name for name, load in few.items() if load.kind == "synthetic" and name in TABLE_1]
    smaller = {name: synthetic(name, whole, seed, folder, FOOTPRINT) for name in made}
    random = {name: synthetic(name, whole, seed, folder, piece=POISSON) for name in made}

    def varied(name: str, among: Mapping[str, Load], others: Mapping[str, Parts], **numbers: object) -> Choice:
        """Return a choice of what is run, without values where there are no workloads for it."""
        values = {value: Value(changed) for value, changed in others.items()} if among else {}
        # all workloads, but where only few were varied
        return OPEN[name].between(values, () if among is loads else among, **numbers)

    every = [
        _load(options, loads),
        OPEN["Response times of Fig. 7"].between(
            {
                "from admission, saturated as IOPS are": Value(
                    held=responses(PartRuns(SATURATED, pages_by_name(loads)), ADMITTED)
                )
            }
        ),
        varied(
            "Length of Fig. 7",
            few,
            {f"{LONG_RUN} capacities": of_fig_7(few, seed, volume=LONG_RUN)},
            longest=LONG_RUN,
            usual=ROUND,
        ),
        varied("When a write is given its plane", few, {"when it is admitted": parts(few, seed, AT_ADMISSION)}),
        varied(
            "Moved pages that are programmed together",
            loads,
            {"all that have equal addresses": parts(loads, seed, Otherwise(ANY))},
        ),
        varied(
            "Dies of a chip",
            few,
            {
                "along with another": of_fig_7(few, seed, TOGETHER),
                "along with another, and all moves to equal addresses together": of_fig_7(few, seed, ALL_TOGETHER),
            },
        ),
        varied("How much data there is", smaller, {f"{FOOTPRINT:g} of the device": parts(smaller, seed)}),
        varied("Times of requests", random, {"at random (Poisson)": {TIMELY: timely(random, seed)}}),
        _blocks(options, made),
    ]
    return [choice for choice in every if choice.others]


def _load(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    runs, held_then = long(loads, options.seed), long_responses(pages_by_name(loads), ARRIVED)
    return OPEN["Load of Figs. 2 and 6"].between(
        {"at the trace's own times": Value({LONG: runs}, held_then)} if runs else {}
    )


def _blocks(options: argparse.Namespace, made: list[str]) -> Choice:
    now, longer_blocks = geometry(device(options.scale)).pages_per_block, {}
    if SHOWN in made and now * LONGER <= PAGES:
        folder, larger = options.folder / "traces", device(options.scale * LONGER)
        longer_blocks = {SHOWN: synthetic(SHOWN, larger, options.seed, folder)}
    values = {
        f"{LONGER * now}": Value(parts({name: load}, options.seed), held({name: load.pages}))
        for name, load in longer_blocks.items()
    }
    return OPEN["Pages of a block"].between(values, longer_blocks, whole=PAGES, pages=now)
