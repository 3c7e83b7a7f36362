"""Tails of a data-centre drive with and without paced collection, by load: `python -m docs.pictures.paced` measures."""

import csv
from itertools import product
from pathlib import Path

from ssdsim import preset, simulate

from .canvas import Canvas

FILE = Path(__file__).parents[1] / "data" / "paced.csv"
DEPTHS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Requests that are kept in the device: the load."""
PERCENTILES = {"p50": ":", "p99_9": "--", "p99_99": "-"}
"""Those drawn, and their lines."""
LOAD = {"workload.requests": 200_000, "workload.read_share": 0.7, "workload.size_kib": 4, "precondition": "steady_state"}


def measured() -> None:
    """Measure 70 percent reads of 4 KiB at random places in their steady state, one seed, and store it."""
    with FILE.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("depth", "paced", "op", *PERCENTILES, "iops", "write_amplification"))
        for depth, paced in product(DEPTHS, (False, True)):
            changes = {"workload.queue_depth": depth, "ftl.gc.paced": paced}
            drive = preset("modern", hardware="tlc_data_centre", workload="synthetic", **LOAD, **changes)
            summary = simulate(drive).summary
            for op in ("read", "write"):
                response_us = summary["requests"][op]["response_us"]
                times = [f"{response_us[percentile]:.4g}" for percentile in PERCENTILES]
                whole = f"{summary['iops']:.0f}", f"{summary['write_amplification']:.2f}"
                rows.writerow((depth, str(paced).lower(), op, *times, *whole))


def paced_collection() -> str:
    """Return the picture: response times of reads and writes over the queue depth."""
    with FILE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    canvas = Canvas(100, 44)
    for left, op in ((0.08, "read"), (0.57, "write")):
        axes = canvas.figure.add_axes((left, 0.14, 0.4, 0.76), facecolor="#ffffff")
        for paced, colour, told in (("false", "C0", "as it must"), ("true", "C1", "paced")):
            line = [row for row in rows if (row["op"], row["paced"]) == (op, paced)]
            for percentile, style in PERCENTILES.items():
                times = [float(row[percentile]) / 1000 for row in line]
                label = f"{told}, {percentile.replace('_', '.')}"
                axes.plot([int(row["depth"]) for row in line], times, style, color=colour, label=label)
        axes.set(title=op, xscale="log", yscale="log", xlabel="Requests kept in the device", ylabel="Response time, ms")
        axes.set_xticks(DEPTHS, [str(depth) for depth in DEPTHS])
        axes.minorticks_off()
    axes.legend(fontsize=8)
    return canvas.svg()


if __name__ == "__main__":
    measured()
