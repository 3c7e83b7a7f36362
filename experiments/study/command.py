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

from .claims import Claim, counted
from .paper import Given, Paper, Setting
from .results import TABLE, Row, measured, of_choice, of_claims, of_figures, page


def share(text: str) -> Fraction:
    """Return the share that `text` spells: 0, which is none, for a quotient over 0."""
    return Fraction(0 if text.rstrip("0").endswith("/") else text)


def main(paper: Paper, arguments: Sequence[str] | None = None) -> int:
    """Return 0, 1 if a run failed, 2 if something given cannot be used, 128 + a signal if stopped."""
    about = paper.names["__doc__"].partition("\n")[0]
    parser = argparse.ArgumentParser(prog=f"python -m {paper.names['__spec__'].name}", description=about)
    folder, scale = Path("results", paper.path.stem), "size of device and workloads, 1 the paper's (%(default)s)"
    parser.add_argument("--folder", type=Path, default=folder, help="where runs and page go (default %(default)s)")
    parser.add_argument("--scale", type=share, default=paper.scale, help=scale)
    parser.add_argument("--only", metavar="CLAIM", help="run what one claim needs; the page has their names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=paper.seeds, help="from --seed on (those stored: %(default)s)")
    parser.add_argument("--traces", type=Path, help="a folder of whole traces, called by their workloads")
    parser.add_argument("--jobs", type=int, default=cpu_count() or 1, help="runs at a time (default: all cores)")
    options = parser.parse_args(arguments)
    return failures.guarded(
        lambda: _run(paper, options, parser.prog), "Interrupted; the same command goes on from here."
    )


def _run(paper: Paper, options: argparse.Namespace, program: str) -> int:
    """Run everything, write `results.parquet` and the page `report.md`, and print its path."""
    held = {claim.name: claim for claim in paper.claims if claim.formula}
    if options.only not in (None, *held):
        raise ConfigError(f"--only {options.only}: there is no such claim to be held{nearest(options.only, held)}.")
    if not 0 < options.scale <= 1:
        raise ConfigError(f"--scale {options.scale}: take a share such as 1/16, 0.5 or 1.")
    if options.traces and not options.traces.is_dir():
        raise TraceError(f"--traces={options.traces}: there is no such folder.")
    rows = _rows(paper, [*held.values()] if options.only is None else [held[options.only]], options)
    (report := options.folder / "report.md").parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=TABLE), options.folder / "results.parquet")
    made = f"Made by `{program} --scale {options.scale} --seeds {options.seeds}`."
    report.write_text(page(paper, rows, made), encoding="utf-8")
    print(counted(measured(paper, rows)), report, sep="\n")
    return 0


def _rows(paper: Paper, claims: Sequence[Claim], options: argparse.Namespace) -> list[Row]:
    """Return the rows of results, of one claim or of all, with figures and choices; run what that needs."""
    files = sorted(options.traces.iterdir()) if options.traces else ()
    whole_traces = {file.name.partition(".")[0].lower(): file for file in files}
    first = Setting(paper, Given(options.scale, options.seed, options.folder / "traces", whole_traces))
    further = (attrs.evolve(first.given, seed=options.seed + more) for more in range(1, options.seeds))
    seeds = [first, *(attrs.evolve(first, given=given, first=False) for given in further)]

    def numbers() -> list[Row]:
        rows = of_claims(claims, seeds)
        if options.only is None:
            rows += of_figures(paper, seeds)
            rows += [row for choice in paper.choices for row in of_choice(claims, choice, first)]
        return rows

    with session():
        numbers()  # all results are unknown, and wanted
        configs = {name: composed(overrides) for name, overrides in first.wanted.items()}
    first.results.update(run_all(configs, options.folder / "runs", options.jobs))
    return numbers()
