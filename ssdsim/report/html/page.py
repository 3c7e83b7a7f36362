"""What a page is made of, and how it becomes one file of HTML, or its charts files of SVG."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import vl_convert
from attrs import field, frozen
from markupsafe import Markup, escape

from ssdsim.report.html import rendered
from ssdsim.report.html.theme import VEGA_CONFIG, WIDTH

Columns = Mapping[str, Sequence[Any]]

NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]\d+)?( ± .*)?$|-$")

SHORT = 12
"""Letters up to which a name stays in one line."""

DIGITS = 7
"""Significant digits of the numbers that charts are drawn of."""


@frozen
class Cell:
    """What stands in a table: a text, what a pointer resting on it is told, whether it is marked."""

    text: str
    hint: str = ""
    mark: str = ""

    @property
    def is_number(self) -> bool:
        """Whether it is to be lined up as one."""
        return NUMBER.match(self.text) is not None


def _cells(row: Sequence[str | Cell]) -> list[Cell]:
    return [content if isinstance(content, Cell) else Cell(content) for content in row]


def _rows(rows: Iterable[Sequence[str | Cell]]) -> list[list[Cell]]:
    return [_cells(row) for row in rows]


@frozen
class Chart:
    """A chart: `spec` is Vega-Lite of named `columns`, `caption` says what is drawn; `name` is that of its file."""

    name: str
    title: str
    caption: str
    spec: Mapping[str, Any]
    columns: Columns

    @property
    def told(self) -> str:
        """What is read out in its place."""
        return f"{self.title}. {self.caption}"

    @property
    def data(self) -> str:
        """The name of its columns, which several charts may share."""
        return (self.spec if "data" in self.spec else self.spec["layer"][0])["data"]["name"]


@frozen
class Table:
    """A table with its caption; the first cell of a row names it. One that is `folded` is shown when asked for."""

    caption: str
    head: Sequence[Cell] = field(converter=_cells)
    rows: Sequence[Sequence[Cell]] = field(converter=_rows)
    folded: bool = False
    sortable: bool = False
    only_marked: str = ""
    """What to call showing the rows with a mark alone; empty where that is not offered."""

    @property
    def of_numbers(self) -> list[bool]:
        """Of each column, whether all that stands in it are numbers."""
        # a column is lined up only where all of it can be
        return [all(row[column].is_number for row in self.rows) for column in range(len(self.head))]


Part = Chart | Table | str


def _present(parts: Iterable[Part | None]) -> list[Part]:
    return [part for part in parts if part]


@frozen
class Section:
    """A part of a page: sentences, then charts, tables and command lines to copy; parts that are None are left out."""

    title: str
    notes: Sequence[str] = ()
    parts: Sequence[Part] = field(default=(), converter=_present)
    over_time: bool = False
    """Whether its charts share a window of time that the reader can set."""

    @property
    def name(self) -> str:
        """Its name in links."""
        return "-".join(self.title.lower().split())


@frozen
class Page:
    """A page of sections."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    numbers: Sequence[tuple[str, Cell]] = ()
    """The few that come first, by their names."""
    alarms: Sequence[str] = ()
    """What has to be known before any number is read."""

    def charts(self) -> Iterator[Chart]:
        """Yield all charts."""
        for section in self.sections:
            yield from (part for part in section.parts if isinstance(part, Chart))


def html(page: Page) -> str:
    """Return the page as a document that loads nothing."""
    charts = list(page.charts())
    drawn = {
        "config": VEGA_CONFIG,
        "data": {chart.data: {name: numbers(values) for name, values in chart.columns.items()} for chart in charts},
        "charts": {chart.name: {**chart.spec, "description": chart.told} for chart in charts},
    }
    scripts = _vega() if charts else Markup()
    return rendered("page.html.j2", page=page, drawn=drawn, vega=scripts, breakable=_breakable)


@cache
def _vega() -> Markup:
    """Return the scripts that draw charts, which takes a second to put together."""
    scripts = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    # What ends the element, were it in a string there.
    return Markup(scripts.replace("</script", "<\\/script").replace("<!--", "<\\!--"))


def _breakable(name: str) -> Markup:
    """Return a dotted name that may go on in the next line after any of its parts."""
    if len(name) <= SHORT:
        return escape(name)
    # not within a number, and not before the last few letters
    return Markup(re.sub(r"(?<!\d)[._/=](?=.{4})", r"\g<0><wbr>", str(escape(name))))


def write_svgs(page: Page, folder: Path) -> list[Path]:
    """Write each chart as an SVG of its name, on white, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for chart in page.charts():
        spec = {
            **chart.spec,
            "title": chart.title,
            "description": chart.told,
            "config": VEGA_CONFIG | {"background": "white"},
            "datasets": {chart.data: rows(chart.columns)},
        }
        if spec.get("width") == "container":
            spec["width"] = WIDTH
        if "layer" in spec:  # without what is there for a pointer to rest on, and not seen
            spec["layer"] = [layer for layer in spec["layer"] if layer["mark"].get("opacity") != 0]
        files.append(folder / f"{chart.name}.svg")
        files[-1].write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")
    return files


def rows(columns: Columns) -> list[dict[str, Any]]:
    """Return columns as rows, as charts take them."""
    values = [numbers(column) for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def numbers(values: Sequence[Any]) -> list[Any]:
    """Return values as JSON has them: floats as short as `DIGITS` allow, None for what is no number."""
    return [_number(value) if isinstance(value, float) else value for value in values]


def _number(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None  # JSON has neither infinity nor NaN
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short  # 2**53: as far as JavaScript counts
