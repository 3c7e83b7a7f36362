"""The verbs that simulate: one experiment, or a sweep, whose points Hydra's sweeper and a launcher of it run."""

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from ssdsim.config.saved import written_config
from ssdsim.errors import ConfigError, InputError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.sweep import Sweep, statuses, write
from ssdsim.report.comparison import FIELDS, compared, results_table, swept_points
from ssdsim.run.interrupts import exit_status

from . import failures, parser
from .compose import compose, made, parse, points, session
from .from_python import spelled
from .groups import COMPOSITION, explained, of_experiment
from .runs import attempt, is_finished, named_folder, report, run


def main(arguments: Sequence[str], verb: str = "run") -> int:
    """Simulate an experiment and print its summary, or every combination of several values and compare the results.

    KEY=VALUE sets a key, and GROUP=CHOICE chooses a preset: `presets` lists and explains them. Results go to a new
    folder in results/, or to the one that hydra.run.dir names; overwrite=true has them take the place of those that
    are there, and plot=true or false says whether to draw overview.png.

    The values of a `sweep` are listed, as in ftl/gc=greedy,rga and seed=range(1,4). The same command goes on where it
    was stopped; hydra/launcher=joblib runs several at a time.
    """
    options = parser(verb, main.__doc__, "a key or group, and its value or choice")
    options.add_argument("-q", "--quiet", action="store_true", help="tell errors, and where the results are")
    options.add_argument("-v", "--verbose", action="store_true", help="tell more of validity")
    options.add_argument("-m", "--multirun", action="store_true", help="every combination of values, as `sweep`")
    options.add_argument("--config", metavar="FOLDER", help="run a folder, or a YAML file, again, with keys changed")
    options.add_argument("--cfg", choices=["job"], help="print the configuration as YAML, and run nothing")
    given = options.parse_intermixed_args(arguments)
    words = [*given.overrides, *["quiet=true"] * given.quiet]
    if verb == "sweep" or given.multirun:
        if given.config or given.cfg:
            raise ConfigError(f"{'--config' if given.config else '--cfg'}: goes with one run, and not with a sweep.")
        return _sweep(words)
    with session():
        node = compose(*words, place=given.config)
        config, path = made(node, words), Path(node.hydra.run.dir)
    if given.cfg:
        print(written_config(config), end="")
        return 0
    with ResultFolder(path, node.overwrite) as folder:
        try:
            run(config, folder, node.plot, node.quiet)
        finally:
            if folder.written:
                report(path, node.quiet, given.verbose)
    return 0


def sweep(arguments: Sequence[str]) -> int:
    """Do as `main` with several values."""
    return main(arguments, "sweep")


def _sweep(words: Sequence[str]) -> int:
    """Run the points that `words` list, but for those that are finished; return the status of the first refused."""
    # for the processes that launchers start, which find the modules that this one does
    os.environ["PYTHONPATH"] = os.pathsep.join(str(Path(place).absolute()) for place in sys.path)
    with session() as hydra:
        known = of_experiment(words)
        points(parse(known))  # tells of an interval, which has no points
        try:
            node = hydra.compose_config("config", [*words], run_mode=RunMode.MULTIRUN)
            folder, goes_on = named_folder(node, words, known, "sweep")
            with folder:
                if not goes_on:
                    _remove_jobs(folder.path)
                folder.note(kind="sweep", overrides=known)
                try:
                    hydra.multirun("config", job, [*words, f"hydra.sweep.dir={spelled(folder.path.absolute())}"])
                finally:
                    write(folder)  # also after an interrupt, of what is done
                    if ended := statuses(folder.path):
                        _compare(folder.path, node.quiet)
        except COMPOSITION as error:
            raise explained(error, words) from None
        except KeyboardInterrupt:
            print("Stopped: the same command goes on from here.", file=sys.stderr)
            raise
    return next((int(status["exit_status"]) for status in ended if status["exit_status"]), 0)


def job(node: DictConfig) -> None:
    """Simulate the experiment of `node` in the folder of its job, unless its result is there, and write its status."""
    settings, begun = HydraConfig.get(), time.monotonic()
    folder, overrides = Path(settings.runtime.output_dir), of_experiment(settings.overrides.task)
    status = {"job": settings.job.num, "overrides": overrides, "status": "completed", "exit_status": 0}
    is_there, failure = False, None
    try:
        try:
            config = made(node, overrides)
            is_there = not node.overwrite and is_finished(config, folder)
            failure = None if is_there else attempt(config, folder, node.plot)
        except InputError as error:
            failure = failures.expected(error)
        if failure:
            kind = "refused" if failure.exit_status == InputError.exit_status else "failed"
            status |= {"status": kind, "exit_status": failure.exit_status, "message": failure.message}
    except KeyboardInterrupt as interrupt:
        status |= {"status": "interrupted", "exit_status": exit_status(interrupt), "message": "stopped"}
        raise
    finally:
        status["wall_s"] = round(time.monotonic() - begun, 3)
        status["results"] = status["status"] != "refused" and (folder / "summary.json").exists()
        with ResultFolder(folder, overwrite=True) as place:
            place.part("status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")
            place.add("status.json")  # so that it is removed with the rest
    if not node.quiet:
        told = status.get("message") or ("finished already" if is_there else f"took {status['wall_s']:.1f} s")
        print(f"Job {settings.job.num} ({' '.join(overrides)}): {told}", file=sys.stderr, flush=True)


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
