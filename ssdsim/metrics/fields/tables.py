"""The fields of `summary.json`, in its order, and the columns of the tables beside it, as `fields.tsv` has them."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from ssdsim.metrics.fields.field import Field


def _declared() -> dict[str, tuple[Field, ...]]:
    """Return the fields of each table by its name."""
    declared: dict[str, list[Field]] = {}
    with Path(__file__).with_name("fields.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""):
            table, several = row.pop("table"), bool(row.pop("several"))
            declared.setdefault(table, []).append(Field(**row, several=several))
    return {table: tuple(fields) for table, fields in declared.items()}


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


def described(name: str, schema: pa.Schema) -> pa.Schema:
    """Return the schema of table `name` with, in the metadata of each field, its description, unit and null."""

    def with_metadata(column: pa.Field) -> pa.Field:
        entry = next((field for field in TABLES[name] if field.covers(column.name)), None)
        return column if entry is None else column.with_metadata(metadata(entry))

    return pa.schema(map(with_metadata, schema))


def metadata(entry: Field) -> Mapping[str, str]:
    """Return the metadata that a column of a Parquet file has on the field that it holds."""
    facts = {"description": entry.meaning, "unit": entry.unit, "null": entry.null}
    return {key: text for key, text in facts.items() if text}
