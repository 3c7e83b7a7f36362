"""The result of a run: the summary and the tables of its folder, read when asked for."""

import importlib
import json
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import define, field

from ssdsim.errors import InputError, NotRecordedError
from ssdsim.metrics.parquet import read_table

SCHEMA = 1
"""Version of `summary.json` and of the tables' columns; raised when a name changes its meaning or goes away."""

TIMES = {"mean": "mean", "p50": "p50", "p99": "p99", "p99.9": "p99_9", "max": "max"}
"""Response times by their titles in a notebook; those that a summary lacks are left out."""


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
        try:
            summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
            schema = summary["schema"]
        except FileNotFoundError:
            raise InputError(f"{folder}: not the folder of a finished run, as it holds no summary.json.") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(
                f"{folder / 'summary.json'}: not the summary of a run; run the experiment again."
            ) from None
        if schema != SCHEMA:
            raise InputError(
                f"{folder / 'summary.json'}: has schema {schema}, and this version of ssdsim reads schema {SCHEMA}; "
                "run the experiment again."
            )
        return cls(summary, folder)

    @property
    def timeseries(self) -> pa.Table:
        """One row a window of simulated time: throughput, response times, write amplification, GC."""
        return self._table("timeseries", "the run was stopped before it wrote its time series")

    @property
    def timeseries_by_stream(self) -> pa.Table:
        """One row a window and stream: throughput, response times and their percentiles."""
        return self._table("timeseries_by_stream", "the run was stopped before it wrote it")

    @property
    def timeseries_by_channel(self) -> pa.Table:
        """One row a window and channel: for what share of the time its bus was held."""
        return self._table("timeseries_by_channel", "the run was stopped before it wrote it")

    @property
    def latency(self) -> pa.Table:
        """The histogram of response times: `op`, upper bound `up_to_us` of a bin, `count` of requests in it."""
        return self._table("latency", "the run was stopped before it wrote its histogram")

    @property
    def planes(self) -> pa.Table:
        """One row a plane: page writes of the host, all page writes, and erases."""
        return self._table("planes", "the run was stopped before it wrote them")

    @property
    def requests(self) -> pa.Table:
        """One row a request in the order of their numbers, of a run with `record=requests`; the file is not sorted."""
        return self._table("requests", "run with record=requests")

    @property
    def commands(self) -> pa.Table:
        """One row a flash command, of a run with `record=commands`."""
        return self._table("commands", "run with record=commands")

    def _table(self, name: str, remedy: str) -> pa.Table:
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
        numbers = {
            "requests": f"{sum(op_fields['count'] for op_fields in served.values()):,}"
            + " (partial)" * summary["partial"]
        }
        for title, value, shown in (
            ("IOPS", summary["iops"], "{:,.0f}"),
            ("write amplification", summary["write_amplification"], "{:.3f}"),
            *(
                (f"mean {op}", op_fields["response_us"]["mean"], "{:,.1f} us")
                for op, op_fields in served.items()
                if op_fields["count"]
            ),
        ):
            if value is not None:
                numbers[title] = shown.format(value)
        return numbers

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} {value}" for name, value in self.headline().items())
        return f"<Result {numbers}{f', {self.folder}' if self.folder else ''}>"

    def _repr_html_(self) -> str:
        """Return two small tables: the headline, and response times by operation; with them an error, if any."""
        summary = self.summary
        served = {
            op: fields["response_us"]
            for op, fields in summary["requests"].items()
            if fields.get("count") and "response_us" in fields
        }
        titles = [title for title, key in TIMES.items() if any(_is_time(times.get(key)) for times in served.values())]
        parts = [_html_table(str(self.folder or "Result"), [[*entry] for entry in self.headline().items()])]
        if titles:
            rows = [[op, *(_time(times.get(TIMES[title])) for title in titles)] for op, times in served.items()]
            parts.append(_html_table("Response time in microseconds", rows, ["", *titles]))
        if summary.get("error"):
            parts.append(f"<p><b>Stopped:</b> {escape(str(summary['error']))}</p>")
        return "".join(parts)


def needed(library: str) -> Any:
    """Import and return a library that need not be installed; raise InputError if it is not."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError:
        raise InputError(f"{library} is not installed; install it with: python -m pip install {library}.") from None


def _html_table(caption: str, rows: list[list[str]], head: list[str] | None = None) -> str:
    titles = "<tr>" + "".join(f"<th>{escape(title)}</th>" for title in head) + "</tr>" if head else ""
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(value)}</td>' for value in values)}</tr>"
        for name, *values in rows
    )
    return f"<table><caption>{escape(caption)}</caption>{titles}{body}</table>"


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float)


def _time(value: Any) -> str:
    return f"{value:,.1f}" if _is_time(value) else "-"
