"""The verbs that draw results: a page of one run or several, and a timeline of what the parts of the device did."""

import json
import shlex
from argparse import Namespace
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ssdsim.config import SimulationConfig
from ssdsim.config.saved import load_config
from ssdsim.errors import InputError, SsdsimError
from ssdsim.metrics.folder import damage_told, manifest
from ssdsim.metrics.result import Result

from . import COMMAND, failures, parser

if TYPE_CHECKING:
    from ssdsim.report.page import Page


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
    return failures.guarded(lambda: _report(given))


def _report(given: Namespace) -> int:
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


def _page(folder: Path, fields: Sequence[str], over: str | None) -> "Page":
    """Return the page of what lies in `folder`; of several runs it shows `fields`, if some are given, `over` a key."""
    from ssdsim.metrics.sweep import Sweep
    from ssdsim.report import run, several
    from ssdsim.report.comparison import FIELDS, differences, swept_points, unfair

    from .compare import place_of, points_of
    from .compose import composed
    from .from_python import spelled

    title, default, described = str(folder), composed([]), manifest(folder) or {}
    if described.get("kind") == "comparison":
        alarms, configs = dict[str, None](), list[SimulationConfig]()
        for workload in described["workloads"]:
            places = (folder / place_of(workload, system, 1) for system in described["systems"])
            of_workload = [config for place in places if (config := _config(place)) is not None]
            alarms |= dict.fromkeys(unfair(differences(of_workload)))
            configs += of_workload
        shown = fields or described["fields"]
        about = ([described["command"]], title, described["baseline"], over, list(alarms))
        return several.page(points_of(folder), shown, configs, default, *about)
    # what is no folder at all is told by the reader of runs
    if (folder / "summary.json").exists() or not folder.is_dir():
        config = _config(folder)
        again = [f"{COMMAND} --config {shlex.quote(title)}"] if config else []
        return run.page(Result.load(folder), config, default, again, title)
    sweep = Sweep.load(folder)
    places = (folder / place for place in sweep.table["folder"].to_pylist())
    known = [config for place in places if (config := _config(place)) is not None]
    words = described.get("overrides") or []
    again = [shlex.join([*COMMAND.split(), "sweep", *words, f"hydra.run.dir={spelled(folder)}"])] if words else []
    return several.page({"": swept_points(sweep)}, fields or list(FIELDS), known, default, again, title, over=over)


def _config(folder: Path) -> SimulationConfig | None:
    """Return the configuration of the run in `folder`, None where this version cannot read it."""
    try:
        return load_config(folder)
    except SsdsimError:
        return None


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

    def write() -> int:
        with damage_told(given.folder):
            made = timeline_of(given.folder, given.begin, given.end)
        print(made.save(given.folder / "timeline.json"))
        return 0

    return failures.guarded(write)
