"""One HTML page of a run, a sweep or a comparison that needs no network. Needs altair, jinja2 and vl-convert-python.

`page` says what a page is made of and writes it; `run`, `sweep` and `comparison` make one of results; the charts are
Vega-Lite specifications, which the page draws itself and which become SVG without a browser.
"""

from typing import Any

from ssdsim import __version__
from ssdsim.metrics.result import needed


def rendered(template: str, **given: Any) -> str:
    """Return the page that a template makes of what it is given; raise `InputError` without jinja2."""
    jinja2 = needed("jinja2")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__name__),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return str(environment.get_template(template).render(version=__version__, **given))
