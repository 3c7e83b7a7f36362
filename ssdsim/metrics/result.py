"""The result of a run: the summary and the tables of its folder, read when asked for."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import define, field

from ssdsim.errors import InputError, NotRecordedError
from ssdsim.metrics.parquet import read_table

SCHEMA = 1
"""Version of `summary.json` and of the tables' columns; raised when a name changes its meaning or goes away."""


@define
class Result:
    """What a run measured.

    `summary` holds the contents of `summary.json`. The tables come from `tables` if the run was made in this process
    and from the Parquet files of `folder` otherwise; each is read once, at its first use.
    """

    summary: dict[str, Any]
    folder: Path | None = None
    _tables: dict[str, pa.Table] = field(factory=dict)

    @classmethod
    def load(cls, folder: str | Path) -> "Result":
        """Return the result that lies in `folder`; raise InputError if there is none that this version can read."""
        folder = Path(folder)
        if not folder.is_dir():
            raise InputError(f"{folder}: there is no such folder of results.")
        file = folder / "summary.json"
        try:
            summary = json.loads(file.read_text(encoding="utf-8"))
            schema = summary["schema"]
        except FileNotFoundError:
            raise InputError(f"{folder}: not the folder of a finished run, as it holds no summary.json.") from None
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
