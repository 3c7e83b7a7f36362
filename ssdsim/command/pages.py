"""What lies in a folder of results, as a page of HTML: the part that reads files, and composes the defaults."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ssdsim.command.from_python import spelled
from ssdsim.config import SimulationConfig
from ssdsim.config.saved import load_config
from ssdsim.errors import InputError, SsdsimError
from ssdsim.metrics.folder import damage_told, manifest
from ssdsim.metrics.parquet import read_table
from ssdsim.metrics.result import Result
from ssdsim.metrics.sweep import Sweep
from ssdsim.report import run, several
from ssdsim.report.comparison import FIELDS, differences, unfair
from ssdsim.report.page import Page
from ssdsim.report.several import Point

from .compare import FILE, place_of
from .compose import composed, located

PROGRAM = f"python -m {__package__}"


def page_of(folder: Path, fields: Sequence[str] = (), over: str | None = None) -> Page:
    """Return the page of what lies in `folder`; raise InputError if that is nothing to make a page of.

    Of several runs it shows `fields`, if some are given, `over` a key.
    """
    with damage_told(folder):
        if (folder / FILE).exists():  # first, as a comparison has runs below it, like a sweep
            return _comparison(folder, fields)
        # what is no folder at all is told by the reader of runs
        if (folder / "summary.json").exists() or not folder.is_dir():
            return _run(folder)
        if next(folder.glob("*/**/summary.json"), None) is not None:
            return _sweep(folder, fields, over)
    raise InputError(f"{folder}: holds neither a run nor a sweep nor a comparison; give the folder of one.")


def _run(folder: Path) -> Page:
    config = configuration(folder)
    repeat = [*PROGRAM.split(), "--config", str(folder)] if config else []
    return run.page(Result.load(folder), config, composed([]), [shlex.join(repeat)] * bool(repeat), str(folder))


def _sweep(folder: Path, fields: Sequence[str], over: str | None) -> Page:
    sweep = Sweep.load(folder)
    keys = [key for key in sweep.swept if key != "seed"]
    groups: dict[str, tuple[Mapping[str, Any], list[Result], list[str]]] = {}
    for row in sweep.table.to_pylist():
        of_point = {key: row[key] for key in keys}
        _, runs, failures = groups.setdefault(repr(of_point), (of_point, [], []))
        if row["validity"] is not None and row["status"] in (None, "completed"):  # runs of no sweep have no status
            runs.append(Result.load(folder / row["folder"]))
        else:
            failures.append(f"{row['status'] or 'damaged'}: {row['message'] or 'no reason is known'}")
    points = [Point(*group) for group in groups.values()]
    places = [folder / row for row in sweep.table["folder"].to_pylist()]
    configs = [config for place in places if (config := configuration(place)) is not None]
    words = (manifest(folder) or {}).get("overrides") or []
    again = shlex.join([*PROGRAM.split(), "--multirun", *words, f"hydra.run.dir={spelled(folder)}"])
    named = fields or list(FIELDS)
    return several.page({"": points}, named, configs, composed([]), [again] if words else [], str(folder), over=over)


def _comparison(folder: Path, fields: Sequence[str]) -> Page:
    table = read_table(folder / FILE)
    rows = table.to_pylist()
    about = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    seeds = range(1, max(row["seeds"] for row in rows) + 1)
    points: dict[str, list[Point]] = {}
    alarms: list[str] = []
    every: list[SimulationConfig] = []
    for workload in dict.fromkeys(row["workload"] for row in rows):
        configs = {}
        for system in dict.fromkeys(row["system"] for row in rows if row["workload"] == workload):
            places = [folder / place_of(workload, system, seed) for seed in seeds]
            runs = [Result.load(place) for place in places if (place / "summary.json").exists()]
            points.setdefault(workload, []).append(Point({"system": system}, runs))
            if (config := configuration(places[0])) is not None:
                configs[system] = config
        every += configs.values()
        reasons = unfair(differences(configs)).values()
        alarms += [f"Not a comparison of policies alone: {reason}." for reason in reasons]
    fields = fields or list(dict.fromkeys(row["field"] for row in rows))
    repeat = [about["command"]] if about.get("command") else []
    baseline = about.get("baseline") or rows[0]["system"]
    alarms = list(dict.fromkeys(alarms))  # each once, however many keys it comes from
    return several.page(points, fields, every, composed([]), repeat, str(folder), baseline, alarms=alarms)


def configuration(folder: Path) -> SimulationConfig | None:
    """Return the configuration of the run in `folder`, its traces where they are found from here, if they are.

    None where this version cannot read it.
    """
    try:
        config = load_config(folder)
    except SsdsimError:
        return None
    with suppress(SsdsimError):  # traces that have moved are no reason to show nothing
        return located(config)
    return config
