"""A job: an experiment as a function of the configuration that Hydra composes, and what its folder says of it."""

import json
import sys
import time
import traceback
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from ssdsim.config import SimulationConfig
from ssdsim.errors import InputError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.result import Result
from ssdsim.metrics.summary import provenance
from ssdsim.run.interrupts import exit_status

from . import failures
from .compose import made
from .point import own_classes
from .run import report, run

Status = dict[str, Any]
"""What `status.json` holds of a job: its number, `overrides`, `status`, `exit_status`, ..."""

COMPLETED: Status = {"status": "completed", "exit_status": 0, "results": True}


def job(node: DictConfig) -> Status:
    """Simulate the experiment of `node` into the folder of its job, unless its result is there; return its status."""
    settings = HydraConfig.get()
    alone = OmegaConf.is_missing(settings.job, "num")
    folder = Path(settings.run.dir if alone else settings.runtime.output_dir)
    overrides: Any = OmegaConf.to_container(settings.overrides.task, resolve=False)
    status: Status = {"overrides": overrides, "folder": str(folder)}
    if not alone:
        status["job"] = settings.job.num
    began = time.monotonic()
    quiet = bool(node.quiet) or not alone
    try:
        config = made(node, overrides).config
        tell = bool(settings.verbose)
        status |= simulated(config, folder, node.overwrite, node.plot, quiet=quiet, shows=alone, tell=tell)
    except KeyboardInterrupt as interrupt:
        written = (folder / "summary.json").exists()
        status |= {
            "status": "interrupted",
            "exit_status": exit_status(interrupt),
            "message": "stopped",
            "results": written,
        }
        if not alone:
            _leave(folder, status)
        raise
    except Exception as error:
        failure = failures.expected(error)
        if failure is None:  # a bug, which stops no other job
            traceback.print_exception(error)
            failure = failures.Failure(f"a bug of ssdsim, or of a class of yours: {error!r}", 1)
        kind = "refused" if isinstance(error, InputError) else "failed"
        written = (folder / "summary.json").exists() and kind == "failed"
        status |= {"status": kind, "exit_status": failure.exit_status, "message": failure.message, "results": written}
    finally:
        with suppress(OSError):
            folder.rmdir()  # Hydra makes it before the configuration is checked
    if not alone:
        _leave(folder, status | {"wall_s": round(time.monotonic() - began, 3)})
        if not node.quiet:
            took = "finished already" if status.get("kept") else f"took {time.monotonic() - began:.1f} s"
            took = status.get("message", took)
            print(f"Job {settings.job.num} ({' '.join(overrides)}): {took}", file=sys.stderr, flush=True)
    return status


def simulated(
    config: SimulationConfig,
    folder: Path,
    overwrite: bool,
    plot: bool | None,
    quiet: bool,
    shows: bool,
    tell: bool = False,
) -> Status:
    """Simulate `config` into `folder`, unless its whole result is there; what is there stays until the new is whole.

    Unless `quiet`, the progress is told, and with `shows` the summary is printed, which says more with `tell`.
    """
    if not overwrite and is_finished(config, folder):
        if shows:
            print(f"{folder}: the result is there already; overwrite=true makes it again.", file=sys.stderr)
            with ResultFolder(folder, overwrite=True) as there:
                report(there, quiet, tell)
        return COMPLETED | {"kept": True}
    with ResultFolder(folder, overwrite or is_unfinished(config, folder)) as results:
        try:
            run(config, results, None if quiet else f"Running into {folder}", plot)
        finally:
            if shows and results.written:
                report(results, quiet, tell)
    return COMPLETED


def is_finished(config: SimulationConfig, folder: Path) -> bool:
    """Return whether `folder` holds the whole result of `config`, by this code and of the traces as they are now."""
    try:
        summary = Result.load(folder).summary
    except InputError:
        return False
    now = provenance(config)
    same = all(summary.get(key, {}) == now[key] for key in ("config_hash", "versions", "traces"))
    return same and summary.get("partial") is False and not _is_outdated(config, folder)


def _is_outdated(config: SimulationConfig, folder: Path) -> bool:
    """Return whether a file of the user's own classes was changed after the run."""
    written = (folder / "summary.json").stat().st_mtime
    for _, path in own_classes(config):  # versions tell of this package's code, and of no user's
        # what cannot be imported is for the run to tell
        with suppress(ImportError, AttributeError, OSError, ValueError):
            spec = find_spec(path.rpartition(".")[0])
            if spec and spec.origin and Path(spec.origin).stat().st_mtime > written:
                return True
    return False


def is_unfinished(config: SimulationConfig, folder: Path) -> bool:
    """Return whether `folder` holds nothing but what an earlier job for `config` has left before its end."""
    described = manifest(folder)
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return described is not None and "summary.json" not in described["files"]
    same = summary.get("config_hash") == provenance(config)["config_hash"]
    return described is not None and same


def _leave(folder: Path, status: Status) -> None:
    """Write the status of a job into its folder."""
    with ResultFolder(folder, overwrite=True) as place:
        place.part("status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")
        place.add("status.json")  # so that it is removed with the rest
