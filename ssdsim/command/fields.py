"""Explain the fields of the results: their units, meanings, and where they are null.

Those are shown whose names have all of the words in them, or else whose meanings have; without words, all.
"""

from collections.abc import Callable, Sequence

from ssdsim.config import nearest
from ssdsim.errors import ConfigError
from ssdsim.metrics.fields import PLACEHOLDERS, SUMMARY, SWEEP, TABLES, Field
from ssdsim.report.text import TextTable, filled

from . import failures, parser

FILES = {"summary.json": SUMMARY} | {
    f"{name}.parquet": columns for name, columns in (TABLES | {"sweep": SWEEP}).items()
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the fields and return 0, or 2 if no field is meant."""
    options = parser("fields", __doc__)
    options.add_argument("words", nargs="*", metavar="WORD", help="of a name, as gc.collections, or of a meaning")
    given = options.parse_args(arguments)
    return failures.guarded(lambda: show(given.words))


def show(words: Sequence[str]) -> int:
    """Print the fields whose names have all of the words in them, all fields without any, and return 0.

    A name may be given as it is written or as it stands here. Where no name matches, meanings do. Raise `ConfigError`
    where these do not either.
    """
    wanted = [word.lower() for word in words]
    matching = _matching(lambda field: [field.name, *field.spelled()], wanted) or _exact(words)
    matching = matching or _matching(lambda field: [field.meaning, field.null], wanted)
    if not matching:
        names = {field.name for fields in FILES.values() for field in fields}
        parts = sorted({part for name in names for part in name.split(".")} | names)
        raise ConfigError(f"fields {' '.join(words)}: no field is called so{nearest(' '.join(words), parts)}.")
    for file, fields in matching.items():
        print(_table(file, fields))
    return 0


def _matching(texts: Callable[[Field], list[str]], wanted: list[str]) -> dict[str, list[Field]]:
    matching = {
        file: [field for field in fields if any(all(word in text.lower() for word in wanted) for text in texts(field))]
        for file, fields in FILES.items()
    }
    return {file: fields for file, fields in matching.items() if fields}


def _exact(names: Sequence[str]) -> dict[str, list[Field]]:
    """Return the first entry that covers each name, which may have parts that are anyone's to choose."""
    firsts = [next((field for field in SUMMARY if field.covers(name)), None) for name in names]
    fields = [field for field in firsts if field is not None]
    return {"summary.json": fields} if fields else {}


def _table(file: str, fields: Sequence[Field]) -> str:
    table = TextTable(file, "unit", "meaning")
    for field in fields:
        null = f" Null: {field.null}." if field.null else ""
        table.add_row(field.name, field.unit, f"{field.meaning}{null}")
    used = [mark for mark in PLACEHOLDERS if any(mark in field.name for field in fields)]
    return "\n".join([str(table), *(filled(f"{mark}: {', '.join(PLACEHOLDERS[mark])}") for mark in used)])
