"""What came of a search, from the table of its runs: the best points, or the Pareto front, and what of the others."""

import importlib.util
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ssdsim.errors import InputError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.sweep import Sweep
from ssdsim.report.pareto import dominant

from ..study.tables import number
from .settings import Settings
from .study import Outcome, judged

BEST = 5
"""Points that are shown where there is one objective."""

PICTURES = ("pareto.png", "pareto.svg")


def outcomes(sweep: Sweep, settings: Settings) -> list[Outcome]:
    """Return what came of each run of the search."""
    rows = sweep.table.to_pylist()
    return [
        judged(settings, row, row["validity"] or (), [row.get(name) for name in settings.objective]) for row in rows
    ]


def best(found: Sequence[Outcome], settings: Settings) -> list[int]:
    """Return the places of the best runs, the best first; of several objectives, the front in order of the first."""
    complete = {at: each.values for at, each in enumerate(found) if each.state == "complete" and each.values}
    upwards = [word == "maximize" for word in settings.directions]
    if len(upwards) > 1:
        front = dominant(list(complete.values()), upwards)
        complete = {at: values for place, (at, values) in enumerate(complete.items()) if place in front}
    ordered = sorted(complete, key=lambda at: complete[at][0], reverse=upwards[0])
    return ordered if len(upwards) > 1 else ordered[:BEST]


def report(folder: ResultFolder, settings: Settings, out: Console) -> None:
    """Print what came of the search into `folder`; of two objectives, draw the front, too, if matplotlib is there."""
    try:
        sweep = Sweep.load(folder.path)
    except InputError:
        return  # stopped before the first run had ended
    found = outcomes(sweep, settings)
    chosen = best(found, settings)
    if chosen:
        out.print(_table(sweep, settings, chosen), highlight=False)
    out.print(told(found), highlight=False, soft_wrap=True)
    if chosen and len(settings.objective) == 2 and importlib.util.find_spec("matplotlib"):
        from ssdsim.report.pareto_plot import picture

        points = [(each.state == "complete", each.values) for each in found]
        for name in PICTURES:
            picture(sweep, settings.objective, points, chosen, folder.part(name), name.rpartition(".")[2])
            folder.add(name)


def told(found: Sequence[Outcome]) -> str:
    """Return in words how many points are complete, and what became of the others."""
    counts = Counter(each.state for each in found)
    lines = [
        f"{len(found)} points were tried: " + ", ".join(f"{number} {state}" for state, number in counts.items()) + "."
    ]
    for state in ("pruned", "failed"):
        reasons = Counter(each.reason for each in found if each.state == state)
        lines += [f"{state.capitalize()} ({count}): {reason}" for reason, count in reasons.items()]
    return "\n".join(lines)


def _table(sweep: Sweep, settings: Settings, chosen: Sequence[int]) -> Table:
    several = len(settings.objective) > 1
    title = "The Pareto front: no other point is better in one and not worse in the others" if several else "The best"
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    keys = list(sweep.swept)
    for name in ("job", *keys):
        table.add_column(name, overflow="fold")
    for name, direction in zip(settings.objective, settings.directions, strict=True):
        table.add_column(f"{name} ({direction}d)", justify="right", overflow="fold")
    rows = sweep.table.to_pylist()
    for at in chosen:
        values = [_shown(rows[at][key]) for key in keys]
        table.add_row(str(rows[at]["job"]), *values, *(number(rows[at][name], 5) for name in settings.objective))
    return table


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
