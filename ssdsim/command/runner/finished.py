"""What a folder says of a run: whether it is whole and still that of its configuration, and the status of its job."""

import importlib.util
import json
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from ssdsim.config import SimulationConfig
from ssdsim.errors import InputError
from ssdsim.metrics.folder import ResultFolder, is_whole
from ssdsim.metrics.result import Result
from ssdsim.metrics.summary import provenance

from .. import failures
from ..point import own_classes

SAME = ("config_hash", "versions", "traces")  # of configuration, code and traces


def is_finished(config: SimulationConfig, folder: Path) -> bool:
    """Return whether `folder` holds the whole result of `config`, by this code and of the traces as they are now."""
    try:
        summary = Result.load(folder).summary
    except InputError:
        return False
    now = provenance(config)
    same = all(summary.get(key, {}) == now[key] for key in SAME)
    as_told = read_status(folder).get("status", "completed") == "completed"  # a run by itself leaves none
    whole = summary.get("partial") is False and is_whole(folder)
    return same and as_told and whole and not _is_outdated(config, folder)


def _is_outdated(config: SimulationConfig, folder: Path) -> bool:
    """Return whether a file of the user's own classes was changed after the run."""
    written = (folder / "summary.json").stat().st_mtime
    for _, path in own_classes(config):  # versions tell of this package's code, and of no user's
        # what cannot be imported is for the run to tell
        with suppress(ImportError, AttributeError, OSError, ValueError):
            spec = importlib.util.find_spec(path.rpartition(".")[0])
            if spec and spec.origin and Path(spec.origin).stat().st_mtime > written:
                return True
    return False


def read_status(folder: Path) -> dict[str, Any]:
    """Return the status that a job has left in `folder`, nothing if there is none."""
    with suppress(OSError, ValueError):
        return dict(json.loads((folder / "status.json").read_text(encoding="utf-8")))
    return {}


def leave(folder: ResultFolder, status: dict[str, Any]) -> None:
    """Write the status of a job into its folder."""
    folder.part("status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")
    folder.add("status.json")  # so that it is removed with the rest


def failed(error: Exception) -> dict[str, Any]:
    """Return the part of a status that tells of `error`; if it is a bug, its traceback is there, and printed."""
    failure = failures.expected(error)
    if failure is None:
        told = "".join(traceback.format_exception(error))
        print(told, end="", file=sys.stderr)
        return {"status": "crashed", "message": repr(error), "exit_status": 1, "traceback": told}
    return {"status": "failed", "message": failure.message, "exit_status": failure.exit_status}
