"""Explain the fields of the results: their units, meanings, and where they are null.

Those are shown whose names have all of the words in them, or else whose meanings have; without words, all.
"""

from collections.abc import Sequence

from ssdsim.config import nearest
from ssdsim.errors import ConfigError
from ssdsim.metrics.fields import PLACEHOLDERS, SUMMARY, TABLES, Field
from ssdsim.report.text import TextTable, filled

from . import parser

FILES = {"summary.json": SUMMARY} | {f"{name}.parquet": columns for name, columns in TABLES.items()}


def main(arguments: Sequence[str]) -> int:
    """Print the fields and return 0, or 2 if no field is meant."""
    options = parser("fields", __doc__)
    options.add_argument("words", nargs="*", metavar="WORD", help="of a name, as gc.collections, or of a meaning")
    words = options.parse_args(arguments).words
    asked = " ".join(words)
    every = [(file, field) for file, fields in FILES.items() for field in fields]
    by_name = [(file, field) for file, field in every if _has(words, field.name, *field.spelled())]
    covering = [("summary.json", field) for field in SUMMARY if field.covers(asked)][:1]
    by_meaning = [(file, field) for file, field in every if _has(words, field.meaning, field.null)]
    shown = by_name or covering or by_meaning
    if not shown:
        names = {part for _, field in every for part in (field.name, *field.name.split("."))}
        raise ConfigError(f"fields {asked}: no field is called so{nearest(asked, sorted(names))}.")
    for file in dict.fromkeys(file for file, _ in shown):
        print(_table(file, [field for place, field in shown if place == file]))
    return 0


def _has(words: Sequence[str], *texts: str) -> bool:
    """Return whether one of the texts has all words."""
    return any(all(word.lower() in text.lower() for word in words) for text in texts)


def _table(file: str, fields: Sequence[Field]) -> str:
    nulls = {field.name: f" Null: {field.null}." if field.null else "" for field in fields}
    rows = [[field.name, field.unit, field.meaning + nulls[field.name]] for field in fields]
    marks = [mark for mark in PLACEHOLDERS if any(mark in field.name for field in fields)]
    table = TextTable(file, "unit", "meaning", rows=rows)
    return "\n".join([str(table), *(filled(f"{mark}: {', '.join(PLACEHOLDERS[mark])}") for mark in marks)])
