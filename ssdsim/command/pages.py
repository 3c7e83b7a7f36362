"""The verbs that draw: a page of one run or several, a timeline, and a window of a run that is played."""

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
from ssdsim.metrics.result import Result, needed
from ssdsim.metrics.sweep import Sweep
from ssdsim.report.comparison import FIELDS, swept_points
from ssdsim.run.simulation import Simulation
from ssdsim.run.stepping import EVENTS

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
    if described.get("kind") == "comparison":
        points, again = points_of(folder), [described["command"]]
    else:
        points, words = swept_points(Sweep.load(folder)), described.get("overrides") or []
        again = [shlex.join(["ssdsim", "sweep", *words, f"hydra.run.dir={title}"])] if words else []
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


def player(arguments: Sequence[str]) -> int:
    """Draw a window of a run as a page of HTML that plays it event by event, for slides and notebooks.

    What follows the file are overrides as of `run`. The page opens in any browser without a network; with #frame=17
    behind its name it opens at that event. It shows the blocks of the device, what dies and buses do, requests, streams
    and the write buffer.
    An example: window.html --skip-to block_erased workload=synthetic hardware.blocks_per_plane=32
    """
    from ssdsim.report.player import MOST_FRAMES, USUAL, check, record

    options = parser("player", player.__doc__)
    options.add_argument("file", type=Path, help="where the page goes, such as window.html")
    options.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    options.add_argument("--config", metavar="FOLDER", help="the run of a folder again, or that of a YAML file")
    options.add_argument("--from", dest="begin", type=float, metavar="S", help="begin of the window, s of the run")
    options.add_argument("--skip-to", choices=EVENTS, metavar="EVENT", help=f"begin at the next: {', '.join(EVENTS)}")
    events_help = f"events at most (default: {USUAL}, up to {MOST_FRAMES})"
    options.add_argument("--events", type=int, default=USUAL, metavar="N", help=events_help)
    given = options.parse_intermixed_args(arguments)
    if given.file.suffix != ".html":
        raise InputError(f"{given.file}: must end with .html; the file comes before the overrides.")
    needed("jinja2")  # before the run, and not after it
    simulation = Simulation(composed(given.overrides, given.config))
    check(simulation, given.events)
    simulation.begin()
    # after the time, so that it is the next such event from there
    for option, target in (("--from", given.begin and round(given.begin * 1e9)), ("--skip-to", given.skip_to)):
        if target is not None and not simulation.run_until(target):
            over_s = f"{simulation.now / 1e9:g} s"
            raise InputError(f"{option}: the run is over before that, at {over_s}; take a longer run.")
    record(simulation, given.events).save(given.file, " ".join(given.overrides) or "A window of a run")
    print(given.file)
    return 0
