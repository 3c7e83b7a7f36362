"""Results that are read from folders: the summary and the tables of a run, and the runs of a sweep as one table."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml
from attrs import define, field, frozen

from ssdsim.errors import InputError, NotRecordedError
from ssdsim.metrics.fields import leaves
from ssdsim.metrics.folder import manifest
from ssdsim.metrics.parquet import read_table

SCHEMA = 1
"""Version of `summary.json` and of the tables' columns; raised when a name changes its meaning or goes away."""

Row = dict[str, Any]


@define
class Result:
    """The result of a run.

    `summary` holds the contents of `summary.json`. The tables come from `tables` if the run was made in this process
    and from the Parquet files of `folder` otherwise; each is read once, at its first use.
    """

    summary: dict[str, Any]
    folder: Path | None = None
    _tables: dict[str, pa.Table] = field(factory=dict)

    @classmethod
    def load(cls, folder: str | Path) -> "Result":
        """Return the result that lies in `folder`; raise InputError if there is none that this version can read."""
        folder, file = Path(folder), Path(folder, "summary.json")
        try:
            summary = json.loads(file.read_text(encoding="utf-8"))
            schema = summary["schema"]
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(f"{folder}: not the folder of a finished run, as there is no summary.json.") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(f"{file}: not the summary of a run; run the experiment again.") from None
        if schema != SCHEMA:
            reads = f"this version of ssdsim reads schema {SCHEMA}; run the experiment again."
            raise InputError(f"{file}: has schema {schema}, and {reads}")
        return cls(summary, folder)

    @property
    def timeseries(self) -> pa.Table:
        """One row a window of simulated time: throughput, response times, write amplification, GC."""
        return self._table("timeseries")

    @property
    def latency(self) -> pa.Table:
        """The histogram of response times: `op`, upper bound `up_to_us` of a bin, `count` of requests in it."""
        return self._table("latency")

    @property
    def requests(self) -> pa.Table:
        """One row a request in the order of their numbers, of a run with `record=requests`; the file is not sorted."""
        return self._table("requests", "run with record=requests")

    @property
    def commands(self) -> pa.Table:
        """One row a flash command, of a run with `record=commands`."""
        return self._table("commands", "run with record=commands")

    def _table(self, name: str, remedy: str = "the run was stopped before it wrote them") -> pa.Table:
        if name not in self._tables:
            path = self.folder and self.folder / f"{name}.parquet"
            if not path or not path.exists():
                raise NotRecordedError(f"{self.folder or 'this result'}: {name} were not recorded; {remedy}.")
            table = read_table(path)
            # the file has them in the order of completion
            self._tables[name] = table.sort_by("id") if name == "requests" else table
        return self._tables[name]

    def headline(self) -> dict[str, str]:
        """Return the few numbers that say what the run was, by name, ready to print."""
        summary = self.summary
        served = {op: summary["requests"][op] for op in ("read", "write")}
        told = {"IOPS": ("{:,.0f}", summary["iops"]), "write amplification": ("{:.3f}", summary["write_amplification"])}
        for op, of_op in served.items():
            told[f"mean {op}"] = "{:,.1f} us", of_op["response_us"]["mean"] if of_op["count"] else None
        count = f"{sum(of_op['count'] for of_op in served.values()):,}" + " (partial)" * summary["partial"]
        return {"requests": count} | {name: form.format(v) for name, (form, v) in told.items() if v is not None}

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} {value}" for name, value in self.headline().items())
        return f"<Result {numbers}{f', {self.folder}' if self.folder else ''}>"


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
