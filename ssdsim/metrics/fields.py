"""Every field of `summary.json` and every column of the tables: its unit, its meaning, and where it is null.

`ssdsim fields` prints them, and the Parquet files carry those of their columns. A new field has its
line in `fields.tsv`, among those of its table and part.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa

from ssdsim._core.codes import REQUESTS, SOURCES
from ssdsim.metrics.blame import CAUSES

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "<op>": ("read", "write"),
    "<percentile>": ("p50", "p95", "p99", "p99_9", "p99_99"),
    "<operation>": ("reads", "programs", "erases", "copybacks"),
    "<source>": SOURCES,
    "<suspended>": ("programs", "erases"),
    "<request>": REQUESTS,
    "<sized>": ("read", "write", "trim"),
    "<statistic>": ("mean", "std", "p50", "p95", "p99", "p99_9", "p99_99", "max"),
    "<slowest>": ("slowest_1_percent", "slowest_0_1_percent"),
    "<part>": ("queue", "bus", "array", "gc", "urgent_gc", "mapping", "buffer", "link", "processor"),
    "<cause>": CAUSES,
    "<timed>": ("p50", "p99", "p99_9"),
    "<type>": ("lsb", "csb", "msb", "tsb"),
    "<merge>": ("switch", "partial", "full"),
    "<case>": ("single", "mixed", "unaligned", "parallel"),
}
"""What stands for several parts of a name, with what it stands for; one that is not here stands for any part."""

REST = "<field>"
"""Stands for the rest of a name."""


@attrs.frozen
class Field:
    """A field of `summary.json`, by its dotted name, or a column of a table.

    `unit` is empty for words and truth values, "1" for a ratio and "share" for one of at most 1. `null` says where the
    field holds nothing; empty, it always holds something. `several` are a list. `type` is that of a column.
    """

    name: str
    unit: str
    meaning: str
    null: str = ""
    several: bool = attrs.field(default=False, kw_only=True)
    type: str = attrs.field(default="", kw_only=True)

    @property
    def is_number(self) -> bool:
        """Whether it holds one number."""
        return bool(self.unit) and not self.several

    def covers(self, name: str) -> bool:
        """Return whether this is the entry of `name`, a name as it is written."""
        return _pattern(self.name).fullmatch(name) is not None

    def spelled(self) -> list[str]:
        """Return the name with, for each placeholder, each of what it stands for."""
        names = [""]
        for part in self.name.split("."):
            head, mark, tail = part.partition("<")
            mark, end, tail = (mark + tail).partition(">")
            written = [f"{head}{word}{tail}" for word in PLACEHOLDERS.get(mark + end, (mark + end,))]
            names = [f"{name}.{part}" if name else part for name in names for part in written]
        return names


@cache
def _pattern(name: str) -> re.Pattern[str]:
    def words(mark: re.Match[str]) -> str:
        any_part = ".+" if mark[0] == REST else "[^.]*"
        return f"({'|'.join(PLACEHOLDERS[mark[0]])})" if mark[0] in PLACEHOLDERS else any_part

    return re.compile(re.sub(r"<\w+>", words, re.escape(name)), re.DOTALL)


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted name and value of all that a summary holds; lists of numbers or words are values."""
    inner: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        inner = enumerate(value)
    if not inner:
        yield name, value
    for key, entry in inner:
        yield from leaves(entry, f"{name}.{key}" if name else str(key))


def _declared() -> dict[str, tuple[Field, ...]]:
    """Return the fields of each table by its name."""
    declared: dict[str, list[Field]] = {}
    with Path(__file__).with_suffix(".tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""):
            table, several = row.pop("table"), bool(row.pop("several"))
            declared.setdefault(table, []).append(Field(**row, several=several))
    return {table: tuple(fields) for table, fields in declared.items()}


TYPES = {f"{kind} of names": pa.dictionary(kind, pa.string()) for kind in ("int8", "int32")}
"""Types of columns that Arrow has no word for."""

TABLES = _declared()
"""The fields of each Parquet file, by its name without the ending."""

SUMMARY = TABLES.pop("summary")
SWEEP = TABLES.pop("sweep")
"""What `sweep.parquet` has a row a run of."""

TIMESERIES = TABLES["timeseries"]
TABLES["timeseries_by_stream"] = (
    *TIMESERIES[:2],
    *TABLES["timeseries_by_stream"],
    *(field for field in TIMESERIES if field.name in ("reads", "writes", "iops", "bandwidth_mib_s")),
    *(field for field in TIMESERIES if field.name.endswith("_us")),
)
TABLES["timeseries_by_channel"] = (TIMESERIES[0], *TABLES["timeseries_by_channel"])


def schema(table: str) -> pa.Schema:
    """Return the columns of a table with, in the metadata of each, its description, unit and null."""
    return pa.schema(
        pa.field(name, TYPES.get(field.type) or pa.type_for_alias(field.type), metadata=metadata(field))
        for field in TABLES[table]
        for name in field.spelled()
    )


def metadata(entry: Field) -> Mapping[str, str]:
    """Return the metadata that a column of a Parquet file has on the field that it holds."""
    facts = {"description": entry.meaning, "unit": entry.unit, "null": entry.null}
    return {key: text for key, text in facts.items() if text}
