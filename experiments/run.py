"""One experiment: simulate into a folder, draw, and print what the folder's files say."""

import importlib.util
import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from experiments.progress import Progress
from ssdsim import simulation
from ssdsim.config import SimulationConfig
from ssdsim.metrics.result import Result
from ssdsim.report.tables import summary_table


def run(config: SimulationConfig, folder: Path, title: str = "") -> None:
    """Simulate `config` into `folder` and report; on Ctrl-C report what was done so far, then raise it again."""
    try:
        with Progress(title or f"Running into {folder}") as progress:
            simulation.simulate(config, folder, progress)
    except KeyboardInterrupt:
        if (folder / "summary.json").exists():
            report(folder)
            print(f"Stopped early: the results in {folder} are marked partial.", file=sys.stderr)
        raise
    report(folder)


def report(folder: Path) -> None:
    """Draw `overview.png` if matplotlib is there, and print the table and the place of the results."""
    result = Result.load(folder)
    if importlib.util.find_spec("matplotlib"):
        from ssdsim.report.plot import overview

        overview(result, folder / "overview.png")
    out = console()
    out.print(summary_table(result))
    out.print(f"Results are in {escape(str(folder))}", soft_wrap=True, highlight=False)


def console() -> Console:
    """Return a console on standard output that does not fold tables where there is no terminal to fit."""
    return Console(width=None if sys.stdout.isatty() else 120)
