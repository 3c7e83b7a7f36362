"""Draw the figures of the papers from stored results, with the numbers that the papers print marked on them.

`python -m docs.pictures.papers` draws those that are stored beside the experiments, and with `--results` those of one's
own run of a paper. A figure is bars by workload, or lines over what is varied; whiskers are the interval of the
mean at 95 percent over seeds, and a red diamond is a number that the paper prints.
"""

import argparse
import io
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow.parquet as pq
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from docs.stored import FILES, paper
from experiments.study.claims import rows_of
from experiments.study.paper import Figure, Paper
from experiments.study.results import Row, stored
from ssdsim.command import failures

NAMES = {file.stem: file for file in FILES}
FOLDER = Path(__file__).parents[1] / "pages" / "pictures" / "papers"

INK, GROUND, PRINTED = "#1b2733", "#fbfcfd", "#c8102e"
COLOURS = ("#9aa5b1", "#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee7733", "#aa3377", "#332288")
STYLE = {
    "font.size": 8.0,
    "svg.hashsalt": "ssdsim",
    "svg.fonttype": "none",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
}
INCHES, BAR_INCHES = 9.0, 0.075


@cache
def printed() -> dict[tuple[str, str, str], dict[str, float]]:
    """Return the numbers that papers print of their figures, by paper, figure's number and column, and by row."""
    return {
        (line["paper"], line["figure"], line["column"]): {
            row: float(value) for row, value in (words.rpartition(" ")[::2] for words in line["printed"].split("; "))
        }
        for line in rows_of(Path(__file__).parents[1] / "data" / "printed.tsv")
    }


def drawn(paper: Paper) -> list[Figure]:
    """Return the figures that are the paper's own."""
    return [figure for figure in paper.figures if figure.title.startswith(("Fig.", "Table"))]


def file_of(paper: Paper, figure: Figure) -> str:
    """Return the name of the file of a figure."""
    return f"{paper.path.stem}_{re.sub(r'[^a-z0-9]+', '_', figure.number.lower()).strip('_')}.svg"


def draw(figure: Figure, paper: Paper, rows: Sequence[Row]) -> str:
    """Return the picture of a figure as SVG, the same whenever it is drawn."""
    names = figure.named(paper.loads)
    cells = {(row["column"], row["row"]): row for row in rows if row["table"] == figure.title}
    marks = {column: printed().get((paper.path.stem, figure.number, column), {}) for column in figure.columns}
    bars = len(names) * (len(figure.columns) + 1.2)
    with matplotlib.rc_context(STYLE):
        drawing = Drawing(figsize=(min(max(INCHES * 0.55, bars * BAR_INCHES + 1), 1.4 * INCHES), 3.2), facecolor=GROUND)
        axes = drawing.add_subplot(facecolor=GROUND)
        for place, column in enumerate(figure.columns):
            shown = [cells.get((column, name)) for name in names]
            values = np.array([np.nan if row is None else row["value"] for row in shown])
            ends = [
                (row["value"] if row is None or np.isnan(row[end]) else row[end]) if row else np.nan
                for end in ("low", "high")
                for row in shown
            ]
            _add(axes, figure, place, column, values, np.array(ends).reshape(2, -1))
            _mark(axes, figure, place, names, marks[column])
        _finish(axes, figure, names, any(marks.values()))
        out = io.StringIO()
        drawing.savefig(out, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return out.getvalue()


def _place(figure: Figure, place: int, row: int) -> float:
    """Return where on the axis a column stands in a row."""
    count = len(figure.columns)
    return row if figure.lines else row + (place + 0.5 - count / 2) / (count + 1.2)


def _add(axes: Axes, figure: Figure, place: int, column: str, values: np.ndarray, ends: np.ndarray) -> None:
    """Draw a column with its whiskers."""
    at = [_place(figure, place, row) for row in range(len(values))]
    whiskers = np.abs(ends - values)
    colour = COLOURS[place % len(COLOURS)]
    if figure.lines:
        axes.errorbar(
            at, values, whiskers, color=colour, label=column, marker="o", markersize=2.5, linewidth=1.2, elinewidth=0.6
        )
    else:
        width = 1 / (len(figure.columns) + 1.2)
        axes.bar(at, values, width, color=colour, label=column)
        axes.errorbar(at, values, whiskers, color=INK, linestyle="none", elinewidth=0.6)


def _mark(axes: Axes, figure: Figure, place: int, names: Sequence[str], marks: Mapping[str, float]) -> None:
    """Mark the numbers that the paper prints of a column."""
    at = [_place(figure, place, names.index(name)) for name in marks]
    axes.plot(
        at,
        [*marks.values()],
        "D",
        color=PRINTED,
        markersize=3.6,
        markeredgecolor="white",
        markeredgewidth=0.5,
        zorder=5,
    )


def _finish(axes: Axes, figure: Figure, names: Sequence[str], is_printed: bool) -> None:
    """Name the rows and the columns."""
    axes.set_title(figure.title, loc="left", fontsize=9)
    turned = sum(map(len, names)) > (45 if figure.lines or len(figure.columns) < 8 else 90)
    axes.set_xticks(range(len(names)), names, rotation=50 if turned else 0, ha="right" if turned else "center")
    axes.grid(axis="y", linewidth=0.4, alpha=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if is_printed:
        axes.plot([], [], "D", color=PRINTED, markersize=3.6, label="printed in the paper")
    if len(figure.columns) > 1 or is_printed:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the figures of papers into a folder, and return 0, or 2 if something given cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m docs.pictures.papers", description=__doc__.partition("\n")[0])
    parser.add_argument("--paper", action="append", choices=NAMES, help="whose figures (default: of all)")
    parser.add_argument("--results", type=Path, help="results.parquet of one's own run of one paper")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they go (default %(default)s)")
    options = parser.parse_args(arguments)
    return failures.guarded(lambda: _draw_all(options), "Interrupted.")


def _draw_all(options: argparse.Namespace) -> int:
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.paper or NAMES:
        of = paper(NAMES[name])
        rows = pq.read_table(options.results).to_pylist() if options.results else stored(of.path)
        for figure in drawn(of):
            (options.folder / file_of(of, figure)).write_text(draw(figure, of, rows), encoding="utf-8")
    print(options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
