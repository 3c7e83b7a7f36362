"""All numbers of the papers that are values, not bounds: ours over the paper's, a dot a claim."""

import re
from pathlib import Path

from docs.stored import FILES, claims

from .canvas import GREEN, GREY, INK, Canvas

BOUNDS = ("at ", "more ", "less ")

LEAST, MOST = -1.0, 3.0
"""Ratios that are drawn; a triangle at the edge stands for one beyond."""

TITLES = {"pa_ssd": "PA-SSD", "spd": "SPD", "tbm": "TBM", "pcftl": "PCFTL", "flexftl": "flexFTL"}


def ratios(file: Path) -> list[float]:
    """Return ours over the paper's for each claim of a value other than 0."""
    pairs = [(_value(ours), paper) for _, ours, _, paper, _ in claims(file) if not paper.startswith(BOUNDS)]
    return [ours / _value(paper) for ours, paper in pairs if _value(paper)]


def _value(text: str) -> float:
    """Return the number that a cell begins with, without its unit."""
    return float(re.match(r"-?[\d.,]+(?:e-?\d+)?", text)[0].replace(",", ""))


def claims_of_papers() -> str:
    """Return the picture: a row a paper, and the band within which a number agrees."""
    canvas = Canvas(90, 38)
    axes = canvas.figure.add_axes((0.1, 0.17, 0.87, 0.8), facecolor="#ffffff", xlim=(LEAST - 0.15, MOST + 0.15))
    axes.axvspan(2 / 3, 4 / 3, color=GREEN)
    axes.axvline(1, color=INK, linewidth=0.8)
    axes.axvline(0, color=GREY, linewidth=0.8)
    found = {file.stem: ratios(file) for file in FILES}
    for row, name in enumerate(reversed(TITLES)):
        for place, ratio in enumerate(sorted(found[name])):
            marker = "<" if ratio < LEAST else ">" if ratio > MOST else "o"
            shown = min(max(ratio, LEAST), MOST)
            axes.plot(shown, row + (place % 5 - 2) * 0.13, marker, color=INK, markersize=4, alpha=0.6)
    axes.set_yticks(range(len(TITLES)), reversed(TITLES.values()))
    axes.set_xlabel("Ours over the paper's (shaded: within a third of it)")
    return canvas.svg()
