"""What the TBM paper leaves open, with other values than ours."""

import argparse
from collections.abc import Mapping

from ...study.study import Choice, Parts, Value
from .held import LONG, SATURATED, TIMELY, held, long_responses, responses
from .measures import ADMITTED, ARRIVED
from .parts import ANY, MARGIN, Otherwise, long, of_fig_7, parts, timely
from .systems import PAGES, device
from .workloads import LONG_RUN, POISSON, ROUND, SHOWN, TABLE_1, Load, geometry, synthetic

VARIED = (SHOWN, "exch")
"""The workloads of most values: that of Figs. 2 and 6, and the other one under which the gains are large."""

FOOTPRINT = 0.1
LONGER = 4
"""By how much blocks are longer where that is varied."""

AT_ADMISSION = Otherwise(["ftl.plane_allocation_at=admission"])


def choices(options: argparse.Namespace, loads: Mapping[str, Load]) -> list[Choice]:
    """Return the choices that `loads` can tell something of."""
    made = [
        each(options, loads) for each in (_load, _responses, _length, _moment, _joins, _dies, _data, _times, _blocks)
    ]
    return [choice for choice in made if choice.others]


def _load(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    own = {LONG: long(loads, options.seed)}
    return Choice(
        "Load of Figs. 2 and 6",
        "The trace is replayed until ten capacities are written; how fast, and what response times count from, is not "
        "said (4). Where requests come at the trace's own times, response times count from arrival.",
        "as fast as the queue takes them",
        {"at the trace's own times": Value(own, long_responses(_pages(loads), ARRIVED))} if own[LONG] else {},
    )


def _responses(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    return Choice(
        "Response times of Fig. 7",
        "Table 1 gives the times between requests, but at these IOPS would be the same with all systems, where those "
        "of Fig. 7 differ by up to 73 percent. With a queue that is always full, 68 and 73 percent more IOPS are 40 "
        "and 42 percent less of response time, which the paper reports the other way round.",
        "from arrival, at the trace's own times",
        {"from admission, saturated as IOPS are": Value(held=responses(_pages(loads), SATURATED, ADMITTED))},
    )


def _length(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    few = _few(loads)
    longer = of_fig_7(few, options.seed, volume=LONG_RUN)
    return Choice(
        "Length of Fig. 7",
        f"It is of the long run (6), which is one of {LONG_RUN} capacities in section 4. Ours stops earlier, as all "
        "workloads would take five times as long.",
        f"{ROUND:g} capacities",
        _where(few, {f"{LONG_RUN} capacities": longer}),
        tuple(few),
    )


def _moment(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    few = _few(loads)
    return Choice(
        "When a write is given its plane",
        "Planes are given dynamically, busy ones passed over (3). When is not said; SSDSim, on which the paper builds, "
        "does so once a die is free.",
        "when a die is free",
        _where(few, {"when it is admitted": parts(few, options.seed, AT_ADMISSION)}),
        tuple(few),
    )


def _joins(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    return Choice(
        "Moved pages that are programmed together",
        "Pages of equal index go to equal addresses (Algorithm 2, line 5). All others are given addresses by turns of "
        "the planes (line 7), which are mostly equal, too; whether those are programmed together is not said.",
        "those of equal index",
        _where(loads, {"all that have equal addresses": parts(loads, options.seed, Otherwise(ANY))}),
    )


def _dies(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    few = _few(loads)
    return Choice(
        "Dies of a chip",
        "Those near the threshold, such as 5 percent, «can» be collected along with the one that has reached it (5.2).",
        "each by itself",
        _where(
            few,
            {
                "along with another": of_fig_7(few, options.seed, Otherwise(with_tbm=MARGIN)),
                "along with another, and all moves to equal addresses together": of_fig_7(
                    few, options.seed, Otherwise(ANY, MARGIN)
                ),
            },
        ),
        tuple(few),
    )


def _data(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    few, of, folder = _made(loads), device(options.scale), options.folder / "traces"
    smaller = {name: synthetic(name, of, options.seed, folder, FOOTPRINT) for name in few}
    return Choice(
        "How much data there is",
        "Nothing but the space of the user is given (Table 1).",
        "all that the user has",
        _where(few, {f"{FOOTPRINT:g} of the device": parts(smaller, options.seed)}),
        tuple(few),
    )


def _times(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    few, of, folder = _made(loads), device(options.scale), options.folder / "traces"
    random = {name: synthetic(name, of, options.seed, folder, piece=POISSON) for name in few}
    return Choice(
        "Times of requests",
        "The mean between two is given (Table 1), and the traces are not at hand; ours come in bursts as in pieces of "
        "such.",
        "in bursts",
        _where(few, {"at random (Poisson)": {TIMELY: timely(random, options.seed)}}),
        tuple(few),
    )


def _blocks(options: argparse.Namespace, loads: Mapping[str, Load]) -> Choice:
    now = geometry(device(options.scale)).pages_per_block
    few = [name for name in _made(loads) if name == SHOWN and now * LONGER <= PAGES]
    of, folder = device(options.scale * LONGER), options.folder / "traces"
    longer = {name: synthetic(name, of, options.seed, folder) for name in few}
    return Choice(
        "Pages of a block",
        f"The paper's have {PAGES} (Table 1), the scaled device's fewer.",
        f"{now}",
        {f"{LONGER * now}": Value(parts(longer, options.seed), held(_pages(longer)))} if longer else {},
        tuple(few),
    )


def _where(loads: Mapping[str, Load], others: Mapping[str, Parts]) -> dict[str, Value]:
    """Return the values of a choice, none if there are no workloads for it."""
    return {name: Value(of) for name, of in others.items()} if loads else {}


def _few(loads: Mapping[str, Load]) -> dict[str, Load]:
    return {name: load for name, load in loads.items() if name in VARIED}


def _made(loads: Mapping[str, Load]) -> dict[str, Load]:
    """Return the few workloads that are synthetic."""
    return {name: load for name, load in _few(loads).items() if load.kind == "synthetic" and name in TABLE_1}


def _pages(loads: Mapping[str, Load]) -> dict[str, int]:
    return {name: load.pages for name, load in loads.items()}
