"""What all pictures have in common: how numbers are written, their panels. Needs matplotlib."""

from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

PLAIN = StrMethodFormatter("{x:,.10g}")


PANELS_A_ROW = 3


def panels_of(count: int, width: float, height: float, more: float, **shared: Any) -> tuple[Figure, list[Axes]]:
    """Return a figure of `count` panels of this size in inches, with `more` height for what is around them."""
    columns = min(PANELS_A_ROW, count)
    rows = -(-count // columns)  # rounded up
    figure = Figure(figsize=(width * columns, height * rows + more), dpi=150, layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False, **shared).flatten().tolist()
    for panel in panels[count:]:  # the last row may have room to spare
        panel.set_visible(False)
    return figure, panels[:count]


def dress(axes: Axes, title: str, x: str, y: str) -> None:
    """Give a panel its title and labels, and a legend if it has anything to tell."""
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(which="both", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=8)


def logarithmic(axes: Axes, axis_name: Literal["x", "y"] = "y") -> None:
    """Make an axis logarithmic, labelled 1, 2 and 5 if it spans few powers of ten."""
    axes.set(**{f"{axis_name}scale": "log"})
    axis: Any = getattr(axes, f"{axis_name}axis")
    low, high = axis.get_view_interval()
    axis.set_major_formatter(PLAIN)
    axis.set_minor_locator(LogLocator(subs=(2, 5)) if high < 300 * low else NullLocator())
    axis.set_minor_formatter(PLAIN)
    axes.tick_params(axis=axis_name, which="both", length=3)  # or labels of both kinds do not stand in one line
