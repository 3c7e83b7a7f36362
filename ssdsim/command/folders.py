"""Where results go: the folder asked for, or a new one for each run."""

import contextlib
import hashlib
import sys
from collections.abc import Callable
from datetime import datetime
from itertools import count
from pathlib import Path

from ssdsim.errors import ConfigError
from ssdsim.metrics.folder import in_use, manifest

from . import COMMAND

PAGES = {"report.html": "report", "timeline.json": "timeline"}
"""Files that verbs make of the results in a folder, and put beside them."""


def choose(given: str, overrides: list[str]) -> Path:
    """Return the folder `given`, or a new `results/<date>/<time>-<hash>`; it is there then."""
    try:
        if not given:
            return _new(overrides)
        Path(given).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        place = f"hydra.run.dir={given}" if given else "results"
        told = f"{place}: the folder cannot be made: {error.strerror}; choose another with hydra.run.dir=..."
        raise ConfigError(told) from None
    return Path(given)


def go_on(kind: str, given: str, known: list[str], overwrite: bool, quiet: bool) -> tuple[Path, bool]:
    """Return the folder of the sweep or comparison that is `known` by these overrides, and whether it goes on there.

    It is the one `given`, or the newest where the same was stopped, which is told unless `quiet`, or a new one.
    """

    def is_of(folder: Path) -> bool:
        kept = manifest(folder) or {}
        return kept.get("kind") == kind and kept.get("overrides") == known

    def is_stopped(folder: Path) -> bool:
        return is_of(folder) and not (manifest(folder) or {}).get("finished")

    stopped = None if given else newest(known, is_stopped)
    if stopped is not None and not quiet:
        print(f"Going on in {stopped}, where the same {kind} was stopped.", file=sys.stderr)
    path = stopped or choose(given, known)
    return path, is_stopped(path) or (is_of(path) and not overwrite)


def newest(overrides: list[str], usable: Callable[[Path], bool]) -> Path | None:
    """Return the newest folder that was made for `overrides`, if it is `usable` and no other run is writing there."""
    made = sorted(Path("results").glob(f"*/*-{_digest(overrides)}*"), key=_order)
    return made[-1] if made and usable(made[-1]) and not in_use(made[-1]) else None


def _order(folder: Path) -> tuple[str, list[str], int]:
    """Return the key that sorts folders of the same overrides by the order of their making."""
    *time, number = [*folder.name.split("-"), "1"][:5]
    return folder.parent.name, time[:3], int(number)


def tell_old_pages(folder: Path) -> None:
    """Tell of the pages and timelines in a folder that were made of results that new ones have taken the place of."""
    for name, verb in PAGES.items():
        if (folder / name).is_file():
            print(f"{folder / name} is of earlier results: `{COMMAND} {verb} {folder}` makes it anew.", file=sys.stderr)


def discard_if_empty(folder: Path) -> None:
    """Remove `folder` if the run failed before it wrote anything there."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def _new(overrides: list[str]) -> Path:
    """Make a folder that no other run has, even one started in the same second with the same overrides."""
    stem = Path("results", f"{datetime.now():%Y-%m-%d/%H-%M-%S}-{_digest(overrides)}")
    for attempt in count(1):
        folder = stem.with_name(stem.name + f"-{attempt}" * (attempt > 1))
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
            return folder
    raise AssertionError("unreachable")


def _digest(overrides: list[str]) -> str:
    return hashlib.sha256("\0".join(overrides).encode()).hexdigest()[:6]
