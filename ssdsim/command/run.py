"""One experiment: simulate into a folder, draw, and print what the folder's files say."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from ssdsim.assembly import own_policies
from ssdsim.config import SimulationConfig
from ssdsim.errors import InputError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.metrics.summary import provenance
from ssdsim.run import simulation
from ssdsim.run.progress import Bar

PICTURED = 100_000
"""Requests from which on a run is drawn if nothing else is said: these take longer than the picture."""


def run_and_report(
    config: SimulationConfig, folder: Path, overwrite: bool, plot: bool | None, quiet: bool, verbose: bool
) -> None:
    """Simulate `config` into `folder`, unless its whole result is there, and print the summary.

    With `overwrite`, what is there stays until the new result is whole.
    """
    if not overwrite and is_finished(config, folder):
        print(f"{folder}: the result is there already; overwrite=true makes it again.", file=sys.stderr)
        with ResultFolder(folder, overwrite=True) as there:
            report(there, quiet, verbose)
        return
    with ResultFolder(folder, overwrite) as results:
        try:
            run(config, results, None if quiet else f"Running into {folder}", plot)
        finally:
            if results.written:
                report(results, quiet, verbose)


def is_finished(config: SimulationConfig, folder: Path) -> bool:
    """Return whether `folder` holds the result of `config`, by this code, of the traces and own classes as they are."""
    try:
        summary = Result.load(folder).summary
    except InputError:
        return False
    now = provenance(config)
    same = all(summary.get(key, {}) == now[key] for key in ("config_hash", "versions", "traces"))
    written = (folder / "summary.json").stat().st_mtime
    is_old = any(file.stat().st_mtime > written for file in own_policies.files())
    return same and summary.get("partial") is False and not is_old


def run(config: SimulationConfig, folder: ResultFolder, title: str | None, plot: bool | None = None) -> None:
    """Simulate `config` into `folder`, and `plot` it, or if that is None, when the run is long enough to be worth it.

    If it was stopped, or failed, say what was kept. Without a `title` nothing is told of how far it is.
    """
    try:
        with told_progress(title) as progress:
            simulation.simulate(config, folder, progress)
    finally:
        if folder.written:
            result = Result.load(folder.path)
            requests = sum(served["count"] for served in result.summary["requests"].values())
            if requests >= PICTURED if plot is None else plot:
                draw(result, folder)
            if title is not None and result.summary["partial"]:
                print(f"Stopped early: the results in {folder.path} are marked partial.", file=sys.stderr)


@contextmanager
def told_progress(title: str | None) -> Iterator[Bar | None]:
    """Show the progress of a run within it: a bar on a terminal, else a line at start and end; none without `title`."""
    if title is not None:
        print(title, file=sys.stderr, flush=True)
    if title is None or not sys.stderr.isatty():
        begun = monotonic()
        yield None
        if title is not None:
            print(f"Done after {monotonic() - begun:.1f} s.", file=sys.stderr, flush=True)
    else:
        with Bar(sys.stderr) as bar:
            yield bar


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
