"""The command line of a paper: runs what is not finished yet, and writes the table of results and its page."""

import argparse
import sys
from collections.abc import Sequence
from fractions import Fraction
from os import cpu_count
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from ssdsim.command import failures
from ssdsim.command.compose import composed, session
from ssdsim.command.runs import run_all
from ssdsim.config import nearest
from ssdsim.errors import ConfigError, TraceError
from ssdsim.metrics.result import Result

from .claims import Claim
from .paper import Given, Paper, Setting
from .results import TABLE, of_choice, of_claims, of_figures, page, told


def main(paper: Paper, arguments: Sequence[str] | None = None) -> int:
    """Return 0, 1 if a run failed, 2 if something given cannot be used, 128 + a signal if stopped."""
    options = _parser(paper).parse_args(arguments)
    return failures.guarded(lambda: _run(paper, options), "Interrupted; the same command goes on from here.")


def _parser(paper: Paper) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog=f"python -m {paper.module}", description=paper.names["__doc__"].partition("\n")[0]
    )
    folder = Path("results", paper.path.stem)
    made.add_argument("--folder", type=Path, default=folder, help="where runs and page go (default %(default)s)")
    told_scale = "size of device and workloads, 1 the paper's (%(default)s)"
    made.add_argument("--scale", type=_share, default=paper.scale, help=told_scale)
    made.add_argument("--only", metavar="CLAIM", help="run what one claim needs; the page has their names")
    made.add_argument("--workloads", nargs="+", metavar="NAME", default=[], help="leave out all others")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--seeds", type=int, default=paper.seeds, help="from --seed on (those stored: %(default)s)")
    made.add_argument("--traces", type=Path, help="a folder of whole traces, called by their workloads")
    made.add_argument("--jobs", type=int, default=cpu_count() or 1, help="runs at a time (default: all cores)")
    return made


def _share(text: str) -> Fraction:
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share such as 1/16, 0.5 or 1")
    return share


def _run(paper: Paper, options: argparse.Namespace) -> int:
    """Run everything, write `results.parquet` and the page `report.md`, and print its path."""
    claims = [claim for claim in paper.claims if options.only in (None, claim.name)]
    if not claims:
        raise ConfigError(
            f"--only {options.only}: there is no such claim{nearest(options.only, _names(paper.claims))}."
        )
    if not any(claim.formula for claim in claims):
        raise ConfigError(f"--only {options.only}: is not held: {claims[0].note}.")
    for name in options.workloads:
        if name not in paper.loads:
            there = f"{nearest(name, paper.loads)}; there are {', '.join(paper.loads)}"
            raise ConfigError(f"--workloads {name}: there is no such workload{there}.")
    table = measured(paper, claims, options)
    options.folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, options.folder / "results.parquet")
    made = f"Made by `python -m {paper.module} --scale {options.scale} --seeds {options.seeds}`."
    (options.folder / "report.md").write_text(page(paper, table, made), encoding="utf-8")
    print(told(paper.claims, table), options.folder / "report.md", sep="\n")
    return 0


def _names(claims: Sequence[Claim]) -> list[str]:
    return [claim.name for claim in claims]


def measured(paper: Paper, claims: Sequence[Claim], options: argparse.Namespace) -> pa.Table:
    """Return the table of results, of one claim or of all, with figures and choices; run what that needs."""
    wanted: dict[str, list[str]] = {}
    results: dict[str, Result] = {}
    given = Given(options.scale, options.seed, options.folder / "traces", _whole_traces(options.traces))
    loads = [load for load in paper.loads if load in (options.workloads or paper.loads)]
    first = Setting(paper, given, results, wanted, loads)
    further = [attrs.evolve(given, seed=options.seed + more) for more in range(1, options.seeds)]
    seeds = [first, *(attrs.evolve(first, given=other, first=False) for other in further)]

    def numbers() -> list[dict[str, Any]]:
        rows = of_claims(claims, seeds)
        if options.only is None:
            rows += of_figures(paper, first)
            for choice in paper.choices:
                under = [load for load in loads if load in (choice.loads or loads)]
                limited = attrs.evolve(first, loads=under, systems=choice.systems)
                values = {
                    value: attrs.evolve(limited, label=f"{choice.name}/{value}", changes=changes)
                    for value, changes in choice.values.items()
                }
                rows += of_choice(claims, choice, values)
        return rows

    with session():
        numbers()  # all results are unknown, and wanted
        if options.only is None and paper.minutes:
            minutes = paper.minutes * options.seeds / 3 * len(loads) / len(paper.loads)
            minutes = max(minutes * float(options.scale / paper.scale), 1)
            print(f"{len(wanted)} runs take about {minutes:,.0f} minutes of a core, all of them.", file=sys.stderr)
        configs = {name: composed(overrides) for name, overrides in wanted.items()}
    results |= run_all(configs, options.folder / "runs", options.jobs)
    return pa.Table.from_pylist(numbers(), schema=TABLE)


def _whole_traces(folder: Path | None) -> dict[str, Path]:
    if folder is None:
        return {}
    if not folder.is_dir():
        raise TraceError(f"--traces={folder}: there is no such folder.")
    return {path.name.partition(".")[0].lower(): path for path in sorted(folder.iterdir())}
