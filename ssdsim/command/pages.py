"""The verbs that draw: a page of one run or several, and a timeline."""

import json
import shlex
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ssdsim.config.saved import load_config
from ssdsim.errors import InputError, SsdsimError
from ssdsim.metrics.folder import manifest
from ssdsim.metrics.parquet import damage_told
from ssdsim.metrics.result import Result, Sweep
from ssdsim.report.comparison import FIELDS, swept_points

from . import parser
from .compare import points_of
from .compose import composed


def report(arguments: Sequence[str]) -> int:
    """Write a page of HTML about a run, a sweep, a search or a comparison, which opens without a network.

    The page goes to report.html in the folder. Of several runs it shows the main fields, or any --fields, and of a
    sweep these over the key with the most values, or --over another key. With --fio-json the results of a
    run are written in the shape of fio's JSON instead, for scripts that read those of drives.
    """
    options = parser("report", report.__doc__)
    options.add_argument("folder", type=Path, help="the folder of a run, a sweep, a search or a comparison")
    options.add_argument("--fields", nargs="+", default=[], metavar="FIELD", help="what is shown of several runs")
    options.add_argument("--over", metavar="NAME", help="the key over which it is drawn")
    options.add_argument("--fio-json", type=Path, metavar="FILE", help="where to put a run's results as fio's JSON")
    given = options.parse_args(arguments)
    path: Path = given.fio_json or given.folder / "report.html"
    if given.fio_json:
        from ssdsim.report.fio_json import fio_json

        written = json.dumps(fio_json(Result.load(given.folder)), indent=2, allow_nan=False) + "\n"
    else:
        if not all(map(find_spec, ("altair", "jinja2", "vl_convert"))):
            raise InputError("report: needs altair, jinja2 and vl-convert-python; install ssdsim[report].")
        with damage_told(given.folder):
            written = _page(given.folder, given.fields, given.over).html()
    path.write_text(written, encoding="utf-8")
    print(path)
    return 0


def _page(folder: Path, fields: Sequence[str], over: str | None) -> Any:
    """Return the page of what lies in `folder`; of several runs it shows `fields`, if some are given, `over` a key."""
    from ssdsim.report import run, several  # which need altair

    title, default, described, configs = str(folder), composed([]), manifest(folder) or {}, []
    for file in sorted(folder.glob("**/config.yaml")):
        with suppress(SsdsimError):  # one that this version cannot read
            configs.append(load_config(file.parent))
    # what is no folder at all is told by the reader of runs
    if (folder / "summary.json").exists() or not folder.is_dir():
        again = [f"ssdsim --config {shlex.quote(title)}"] if configs else []
        return run.page(Result.load(folder), configs, default, again, title)
    points = points_of(folder) if described.get("kind") == "comparison" else swept_points(Sweep.load(folder))
    again = [described["command"]] if "command" in described else []
    about, shown = (described.get("baseline"), over, described.get("alarms", ())), described.get("fields") or [*FIELDS]
    return several.page({"": points}, fields or shown, configs, default, again, title, *about)


def timeline(arguments: Sequence[str]) -> int:
    """Draw the work of each bus, die and plane over time, as a file for https://ui.perfetto.dev or chrome://tracing.

    The run has to have been made with `record=[requests,commands]`; with `record=commands` alone there are no requests
    in the picture. A file of a long run is more than a viewer opens: choose a window of simulated time.
    """
    from ssdsim.report.timeline import timeline_of

    options = parser("timeline", timeline.__doc__)
    options.add_argument("folder", type=Path, help="the folder of a run; timeline.json goes there")
    options.add_argument("--from", dest="begin", type=float, default=0.0, metavar="S", help="begin of the window, s")
    options.add_argument("--to", dest="end", type=float, metavar="S", help="its end, s (default: that of the run)")
    given = options.parse_args(arguments)
    with damage_told(given.folder):
        made = timeline_of(given.folder, given.begin, given.end)
    print(made.save(given.folder / "timeline.json"))
    return 0
