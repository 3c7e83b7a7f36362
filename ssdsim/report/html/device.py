"""Maps of the device: how busy its dies were, and how its planes were written and worn."""

from collections.abc import Sequence

import altair as alt
import pyarrow as pa

from ssdsim.config import HardwareConfig
from ssdsim.report.html.figures import shown
from ssdsim.report.html.page import Chart
from ssdsim.report.html.theme import entry, finished, heat, in_columns, in_rows

MOST_CELLS = 2048
"""Of a map; of larger devices neighbours are told together, by their mean."""

PLANES = {
    "erases": ("Wear by plane", "erases"),
    "programs": ("Pages written by plane", "pages"),
}
"""Columns of the table of planes that are drawn, with the titles of chart and legend."""


def die_map(utilization: Sequence[float], hardware: HardwareConfig) -> Chart | None:
    """Return the map of how busy each die was, channel by die; None without flash timing."""
    if not utilization:
        return None
    meaning, place = entry("utilization.die").meaning, "die of the channel"
    return _map("dies", "Busy dies", meaning, "share of the time", utilization, hardware.channels, place)


def plane_maps(planes: pa.Table, hardware: HardwareConfig) -> list[Chart]:
    """Return the maps of erases, and of pages written, by plane, those that are known."""
    known = {column: titles for column, titles in PLANES.items() if planes.num_rows and not planes[column].null_count}
    place = "plane of the channel, die by die"
    return [
        _map(
            *(f"planes-{column}", title, entry(column, "planes").meaning, axis),
            *(planes[column].to_pylist(), hardware.channels, place),
        )
        for column, (title, axis) in known.items()
    ]


def _map(name: str, title: str, meaning: str, axis: str, values: Sequence[float], channels: int, place: str) -> Chart:
    """Return a map of values in the order of their numbers, a row a channel."""
    in_row = len(values) // channels
    # the fewest that divide a row: every cell is the mean of as many
    together = next(
        n for n in range(1, in_row + 1) if in_row % n == 0 and (len(values) // n <= MOST_CELLS or n == in_row)
    )
    cells = [sum(values[first : first + together]) / together for first in range(0, len(values), together)]
    row = in_row // together
    rows = [(index // row, index % row * together, cell) for index, cell in enumerate(cells)]
    facts = f"Least {shown(min(values))}, mean {shown(sum(values) / len(values))}, most {shown(max(values))}."
    caption = f"{meaning} {facts}" + f" Of {together} neighbours the mean is shown." * (together > 1)
    drawn = in_rows(name, channels, 22).mark_rect()
    drawn = drawn.encode(
        x=alt.X("place:O", title=place, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        y=alt.Y("channel:O", title="channel"),
        color=heat("value:Q", axis, max(cells) or 1),  # 1, if nothing was written at all
        tooltip=[
            alt.Tooltip("channel:O", title="channel"),
            alt.Tooltip("place:O", title=place.partition(",")[0]),
            alt.Tooltip("value:Q", title=axis, format=",.3~f"),
        ],
    )
    return Chart(name, title, caption, finished(drawn), in_columns(rows, "channel", "place", "value"))
