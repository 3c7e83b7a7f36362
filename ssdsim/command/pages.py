"""What lies in a folder of results, as a page of HTML: the part that reads files, and composes the defaults."""

import shlex
from contextlib import suppress
from pathlib import Path

from ssdsim.command.from_python import spelled
from ssdsim.config import SimulationConfig
from ssdsim.config.saved import load_config
from ssdsim.errors import InputError, SsdsimError
from ssdsim.metrics.folder import damage_told, manifest
from ssdsim.metrics.parquet import read_table
from ssdsim.metrics.result import Result
from ssdsim.metrics.sweep import Sweep
from ssdsim.report.html import comparison, run, sweep
from ssdsim.report.html.page import Page

from .compare import FILE, place_of
from .compose import composed
from .point import located

PROGRAM = f"python -m {__package__}"


def page_of(folder: Path) -> Page:
    """Return the page of what lies in `folder`; raise InputError if that is nothing to make a page of."""
    with damage_told(folder):
        if (folder / FILE).exists():  # first, as a comparison has runs below it, like a sweep
            return _comparison(folder)
        # what is no folder at all is told by the reader of runs
        if (folder / "summary.json").exists() or not folder.is_dir():
            return _run(folder)
        if next(folder.glob("*/**/summary.json"), None) is not None:
            return _sweep(folder)
    raise InputError(f"{folder}: holds neither a run nor a sweep nor a comparison; give the folder of one.")


def _run(folder: Path) -> Page:
    config = configuration(folder)
    repeat = [*PROGRAM.split(), "--config", str(folder)] if config else []
    return run.page(Result.load(folder), config, composed([]), [shlex.join(repeat)] * bool(repeat), str(folder))


def _sweep(folder: Path) -> Page:
    loaded = Sweep.load(folder)
    places = [place for place in loaded.table["folder"].to_pylist() if place]
    configs = [config for place in places if (config := configuration(folder / place)) is not None]
    words = (manifest(folder) or {}).get("overrides") or []
    again = [*PROGRAM.split(), "--multirun", *words, f"hydra.run.dir={spelled(folder)}"]
    return sweep.page(loaded, configs, composed([]), [shlex.join(again)] if words else [], str(folder))


def _comparison(folder: Path) -> Page:
    table = read_table(folder / FILE)
    rows = table.to_pylist()
    about = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    seeds = range(1, max(row["seeds"] for row in rows) + 1)
    results: dict[str, dict[str, list[Result]]] = {}
    configs: dict[str, dict[str, SimulationConfig]] = {}
    for workload, system in dict.fromkeys((row["workload"], row["system"]) for row in rows):
        places = [folder / place_of(workload, system, seed) for seed in seeds]
        runs = [Result.load(place) for place in places if (place / "summary.json").exists()]
        results.setdefault(workload, {})[system] = runs
        if (config := configuration(places[0])) is not None:
            configs.setdefault(workload, {})[system] = config
    repeat = [about["command"]] if about.get("command") else []
    baseline = about.get("baseline") or rows[0]["system"]
    return comparison.page(rows, baseline, results, configs, composed([]), repeat, str(folder))


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
