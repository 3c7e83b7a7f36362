"""The pictures of the paper's figures, drawn from the rows that also make the CSV files."""

from collections.abc import Sequence
from pathlib import Path

from ssdsim.report.hues import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION
from ssdsim.report.markdown import Row

from ...study.charts import colours, finish, grouped_bars, logarithmic, panels, row_bars, save
from .systems import SYSTEMS

COLOUR = colours([*SYSTEMS])
HUES = [BLACK, SKY, ORANGE, GREEN, VERMILION, BLUE, PURPLE]


def by_setting(title: str, key: str, rows: Sequence[Row], path: Path) -> None:
    """Draw response time and SDWPP of every workload by a setting, in column `key`; a panel each."""
    workloads = list(dict.fromkeys(row["workload"] for row in rows))
    figure, axes = panels(2, len(workloads), width=max(2.4 * len(workloads), 5), height=2.6)
    for measure, row_of_panels in zip(("response ms", "SDWPP"), axes, strict=True):
        for name, panel in zip(workloads, row_of_panels, strict=True):
            settings = [row for row in rows if row["workload"] == name]
            series = {system: [row[f"{measure}, {system}"] for row in settings] for system in SYSTEMS}
            grouped_bars(panel, [f"{row[key]}" for row in settings], series, COLOUR)
            known = [value for values in series.values() for value in values if value]
            if known and max(known) > 50 * min(known):
                logarithmic(panel)
            finish(panel, name, key, measure if name == workloads[0] else "")
    figure.suptitle(title, fontsize=10, x=0.01, ha="left")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="upper right", frameon=False, fontsize=8, ncols=3)
    save(figure, path)


def bars(title: str, label: str, rows: Sequence[Row], path: Path) -> None:
    """Draw a bar for each column of each row."""
    row_bars(title, label, rows, path, colours([*rows[0]][1:]), legend=3)


def fig13(rows: Sequence[Row], path: Path) -> None:
    """Draw wasted pages and valid pages in victims, a panel each."""
    figure, axes = panels(1, 2, width=11)
    for panel, (key, title) in zip(
        axes[0], {"wasted %": "Wasted pages of all", "valid %": "Valid pages in a victim"}.items(), strict=True
    ):
        names = [str(row["workload"]).replace(" (", "\n(") for row in rows]
        panel.bar(range(len(rows)), [row[key] for row in rows], 0.7, color=COLOUR["PCFTL"])
        panel.set_xticks(range(len(rows)), names)
        finish(panel, f"{title}, PCFTL (Fig. 13)", "", "percent")
    save(figure, path)


def by_cache(title: str, rows: Sequence[Row], path: Path) -> None:
    """Draw a line for each workload over the sizes of the cache."""
    figure, axes = panels(1, 1, width=10)
    panel = axes[0, 0]
    sizes = [key for key in rows[0] if key != "workload"]
    for hue, row in zip(HUES, rows, strict=False):
        panel.plot(
            range(len(sizes)), [row[size] for size in sizes], "o-", color=hue, markersize=4, label=row["workload"]
        )
    panel.set_xticks(range(len(sizes)), sizes)
    finish(panel, title, "write cache", "over that with 0.25 MiB", legend=7)
    save(figure, path)
