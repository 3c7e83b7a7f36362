"""One experiment: simulate into a folder, draw, and print what the folder's files say."""

import importlib.util
import sys
from time import perf_counter_ns

from ssdsim.assembly import own_policies
from ssdsim.config import SimulationConfig
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.run import simulation

from . import COMMAND
from .progress import Progress

TOLD_SHARE = 0.05
"""Of the time of a run, from which on a policy of the user's is told to have taken it."""

PICTURED = 100_000
"""Requests from which on a run is drawn if nothing else is said: these take longer than the picture."""


def run(
    config: SimulationConfig,
    folder: ResultFolder,
    title: str | None,
    plot: bool | None = None,
) -> None:
    """Simulate `config` into `folder`, and `plot` it, or if that is None, when the run is long enough to be worth it.

    If it was stopped, or failed, say what was kept. Without a `title` nothing is told of how far it is.
    """
    own_policies.calls.clear()
    begun_ns = perf_counter_ns()
    try:
        with Progress(title) as progress:
            simulation.simulate(config, folder, progress)
        if title is not None:
            tell_of_own_policies(perf_counter_ns() - begun_ns)
    finally:
        if folder.written:
            result = Result.load(folder.path)
            requests = sum(served["count"] for served in result.summary["requests"].values())
            if requests >= PICTURED if plot is None else plot:
                draw(result, folder)
            if title is not None and result.summary["partial"]:
                print(f"Stopped early: the results in {folder.path} are marked partial.", file=sys.stderr)


def tell_of_own_policies(elapsed_ns: int) -> None:
    """Say on standard error which policies of the user's took much of the time of a run."""
    for place, share, count in own_policies.shares(elapsed_ns):
        if share >= TOLD_SHARE:
            print(
                f"{place}: took about {share:.0%} of the run's time, in {count:,} calls of Python; typed and compiled "
                f"(`{COMMAND} build`) it costs what a policy of ssdsim's own does.",
                file=sys.stderr,
            )


def draw(result: Result, folder: ResultFolder) -> None:
    """Write `overview.png` if altair and vl-convert are installed and the run had a clock to draw against."""
    if result.timeseries.num_rows and all(map(importlib.util.find_spec, ("altair", "vl_convert"))):
        from ssdsim.report.run import overview

        overview(result, folder.part("overview.png"))
        folder.add("overview.png")


def report(folder: ResultFolder, quiet: bool = False, verbose: bool = False) -> None:
    """Print the summary of a run, read back from its folder, unless `quiet`, and where that is."""
    if not quiet:
        from ssdsim.report.summary import summary_text, validity_lines
        from ssdsim.report.text import filled

        result = Result.load(folder.path)
        print(summary_text(result), *map(filled, validity_lines(result.summary, verbose)), sep="\n")
        loads = (result.summary.get("workload", {}), *result.summary.get("workloads", {}).values())
        if ignored := sorted({option for load in loads for option in load.get("ignored", ())}):
            print(filled(f"Options of fio that have no meaning for a simulated device: {', '.join(ignored)}."))
    print(f"Results are in {folder.path}")
