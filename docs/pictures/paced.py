"""Tails of a data-centre drive with and without paced collection, by load, as `docs/paced.py` has measured them."""

import csv

from ..paced import DEPTHS, FILE, PERCENTILES
from .canvas import Canvas

LINES = dict(zip(PERCENTILES, (":", "--", "-"), strict=True))


def paced_collection() -> str:
    """Return the picture: response times of reads and writes over the queue depth."""
    with FILE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    canvas = Canvas(100, 44)
    for left, op in ((0.08, "read"), (0.57, "write")):
        axes = canvas.figure.add_axes((left, 0.14, 0.4, 0.76), facecolor="#ffffff")
        for paced, colour, told in (("false", "C0", "as it must"), ("true", "C1", "paced")):
            line = [row for row in rows if (row["op"], row["paced"]) == (op, paced)]
            for percentile, style in LINES.items():
                times = [float(row[percentile]) / 1000 for row in line]
                label = f"{told}, {percentile.replace('_', '.')}"
                axes.plot([int(row["depth"]) for row in line], times, style, color=colour, label=label)
        axes.set(title=op, xscale="log", yscale="log", xlabel="Requests kept in the device", ylabel="Response time, ms")
        axes.set_xticks(DEPTHS, [str(depth) for depth in DEPTHS])
        axes.minorticks_off()
    axes.legend(fontsize=8)
    return canvas.svg()
