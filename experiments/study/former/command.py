"""The command line of a study, which runs what is not finished yet and writes the report."""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from ssdsim.config import nearest
from ssdsim.errors import ConfigError

from ... import failures
from ...runner.means import LAUNCHER, Means, add_options, count, split
from ..output import Output, output
from .claims import CLAIMS

STORED = re.compile(r"## (.*\bat the paper's size|Where .* part from .*)$", re.IGNORECASE | re.MULTILINE)
"""The headings of what was run at `--scale 1` beside the scaled runs, and of what differs from the paper, and why."""


@attrs.frozen
class Command:
    """The command line of the study in `package`.

    It has `study` run what the options ask for and return what was found, of which `sections` makes the report.
    """

    package: str
    description: str
    study: Callable[[argparse.Namespace], Any]
    sections: Callable[[Any, Output], Iterable[str]]
    scale: Fraction = Fraction(1, 16)
    traces: bool = True
    """Whether whole traces may take the place of synthetic ones."""
    seeds: int = 0
    """Seeds that the study runs everything under, unless told otherwise; 0 if it knows of no more than one."""
    switches: Mapping[str, str] = {}
    """Further options that take no value, and what they do."""
    results: str = CLAIMS
    """What is in the sections that `--results` stores beside the first and those that `STORED` names."""

    def __call__(self, arguments: Sequence[str] | None = None) -> int:
        """Return 0, 1 if a run failed, 2 if something given cannot be used, 128 + a signal if stopped."""
        options = self.parser().parse_args(arguments)
        return failures.guarded(lambda: self.run(options), "Interrupted; the same command goes on from here.")

    def run(self, options: argparse.Namespace) -> int:
        """Run everything, write `report.md` and the CSV files and pictures that it shows, and print its path."""
        if options.results and (options.results.is_dir() or not options.results.parent.is_dir()):
            raise ConfigError(f"--results {options.results}: is not a file in a folder that there is; name one.")
        keys, others = split(options.keys)
        if others:
            raise ConfigError(f"{others[0]}: a study takes no overrides but {LAUNCHER}KEY=VALUE.")
        options.means = Means.of(options, keys)
        found = self.study(options)
        sections = [each for each in self.sections(found, output(options.folder, self.package)) if each]
        report = options.folder / "report.md"
        report.write_text("\n".join(sections), encoding="utf-8")
        if options.results:
            stored = "\n".join(each for place, each in enumerate(sections) if not place or self.is_stored(each))
            options.results.write_text(re.sub(r"(?m)^!\[.*\n\n?", "", stored), encoding="utf-8")  # without pictures
        print(report)
        return 0

    def is_stored(self, section: str) -> bool:
        """Return whether `--results` stores `section`."""
        return self.results in section or STORED.match(section) is not None

    def parser(self) -> argparse.ArgumentParser:
        """Return a parser with the options that every study has, and this one's."""
        made = argparse.ArgumentParser(prog=f"python -m {self.package}", description=self.description)
        folder = Path("results", self.package.rpartition(".")[2])
        made.add_argument("--folder", type=Path, default=folder, help="where runs and report go (default %(default)s)")
        made.add_argument(
            "--scale", type=_share, default=self.scale, help="size of device and workloads, 1 the paper's (%(default)s)"
        )
        if self.traces:
            made.add_argument("--traces", type=Path, help="a folder of whole traces, taken by their names")
        add_options(made)
        made.add_argument("keys", nargs="*", metavar=f"{LAUNCHER}KEY=VALUE", help="keys of the launcher")
        made.add_argument("--only", nargs="+", metavar="WORKLOAD", help="leave out all other workloads")
        made.add_argument("--seed", type=int, default=1)
        if self.seeds:
            made.add_argument("--seeds", type=count, default=self.seeds, help="seeds, from --seed on (%(default)s)")
        made.add_argument(
            "--results", type=Path, metavar="FILE", help="also store what holds claims of the paper there"
        )
        for name, told in self.switches.items():
            made.add_argument(name, action="store_true", help=told)
        return made


def scaled(blocks: int, scale: Fraction, min_blocks: int) -> int:
    """Return `scale` times the blocks of a plane; raise `ConfigError` for fewer than `min_blocks`."""
    made = round(blocks * scale)
    if made < min_blocks:
        raise ConfigError(f"--scale={scale}: leaves {made} blocks a plane; take at least 1/{blocks // min_blocks}.")
    return made


def _share(text: str) -> Fraction:
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share such as 1/16, 0.5 or 1")
    return share


def chosen(only: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Return the workloads asked for with `--only`, or all of `names`; raise `ConfigError` for one not among these."""
    for name in only or ():
        if name not in names:
            hint = nearest(name, names)
            raise ConfigError(f"--only {name}: there is no such workload{hint}; there are {', '.join(names)}.")
    return list(only or names)
