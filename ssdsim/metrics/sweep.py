"""A sweep as one table, a row a run: what was overridden, what came out, and what speaks against it."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml
from attrs import field, frozen

from ssdsim.errors import InputError
from ssdsim.metrics.fields import leaves
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.parquet import write_table
from ssdsim.metrics.result import Result

FILE = "sweep.parquet"
Row = dict[str, Any]


@frozen
class Sweep:
    """The runs of the sweep in a folder, one a row of `table`, also those that were refused or failed.

    There are job number, folder, status, message and validity, a column for each of the `keys` that were overridden,
    and one for each other single value of `summary.json`.
    """

    table: pa.Table = field(repr=False)
    folder: Path
    keys: list[str]

    @classmethod
    def load(cls, folder: str | Path) -> "Sweep":
        """Return the sweep that lies in `folder`, as far as it has come; of any other folder, the runs below it.

        Of runs of no sweep, as in a comparison's or a study's folder, what differs among their configurations stands
        for overrides. Raise InputError if there are no runs.
        """
        folder = Path(folder)
        jobs = statuses(folder) or [{"folder": file.parent} for file in sorted(folder.glob("**/summary.json"))]
        if not jobs:
            raise InputError(f"{folder}: holds no runs, as no summary.json is there or below.")
        keys_of_jobs = [_keys(job) for job in jobs]
        keys = list(dict.fromkeys(key for of_job in keys_of_jobs for key in of_job))
        if "overrides" not in jobs[0]:
            keys = [key for key in keys if len({repr(of_job.get(key)) for of_job in keys_of_jobs}) > 1]
        overridden = [{key: of_job[key] for key in keys if key in of_job} for of_job in keys_of_jobs]
        rows = [_row(folder, job, overrides) for job, overrides in zip(jobs, overridden, strict=True)]
        names = dict.fromkeys(name for row in rows for name in row)
        return cls(pa.table({name: _column([row.get(name) for row in rows]) for name in names}), folder, keys)

    @property
    def swept(self) -> dict[str, list[Any]]:
        """The overrides that are not the same for all runs, with their values in order of appearance."""
        values = {key: list(dict.fromkeys(self.table[key].to_pylist())) for key in self.keys}
        return {key: choices for key, choices in values.items() if len(choices) > 1}


def write(folder: ResultFolder) -> None:
    """Write the table of the runs that `folder` holds so far, if there are any."""
    with suppress(InputError):
        write_table(Sweep.load(folder.path).table, folder.part(FILE))
        folder.add(FILE)


def statuses(folder: Path) -> list[Row]:
    """Return the status of each job of the sweep in `folder`, in order, with the job's folder."""
    files = folder.glob("**/status.json")
    # one that no manifest lists is not ours
    ours = (file for file in files if file.name in (manifest(file.parent) or {"files": ()})["files"])
    jobs = [json.loads(file.read_text(encoding="utf-8")) | {"folder": file.parent} for file in ours]
    return sorted(jobs, key=lambda job: job["job"])


def value_of(text: str) -> Any:
    """Return the value of an override's text: a number, a truth value, None, or the words as they are written."""
    with suppress(ValueError):
        value = json.loads(text.lower())
        return text if isinstance(value, list | dict) else text.strip('"') if isinstance(value, str) else value
    return text.strip("'")


def _keys(job: Row) -> Row:
    """Return the values of a job's overrides, or without these of its configuration, by their keys."""
    if "overrides" in job:
        pairs = (override.lstrip("+").partition("=") for override in job["overrides"])
        return {key: value_of(text) for key, _, text in pairs}
    with suppress(OSError, ValueError, yaml.YAMLError):  # one that cannot be read says nothing
        config = yaml.load((job["folder"] / "config.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
        return {key: str(value) if isinstance(value, list | dict) else value for key, value in leaves(config)}
    return {}


def _row(folder: Path, job: Row, overrides: Row) -> Row:
    """Return the columns on a job, its overrides, and the other single values of its summary."""
    message, summary = job.get("message"), dict[str, Any]()
    try:
        summary = Result.load(job["folder"]).summary if job.get("results", True) else {}
    except InputError as error:
        message = str(error)  # a damaged result has a row, with what is wrong with it
    codes = [finding["code"] for finding in summary.pop("validity")] if summary else None
    own = {"job": job.get("job"), "folder": job["folder"].relative_to(folder).as_posix(), "status": job.get("status")}
    own |= {"message": message or summary.get("error"), "validity": codes and list(dict.fromkeys(codes))}
    values = {name: value for name, value in leaves(summary) if not isinstance(value, list | dict)}
    return own | overrides | {name: value for name, value in values.items() if name not in overrides}


def _column(values: list[Any]) -> pa.Array:
    """Return a column of the type that all values have, or else of their texts."""
    with suppress(pa.ArrowException, OverflowError):
        return pa.array(values)
    return pa.array([None if value is None else str(value) for value in values])
