"""A page of HTML made of sections of sentences, tables and charts, which loads nothing, and its charts as files.

Making one takes jinja2, and with charts altair and vl-convert-python.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from ssdsim import __version__
from ssdsim.metrics.fields import SUMMARY, TABLES, Field
from ssdsim.metrics.result import needed

NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]\d+)?( ± .*)?(\n.*)?$|-$")
"""Columns of cells that look so are set right."""

UNITS = {"us": "µs", "ns": "ns", "1": "ratio", "share": "share"}
WIDTH = 520
"""Of a chart in a file, in pixels; in a page it is as wide as its place."""

LINE = "#8a8a8a"
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {"titleFontWeight": "normal", "labelLimit": 260, "gridColor": LINE, "gridOpacity": 0.25},
    "axisX": {"labelFlush": False, "labelSeparation": 4},
    "legend": {"labelLimit": 340},
    "title": {"anchor": "start", "fontSize": 13},
}
"""How charts look; a page sets the colours of words itself, by how light it is."""


@frozen
class Cell:
    """What stands in a table: a text, what a pointer resting on it is told, and a mark: warns, bad, differs."""

    text: str
    hint: str = ""
    mark: str = ""


def _cells(row: Sequence[str | Cell]) -> list[Cell]:
    return [content if isinstance(content, Cell) else Cell(content) for content in row]


def _rows(rows: Iterable[Sequence[str | Cell]]) -> list[list[Cell]]:
    return [_cells(row) for row in rows]


@frozen
class Table:
    """A table with its caption; the first cell of a row names it. A `folded` one is shown when asked for."""

    caption: str
    head: Sequence[Cell] = field(converter=_cells)
    rows: Sequence[Sequence[Cell]] = field(converter=_rows)
    folded: bool = False

    @property
    def of_numbers(self) -> list[bool]:
        """Of each column, whether all that stands in it are numbers."""
        return [all(NUMBER.match(row[column].text) for row in self.rows) for column in range(len(self.head))]


@frozen
class Chart:
    """A chart as Vega-Lite has it; `caption` says what is drawn, and `name` is that of its file."""

    name: str
    title: str
    caption: str
    spec: Mapping[str, Any]

    def picture(self) -> dict[str, Any]:
        """Return the specification of the chart for a file: on white, of a fixed size, with its title."""
        told = {"title": self.title, "config": CONFIG | {"background": "white"}, "width": WIDTH}
        return {**self.spec, **told, "description": f"{self.title}. {self.caption}"}


Part = Chart | Table | str


def _present(parts: Iterable[Part | None]) -> list[Part]:
    return [part for part in parts if part]


@frozen
class Section:
    """A part of a page: sentences, then charts, tables and command lines to copy; parts that are None are left out."""

    title: str
    notes: Sequence[str] = ()
    parts: Sequence[Part] = field(default=(), converter=_present)


def _filled(sections: Iterable[Section]) -> list[Section]:
    return [section for section in sections if section.notes or section.parts]


@frozen
class Page:
    """A page of the sections that hold anything; `numbers` come first, by their names, and before them the `alarms`."""

    title: str
    subtitle: str
    sections: Sequence[Section] = field(converter=_filled)
    numbers: Sequence[tuple[str, Cell]] = ()
    alarms: Sequence[str] = ()

    @property
    def charts(self) -> list[Chart]:
        """All charts."""
        return [part for section in self.sections for part in section.parts if isinstance(part, Chart)]


def html(page: Page) -> str:
    """Return the page as a document that loads nothing."""
    drawn = {chart.name: {**chart.spec, "config": CONFIG, "description": chart.caption} for chart in page.charts}
    # what ends the element, were it in a string of the scripts
    scripts = needed("vl_convert").javascript_bundle().replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return rendered("page.html.j2", page=page, drawn=drawn, vega=scripts if drawn else "")


def rendered(template: str, **given: Any) -> str:
    """Return the page that a template makes of what it is given; raise `InputError` without jinja2."""
    jinja2 = needed("jinja2")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("ssdsim.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return str(environment.get_template(template).render(version=__version__, **given))


def write_pictures(charts: Iterable[Chart], folder: Path, suffix: str) -> list[Path]:
    """Write each chart into `folder` as a file of its name, svg or png, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for chart in charts:
        files.append(folder / f"{chart.name}.{suffix}")
        save(chart.picture(), files[-1])
    return files


def save(spec: Mapping[str, Any], path: Path) -> None:
    """Write a Vega-Lite specification as a picture, in the format of the suffix of `path`: svg or png."""
    vl_convert = needed("vl_convert")
    if path.suffix == ".svg":
        path.write_text(vl_convert.vegalite_to_svg(dict(spec)), encoding="utf-8")
    else:
        path.write_bytes(vl_convert.vegalite_to_png(dict(spec), scale=1.5))


def shown(value: Any, digits: int = 4) -> str:
    """Return a value as it is read: numbers with so many digits that count, "-" for what is not there."""
    if value is None:
        return "-"
    if isinstance(value, list):  # four are still read one by one
        is_long = len(value) > 4 and all(isinstance(item, int | float) for item in value)
        span = f"{len(value):,} values, {shown(min(value))} to {shown(max(value))}" if is_long else ""
        return span or ", ".join(map(shown, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or abs(value) >= 10 ** (digits - 1):  # beyond these digits a number is told whole
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def half(interval: Sequence[float] | None) -> str:
    """Return half of an interval with what goes before it, nothing without one."""
    return f" ± {shown((interval[1] - interval[0]) / 2, 2)}" if interval else ""


def entry(name: str, table: str = "") -> Field:
    """Return the dictionary's entry on a field of the summary or a column of `table`; raise KeyError without one."""
    matching = next((field for field in (TABLES[table] if table else SUMMARY) if field.covers(name)), None)
    if matching is None:
        raise KeyError(name)
    return matching


def titled(title: str, field: Field) -> str:
    """Return the title of an axis with the unit of `field`."""
    unit = UNITS.get(field.unit, field.unit)
    return f"{title} ({unit})" if unit not in ("", title) else title
