"""A sweep as one table, a row a run: what was overridden, what came out, and what speaks against it."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml
from attrs import frozen

from ssdsim.errors import InputError
from ssdsim.metrics.fields import leaves
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.parquet import write_table
from ssdsim.metrics.result import Result

FILE = "sweep.parquet"
OWN = ("job", "folder", "status", "message", "validity")
"""Columns on the run itself; in the order of the table, those of overrides follow, and then fields of the summary."""

Row = dict[str, Any]


@frozen
class Sweep:
    """The runs of the sweep in a folder, one a row of `table`.

    There are job number, folder, status, message and validity, a column for each of the `keys` that were overridden,
    and one for each other single value of `summary.json`. Runs that were refused or failed have a row, too.
    """

    table: pa.Table
    folder: Path
    keys: list[str]

    @classmethod
    def load(cls, folder: str | Path) -> "Sweep":
        """Return the sweep that lies in `folder`, as far as it has come; of any other folder, the runs below it.

        Of runs of no sweep, as in a comparison's or a study's folder, what differs among their configurations stands
        for overrides. Raise InputError if there are no runs.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise InputError(f"{folder}: there is no such folder of runs.")
        jobs = statuses(folder)
        overridden = [{key.lstrip("+"): value_of(text) for key, text in map(_split, job["overrides"])} for job in jobs]
        if not jobs:
            jobs = [{"folder": file.parent} for file in sorted(folder.glob("**/summary.json"))]
            configs = [_config(job["folder"]) for job in jobs]
            every = dict.fromkeys(key for config in configs for key in config)
            differing = [key for key in every if len({repr(config.get(key)) for config in configs}) > 1]
            overridden = [{key: config.get(key) for key in differing} for config in configs]
        if not jobs:
            raise InputError(f"{folder}: holds no runs, as no summary.json is there or below.")
        keys = list(dict.fromkeys(key for overrides in overridden for key in overrides))
        rows = [_row(folder, job, overrides) for job, overrides in zip(jobs, overridden, strict=True)]
        names = dict.fromkeys([*OWN, *keys, *(name for row in rows for name in row)])
        columns = {name: _column([row.get(name) for row in rows]) for name in names}
        return cls(pa.table(columns), folder, keys)

    @property
    def swept(self) -> dict[str, list[Any]]:
        """The overrides that are not the same for all runs, with their values in order of appearance."""
        values = {key: list(dict.fromkeys(self.table[key].to_pylist())) for key in self.keys}
        return {key: choices for key, choices in values.items() if len(choices) > 1}

    def __repr__(self) -> str:
        over = f" over {', '.join(self.swept)}" if self.swept else ""
        return f"<Sweep {self.table.num_rows} runs{over}, {self.folder}>"


def write(folder: ResultFolder) -> None:
    """Write the table of the runs that `folder` holds so far, if there are any."""
    with suppress(InputError):
        write_table(Sweep.load(folder.path).table, folder.part(FILE))
        folder.add(FILE)


def statuses(folder: Path) -> list[Row]:
    """Return the status of each job of the sweep in `folder`, in order, with the job's folder."""
    # one that no manifest lists is not ours
    files = [
        file for file in folder.glob("**/status.json") if file.name in (manifest(file.parent) or {}).get("files", ())
    ]
    jobs = [json.loads(file.read_text(encoding="utf-8")) | {"folder": file.parent} for file in files]
    return sorted(jobs, key=lambda job: job["job"])


def value_of(text: str) -> Any:
    """Return the value of an override's text: a number, a truth value, None, or the words as they are written."""
    try:
        value = json.loads(text.lower())
    except ValueError:
        return text.strip("'\"")
    return text if isinstance(value, str | list | dict) else value


def _split(override: str) -> tuple[str, str]:
    key, _, text = override.partition("=")
    return key, text


def _row(folder: Path, job: Row, overrides: Mapping[str, Any]) -> Row:
    """Return all columns of a run; an override goes before a field that is called like it."""
    message, summary = job.get("message"), dict[str, Any]()
    if job.get("results", True):
        try:
            summary = Result.load(job["folder"]).summary
        except InputError as error:
            message = str(error)  # a damaged result has a row, with what is wrong with it
    shown = {key: content for key, content in summary.items() if key != "validity"}
    values = {name: value for name, value in leaves(shown) if not isinstance(value, list | dict)}
    codes = [finding["code"] for finding in summary["validity"]] if summary else None
    told = {"message": message or summary.get("error"), "validity": codes and list(dict.fromkeys(codes))}
    own = {**dict.fromkeys(OWN), **job, "folder": job["folder"].relative_to(folder).as_posix(), **told}
    return {**values, **overrides, **{name: own[name] for name in OWN}}


def _column(values: list[Any]) -> pa.Array:
    """Return a column of the type that all values have, or else of their texts."""
    try:
        return pa.array(values)
    except pa.ArrowException:
        return pa.array([None if value is None else str(value) for value in values])


def _config(folder: Path) -> Row:
    """Return the dotted keys of a run's configuration, none if it cannot be read."""
    try:
        return dict(leaves(yaml.load((folder / "config.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
