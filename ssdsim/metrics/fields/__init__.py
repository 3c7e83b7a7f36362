"""Every field of `summary.json` and every column of the tables: its unit, its meaning, and where it is null.

`python -m experiments --fields` prints them, and the Parquet files carry those of their columns. A new field has its
line in `fields.tsv`, among those of its table and part.
"""

from ssdsim.metrics.fields.field import PLACEHOLDERS, Field, leaves
from ssdsim.metrics.fields.tables import SUMMARY, SWEEP, TABLES, described, metadata

__all__ = ["PLACEHOLDERS", "SUMMARY", "SWEEP", "TABLES", "Field", "described", "leaves", "metadata"]
