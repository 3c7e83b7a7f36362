"""Arrivals fitted to traces, and held against them: `python -m experiments.study.fit_arrivals`.

By the rule of `ssdsim.workload.arrival_fit`, levels of `workload.arrival=levels` are fitted to each of the pieces of
real traces that the papers' workloads are made from, as far as they are there, or to the traces given. For each the
command prints the overrides that give another workload such arrivals, and tables: the measures of the piece at every
scale, beside those of drawn pieces that the fit has not seen.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ssdsim.command import failures
from ssdsim.command.compose import composed
from ssdsim.config import TraceConfig
from ssdsim.errors import TraceError
from ssdsim.report.markdown import markdown
from ssdsim.workload import READ, open_workload
from ssdsim.workload.arrival_fit import FEWEST, LOADS, PIECES, Fitted, autocorrelation, dispersion, fit, queue, scales

from .arrivals import PIECES as REAL_PIECES
from .arrivals import Arrivals
from .traces import PIECES as FOLDER
from .traces import replayed

SUMMARY = "Fit rushes and bursts to traces, and hold drawn arrivals against them at every scale."
UNSEEN = range(PIECES, 2 * PIECES)  # seeds of drawn pieces that have no part in the fit


def times_by_kind(config: TraceConfig) -> dict[str, np.ndarray]:
    """Return when the reads and the other requests of a trace come, in seconds from the first; or all, if few."""
    chunks = list(open_workload(config, 2**50, 4096, 0).chunks())
    times_s = np.concatenate([chunk.arrival_ns for chunk in chunks]) / 1e9
    is_read = np.concatenate([chunk.op for chunk in chunks]) == READ
    by_kind = {"reads": times_s[is_read], "writes": times_s[~is_read]}
    if min(map(len, by_kind.values())) < FEWEST:
        by_kind = {"requests": times_s}
    # times from 0 on, as `fit` takes them
    return {kind: times - times[0] for kind, times in by_kind.items()}


def rounded(fitted: Mapping[str, Fitted]) -> Arrivals:
    """Return the arrivals fitted to the kinds of a trace, to three significant digits."""

    def short(value: float) -> float:
        return float(f"{value:.3g}")

    keys: list[object] = []
    for part in fitted.values():
        levels = (tuple(short(level[key]) for key in ("share", "traffic", "length_s")) for level in part.levels)
        keys += [tuple(levels), short(part.batch_requests)]
    return Arrivals(*keys)  # type: ignore[arg-type]


def comparison(times_s: np.ndarray, fitted: Fitted) -> list[list[str]]:
    """Return the measures by name: of a piece, and the middle and 95 percent of the drawn ones."""
    drawn = [fitted.draw(len(times_s), seed) for seed in UNSEEN]
    measures = {f"queue, load {load:g}": partial(queue, load=load) for load in (0.2, *LOADS)}
    for window_s in scales(float(times_s[-1])):
        for measure in (dispersion, autocorrelation):
            measures[f"{measure.__name__}, {window_s:.3g} s"] = partial(measure, window_s=window_s)
    rows = []
    for name, measure in measures.items():
        low, middle, high = np.percentile([measure(piece) for piece in drawn], [2.5, 50, 97.5])
        rows.append([name, f"{measure(times_s):.3g}", f"{middle:.3g}", f"{low:.3g} to {high:.3g}"])
    return rows


def report(name: str, overrides: Sequence[str]) -> None:
    """Fit to a trace and print what came of it."""
    config, fitted = composed([*overrides]).workload, {}
    for kind, times_s in times_by_kind(config).items():
        try:
            fitted[kind] = fit(times_s)
        except ValueError as error:
            raise TraceError(f"{config.path}: {error}.") from None
        header = [f"{name}: {len(times_s):,} {kind}", "piece", "drawn: middle", "95 percent of 25"]
        print(markdown(header, comparison(times_s, fitted[kind])))
    print(*rounded(fitted).overrides())


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, or 2 for a trace that cannot be read or is too short."""
    options = argparse.ArgumentParser(prog="python -m experiments.study.fit_arrivals", description=SUMMARY)
    what = "a trace, or a key of the traces, as workload.time_unit=us (default: the pieces beside the project)"
    options.add_argument("traces", nargs="*", metavar="TRACE", help=what)
    given = options.parse_args(arguments).traces
    keys = [word for word in given if "=" in word]
    traces = {name: (Path(name), keys) for name in given if name not in keys}
    pieces = {name: (FOLDER / file, options) for name, (file, options) in REAL_PIECES.items()}

    def run() -> int:
        for name, (path, more) in (traces or pieces).items():
            if traces or path.is_file():
                report(name, [*replayed(path), *more])
        return 0

    return failures.guarded(run)


if __name__ == "__main__":
    sys.exit(main())
