"""The command line of a paper: runs what is not finished yet, and writes the table of results and its page."""

import argparse
from collections.abc import Sequence
from fractions import Fraction
from os import cpu_count
from pathlib import Path

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
from .results import TABLE, Row, of_choice, of_claims, of_figures, page, told


def main(paper: Paper, arguments: Sequence[str] | None = None) -> int:
    """Return 0, 1 if a run failed, 2 if something given cannot be used, 128 + a signal if stopped."""
    options = _parser(paper).parse_args(arguments)
    return failures.guarded(lambda: _run(paper, options), "Interrupted; the same command goes on from here.")


def _parser(paper: Paper) -> argparse.ArgumentParser:
    about = paper.names["__doc__"].partition("\n")[0]
    parser = argparse.ArgumentParser(prog=f"python -m {paper.module}", description=about)
    folder, scale = Path("results", paper.path.stem), "size of device and workloads, 1 the paper's (%(default)s)"
    parser.add_argument("--folder", type=Path, default=folder, help="where runs and page go (default %(default)s)")
    parser.add_argument("--scale", type=_share, default=paper.scale, help=scale)
    parser.add_argument("--only", metavar="CLAIM", help="run what one claim needs; the page has their names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=paper.seeds, help="from --seed on (those stored: %(default)s)")
    parser.add_argument("--traces", type=Path, help="a folder of whole traces, called by their workloads")
    parser.add_argument("--jobs", type=int, default=cpu_count() or 1, help="runs at a time (default: all cores)")
    return parser


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
    held = {claim.name: claim for claim in paper.claims if claim.formula}
    if options.only not in (None, *held):
        raise ConfigError(f"--only {options.only}: there is no such claim to be held{nearest(options.only, held)}.")
    rows = measured(paper, [*held.values()] if options.only is None else [held[options.only]], options)
    report = options.folder / "report.md"
    report.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=TABLE), options.folder / "results.parquet")
    made = f"Made by `python -m {paper.module} --scale {options.scale} --seeds {options.seeds}`."
    report.write_text(page(paper, rows, made), encoding="utf-8")
    print(told(paper.claims, rows), report, sep="\n")
    return 0


def measured(paper: Paper, claims: Sequence[Claim], options: argparse.Namespace) -> list[Row]:
    """Return the rows of results, of one claim or of all, with figures and choices; run what that needs."""
    wanted: dict[str, list[str]] = {}
    results: dict[str, Result] = {}
    given = Given(options.scale, options.seed, options.folder / "traces", _whole_traces(options.traces))
    first = Setting(paper, given, results, wanted)
    further = [attrs.evolve(given, seed=options.seed + more) for more in range(1, options.seeds)]
    seeds = [first, *(attrs.evolve(first, given=other, first=False) for other in further)]

    def numbers() -> list[Row]:
        rows = of_claims(claims, seeds)
        if options.only is None:
            rows += of_figures(paper, first)
            rows += [row for choice in paper.choices for row in of_choice(claims, choice, first)]
        return rows

    with session():
        numbers()  # all results are unknown, and wanted
        configs = {name: composed(overrides) for name, overrides in wanted.items()}
    results |= run_all(configs, options.folder / "runs", options.jobs)
    return numbers()


def _whole_traces(folder: Path | None) -> dict[str, Path]:
    if folder is not None and not folder.is_dir():
        raise TraceError(f"--traces={folder}: there is no such folder.")
    return {path.name.partition(".")[0].lower(): path for path in sorted(folder.iterdir())} if folder else {}
