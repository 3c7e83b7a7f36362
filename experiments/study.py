"""What the experiments of one paper share: many runs that can be stopped and resumed, and the tables of a report.

A study is a set of named runs. Each is simulated by a worker process into a folder of its name, and not again while
that folder holds the result of the same configuration.
"""

import argparse
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.csv

from experiments import failures
from experiments.compose import prepared, session
from ssdsim.config import SimulationConfig, TraceConfig, nearest
from ssdsim.errors import ConfigError, InputError, SimulationError, SsdsimError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.metrics.summary import provenance
from ssdsim.run.interrupts import ENDING, stoppable
from ssdsim.run.interrupts import exit_status as ended_by
from ssdsim.run.simulation import simulate

Row = dict[str, Any]
"""A row of a table, by its columns."""


def grid(
    systems: Mapping[str, list[str]], workloads: Mapping[str, list[str]], common: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Return the overrides of every system under every workload; a run is called `workload/system`."""
    return {
        f"{workload}/{system}": [*common, *of_system, *of_workload]
        for workload, of_workload in workloads.items()
        for system, of_system in systems.items()
    }


def run_all(runs: Mapping[str, list[str]], folder: Path, jobs: int) -> dict[str, Result]:
    """Run what is not finished yet, `jobs` at a time, and return the result of every run, read from its folder.

    Raise `InputError` before any run if one cannot be composed, and `SimulationError` after all if one has failed.
    """
    with session():
        configs = {name: prepared(overrides).config for name, overrides in runs.items()}
    waiting = {name: config for name, config in configs.items() if not is_finished(config, folder / name)}
    if reused := len(configs) - len(waiting):
        print(f"{reused} of {len(configs)} runs are finished already.", file=sys.stderr)
    failed: dict[str, SsdsimError] = {}
    with _workers(jobs) as pool:
        futures = {pool.submit(_run, config, folder / name): name for name, config in waiting.items()}
        for count, future in enumerate(as_completed(futures), 1):
            name, told = futures[future], "failed"
            try:
                told = f"{future.result():.1f} s"
            except SsdsimError as error:
                failed[name] = error
            except BrokenProcessPool:
                raise SimulationError(
                    f"{name}: its process died, of too little memory perhaps; try --jobs 1."
                ) from None
            print(f"[{count}/{len(waiting)}] {name}: {told}", file=sys.stderr, flush=True)
    for name, reason in failed.items():
        raise SimulationError(f"{len(failed)} of {len(configs)} runs failed; {name}: {reason}")
    return {name: Result.load(folder / name) for name in configs}


def run_parts(parts: Mapping[str, Mapping[str, list[str]]], folder: Path, jobs: int) -> dict[str, dict[str, Result]]:
    """Run all parts of a study, and return their results; the run `name` of a part lies in the folder `part/name`."""
    runs = {f"{part}/{name}": overrides for part, of in parts.items() for name, overrides in of.items()}
    results = run_all(runs, folder, jobs)
    return {part: {name: results[f"{part}/{name}"] for name in of} for part, of in parts.items()}


def is_finished(config: SimulationConfig, folder: Path) -> bool:
    """Return whether `folder` holds the whole result of `config`, later than the trace that it replays."""
    try:
        summary = Result.load(folder).summary
    except InputError:
        return False
    now = provenance(config)
    same = all(summary[key] == now[key] for key in ("config_hash", "versions"))
    return same and not summary["partial"] and not _is_outdated(config.workload, folder / "summary.json")


def _is_outdated(workload: object, summary: Path) -> bool:
    return isinstance(workload, TraceConfig) and Path(workload.path).stat().st_mtime > summary.stat().st_mtime


@contextmanager
def _workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Within it there are worker processes; they are ended at once if it is left by an exception."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_leave_signals_to_the_parent) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in multiprocessing.active_children():
                worker.kill()
            raise


def _leave_signals_to_the_parent() -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def _run(config: SimulationConfig, folder: Path) -> float:
    """Simulate into `folder`, in the place of what an earlier run left there, and return the seconds it took."""
    with ResultFolder(folder, overwrite=True) as place:
        return float(simulate(config, place).summary["wall_s"])


# The command line.


def parser(
    module: str, description: str, folder: str, scale: Fraction = Fraction(1, 16), traces: bool = True
) -> argparse.ArgumentParser:
    """Return a parser with the options that every study has, and `--traces` for those of traces."""
    made = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    made.add_argument(
        "--folder", type=Path, default=Path(folder), help="where runs and report go (default %(default)s)"
    )
    made.add_argument(
        "--scale", type=_share, default=scale, help="size of device and workloads, 1 the paper's (%(default)s)"
    )
    if traces:
        made.add_argument("--traces", type=Path, help="a folder of whole traces, taken by their names")
    made.add_argument("--jobs", type=_count, default=os.cpu_count() or 1, help="runs at a time (default: all cores)")
    made.add_argument("--only", nargs="+", metavar="WORKLOAD", help="leave out all other workloads")
    made.add_argument("--seed", type=int, default=1)
    return made


def scaled(blocks: int, scale: Fraction, fewest: int) -> int:
    """Return `scale` times the blocks of a plane; raise `ConfigError` for fewer than `fewest`."""
    made = round(blocks * scale)
    if made < fewest:
        raise ConfigError(f"--scale={scale}: leaves {made} blocks a plane; take at least 1/{blocks // fewest}.")
    return made


def _share(text: str) -> Fraction:
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share such as 1/16, 0.5 or 1")
    return share


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return int(text)


def chosen(only: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Return the workloads asked for with `--only`, or all of `names`; raise `ConfigError` for one not among these."""
    for name in only or ():
        if name not in names:
            hint = nearest(name, names)
            raise ConfigError(f"--only {name}: there is no such workload{hint}; there are {', '.join(names)}.")
    return list(only or names)


def exit_status(work: Callable[[], None]) -> int:
    """Do `work` and return the status to exit with; what is wrong with the input is told in one sentence."""
    try:
        with stoppable():
            work()
    except KeyboardInterrupt as interrupt:
        print("Interrupted; the same command goes on from here.", file=sys.stderr)
        return ended_by(interrupt)
    except Exception as error:
        failure = failures.expected(error)
        if failure is None:
            raise
        print(failure.message, file=sys.stderr)
        return failure.exit_status
    return 0


# The report.


@attrs.frozen
class Comparison:
    """A number of ours beside the paper's.

    Its sign is its direction: a reduction below 0 is a rise. `slack` is a difference, in the number's own unit, that
    means nothing, such as half of the last digit that the paper prints.
    """

    what: str
    ours: float | None
    paper: float
    unit: str = "%"
    slack: float = 0.5

    @property
    def verdict(self) -> str:
        """Whether ours is within a third of the paper's, further off, or of the other direction."""
        if self.ours is None:
            return "not measured"
        if abs(self.ours - self.paper) <= max(abs(self.paper) / 3, self.slack):
            return "agrees"
        return "**other direction**" if self.ours * self.paper < 0 else "**off by more than a third**"

    @property
    def agrees(self) -> bool:
        """Whether nothing has to be explained."""
        return self.verdict == "agrees"

    def row(self) -> tuple[str, ...]:
        """Return the cells of a table: what, ours, paper, verdict."""
        return self.what, f"{number(self.ours)}{self.unit}", f"{number(self.paper)}{self.unit}", self.verdict


def number(value: float | None, digits: int = 3) -> str:
    """Return `value` with `digits` significant digits, or a dash for None; whole numbers keep all of theirs."""
    if value is None:
        return "-"
    if isinstance(value, int) or abs(value) >= 10**digits:
        return f"{value:,.0f}"
    return f"{float(f'{value:.{digits}g}'):g}"


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of those that are not None, or None if all are."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def markdown(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table in Markdown, numbers to three digits and all columns but the first set right."""
    cells = [[each if isinstance(each, str) else number(each) for each in row] for row in rows]
    lines = [list(header), ["---"] + ["---:"] * (len(header) - 1), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def comparison_table(comparisons: Iterable[Comparison]) -> str:
    """Return the table of `comparisons` in Markdown."""
    return markdown(["", "ours", "paper", ""], (each.row() for each in comparisons))


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write `rows`, which have the same keys, as a CSV file with a header."""
    pyarrow.csv.write_csv(pa.Table.from_pylist(list(rows)), path)
