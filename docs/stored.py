"""What is stored of the papers' experiments: the claims in `experiments/papers/*/RESULTS.md`."""

from collections.abc import Iterable
from pathlib import Path

from experiments.study.claims import HEADER
from experiments.study.claims import counted as told

FILES = sorted((Path(__file__).parents[1] / "experiments" / "papers").glob("*/RESULTS.md"))
TRIVIAL = ", trivial"
VERDICTS = ("agrees", "open", "beyond the bound", "other direction", "off by more than a third")

Claim = tuple[str, ...]
"""Claim, ours, its interval, the paper's number, verdict."""


def claims(text: str) -> list[Claim]:
    """Return the claims in the tables of `text` once each, those that were not measured aside."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    cells = [_of_page(row) for row in rows if len(row) in (5, len(HEADER))]
    return list(dict.fromkeys(row for row in cells if row[4].removesuffix(TRIVIAL).strip("*") in VERDICTS))


def _of_page(row: list[str]) -> Claim:
    """Return the cells that a table on a page has of a row."""
    if len(row) == 5:
        return tuple(row)
    _, what, _, ours, interval, paper, _, verdict = row
    return what, ours, interval, paper, verdict


def counted(files: Iterable[Path]) -> str:
    """Return the sentence that says how many of the claims in `files` agree."""
    known = [verdict for path in files for *_, verdict in claims(path.read_text(encoding="utf-8"))]
    return told((verdict.removesuffix(TRIVIAL) == "agrees", verdict.endswith(TRIVIAL)) for verdict in known)
