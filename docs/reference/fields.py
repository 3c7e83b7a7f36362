"""The page of all fields of `summary.json` and columns of the tables."""

from collections.abc import Iterator

from ssdsim.command.help import FILES
from ssdsim.metrics.fields import PLACEHOLDERS

from .keys import cell

HEAD = """\
# Fields of the results

What each field of `summary.json` and each column of the Parquet files means, its unit, and where it is null.
`python -m experiments fields` says the same. A unit of 1 is a ratio, share one of at most 1.
"""


def fields() -> str:
    """Return the page."""
    return "\n".join([HEAD, *_files(), *_placeholders()])


def _files() -> Iterator[str]:
    for file, of in FILES.items():
        yield f"## {file}\n\n| field | unit | meaning |\n| --- | --- | --- |"
        for field in of:
            null = f" Null: {field.null}." if field.null else ""
            yield f"| `{field.name}` | {field.unit} | {cell(field.meaning + null)} |"
        yield ""


def _placeholders() -> Iterator[str]:
    yield "## Placeholders in names\n\n| placeholder | stands for |\n| --- | --- |"
    yield from (f"| `{mark}` | {', '.join(f'`{each}`' for each in of)} |" for mark, of in PLACEHOLDERS.items())
