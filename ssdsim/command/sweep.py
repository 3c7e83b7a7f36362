"""A sweep: Hydra's sweeper and a launcher of it run the points, and a table compares them."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ssdsim.errors import ConfigError, InputError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.result import Result
from ssdsim.metrics.sweep import statuses, write
from ssdsim.report.summary import codes_of, validity_of_runs
from ssdsim.report.tables import comparison_table, seeds_table
from ssdsim.report.text import filled

from .compose import parse, points
from .diagnosis import COMMAND_LINE_KEYS, COMPOSITION, explained
from .experiment import folder_of, importable
from .from_python import spelled
from .job import job


def sweep(hydra: Any, overrides: Sequence[str], quiet: bool) -> int:
    """Run the points that `overrides` list, but for those that are finished; return the status of the first refused."""
    parsed = parse(overrides)
    of_points = [override for override in parsed if not override.key_or_group.startswith("hydra")]
    known = [str(override.input_line) for override in of_points if override.key_or_group not in COMMAND_LINE_KEYS]
    for override in parsed:
        if override.is_sweep_override() and (override not in of_points or override.key_or_group in COMMAND_LINE_KEYS):
            raise ConfigError(f"{override.input_line}: has several values, and takes one value for all points.")
    asked = {override.key_or_group: str(override.value()) for override in parsed}
    listed = points(of_points)
    path = Path(asked.get("hydra.sweep.dir") or asked.get("hydra.run.dir") or folder_of(known))
    again = (manifest(path) or {}).get("overrides") == known
    overwrite = asked.get("overwrite") == "True"
    importable()
    with ResultFolder(path, overwrite or again, "sweep") as folder:
        if not again:
            _remove_jobs(path)
        folder.note(kind="sweep", overrides=known, finished=False)
        try:
            hydra.multirun("config", job, [*overrides, f"hydra.sweep.dir={spelled(path.absolute())}"])
            folder.note(finished=True)
        except COMPOSITION as error:
            raise explained(error, overrides) from None
        except KeyboardInterrupt:
            print("Stopped: the same command goes on from here.", file=sys.stderr)
            raise
        finally:
            write(folder)  # also after an interrupt, of what is done
            ended = _named(path, listed)
            _compare(path, ended, quiet)
    return next((int(status["exit_status"]) for status in ended if status["exit_status"]), 0)


def _remove_jobs(path: Path) -> None:
    """Remove the results of an earlier sweep, which are to be overwritten."""
    for file in sorted(path.glob("**/status.json")):
        if "status.json" in (manifest(file.parent) or {"files": {}})["files"]:  # else it is another program's
            with suppress(InputError), ResultFolder(file.parent, overwrite=True) as old:
                old.remove()


def _named(path: Path, points: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Return the statuses of jobs in order, override with what sets it apart from the others as its name."""
    common = set.intersection(*map(set, points)) if len(points) > 1 else set()
    names = {tuple(point): " ".join(word for word in point if word not in common) or "defaults" for point in points}
    given = [(status, tuple(status["overrides"])) for status in statuses(path)]
    return [status | {"name": names.get(overrides, " ".join(overrides))} for status, overrides in given]


def _by_seed(done: list[dict[str, Any]]) -> dict[str, list[Result]]:
    """Return the results of points that differ by their seeds alone, by what else sets them apart, if there are any."""
    groups: dict[str, list[Result]] = {}
    for status in done:
        others = [override for override in status["name"].split() if not override.startswith("seed=")]
        groups.setdefault(" ".join(others) or "defaults", []).append(Result.load(status["folder"]))
    # of one seed there is no spread
    return {name: results for name, results in groups.items() if len({r.summary["seed"] for r in results}) > 1}


def _compare(folder: Path, ended: list[dict[str, Any]], quiet: bool) -> None:
    if not ended:
        return
    done = [status for status in ended if status["results"]]
    if done and not quiet:
        shown = {s["name"]: Result.load(s["folder"]) if s in done else s["status"] for s in ended}
        print(comparison_table(shown))
        if groups := _by_seed(done):
            print(seeds_table(groups))
        against = {name: codes_of(one.summary) for name, one in shown.items() if isinstance(one, Result)}
        print(*map(filled, validity_of_runs(against)), sep="\n")
    for status in ended:
        if status["exit_status"]:
            print(f"{status['status'].capitalize()} ({status['name']}): {status['message']}")
    print(f"Results are in {folder}")
