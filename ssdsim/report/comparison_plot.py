"""The picture of a comparison: a panel a field, a bar a system, whiskers for its interval. Needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ssdsim.metrics.confidence import across
from ssdsim.report.comparison import Comparison
from ssdsim.report.hues import BARS
from ssdsim.report.style import panels_of


def comparison(comparisons: Sequence[Comparison], path: str | Path) -> None:
    """Write the picture of all fields to `path`, in the format of its suffix."""
    fields = list(dict.fromkeys(cell.field for cell in comparisons))
    systems = list(dict.fromkeys(cell.system for cell in comparisons))
    workloads = list(dict.fromkeys(cell.workload for cell in comparisons))
    width = max(3.4, 0.3 * len(systems) * len(workloads) + 1)  # inches: room for every bar
    figure, panels = panels_of(len(fields), width, 2.8, 0.6)
    for panel, field in zip(panels, fields, strict=True):
        _panel(panel, field, [cell for cell in comparisons if cell.field == field], systems, workloads)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper left", ncols=min(4, len(systems)), frameon=False, fontsize=8)
    figure.savefig(path)


def _panel(
    axes: Axes, field: str, cells: Sequence[Comparison], systems: Sequence[str], workloads: Sequence[str]
) -> None:
    by_place = {(cell.workload, cell.system): cell for cell in cells}
    width = 0.84 / len(systems)  # of a workload's width, the rest is the gap to the next
    for index, system in enumerate(systems):
        shown = [by_place.get((workload, system)) for workload in workloads]
        middles = [np.nan if cell is None else cell.mean for cell in shown]
        intervals = [cell and across(cell.values) for cell in shown]
        halves = [(interval[1] - interval[0]) / 2 if interval else 0.0 for interval in intervals]
        # bars stand side by side, centred on their workload
        places = np.arange(len(workloads)) + (index - (len(systems) - 1) / 2) * width
        style: dict[str, Any] = {"color": BARS[index % len(BARS)], "label": system}
        if any(halves):
            style |= {"yerr": halves, "error_kw": {"capsize": 2, "elinewidth": 0.8}}
        axes.bar(places, middles, width * 0.92, **style)
    axes.set_title(field, loc="left", fontsize=9)
    axes.set_xticks(range(len(workloads)), workloads if len(workloads) > 1 else [""])
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)  # bars lie over the grid
