"""One HTML page of a run, a sweep or a comparison that needs no network. Needs altair, jinja2 and vl-convert-python.

`page` says what a page is made of and writes it; `run`, `sweep` and `comparison` make one of results; the charts are
Vega-Lite specifications, which the page draws itself and which become SVG without a browser.
"""
