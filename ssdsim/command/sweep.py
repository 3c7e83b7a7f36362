"""A sweep: a launcher of Hydra runs its points, and a table compares them."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from hydra.plugins.launcher import Launcher

from ssdsim.errors import InputError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.result import Result
from ssdsim.metrics.sweep import write
from ssdsim.report.summary import codes_of, validity_of_runs
from ssdsim.report.tables import comparison_table, seeds_table
from ssdsim.report.text import filled

from . import folders
from .compose import expand
from .runner.finished import read_status
from .runner.launching import hydras_own, importable, make_launcher
from .runner.orders import Orders
from .runner.overview import Overview, Words
from .runner.sweeping import Points, SweepLauncher, is_hydras, of_points
from .search.sweeper import Search


def run(
    overrides: Sequence[str], words: Words, search: Search | None, overwrite: bool = False, plot: bool | None = None
) -> int:
    """Check everything, then the folder, and only then run; go on where the same sweep or search was stopped."""
    # a search has no list of points: its ends are tried
    expanded = expand(overrides) if search is None else search.samples()
    listed = [[override for override in point if not is_hydras(override)] for point in expanded]
    of_hydra = [override for override in overrides if is_hydras(override)]
    config = hydras_own(of_hydra)
    points = Points(of_points(of_hydra))
    points.check(listed)
    # the words that two commands for the same sweep or search have in common
    known = of_points(overrides) + ([] if search is None else [search.settings.identity])
    path, again = folders.go_on("sweep", config.hydra.sweep.dir, known, overwrite, words.quiet)
    try:
        with ResultFolder(path, overwrite or again, "sweep") as folder:
            launcher = make_launcher(config, path)
            return _launch(launcher, listed, known, folder, points, words, anew=not again, search=search, plot=plot)
    finally:
        folders.discard_if_empty(path)


def _launch(
    inner: Launcher,
    listed: Sequence[Sequence[str]],
    known: Sequence[str],
    folder: ResultFolder,
    points: Points,
    words: Words,
    anew: bool,
    search: Search | None,
    plot: bool | None,
) -> int:
    """Run the points `listed`, or chosen by a `search`, and return the status of the first that failed, or 0.

    Of a search those that are refused do not count. `known` are the words that the sweep is known by. The manifest of
    `folder` lists the sweeps whose jobs may lie there, this one last: jobs of earlier ones are no part of it. Their
    results go when there are new ones for their folder, or when all of this sweep is fine. Unless it begins `anew`,
    what is finished of it is not run again.
    """
    sweeps = folder.manifest.get("sweeps", [])
    # a sweep that goes on keeps its name, which its jobs have in their status
    this, earlier = (uuid4().hex, sweeps) if anew or not sweeps else (sweeps[-1], sweeps[:-1])
    folder.note(sweeps=[*earlier, this], overrides=known, finished=False)
    with Orders(folder.path, {"sweep": this}, plot=plot, quiet=not words.verbose) as orders, importable():
        total = search.max_trials if search else len(points)
        overview = Overview(lambda job: points.title(job.overrides), words, total)
        launcher = SweepLauncher(inner, points, orders, overview, anew)
        try:
            if search is None:
                launcher.launch(listed)
            else:
                search.sweep(launcher)
            folder.note(finished=True)
        except KeyboardInterrupt:
            print("Stopped: the same command goes on from here.", file=sys.stderr)
            raise
        finally:
            statuses = _named(launcher, points)
            write(folder)  # also after an interrupt, of what is done
            folders.tell_old_pages(folder.path)
            if search is None:
                _compare(folder.path, statuses, words)
            else:
                search.report(folder, words.quiet)
    counting = [status for status in statuses if search is None or status["status"] != "refused"] or statuses
    failed = [status["exit_status"] for status in counting if status["exit_status"]]
    if not failed:
        _remove_jobs(folder.path, earlier)
        folder.note(sweeps=[this])
    return failed[0] if failed else 0


def _named(launcher: SweepLauncher, points: Points) -> list[dict[str, Any]]:
    """Return the statuses in order, each with the folder of its job, and as its name what sets it apart."""
    return [
        status | {"folder": launcher.folder(number), "name": points.title(status["overrides"])}
        for number, status in sorted(launcher.statuses.items())
    ]


def _remove_jobs(folder: Path, sweeps: list[str]) -> None:
    """Remove the files that the jobs of `sweeps` have written, except those changed since."""
    for file in sorted(folder.glob("**/status.json")):
        owned = (manifest(file.parent) or {"files": {}})["files"]
        # one in no manifest of ours is another program's
        if file.name in owned and read_status(file.parent).get("sweep") in sweeps:
            with suppress(InputError), ResultFolder(file.parent, overwrite=True) as old:
                old.remove()


def _by_seed(done: list[dict[str, Any]]) -> dict[str, list[Result]]:
    """Return the results of points that differ by their seeds alone, by what else sets them apart, if there are any."""
    groups: dict[str, list[Result]] = {}
    for status in done:
        others = [override for override in status["name"].split() if not override.startswith("seed=")]
        groups.setdefault(" ".join(others) or "defaults", []).append(Result.load(status["folder"]))
    # of one seed there is no spread
    return {name: results for name, results in groups.items() if len({r.summary["seed"] for r in results}) > 1}


def _compare(folder: Path, statuses: list[dict[str, Any]], words: Words) -> None:
    done = [status for status in statuses if status["results"]]
    if done and not words.quiet:
        shown = {s["name"]: Result.load(s["folder"]) if s in done else s["status"] for s in statuses}
        print(comparison_table(shown))
        if groups := _by_seed(done):
            print(seeds_table(groups))
        against = {name: codes_of(one.summary) for name, one in shown.items() if isinstance(one, Result)}
        print(*map(filled, validity_of_runs(against)), sep="\n")
    for status in statuses:
        if status["status"] == "refused":
            print(f"Refused ({status['name']}): {status['message']}")
        elif status["exit_status"]:
            reason = f": {status['message']}" if "message" in status else ""
            print(f"Job {status['job']} ({status['name']}) {status['status']}{reason}")
    print(f"Results are in {folder}")
