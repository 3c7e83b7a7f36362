"""Where results go: a new folder for each run, and nothing overwritten unasked."""

import contextlib
import hashlib
from datetime import datetime
from itertools import count
from pathlib import Path

from ssdsim.errors import ConfigError

WRITTEN = ("config.yaml", "summary.json", "status.json", "overview.png", "*.parquet")


def choose(given: str, overrides: list[str], overwrite: bool) -> Path:
    """Return the folder `given`, emptied of old results if `overwrite`, or a new `results/<date>/<time>-<hash>`."""
    if not given:
        return _new(overrides)
    folder = Path(given)
    used = [path.parent for path in (*folder.glob("summary.json"), *folder.glob("*/summary.json"))]
    if used and not overwrite:
        raise ConfigError(f"hydra.run.dir={given}: {used[0]} holds results; choose another or add overwrite=true.")
    for old in (path for place in used for pattern in WRITTEN for path in place.glob(pattern)):
        old.unlink()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"hydra.run.dir={given}: the folder cannot be made: {error.strerror}.") from None
    return folder


def discard_if_empty(folder: Path) -> None:
    """Remove `folder` if the run failed before it wrote anything there."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def _new(overrides: list[str]) -> Path:
    """Make a folder that no other run has, even one started in the same second with the same overrides."""
    digest = hashlib.sha256("\0".join(overrides).encode()).hexdigest()[:6]
    stem = Path("results", f"{datetime.now():%Y-%m-%d/%H-%M-%S}-{digest}")
    for attempt in count(1):
        folder = stem if attempt == 1 else stem.with_name(f"{stem.name}-{attempt}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            return folder
    raise AssertionError("unreachable")
