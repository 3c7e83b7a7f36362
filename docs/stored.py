"""What is stored of the papers' experiments: the claims in `experiments/papers/*/RESULTS.md`."""

from pathlib import Path

FILES = sorted((Path(__file__).parents[1] / "experiments" / "papers").glob("*/RESULTS.md"))
VERDICTS = ("agrees", "open", "beyond the bound", "other direction", "off by more than a third")

Claim = tuple[str, ...]
"""Claim, ours, its interval, the paper's number, verdict."""


def claims(text: str) -> list[Claim]:
    """Return the claims in the tables of `text` once each, those that were not measured aside."""
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in text.splitlines() if line[:1] == "|"]
    return list(dict.fromkeys(row[:5] for row in rows if len(row) >= 5 and row[4].strip("*") in VERDICTS))
