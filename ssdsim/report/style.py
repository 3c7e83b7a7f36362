"""How the numbers of a logarithmic axis of matplotlib are written."""

from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

PLAIN = StrMethodFormatter("{x:,.10g}")


def logarithmic(axes: Axes, axis_name: Literal["x", "y"] = "y") -> None:
    """Make an axis logarithmic, labelled 1, 2 and 5 if it spans few powers of ten."""
    axes.set(**{f"{axis_name}scale": "log"})
    axis: Any = getattr(axes, f"{axis_name}axis")
    low, high = axis.get_view_interval()
    axis.set_major_formatter(PLAIN)
    axis.set_minor_locator(LogLocator(subs=(2, 5)) if high < 300 * low else NullLocator())
    axis.set_minor_formatter(PLAIN)
    axes.tick_params(axis=axis_name, which="both", length=3)  # or labels of both kinds do not stand in one line
