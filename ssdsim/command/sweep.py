"""A sweep: Hydra's sweeper and a launcher of it run the points, and a table compares them."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ssdsim.errors import ConfigError, InputError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.sweep import Sweep, statuses, write
from ssdsim.report.comparison import FIELDS, compared, results_table, swept_points

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
    points(of_points)  # refuses what is no sweep
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
            if ended := statuses(path):
                _compare(path, quiet)
    return next((int(status["exit_status"]) for status in ended if status["exit_status"]), 0)


def _remove_jobs(path: Path) -> None:
    """Remove the results of an earlier sweep, which are to be overwritten."""
    for file in sorted(path.glob("**/status.json")):
        if "status.json" in (manifest(file.parent) or {"files": {}})["files"]:  # else it is another program's
            with suppress(InputError), ResultFolder(file.parent, overwrite=True) as old:
                old.remove()


def _compare(folder: Path, quiet: bool) -> None:
    """Print the table of the points, unless `quiet`, and what became of those that failed."""
    points = swept_points(Sweep.load(folder))
    if not quiet:
        print(results_table(points, compared(points, [*FIELDS])))
    for point in points:
        for failure in dict.fromkeys(point.failures):
            print(f"{point.name}: {failure}")
    print(f"Results are in {folder}")
