"""How a command has its runs launched, and how much it tells: options that studies and comparisons share."""

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import Self

from attrs import field, frozen

from ssdsim.errors import ConfigError

from .overview import Words

LAUNCHER = "hydra.launcher."


@frozen
class Means:
    """So many `jobs` at a time on this machine, or Hydra's `launcher` of that name, with overrides of its `keys`."""

    jobs: int = 1
    launcher: str | None = None
    keys: Sequence[str] = ()
    words: Words = field(factory=Words)

    @classmethod
    def from_options(cls, given: argparse.Namespace, keys: Sequence[str] = ()) -> Self:
        """Return the means that the options of `add_options` ask for."""
        return cls(given.jobs, given.launcher, keys, Words(given.quiet, given.verbose))

    def overrides(self) -> list[str]:
        """Return the overrides that have Hydra take the launcher; say so if it is slower than it could be."""
        launcher = self.launcher
        if launcher is None and self.jobs > 1:
            launcher = "joblib" if importlib.util.find_spec("hydra_plugins.hydra_joblib_launcher") else None
            if launcher is None and not self.words.quiet:
                print("Runs go one at a time; install ssdsim[joblib] to have several of them go.", file=sys.stderr)
        if launcher is None:
            return [*self.keys]
        at_a_time = [f"{LAUNCHER}n_jobs={self.jobs}"] if launcher == "joblib" else []  # others have keys of their own
        return [f"hydra/launcher={launcher}", *at_a_time, *self.keys]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `Means.from_options` reads."""
    parser.add_argument(
        "--jobs", type=count, default=os.cpu_count() or 1, help="runs at a time (default: all cores), with joblib"
    )
    parser.add_argument("--launcher", metavar="NAME", help="of Hydra: joblib, ray, submitit_slurm, ...")
    parser.add_argument("-q", "--quiet", action="store_true", help="tell errors, and where the results are")
    parser.add_argument("-v", "--verbose", action="store_true", help="tell how far each run is")


def split(overrides: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the overrides of the launcher, and the others; raise ConfigError for others of Hydra's keys."""
    keys = [override for override in overrides if override.lstrip("+").startswith(LAUNCHER)]
    others = [override for override in overrides if override not in keys]
    for override in others:
        if override.startswith("hydra/launcher="):
            raise ConfigError(f"{override}: is written --launcher {override.partition('=')[2]} here.")
    return keys, others


def count(text: str) -> int:
    """Return the whole number of at least 1 that an argument says."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return int(text)
