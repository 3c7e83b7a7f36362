"""A sweep as one table, a row a run: what was overridden, what came out, and what speaks against it."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa

from ssdsim.config.keys import keys
from ssdsim.errors import InputError
from ssdsim.metrics.fields import SUMMARY, SWEEP, Field, leaves, metadata
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.parquet import read_table, write_table
from ssdsim.metrics.result import Result

FILE = "sweep.parquet"

NONE: dict[str, Any] = {"files": {}}
"""The manifest of a folder that has none."""

Row = dict[str, Any]


@attrs.frozen
class Sweep:
    """The runs of a sweep, one a row of `table`; its columns tell meaning and unit in their metadata.

    There are job number, folder, status, message and validity, a column for each key that was overridden, and one for
    each single value of `summary.json`. Runs that were refused or failed have a row, too.
    """

    table: pa.Table
    folder: Path | None = None

    @classmethod
    def load(cls, folder: str | Path) -> "Sweep":
        """Return the sweep that lies in `folder`, as far as it has come; of any other folder, the runs below it.

        Of runs of no sweep, as in a comparison's or a study's folder, what differs among their configurations stands
        for overrides. Raise InputError if there are no runs.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise InputError(f"{folder}: there is no such folder of runs.")
        if _is_current(folder):
            return cls(read_table(folder / FILE), folder)
        table = gather(folder)
        if not table.num_rows:
            raise InputError(f"{folder}: holds no runs, as neither {FILE} nor any summary.json is there or below.")
        return cls(table, folder)

    @property
    def keys(self) -> list[str]:
        """The names of the columns that hold overrides."""
        return [column.name for column in self.table.schema if b"override" in (column.metadata or {})]

    @property
    def swept(self) -> dict[str, list[Any]]:
        """The overrides that are not the same for all runs, with their values in order of appearance."""
        values = {key: list(dict.fromkeys(self.table[key].to_pylist())) for key in self.keys}
        return {key: choices for key, choices in values.items() if len(choices) > 1}

    def __repr__(self) -> str:
        over = f" over {', '.join(self.swept)}" if self.swept else ""
        return f"<Sweep {self.table.num_rows} runs{over}{f', {self.folder}' if self.folder else ''}>"


def write(folder: ResultFolder) -> None:
    """Write the table of the runs that `folder` holds so far, if there are any."""
    table = gather(folder.path)
    if table.num_rows:
        write_table(table, folder.part(FILE))
        folder.add(FILE)


def gather(folder: Path) -> pa.Table:
    """Return the table of the runs in `folder` and below, read from their own folders."""
    jobs = statuses(folder)
    others = sorted(
        file.parent for file in folder.glob("**/summary.json") if not (file.parent / "status.json").exists()
    )
    keys_of_runs = [_parsed(status["overrides"]) for status in jobs]
    configs = [_config(place) for place in others]
    every = dict.fromkeys(key for values in (keys_of_runs if jobs else configs) for key in values)
    # without overrides, the keys that are not the same in all configurations
    wanted = [key for key in every if jobs or len({repr(config.get(key)) for config in configs}) > 1]
    keys_of_runs += [{key: config.get(key) for key in wanted} for config in configs]
    rows = [_told(folder, status) for status in [*jobs, *({"folder": place} for place in others)]]
    return _table([own for own, _ in rows], keys_of_runs, [fields for _, fields in rows])


def statuses(folder: Path) -> list[Row]:
    """Return the status of each job of the sweep in `folder`, in order, with the job's folder."""
    # one that no manifest lists is not ours
    files = [file for file in folder.glob("**/status.json") if file.name in (manifest(file.parent) or NONE)["files"]]
    jobs = [json.loads(file.read_text(encoding="utf-8")) | {"folder": file.parent} for file in files]
    return sorted(jobs, key=lambda job: job["job"])


