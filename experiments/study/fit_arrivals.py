"""Arrivals fitted to pieces of traces, and held against them: `python -m experiments.study.fit_arrivals`.

By the rule of `experiments.study.arrival_fit`, levels of `workload.arrival=levels` are fitted to each of the pieces of
real traces that the papers' workloads are made from, as far as they are there, or to the traces given. For each the
command prints the overrides that give another workload such arrivals, and tables: the measures of the piece at every
scale, beside those of drawn pieces that the fit has not seen.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ssdsim.command import failures
from ssdsim.command.compose import prepared, session
from ssdsim.config import TraceConfig
from ssdsim.errors import TraceError
from ssdsim.report.text import TextTable
from ssdsim.workload import READ, open_workload

from .arrival_fit import FEWEST, LOADS, PIECES, Fitted, autocorrelation, dispersion, fit, queue, scales
from .arrivals import PIECES as REAL_PIECES
from .arrivals import Arrivals, Levels
from .traces import real_pieces, replayed

SUMMARY = "Fit rushes and bursts to traces, and hold drawn arrivals against them at every scale."
DIGITS = 3
UNSEEN = range(PIECES, 2 * PIECES)
"""Seeds of drawn pieces that have no part in the fit."""

ROOMY_BYTES, PAGE_BYTES = 2**50, 4096


def times_by_kind(config: TraceConfig) -> dict[str, np.ndarray]:
    """Return when the reads and the other requests of a trace come, in seconds from the first; or all, if few."""
    chunks = list(open_workload(config, ROOMY_BYTES, PAGE_BYTES, 0).chunks())
    times_s = np.concatenate([chunk.arrival_ns for chunk in chunks]) / 1e9
    is_read = np.concatenate([chunk.op for chunk in chunks]) == READ
    by_kind = {"reads": times_s[is_read], "writes": times_s[~is_read]}
    if min(map(len, by_kind.values())) < FEWEST:
        by_kind = {"requests": times_s}
    # times from 0 on, as `fit` takes them
    return {kind: times - times[0] for kind, times in by_kind.items()}


def rounded(fitted: Mapping[str, Fitted]) -> Arrivals:
    """Return the arrivals fitted to the kinds of a trace, to `DIGITS` significant digits."""
    keys = [value for part in fitted.values() for value in (_levels(part), _digits(part.batch_requests))]
    return Arrivals(*keys)  # type: ignore[arg-type]


def _levels(fitted: Fitted) -> Levels:
    return tuple(
        (_digits(level["share"]), _digits(level["traffic"]), _digits(level["length_s"])) for level in fitted.levels
    )


def _digits(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def comparison(times_s: np.ndarray, fitted: Fitted) -> list[tuple[str, float, np.ndarray]]:
    """Return the measures by name: of a piece, and low, middle and high of 95 percent of the drawn ones."""
    drawn = [fitted.draw(len(times_s), seed) for seed in UNSEEN]

    def held(name: str, measure: Callable[[np.ndarray], float]) -> tuple[str, float, np.ndarray]:
        return name, measure(times_s), np.percentile([measure(piece) for piece in drawn], [2.5, 50, 97.5])

    rows = []
    for window in scales(float(times_s[-1])):
        rows.append(held(f"dispersion, {window:.3g} s", partial(dispersion, window_s=window)))
        rows.append(held(f"autocorrelation, {window:.3g} s", partial(autocorrelation, window_s=window)))
    return rows + [held(f"queue, load {load:g}", partial(queue, load=load)) for load in (0.2, *LOADS)]


def report(name: str, overrides: Sequence[str]) -> None:
    """Fit to a trace and print what came of it."""
    config = prepared([*overrides]).config.workload
    fitted = {}
    for kind, times_s in times_by_kind(config).items():
        try:
            fitted[kind] = fit(times_s)
        except ValueError as error:
            raise TraceError(f"{config.path}: {error}.") from None
        table = TextTable(
            "measure", "piece", "drawn: middle", "95 percent of 25", title=f"{name}: {len(times_s):,} {kind}"
        )
        for row, ours, (low, middle, high) in comparison(times_s, fitted[kind]):
            # three digits, as in `FITTED`
            table.add_row(row, f"{ours:.3g}", f"{middle:.3g}", f"{low:.3g} to {high:.3g}")
        print(table)
    arrivals = rounded(fitted)
    print(" ".join(arrivals.overrides()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, or 2 for a trace that cannot be read or is too short."""
    options = argparse.ArgumentParser(prog="python -m experiments.study.fit_arrivals", description=SUMMARY)
    what = "a trace, one of the pieces, or a key of the traces, as workload.time_unit=us (default: all pieces)"
    options.add_argument("traces", nargs="*", metavar="TRACE", help=what)
    given = options.parse_args(arguments)
    return failures.guarded(lambda: _run(given))


def _run(given: argparse.Namespace) -> int:
    keys = [argument for argument in given.traces if "=" in argument]
    own = [argument for argument in given.traces if "=" not in argument]
    pieces = real_pieces({name: piece for name, piece in REAL_PIECES.items() if not own or name in own})
    traces = pieces | {Path(argument).name: replayed(Path(argument)) for argument in own if argument not in REAL_PIECES}
    with session():
        for name, overrides in traces.items():
            report(name, [*overrides, *keys])
    return 0


if __name__ == "__main__":
    sys.exit(main())
