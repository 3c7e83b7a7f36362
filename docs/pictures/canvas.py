"""What the pictures are drawn with: boxes, words and arrows on a light ground, which is legible on a dark page, too."""

import io

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

INK, GROUND = "#1b2733", "#fbfcfd"
BLUE, GREEN, YELLOW, RED, GREY = "#cfe3f7", "#d3edd6", "#fbeec2", "#f6cfcb", "#e3e6ea"


class Canvas:
    """A drawing of so many units across and down, `inch` units an inch; y grows downwards."""

    def __init__(self, width: float, height: float, inch: float = 12.5):
        self.figure = Figure(figsize=(width / inch, height / inch), facecolor=GROUND)
        self.axes = self.figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        self.axes.axis("off")

    def box(self, x: float, y: float, width: float, height: float, fill: str = GROUND, edge: str = INK) -> None:
        """Draw a box by its upper left corner."""
        shape = f"round,pad=0,rounding_size={min(width, height, 6) / 6}"
        self.axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=shape, facecolor=fill, edgecolor=edge))

    def text(self, x: float, y: float, words: str, size: float = 9, align: str = "center", **style: str) -> None:
        """Write `words`, whose middle line is at `y`."""
        self.axes.text(x, y, words, ha=align, va="center", fontsize=size, color=INK, **style)

    def arrow(self, start: tuple[float, float], end: tuple[float, float], style: str = "-|>") -> None:
        """Draw an arrow."""
        self.axes.annotate("", end, start, arrowprops={"arrowstyle": style, "color": INK, "shrinkA": 0, "shrinkB": 0})

    def svg(self) -> str:
        """Return the picture, which is the same whenever it is drawn."""
        out = io.StringIO()
        with matplotlib.rc_context({"svg.hashsalt": "ssdsim"}):
            self.figure.savefig(out, format="svg", metadata={"Date": None})
        return out.getvalue()
