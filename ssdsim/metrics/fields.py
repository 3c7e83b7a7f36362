"""Every field of `summary.json` and every column of the tables: its unit, its meaning, and where it is null.

`ssdsim fields` prints them, and the Parquet files carry those of their columns. A new field has its
line in `fields.tsv`, among those of its table and part.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa

from ssdsim._core.codes import REQUESTS, SOURCES
from ssdsim.metrics.blame import CAUSES

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "<op>": ("read", "write"),
    "<request>": REQUESTS,
    "<statistic>": ("mean", "std", "p50", "p95", "p99", "p99_9", "p99_99", "max"),
    "<timed>": ("p50", "p99", "p99_9"),
    "<slowest>": ("slowest_1_percent", "slowest_0_1_percent"),
    "<part>": ("queue", "bus", "array", "gc", "urgent_gc", "mapping", "buffer", "link", "processor"),
    "<cause>": CAUSES,
    "<operation>": ("reads", "programs", "erases", "copybacks"),
    "<source>": SOURCES,
    "<stopped>": ("programs", "erases"),
    "<flashed>": ("programs", "programs_joined", "reads", "reads_joined"),
    "<requests>": ("reads", "writes", "trims", "flushes"),
    "<fio>": ("job", "clone", "stage", "group", "grouped"),
    "<joined>": ("write", "read", "erase"),
    "<case>": ("single", "mixed", "unaligned", "parallel"),
    "<cost>": ("read", "write", "erase", "transfer"),
    "<speed>": ("fast", "medium", "slow"),
    "<type>": ("lsb", "csb", "msb", "tsb"),
    "<merge>": ("switch", "partial", "full"),
    "<spread>": ("mean", "std", "max"),
    "<place>": ("channel", "chip", "die", "plane", "block", "page"),
}
"""What stands for several parts of a name, with what it stands for; one that is not here stands for any part."""

REST = "<field>"
"""Stands for the rest of a name."""

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
        parts = re.split(r"(<\w+>)", self.name)
        return ["".join(words) for words in product(*(PLACEHOLDERS.get(part, (part,)) for part in parts))]


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
        yield from leaves(entry, f"{name}.{key}".removeprefix("."))


def _declared() -> dict[str, tuple[Field, ...]]:
    """Return the fields of each table by its name."""
    declared: dict[str, tuple[Field, ...]] = {}
    with Path(__file__).with_suffix(".tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""):
            tables, several = row.pop("table").split(), bool(row.pop("several"))
            for table in tables:  # a column may be of several
                declared[table] = (*declared.get(table, ()), Field(**row, several=several))
    return declared


TABLES = _declared()
"""The fields of each Parquet file, by its name without the ending."""

SUMMARY = TABLES.pop("summary")
SWEEP = TABLES.pop("sweep")
"""What `sweep.parquet` has a row a run of."""


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
