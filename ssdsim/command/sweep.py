"""A sweep: Hydra's sweeper and a launcher of it run the points, and a table compares them."""

import json
import os
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from ssdsim.errors import InputError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.result import Sweep, statuses, write_sweep
from ssdsim.report.comparison import FIELDS, compared, results_table, swept_points
from ssdsim.run.interrupts import exit_status

from . import failures
from .compose import made, own_keys, parse, points
from .diagnosis import COMMAND_LINE_DEFAULTS, COMPOSITION, explained
from .experiment import folder_of
from .from_python import spelled
from .run import is_finished, run

Status = dict[str, Any]
"""What `status.json` holds of a job: its number, `overrides`, `status`, `exit_status`, ..."""


def sweep(hydra: Any, overrides: Sequence[str]) -> int:
    """Run the points that `overrides` list, but for those that are finished; return the status of the first refused."""
    rest, own = own_keys(overrides)
    of_points = [override for override in parse(rest) if not override.key_or_group.startswith("hydra")]
    points(of_points)  # tells of an interval, which has no points
    known = [str(override.input_line) for override in of_points]
    path = Path(own["hydra.run.dir"] or folder_of(known))
    again = (manifest(path) or {}).get("overrides") == known
    settings = [f"{key}={spelled(own[key])}" for key in COMMAND_LINE_DEFAULTS]
    # for the processes that launchers start, which find the modules that this one does
    os.environ["PYTHONPATH"] = os.pathsep.join(str(Path(place).absolute()) for place in sys.path)
    with ResultFolder(path, own["overwrite"] or again, "sweep") as folder:
        if not again:
            _remove_jobs(path)
        folder.note(kind="sweep", overrides=known, finished=False)
        try:
            words = [*rest, *settings, f"hydra.sweep.dir={spelled(path.absolute())}"]
            hydra.multirun("config", job, words)
            folder.note(finished=True)
        except COMPOSITION as error:
            raise explained(error, overrides) from None
        except KeyboardInterrupt:
            print("Stopped: the same command goes on from here.", file=sys.stderr)
            raise
        finally:
            write_sweep(folder)  # also after an interrupt, of what is done
            if ended := statuses(path):
                _compare(path, own["quiet"])
    return next((int(status["exit_status"]) for status in ended if status["exit_status"]), 0)


def job(node: DictConfig) -> None:
    """Simulate the experiment of `node` in the folder of its job, unless its result is there, and write its status."""
    settings = HydraConfig.get()
    folder = Path(settings.runtime.output_dir)
    overrides = [text for text in settings.overrides.task if text.partition("=")[0] not in COMMAND_LINE_DEFAULTS]
    status: Status = {"job": settings.job.num, "overrides": overrides, "status": "completed", "exit_status": 0}
    begun, took = time.monotonic(), ""
    try:
        config = made(node, overrides).config
        if not node.overwrite and is_finished(config, folder):
            took = "finished already"
        else:
            with ResultFolder(folder, overwrite=True) as results:
                run(config, results, None, node.plot)
    except KeyboardInterrupt as interrupt:
        status |= {"status": "interrupted", "exit_status": exit_status(interrupt), "message": "stopped"}
        _leave(folder, status)
        raise
    except Exception as error:
        failure = failures.expected(error)
        if failure is None:  # a bug, which stops no other job
            traceback.print_exception(error)
            failure = failures.Failure(f"a bug of ssdsim, or of a class of yours: {error!r}", 1)
        kind = "refused" if isinstance(error, InputError) else "failed"
        status |= {"status": kind, "exit_status": failure.exit_status, "message": failure.message}
    elapsed_s = time.monotonic() - begun
    _leave(folder, status | {"wall_s": round(elapsed_s, 3)})
    if not node.quiet:
        told = status.get("message", took or f"took {elapsed_s:.1f} s")
        print(f"Job {settings.job.num} ({' '.join(overrides)}): {told}", file=sys.stderr, flush=True)


def _leave(folder: Path, status: Status) -> None:
    """Write the status of a job into its folder."""
    status["results"] = status["status"] != "refused" and (folder / "summary.json").exists()
    with ResultFolder(folder, overwrite=True) as place:
        place.part("status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")
        place.add("status.json")  # so that it is removed with the rest


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
