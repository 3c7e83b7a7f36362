"""Maps of the device: how busy its dies were, and how its planes were written and worn."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pyarrow as pa

from ssdsim.config import HardwareConfig
from ssdsim.report.html.figures import shown
from ssdsim.report.html.page import Chart, Columns
from ssdsim.report.html.theme import HEAT, entry, finished, in_rows

MOST_CELLS = 2048
"""Of a map; of larger devices neighbours are told together, by their mean."""

Map = tuple[Chart, Columns]


def die_map(utilization: Sequence[float], hardware: HardwareConfig) -> Map | None:
    """Return the map of how busy each die was, channel by die; None without flash timing."""
    if not utilization:
        return None
    return _map("dies", "Busy dies", "share of the time", utilization, hardware.channels, "die of the channel", "die")


def plane_maps(planes: pa.Table, hardware: HardwareConfig) -> list[Map]:
    """Return the maps of erases, and of pages written, by plane, those that are known."""
    maps = []
    for column, title, axis in (("erases", "Wear", "erases"), ("programs", "Pages written", "pages")):
        if planes[column].null_count or not planes.num_rows:
            continue
        values, place = planes[column].to_pylist(), "plane of the channel, die by die"
        drawn = _map(f"planes-{column}", f"{title} by plane", axis, values, hardware.channels, place, "plane")
        maps.append(drawn)
    return maps


def _map(name: str, title: str, axis: str, values: Sequence[float], channels: int, place: str, what: str) -> Map:
    """Return a map of values in the order of their numbers, a row a channel."""
    in_row = len(values) // channels
    # the fewest that divide a row: every cell is the mean of as many
    together = next(
        n for n in range(1, in_row + 1) if in_row % n == 0 and (len(values) // n <= MOST_CELLS or n == in_row)
    )
    cells = [sum(values[first : first + together]) / together for first in range(0, len(values), together)]
    row = in_row // together
    columns: dict[str, list[Any]] = {
        "channel": [index // row for index in range(len(cells))],
        "place": [index % row * together for index in range(len(cells))],
        "value": cells,
    }
    mean = sum(values) / len(values)
    facts = f"Least {shown(min(values))}, mean {shown(mean)}, most {shown(max(values))}."
    caption = f"{_MEANING[name]} {facts}" + f" Of {together} neighbours the mean is shown." * (together > 1)
    drawn = (
        in_rows(name, channels, 22)
        .mark_rect()
        .encode(
            x=alt.X("place:O", title=place, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("channel:O", title="channel"),
            color=alt.Color(
                "value:Q",
                title=axis,
                scale=alt.Scale(scheme=HEAT, domain=[0, max(cells) or 1]),  # 1, if nothing was written at all
                legend=alt.Legend(orient="top", gradientLength=180),
            ),
            tooltip=[
                alt.Tooltip("channel:O", title="channel"),
                alt.Tooltip("place:O", title=f"{what} of the channel"),
                alt.Tooltip("value:Q", title=axis, format=",.3~f"),
            ],
        )
    )
    return Chart(name, title, caption, finished(drawn)), columns


_MEANING: Mapping[str, str] = {
    "dies": entry("utilization.die").meaning,
    "planes-erases": entry("erases", "planes").meaning,
    "planes-programs": entry("programs", "planes").meaning,
}
