"""What lies in a folder of results, as a page of HTML: the part that reads files, and composes the defaults."""

from pathlib import Path

from ssdsim.config import SimulationConfig
from ssdsim.config.saved import load_config
from ssdsim.errors import InputError, SsdsimError
from ssdsim.metrics.result import Result
from ssdsim.report.html import run
from ssdsim.report.html.page import Page

from .compose import composed
from .repeat import command

PROGRAM = f"python -m {__package__}"


def page_of(folder: Path) -> Page:
    """Return the page of what lies in `folder`; raise InputError if that is nothing to make a page of."""
    if (folder / "comparison.parquet").exists():
        raise NotImplementedError
    if (folder / "summary.json").exists() or not folder.is_dir():
        return _run(folder)
    if runs_below(folder):
        raise NotImplementedError
    raise InputError(f"{folder}: holds neither a run nor a sweep nor a comparison; give the folder of one.")


def runs_below(folder: Path) -> list[Path]:
    """Return the folders of runs below `folder`."""
    return sorted(file.parent for file in folder.glob("*/**/summary.json"))


def _run(folder: Path) -> Page:
    config = configuration(folder)
    repeat = [command(config, folder, PROGRAM)] if config else []
    return run.page(Result.load(folder), config, composed([]), repeat, str(folder))


def configuration(folder: Path) -> SimulationConfig | None:
    """Return the configuration of the run in `folder`, None where this version cannot read it."""
    try:
        return load_config(folder)
    except SsdsimError:
        return None
