"""Tails of a data-centre drive with and without paced collection, by load: `python -m docs.paced` stores them."""

import csv
from itertools import product
from pathlib import Path

from ssdsim import preset, simulate

FILE = Path(__file__).parent / "data" / "paced.csv"
DEPTHS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Requests that are kept in the device: the load."""
PERCENTILES = ("p50", "p99_9", "p99_99")
LOAD = {"workload.requests": 200_000, "workload.read_share": 0.7, "workload.size_kib": 4}


def measured() -> None:
    """Measure 70 percent reads of 4 KiB at random places in their steady state, one seed, and store it."""
    with FILE.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("depth", "paced", "op", *PERCENTILES, "iops", "write_amplification"))
        for depth, paced in product(DEPTHS, (False, True)):
            changes = {"workload.queue_depth": depth, "ftl.gc.paced": paced}
            drive = preset(
                "modern",
                hardware="tlc_data_centre",
                workload="synthetic",
                precondition="steady_state",
                **LOAD,
                **changes,
            )
            summary = simulate(drive).summary
            for op in ("read", "write"):
                response_us = summary["requests"][op]["response_us"]
                times = [f"{response_us[percentile]:.4g}" for percentile in PERCENTILES]
                whole = f"{summary['iops']:.0f}", f"{summary['write_amplification']:.2f}"
                rows.writerow((depth, str(paced).lower(), op, *times, *whole))


if __name__ == "__main__":
    measured()
