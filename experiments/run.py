"""One experiment: simulate into a folder, draw, and print what the folder's files say."""

import importlib.util
import sys
from pathlib import Path

from rich.console import Console

from experiments.progress import Progress
from ssdsim import simulation
from ssdsim.config import SimulationConfig
from ssdsim.metrics.result import Result
from ssdsim.report.tables import summary_table


def run(config: SimulationConfig, folder: Path, title: str) -> None:
    """Simulate `config` into `folder` and draw; on Ctrl-C say what was kept, and raise it again."""
    try:
        with Progress(title) as progress:
            simulation.simulate(config, folder, progress)
    except KeyboardInterrupt:
        if (folder / "summary.json").exists():
            draw(folder)
            print(f"Stopped early: the results in {folder} are marked partial.", file=sys.stderr)
        raise
    draw(folder)


def draw(folder: Path) -> None:
    """Write `overview.png` if matplotlib is installed and the run had a clock to draw against."""
    result = Result.load(folder)
    if result.timeseries.num_rows and importlib.util.find_spec("matplotlib"):
        from ssdsim.report.plot import overview

        overview(result, folder / "overview.png")


def report(folder: Path) -> None:
    """Print the summary of a run, read back from its folder, and where that is."""
    out = console()
    out.print(summary_table(Result.load(folder)))
    out.print(f"Results are in {folder}", soft_wrap=True, highlight=False, markup=False)


def console() -> Console:
    """Return a console on standard output that does not fold tables where there is no terminal to fit."""
    return Console(width=None if sys.stdout.isatty() else 120)
