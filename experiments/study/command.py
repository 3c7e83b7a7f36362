"""The command line of a study, which runs what is not finished yet and writes the report."""

import argparse
import functools
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import attrs

from ssdsim.command import failures
from ssdsim.command.runs import Means, add_options, count
from ssdsim.config import nearest
from ssdsim.errors import ConfigError

from .claims import CLAIMS, RULES, Claim, comparison_table
from .output import output
from .report import Report, holding
from .runs import run_parts
from .study import Study, by_value, compared, found_under
from .traces import whole_traces

Load = TypeVar("Load")

STORED = re.compile(r"## (What .*|Where our numbers part|.*\bat the paper's size)$", re.IGNORECASE | re.MULTILINE)
"""The headings of the sections that `--results` stores beside the set-up and those with claims."""


@attrs.frozen
class Command:
    """The command line of the study in `package`, which `study` makes of the options."""

    package: str
    description: str
    study: Callable[[argparse.Namespace], Study]
    claims: Sequence[Claim]
    afterwards: Sequence[str] = ()
    """What was chosen after results were seen: what, when, and what it was before, with the results it had."""
    scale: Fraction = Fraction(1, 16)
    traces: bool = True
    """Whether whole traces may take the place of synthetic ones."""
    seeds: int = 3
    """Seeds that everything but choices is run under, unless told otherwise."""
    switches: dict[str, str] = attrs.field(factory=dict)
    """Further options that take no value, and what they do."""

    def __call__(self, arguments: Sequence[str] | None = None) -> int:
        """Return 0, 1 if a run failed, 2 if something given cannot be used, 128 + a signal if stopped."""
        options = self.parser().parse_args(arguments)
        return failures.guarded(lambda: self.run(options), "Interrupted; the same command goes on from here.")

    def run(self, options: argparse.Namespace) -> int:
        """Run everything, write `report.md` and the CSV files and pictures that it shows, and print its path."""
        if options.results and (options.results.is_dir() or not options.results.parent.is_dir()):
            raise ConfigError(f"--results {options.results}: is not a file in a folder that there is; name one.")
        options.means = Means.from_options(options)
        only = None if options.only is None else self.claim(options.only)
        study = self.study(options)
        sections = self.sections(study, options) if only is None else self.one(only, study, options)
        report = options.folder / "report.md"
        report.write_text("\n".join(sections), encoding="utf-8")
        if options.results:
            # the set-up, which comes first, is stored whatever it is called
            stored = "\n".join(section for place, section in enumerate(sections) if not place or _is_stored(section))
            options.results.write_text(re.sub(r"(?m)^!\[.*\n\n?", "", stored), encoding="utf-8")  # without pictures
        print(report)
        return 0

    def claim(self, name: str) -> Claim:
        """Return the claim called `name`; raise `ConfigError` if there is none, or it is not held."""
        by_name = {claim.name: claim for claim in self.claims}
        if name not in by_name:
            raise ConfigError(f"--only {name}: there is no such claim{nearest(name, by_name)}.")
        if by_name[name].left_out:
            raise ConfigError(f"--only {name}: is not held: {by_name[name].left_out}.")
        return by_name[name]

    def sections(self, study: Study, options: argparse.Namespace) -> list[str]:
        """Run all of `study`, and return the sections of its report, those without content aside."""
        results = run_parts(study.parts(), options.folder / "runs", options.means)
        by_seed = {seed: found_under(study, seed, results.__getitem__) for seed in study.seeds}
        comparisons = compared(self.claims, study.held, by_seed.values())
        first = by_seed[study.first]
        graded = {choice.name: by_value(study, choice, self.claims, first) for choice in study.choices}
        report = Report(study, options, self.package, output(options.folder, self.package), by_seed, comparisons)
        setup, *others = study.sections(report)
        claims = holding(self.claims, comparisons, study.choices, graded, self.afterwards)
        return [section for section in (setup, *claims, *others) if section]

    def one(self, claim: Claim, study: Study, options: argparse.Namespace) -> list[str]:
        """Run the parts that one claim needs, under each seed, and return it beside the paper's number."""
        parts = study.parts()
        # cached, as a claim may look at a part several times
        run = functools.cache(lambda name: run_parts({name: parts[name]}, options.folder / "runs", options.means)[name])
        results = [found_under(study, seed, run) for seed in study.seeds]
        comparisons = compared([claim], study.held, results)
        return [f"# {claim.what}\n\n{RULES}\n{comparison_table(comparisons)}"]

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
        made.add_argument("--only", metavar="CLAIM", help="run what one claim needs; the report has their names")
        made.add_argument("--workloads", nargs="+", metavar="NAME", help="leave out all other workloads")
        made.add_argument("--seed", type=int, default=1)
        made.add_argument("--seeds", type=count, default=self.seeds, help="seeds, from --seed on (%(default)s)")
        made.add_argument(
            "--results", type=Path, metavar="FILE", help="also store what holds claims of the paper there"
        )
        for name, told in self.switches.items():
            made.add_argument(name, action="store_true", help=told)
        return made


def _is_stored(section: str) -> bool:
    return CLAIMS in section or STORED.match(section) is not None


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


def chosen(asked: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Return the workloads asked for with `--workloads`, or all of `names`; raise `ConfigError` for an unknown one."""
    for name in asked or ():
        if name not in names:
            hint = nearest(name, names)
            raise ConfigError(f"--workloads {name}: there is no such workload{hint}; there are {', '.join(names)}.")
    return list(asked or names)


def seeds(options: argparse.Namespace) -> range:
    """Return the seeds that everything but choices is run under."""
    return range(options.seed, options.seed + options.seeds)


def changed(options: argparse.Namespace, **given: Any) -> argparse.Namespace:
    """Return `options` with others in their places."""
    return argparse.Namespace(**vars(options) | given)


def loads_chosen(
    options: argparse.Namespace,
    names: Iterable[str],
    recognised: Callable[[Path], str | None],
    synthetic: Callable[[str], Load],
    real: Callable[[str, Path], Load],
) -> dict[str, Load]:
    """Return the workloads asked for: whole traces, and `synthetic` ones of those `names` of which there is none."""
    whole = whole_traces(options.traces, recognised)
    every = chosen(options.workloads, [*dict.fromkeys([*names, *whole])])
    return {name: real(name, whole[name]) if name in whole else synthetic(name) for name in every}
