"""What came of a search, from the table of its runs: the best points, or the Pareto front, and what of the others."""

import textwrap
from collections import Counter
from collections.abc import Sequence

from ssdsim.assembly.rules import shown
from ssdsim.errors import InputError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.sweep import Sweep
from ssdsim.report.markdown import number
from ssdsim.report.text import TextTable

from .. import COMMAND
from .settings import Settings
from .study import STATES, Outcome, judged

WIDTH = 20
"""Of a column's name, in characters, where it can be broken."""

BEST = 5
"""Points that are shown where there is one objective."""


def outcomes(sweep: Sweep, settings: Settings) -> list[Outcome]:
    """Return the outcome of each run of the search."""
    rows = sweep.table.to_pylist()
    return [
        judged(settings, row, row["validity"] or (), [row.get(name) for name in settings.objective]) for row in rows
    ]


def best(outcomes: Sequence[Outcome], settings: Settings) -> list[int]:
    """Return the places of the best runs, the best first; of several objectives, the front in order of the first."""
    complete = {
        index: outcome.values
        for index, outcome in enumerate(outcomes)
        if outcome.state == "complete" and outcome.values
    }
    upwards = [word == "maximize" for word in settings.directions]
    if len(upwards) > 1:
        front = dominant(list(complete.values()), upwards)
        # the front's places are those among complete runs
        complete = {index: values for place, (index, values) in enumerate(complete.items()) if place in front}
    # by the first objective; of equals the one tried first
    ordered = sorted(complete, key=lambda index: complete[index][0], reverse=upwards[0])
    return ordered if len(upwards) > 1 else ordered[:BEST]


def dominant(points: Sequence[Sequence[float]], upwards: Sequence[bool]) -> set[int]:
    """Return the places of the points on the Pareto front; `upwards` says where more is better.

    A point is on it unless another is at least as good in everything and better in something; equal ones both are.
    """
    # turned, so that more is better everywhere
    better = [[value if up else -value for value, up in zip(point, upwards, strict=True)] for point in points]
    # of equal points none beats the other: both are on the front
    return {
        index
        for index, one in enumerate(better)
        if not any(other != one and all(a >= b for a, b in zip(other, one, strict=True)) for other in better)
    }


def report(folder: ResultFolder, settings: Settings) -> None:
    """Print the outcome of the search into `folder`."""
    try:
        sweep = Sweep.load(folder.path)
    except InputError:
        return  # stopped before the first run had ended
    tried = outcomes(sweep, settings)
    chosen = best(tried, settings)
    if chosen:
        print(_table(sweep, settings, chosen))
    print(told(tried, sweep.table["job"].to_pylist()))
    if chosen and len(settings.objective) == 2:
        y, x = settings.objective
        print(f"All of them in one picture: `{COMMAND} report {folder.path} --fields {y} --over {x}`.")


def told(outcomes: Sequence[Outcome], jobs: Sequence[int]) -> str:
    """Return in words how many points are complete, and which of the `jobs` were pruned or failed, and why."""
    counts = Counter(outcome.state for outcome in outcomes)
    states = ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])
    others: dict[tuple[str, str], list[str]] = {}
    for job, outcome in zip(jobs, outcomes, strict=True):
        if outcome.state != "complete":
            others.setdefault((outcome.state, outcome.reason), []).append(str(job))
    lines = [
        f"{state.capitalize()} (job {', '.join(numbers)}): {reason}"
        for (state, reason), numbers in sorted(others.items())
    ]
    return "\n".join([f"{len(outcomes)} points were tried: {states}.", *lines])


def _table(sweep: Sweep, settings: Settings, chosen: Sequence[int]) -> TextTable:
    keys, title = list(sweep.swept), "The Pareto front" if len(settings.objective) > 1 else "The best"
    aims = zip(settings.objective, settings.directions, strict=True)
    objectives = [f"{_broken(name)}\n{direction}d" for name, direction in aims]
    header = [*map(_broken, ("job", *keys)), *objectives, "what speaks against it"]
    cells, rows = [], sweep.table.to_pylist()
    for row in (rows[index] for index in chosen):
        codes = "not known" if row["validity"] is None else " ".join(row["validity"]) or "nothing"
        numbers = [number(row[name], 5) for name in settings.objective]
        cells.append([str(row["job"]), *(shown(row[key]) for key in keys), *numbers, codes])
    return TextTable(*header, title=title, rows=cells)


def _broken(name: str) -> str:
    """Return a dotted name on as many lines as it takes."""
    return textwrap.fill(name.replace(".", ". "), WIDTH).replace(". ", ".")
