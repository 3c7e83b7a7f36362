"""Every field of `summary.json` and every column of the tables: its unit, its meaning, and where it is null.

`ssdsim fields` prints them, and the Parquet files carry those of their columns. A new field has its
line in `fields.tsv`, among those of its table and part.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa

from ssdsim._core.codes import REQUESTS, SOURCES
from ssdsim.host.request import OUTER_PARTS, PARTS
from ssdsim.metrics.blame import CAUSES

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "<op>": ("read", "write"),
    "<request>": REQUESTS,
    "<served>": ("requests", "streams.<stream>"),
    "<statistic>": ("mean", "std", "p50", "p95", "p99", "p99_9", "p99_99", "max"),
    "<part>": (*PARTS, *OUTER_PARTS),
    "<cause>": CAUSES,
    "<source>": SOURCES,
    "<type>": ("lsb", "csb", "msb", "tsb"),
    "<load>": ("workload", "workloads.<stream>"),
}
"""Placeholders in names, and the parts that they stand for. One that is not here stands for any part, `<field>` for the
rest of a name, and `{a,b}` for each of these."""

TYPES = {f"{kind} of names": pa.dictionary(kind, pa.string()) for kind in ("int8", "int32")}
"""Types of columns that Arrow has no word for."""


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
    several: bool = attrs.field(default=False, kw_only=True, converter=bool)
    type: str = attrs.field(default="", kw_only=True)

    def covers(self, name: str) -> bool:
        """Return whether this is the entry of `name`, a name as it is written."""
        return any(_pattern(spelled).fullmatch(name) for spelled in self.spelled())

    def spelled(self) -> list[str]:
        """Return the name with, for each placeholder, each of what it stands for."""
        return _spelled(self.name)


@cache
def _spelled(name: str) -> list[str]:
    parts = (
        part[1:-1].split(",") if part.startswith("{") else PLACEHOLDERS.get(part, (part,))
        for part in re.split(r"(<\w+>|{[^}]+})", name)
    )
    return ["".join(words) for words in product(*parts)]


@cache
def _pattern(spelled: str) -> re.Pattern[str]:
    any_rest = re.escape(spelled).replace("<field>", ".+")
    return re.compile(re.sub(r"<\w+>", "[^.]*", any_rest), re.DOTALL)


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted name and value of all that a summary holds; lists of numbers or words are values."""
    if isinstance(value, dict) or (isinstance(value, list) and (not value or isinstance(value[0], dict))):
        inner: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in inner:
            yield from leaves(entry, f"{name}.{key}".removeprefix("."))
    else:
        yield name, value


def _declared() -> dict[str, tuple[Field, ...]]:
    """Return the fields of each table by its name."""
    declared: dict[str, tuple[Field, ...]] = {}
    with Path(__file__).with_suffix(".tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""):
            for table in row.pop("table").split():  # a column may be of several
                declared[table] = (*declared.get(table, ()), Field(**row))
    return declared


TABLES = _declared()
"""The fields of each Parquet file, by its name without the ending."""

SUMMARY = TABLES.pop("summary")


def schema(table: str) -> pa.Schema:
    """Return the columns of a table with, in the metadata of each, its description, unit and null."""
    columns = []
    for field in TABLES[table]:
        kind = TYPES.get(field.type) or pa.type_for_alias(field.type)
        facts = {"description": field.meaning, "unit": field.unit, "null": field.null}
        metadata = {key: text for key, text in facts.items() if text}
        columns += [pa.field(name, kind, metadata=metadata) for name in field.spelled()]
    return pa.schema(columns)
