"""A page of HTML made of sections of sentences, tables and charts, which loads nothing.

Making one takes jinja2, and with charts altair and vl-convert-python.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from attrs import field, frozen

from ssdsim import __version__
from ssdsim.report.text import TextTable

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {"titleFontWeight": "normal", "labelLimit": 260, "gridColor": "#8a8a8a", "gridOpacity": 0.25},
    "axisX": {"labelFlush": False, "labelSeparation": 4},
    "legend": {"labelLimit": 340},
    "title": {"anchor": "start", "fontSize": 13},
}
"""How charts look; a page sets the colours of words itself, by how light it is."""


@frozen
class Chart:
    """A chart as Vega-Lite has it; `caption` says what is drawn."""

    title: str
    caption: str
    spec: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The title as the name of a file."""
        return re.sub(r"\W+", "-", self.title).strip("-").lower()


@frozen
class Section:
    """A part of a page: sentences, then charts, tables and command lines to copy; parts that are None are left out."""

    title: str
    notes: Sequence[str] = ()
    parts: Sequence[Chart | TextTable | str | None] = ()


@frozen
class Page:
    """A page of the sections that hold anything; `numbers` come first, by their names, and before them the `alarms`."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    numbers: Mapping[str, str] = field(factory=dict)
    alarms: Sequence[str] = ()

    def html(self) -> str:
        """Return the page as a document that loads nothing."""
        import vl_convert

        sections = [section for section in self.sections if section.notes or any(section.parts)]
        charts = [part for section in sections for part in section.parts if isinstance(part, Chart)]
        specs = {chart.name: {**chart.spec, "config": CONFIG, "description": chart.caption} for chart in charts}
        # what ends the element, were it in a string of the scripts
        vega = vl_convert.javascript_bundle()  # type: ignore[call-arg]
        vega = vega.replace("</script", "<\\/script").replace("<!--", "<\\!--")
        return rendered("page.html.j2", page=self, sections=sections, specs=specs, vega=vega if specs else "")


def rendered(template: str, **given: Any) -> str:
    """Return the page that a template makes of what it is given."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("ssdsim.report"),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "default": attrs.asdict}
    return str(environment.get_template(template).render(version=__version__, **given))
