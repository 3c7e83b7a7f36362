"""A page of HTML about a run, a sweep or a comparison, that opens in any browser without a network.

FOLDER is what `python -m experiments` or `python -m experiments compare` has written. The page goes there as
report.html if not told otherwise. Charts of a page become SVG for papers with --svg.
"""

import argparse
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ssdsim.errors import InputError

from . import failures, parser

if TYPE_CHECKING:
    from ssdsim.report.html.page import Page

NEEDED = {"altair": "altair", "jinja2": "jinja2", "vl_convert": "vl-convert-python"}
"""The modules that pages are made with, and what each is called."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, say where it is, and return 0, or 2 for a folder that it cannot be made of."""
    options = parser("report", __doc__)
    options.add_argument("folder", type=Path, help="the folder of a run, a sweep or a comparison")
    options.add_argument("--output", type=Path, metavar="FILE", help="default: report.html in the folder")
    options.add_argument("--svg", type=Path, metavar="FOLDER", help="where to put each chart as a picture, too")
    options.add_argument("--each", action="store_true", help="also a page in the folder of each of its runs")
    given = options.parse_args(arguments)
    return failures.guarded(lambda: _report(given))


def _report(given: argparse.Namespace) -> int:
    missing = [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        raise InputError(f"{', '.join(missing)}: not installed, and pages are made with it; install ssdsim[report].")
    from .pages import page_of, runs_below  # imports what may be missing

    # the runs first, as the page of all links to the pages that are there
    if given.each:
        for folder in runs_below(given.folder):
            _write(page_of(folder), folder / "report.html", None)
    _write(page_of(given.folder), given.output or given.folder / "report.html", given.svg)
    return 0


def _write(page: "Page", path: Path, svg: Path | None) -> None:
    from ssdsim.report.html.page import html, write_svgs

    path.write_text(html(page), encoding="utf-8")
    print(path)
    for file in write_svgs(page, svg) if svg else ():
        print(file)
