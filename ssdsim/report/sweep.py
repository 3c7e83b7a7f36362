"""Any field of a sweep over any of its keys: which runs make which point, with intervals over their seeds."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import attrs
import pyarrow as pa

from ssdsim.assembly.rules import shown
from ssdsim.errors import InputError, nearest
from ssdsim.metrics.confidence import Interval, across
from ssdsim.metrics.fields import SUMMARY
from ssdsim.metrics.summary import PERCENTILES
from ssdsim.metrics.sweep import Sweep, value_of
from ssdsim.metrics.validity import BEYOND_PERCENTILE

SEED = "seed"


@attrs.frozen
class Point:
    """The mean of a field over the runs of a point, which differ by their seeds, and what speaks against them."""

    x: Any
    values: tuple[float, ...]
    codes: tuple[str, ...]

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return fmean(self.values)

    @property
    def interval(self) -> Interval | None:
        """The interval of the mean at 95 percent, None for one run."""
        return across(self.values)


@attrs.frozen
class View:
    """What is looked at: field `y` over key `x`, a line for each value of `lines`, a panel for each of `panels`."""

    y: str
    x: str
    lines: str | None = None
    panels: str | None = None

    @property
    def keys(self) -> list[str]:
        """The keys that set points apart."""
        return [key for key in (self.panels, self.lines, self.x) if key is not None]


Lines = dict[Any, list[Point]]


def numbers_of(sweep: Sweep) -> list[str]:
    """Return the columns of a sweep that a picture can show: those of numbers that are no overrides."""
    own = {*sweep.keys, "job", "schema"}
    # truth values are no numbers here
    numbers = [
        column for column in sweep.table.schema if pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    ]
    return [column.name for column in numbers if column.name not in own]


def field_of(sweep: Sweep, name: str) -> str:
    """Return the name of a field; raise InputError if the sweep has no numbers of that name."""
    known = numbers_of(sweep)
    if name in known:
        return name
    entry = next((field for field in SUMMARY if field.covers(name)), None)
    if entry is not None:
        raise InputError(f"{name}: no run of {sweep.folder} has a single number of that name: {entry.meaning}")
    raise InputError(f"{name}: no field is called so{nearest(name, known)}; `fields` lists them.")


def key_of(sweep: Sweep, name: str) -> str:
    """Return the key of that name, in which a dot may stand for a slash; raise InputError if none was overridden."""
    for key in sweep.keys:
        if name.replace("/", ".") == key.replace("/", "."):
            return key
    known = list(sweep.swept) or sweep.keys
    raise InputError(f"{name}: is no key of this sweep{nearest(name, known)}; there are {', '.join(known) or 'none'}.")


def chosen(sweep: Sweep, where: Sequence[str]) -> Sweep:
    """Return the runs for which each `key=value` holds; raise InputError if a key is not there, or a value."""
    rows = sweep.table.to_pylist()
    for text in where:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--where {text}: is written KEY=VALUE.")
        key = key_of(sweep, name)
        there = list(dict.fromkeys(row[key] for row in rows))
        # by value, or as it is written: a word may look like a number
        rows = [row for row in rows if row[key] == value_of(value) or str(row[key]) == value]
        if not rows:
            names = list(map(shown, there))
            raise InputError(f"--where {text}: no run has it{nearest(value, names)}; there are {', '.join(names)}.")
    return Sweep(pa.Table.from_pylist(rows, sweep.table.schema), sweep.folder)


def points(sweep: Sweep, view: View) -> dict[Any, Lines]:
    """Return the points by panel and line, numbers in order and all else as it comes.

    Runs without a value are left out. Raise InputError if runs of a point differ by more than their seeds, or if there
    is no point.
    """
    groups: dict[tuple[Any, Any, Any], list[dict[str, Any]]] = {}
    for row in sweep.table.to_pylist():
        if row[view.y] is not None and row[view.x] is not None:
            place = (row.get(view.panels), row.get(view.lines), row[view.x])
            groups.setdefault(place, []).append(row)
    if not groups:
        raise InputError(f"{view.y}: no run of {sweep.folder} has a value of it over {view.x}.")
    _refuse_mixed(sweep, view, groups.values())
    panels: dict[Any, dict[Any, dict[Any, Point]]] = {}
    for (panel, line, x), rows in groups.items():
        codes = dict.fromkeys(code for row in rows for code in row["validity"] or () if concerns(code, row, view.y))
        point = Point(x, tuple(row[view.y] for row in rows), tuple(codes))
        panels.setdefault(panel, {}).setdefault(line, {})[x] = point
    return {
        panel: {line: list(_ordered(by_x).values()) for line, by_x in _ordered(lines).items()}
        for panel, lines in _ordered(panels).items()
    }


def concerns(code: str, row: Mapping[str, Any], field: str) -> bool:
    """Return whether what a code of validity says of a run is about a field: "tail" is about percentiles alone."""
    if code != "tail":
        return True
    op_field, _, percentile = field.rpartition(".response_us.")
    share, count = PERCENTILES.get(percentile, 1.0), row.get(f"{op_field}.count") or 0
    # 1e-9: 10 are 10, for all their binary digits
    return share < 1 and count * (1 - share) < BEYOND_PERCENTILE * (1 - 1e-9)


def left_out(sweep: Sweep, view: View) -> str:
    """Return a sentence about the runs that have no value, by their status; empty if all have one."""
    without = [row for row in sweep.table.to_pylist() if row[view.y] is None or row[view.x] is None]
    kinds = [row["status"] or "without it" for row in without]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    return f"{len(without)} of {sweep.table.num_rows} runs have no value of {view.y}: {counts}." if without else ""


def _refuse_mixed(sweep: Sweep, view: View, groups: Any) -> None:
    """Raise InputError where runs of one point differ by keys that the view does not show."""
    others = [key for key in sweep.swept if key not in (*view.keys, SEED)]
    mixed = [key for key in others if any(len({row[key] for row in rows}) > 1 for rows in groups)]
    if mixed:
        values = ", ".join(map(shown, sweep.swept[mixed[0]]))
        first = shown(next(choice for choice in sweep.swept[mixed[0]] if choice is not None))
        raise InputError(
            f"{', '.join(mixed)}: differ among the runs of a point ({mixed[0]} is {values}); choose one value with "
            f"--where {mixed[0]}={first}, or show it with --x, --lines or --panels."
        )


def _ordered(groups: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the groups by their keys in order if these are numbers, else as they are."""
    return dict(sorted(groups.items()) if all(map(_is_number, groups)) else groups.items())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_numeric(panels: Mapping[Any, Lines]) -> bool:
    """Return whether the points lie over numbers."""
    return all(_is_number(point.x) for point in every(panels))


def every(panels: Mapping[Any, Lines]) -> Iterator[Point]:
    """Return all points."""
    return (point for lines in panels.values() for line_points in lines.values() for point in line_points)
