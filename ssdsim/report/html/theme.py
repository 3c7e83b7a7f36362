"""How charts look: hues that colour-blind readers can tell apart, titles of axes, the parts that many charts share."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from ssdsim.metrics.fields import SUMMARY, TABLES, Field
from ssdsim.report.hues import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, YELLOW

WIDTH = 520
"""Of a chart in a file, in pixels; in a page it is as wide as its place."""
HEIGHT = 210

OPERATIONS = {"read": BLUE, "write": VERMILION, "trim": GREEN, "flush": PURPLE}
HUES = [SKY, ORANGE, GREEN, VERMILION, BLUE, PURPLE, YELLOW, "#8C6D46"]
"""Operations have some of them for their own."""

UNITS = {"us": "µs", "ns": "ns", "1": "ratio", "share": "share", "": ""}

VEGA_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 260,
        "gridColor": "#8a8a8a",
        "gridOpacity": 0.25,
        "domainColor": "#8a8a8a",
        "tickColor": "#8a8a8a",
    },
    "legend": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "labelLimit": 340},
    "title": {"anchor": "start", "fontSize": 13, "fontWeight": "bold"},
    "range": {"category": HUES},
}
"""A page sets the colours of words and lines itself, by how light it is."""


def entry(name: str, table: str = "") -> Field:
    """Return the dictionary's entry on a field of the summary or a column of `table`; raise KeyError without one."""
    matching = next((field for field in (TABLES[table] if table else SUMMARY) if field.covers(name)), None)
    if matching is None:
        raise KeyError(name)
    return matching


def unit(field: Field) -> str:
    """Return the unit of a field as it is written."""
    return UNITS.get(field.unit, field.unit)


def titled(title: str, field: Field) -> str:
    """Return a title of an axis, with the unit of `field`."""
    return f"{title} ({unit(field)})" if unit(field) not in ("", title) else title


def chart(data: str, **size: Any) -> alt.Chart:
    """Return an empty chart of the columns `data` of the page, as wide as its place."""
    return alt.Chart(alt.NamedData(name=data)).properties(**{"width": "container", "height": HEIGHT, **size})


def in_rows(data: str, rows: int, step: int) -> alt.Chart:
    """Return such a chart of so many rows, each `step` pixels high."""
    return chart(data, height=rows * step, autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))


def heat(column: str, title: str, most: float) -> alt.Color:
    """Return the encoding of a number from 0 to `most` by its heat."""
    # from 0, so that a map that is all alike is no map of differences
    scale = alt.Scale(scheme="viridis", domain=[0, most])
    return alt.Color(column, title=title, scale=scale, legend=alt.Legend(orient="top", gradientLength=180))


def in_columns(rows: Sequence[Sequence[Any]], *names: str) -> dict[str, list[Any]]:
    """Return the columns of `rows` by their names."""
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def finished(made: Any) -> dict[str, Any]:
    """Return the specification of a chart, without what the page has for all of them."""
    return {key: value for key, value in made.to_dict().items() if key != "config"}


def colour(
    names: Sequence[str], hues: Mapping[str, str] | None = None, column: str = "series", **more: Any
) -> alt.Color:
    """Return the encoding of `column`, whose values are `names`, by hue; a single one needs no legend."""
    chosen = hues or {}
    spare = iter(HUES * (len(names) // len(HUES) + 1))  # as many as there are names, from the first hue on
    return alt.Color(
        column,
        type="nominal",
        # a name keeps its own hue, if it has one
        scale=alt.Scale(domain=list(names), range=[chosen.get(name) or next(spare) for name in names]),
        legend=alt.Legend(orient="top", title=None, columns=4) if len(names) > 1 else None,
        **more,
    )
