"""A page of HTML about a run, a sweep, a search or a comparison, that opens in any browser without a network.

FOLDER is what `run`, `sweep`, `search` or `compare` has written. The page goes there as
report.html if not told otherwise. Of several runs it shows the main fields, or any --fields, over the swept key with
the most values, or --over another or a field. Charts of a page become files for papers with --svg or --png. With
--fio-json a run's results go to a file in the shape of fio's JSON instead, for scripts that read those of drives.
"""

import argparse
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path

from ssdsim.errors import InputError

from . import failures, parser

NEEDED = {"altair": "altair", "jinja2": "jinja2", "vl_convert": "vl-convert-python"}
"""The modules that pages are made with, and what each is called."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, say where it is, and return 0, or 2 for a folder that it cannot be made of."""
    options = parser("report", __doc__)
    options.add_argument("folder", type=Path, help="the folder of a run, a sweep, a search or a comparison")
    options.add_argument("--output", type=Path, metavar="FILE", help="default: report.html in the folder")
    options.add_argument("--fields", nargs="+", default=[], metavar="FIELD", help="what is shown of several runs")
    options.add_argument("--over", metavar="NAME", help="the key, or the field, over which it is drawn")
    options.add_argument("--svg", type=Path, metavar="FOLDER", help="where to put each chart as a picture, too")
    options.add_argument("--png", type=Path, metavar="FOLDER", help="the same, as PNG")
    options.add_argument("--fio-json", type=Path, metavar="FILE", help="where to put a run's results as fio's JSON")
    given = options.parse_args(arguments)
    return failures.guarded(lambda: _report(given))


def _report(given: argparse.Namespace) -> int:
    if given.fio_json:
        from ssdsim.metrics.result import Result
        from ssdsim.report.fio_json import fio_json

        told = json.dumps(fio_json(Result.load(given.folder)), indent=2, allow_nan=False)
        given.fio_json.write_text(told + "\n", encoding="utf-8")
        print(given.fio_json)
        return 0
    missing = [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        raise InputError(f"{', '.join(missing)}: not installed, and pages are made with it; install ssdsim[report].")
    from ssdsim.report.page import html, write_pictures

    from .pages import page_of  # imports altair, which may be missing

    page, path = page_of(given.folder, given.fields, given.over), given.output or given.folder / "report.html"
    path.write_text(html(page), encoding="utf-8")
    print(path)
    for suffix in ("svg", "png"):
        if folder := getattr(given, suffix):
            print(*write_pictures(page.charts, folder, suffix), sep="\n")
    return 0