def _told(folder: Path, status: Mapping[str, Any]) -> tuple[Row, Row]:
    """Return the columns of a run's own, and the single values of its summary."""
    place, message, summary = status["folder"], status.get("message"), {}
    if status.get("results", True):
        try:
            summary = Result.load(place).summary
        except InputError as error:
            message = str(error)  # a damaged result has a row, with what is wrong with it
    findings = summary.get("validity")
    own = {
        "job": status.get("job"),
        "folder": place.relative_to(folder).as_posix(),
        "status": status.get("status"),
        "message": message or summary.get("error"),
        "validity": list(dict.fromkeys(finding["code"] for finding in findings)) if findings is not None else None,
    }
    values = {name: value for name, value in leaves(dict(summary)) if not isinstance(value, list | dict)}
    return own, {name: value for name, value in values.items() if not name.startswith("validity.")}


def _table(owns: list[Row], keys_of_runs: list[Row], fields_of_runs: list[Row]) -> pa.Table:
    """Return the table; a field called like an override shares its column, unless they differ in some run."""
    own, overridden, fields = map(_columns, (owns, keys_of_runs, fields_of_runs))
    for key in overridden.keys() & fields.keys():  # a field that a key has its name of
        values = fields.pop(key)
        both = list(zip(overridden[key], values, strict=True))
        if any(None not in pair and pair[0] != pair[1] for pair in both):
            fields[f"summary.{key}"] = values
        else:
            overridden[key] = [field if override is None else override for override, field in both]
    described = {field.name: metadata(field) for field in SWEEP}
    declared = {key.name: metadata(Field(key.name, key.unit, key.meaning)) for key in reversed([*keys()])}
    told = {name: described[name] for name in own} | {name: _of_field(name) for name in fields}
    told |= {key: {**declared.get(key, {}), "override": "true"} for key in overridden}
    arrays = {name: _column(name, values) for name, values in (own | overridden | fields).items()}
    schema = pa.schema(pa.field(name, column.type, metadata=told[name]) for name, column in arrays.items())
    return pa.Table.from_arrays([*arrays.values()], schema=schema)


def _columns(rows: list[Row]) -> dict[str, list[Any]]:
    """Return the values of rows by column, None where a row has none."""
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def _column(name: str, values: list[Any]) -> pa.Array:
    """Return a column of the one type that all values have, numbers or words; what has none is of its field's."""
    kinds = {type(cell) for cell in values if cell is not None}
    if name == "validity":
        return pa.array(values, pa.list_(pa.string()))
    if kinds and kinds <= {int, float}:
        # whole numbers beside others become these
        return pa.array(values, pa.float64() if float in kinds else pa.int64())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if not kinds and (name == "job" or _of_field(name).get("unit")):
        return pa.array(values, pa.int64() if name == "job" else pa.float64())
    words = [cell if cell is None or isinstance(cell, str) else json.dumps(cell) for cell in values]
    return pa.array(words, pa.string())


@cache
def _of_field(name: str) -> Mapping[str, str]:
    entry = next((field for field in SUMMARY if field.covers(name.removeprefix("summary."))), None)
    return {} if entry is None else metadata(entry)


def _parsed(overrides: Iterable[str]) -> Row:
    """Return the values of overrides by their keys."""
    pairs = (override.partition("=") for override in overrides)
    return {key.lstrip("+"): value_of(text) for key, _, text in pairs}  # the last of several that give one key stands


def value_of(text: str) -> Any:
    """Return the value of an override's text: a number, a truth value, None, or the words as they are written."""
    words = {"null": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):  # whole numbers first: every one of them is a float, too
        try:
            return kind(text)
        except ValueError:
            pass
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text


def _config(folder: Path) -> Row:
    """Return the dotted keys of a run's configuration, none if it cannot be read."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return dict(leaves(yaml.load((folder / "config.yaml").read_text(encoding="utf-8"), loader)))
    except (OSError, ValueError, InputError, yaml.YAMLError):
        return {}


def _is_current(folder: Path) -> bool:
    """Return whether the table is there, and no run has ended since it was written."""
    path = folder / FILE
    written = path.stat().st_mtime_ns if path.is_file() else 0
    results = (file for name in ("status.json", "summary.json") for file in folder.glob(f"**/{name}"))
    # any run that has ended since makes the table old
    return bool(written) and all(file.stat().st_mtime_ns <= written for file in results)
