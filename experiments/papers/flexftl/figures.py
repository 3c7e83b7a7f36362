"""The pictures of the paper's figures, drawn from the rows that also make the CSV files."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

from ssdsim.metrics.result import Result

from ...study.charts import colours, finish, panels, row_bars, save
from .commands import distribution
from .systems import BASE, OURS, SYSTEMS

COLOUR = colours([*SYSTEMS])
bars = partial(row_bars, colour=COLOUR, legend=4, base=BASE)


def fig8c(bandwidth: Mapping[str, np.ndarray], path: Path) -> None:
    """Draw the distribution of write bandwidth, a line a system."""
    figure, axes = panels(1, 1, width=7, height=3.8)
    for name, values in bandwidth.items():
        bandwidths, share = distribution(values)
        axes[0, 0].step(bandwidths, share, where="post", color=COLOUR[name], linewidth=1.6, label=name)
    axes[0, 0].set_xlim(left=0)
    axes[0, 0].set_ylim(0, 1)
    finish(axes[0, 0], "Write bandwidth of the flash under Varmail (Fig. 8c)", "MiB/s", "share of windows", legend=4)
    save(figure, path)


def quota(results: Mapping[str, Result], initial: int, path: Path) -> None:
    """Draw q and u of flexFTL over time, a row a workload."""
    figure, axes = panels(len(results), 2, height=1.9)
    for place, (row, (name, result)) in enumerate(zip(axes, results.items(), strict=True)):
        series = result.timeseries
        time_s = series["time_s"].to_numpy() + series["window_s"].to_numpy()
        row[0].plot(time_s, series["lsb_quota"].to_numpy() / initial, color=COLOUR[OURS], linewidth=0.8)
        row[0].axhline(0, color=COLOUR[BASE], linewidth=0.8)
        row[1].plot(time_s, series["buffer_utilization"].to_numpy(), ".", color=COLOUR[OURS], markersize=2)
        row[1].set_ylim(0, 1.05)
        last = place == len(axes) - 1
        finish(row[0], f"{name}: quota q", "s" if last else "", "of the initial one")
        finish(row[1], f"{name}: buffer utilization u", "s" if last else "", "")
    save(figure, path)
