"""One experiment: simulate into a folder, draw, and print what the folder's files say."""

import importlib.util
import sys

from rich.console import Console

from ssdsim.config import SimulationConfig
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.report.tables import summary_table, validity_lines
from ssdsim.run import simulation
from ssdsim.run.progress import Progress as Watch

from .progress import Progress


def run(
    config: SimulationConfig, folder: ResultFolder, title: str | None, draws: bool = True, watch: Watch | None = None
) -> None:
    """Simulate `config` into `folder` and draw; if it was stopped, or failed, say what was kept.

    Without a `title` nothing is told of how far it is, but to `watch`.
    """
    try:
        with Progress(title, watch=watch) as progress:
            simulation.simulate(config, folder, progress)
    finally:
        if folder.written:
            result = Result.load(folder.path)
            if draws:
                draw(result, folder)
            if title is not None and result.summary["partial"]:
                print(f"Stopped early: the results in {folder.path} are marked partial.", file=sys.stderr)


def draw(result: Result, folder: ResultFolder) -> None:
    """Write `overview.png` if matplotlib is installed and the run had a clock to draw against."""
    if result.timeseries.num_rows and importlib.util.find_spec("matplotlib"):
        from ssdsim.report.plot import overview

        overview(result, folder.part("overview.png"))
        folder.add("overview.png")


def report(folder: ResultFolder, quiet: bool = False) -> None:
    """Print the summary of a run, read back from its folder, unless `quiet`, and where that is."""
    out = console()
    if not quiet:
        result = Result.load(folder.path)
        out.print(summary_table(result))
        for line in validity_lines(result.summary):
            out.print(line, highlight=False, markup=False)
    out.print(f"Results are in {folder.path}", soft_wrap=True, highlight=False, markup=False)


def console() -> Console:
    """Return a console on standard output that does not fold tables where there is no terminal to fit."""
    return Console(width=None if sys.stdout.isatty() else 120)
