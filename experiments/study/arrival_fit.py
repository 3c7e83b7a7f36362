"""How bursty arrivals are at several time scales, and levels of `arrival=levels` that are as bursty, by one rule.

Three measures are taken of a piece of a trace, and of drawn arrivals alike:

- the index of dispersion of counts, IDC(w): the variance of the requests in windows of w seconds over their mean, for w
  from 1 ms in half decades to a tenth of the piece;
- the autocorrelation of the counts of neighbouring windows of those lengths;
- the mean queue, in requests, of a server that takes a constant time for each, busy for 0.3, 0.5, 0.7 or 0.9 of the
  piece's time.

The rule, which was settled on arrivals alone, before any of the papers' systems was run under them:

0. Reads and other requests are fitted apart, as writes come in rushes of which reads know nothing; together only where
   a piece has fewer than a thousand of one kind.
1. The rate of levels that are on and off has, to first order, a covariance that is a sum of exponentials, one a level,
   and batches add a constant to the IDC, so that IDC(w) = b + 2 l sum A_i (w/c_i - (1 - exp(-c_i w)) / c_i^2) / w, with
   the mean rate l and 1 / c_i the correlation time of level i. The expected sample variance in the n windows of a piece
   lacks that of their mean; the model is given the same lack, so that a short piece is compared like with like. b and
   the A_i are those of least squared relative error, with b >= 1 and A_i >= 0; the correlation times are those that
   leave the least of it, of a grid of ten a decade, from 10 ms to a tenth of the piece, a decade or more between two.
   Lag-one autocorrelation is IDC(2w) / IDC(w) - 1, and need not be fitted beside it.
2. Batches are geometric, of (b + 1) / 2 requests in the mean. Of the levels, the slowest first, the factor of level i
   on the rate has the variance s_i = A_i / (1 + s_1) / ... / (1 + s_(i-1)): a burst is a burst within rushes.
3. This leaves how variance is made up of height and rarity. A level is on for the share x / (1 + s_i) of time: with
   x = 1 nothing comes while it is off, with x near 0 it is rare and tall. x, the same for all levels, is the one of a
   grid whose queues are nearest: the root mean square over the four servers of ln((1 + median over 25 drawn pieces) /
   (1 + the piece's)) is least. Each drawn piece has as many requests as the piece, and its server is of its own mean
   rate.

Fitting the IDC follows Heffes and Lucantoni, "A Markov modulated characterization of packetized voice and data traffic
and related statistical multiplexer performance" (IEEE JSAC 4(6), 1986), and, over several scales, Andersen and Nielsen
(1998; see `ssdsim.workload.arrivals`); that queues are what a model of I/O arrivals is to be held against, Wang et al.,
"Data mining meets performance evaluation: fast algorithms for modeling bursty traffic" (ICDE 2002).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import log10

import attrs
import numpy as np

from ssdsim.workload.arrivals import Levels

LOADS = (0.3, 0.5, 0.7, 0.9)
SHORTEST_S = 1e-3
FEWEST_WINDOWS = 10
FEWEST = 1000
"""Requests of a kind from which on it is fitted by itself."""

SCALES_A_DECADE, TIMES_A_DECADE = 2, 10
RARITIES = np.geomspace(1.0, 0.02, 24)
PIECES = 25


@attrs.frozen
class Fitted:
    """Levels and batches of `arrival=levels`, of which x is `rarity`; and the mean rate of what they were fitted to."""

    levels: tuple[dict[str, float], ...]
    batch_requests: float
    rate_iops: float
    rarity: float

    def draw(self, count: int, seed: int) -> np.ndarray:
        """Return the arrivals of a piece of `count` requests, in seconds from the first."""
        times = np.cumsum(self.arrivals(np.random.default_rng(seed))(count)) / 1e9
        return times - times[0]

    def arrivals(self, rng: np.random.Generator) -> Levels:
        """Return the arrivals that draw the times between requests."""
        return Levels(self.levels, self.batch_requests, self.rate_iops, rng)


def scales(span_s: float) -> list[float]:
    """Return the lengths of windows, in seconds, at which a piece of `span_s` is looked at."""
    # 1e-9: a whole number of steps is one, for all its binary digits
    steps = int(np.floor(SCALES_A_DECADE * log10(span_s / FEWEST_WINDOWS / SHORTEST_S) + 1e-9))
    return [SHORTEST_S * 10 ** (step / SCALES_A_DECADE) for step in range(steps + 1)]


def counts(times_s: np.ndarray, window_s: float) -> np.ndarray:
    """Return the requests in each whole window; `times_s` begin at 0 and do not go back."""
    windows = int(times_s[-1] / window_s)
    # what is in the last window, which is not whole, is left out
    return np.bincount((times_s / window_s).astype(np.int64), minlength=windows)[:windows]


def dispersion(times_s: np.ndarray, window_s: float) -> float:
    """Return the index of dispersion of counts."""
    numbers = counts(times_s, window_s)
    return float(numbers.var(ddof=1) / numbers.mean())


def autocorrelation(times_s: np.ndarray, window_s: float) -> float:
    """Return the correlation of the counts of neighbouring windows."""
    numbers = counts(times_s, window_s)
    return float(np.corrcoef(numbers[:-1], numbers[1:])[0, 1])


def queue(times_s: np.ndarray, load: float) -> float:
    """Return the mean number of requests before an arrival at a server that is busy for `load` of the time."""
    service_s = load * times_s[-1] / len(times_s)
    # work on arrival: service of those before, less the time between arrivals
    work = np.concatenate([[0.0], np.cumsum(service_s - np.diff(times_s))])
    # what the server cannot have done ahead is taken off
    return float((work - np.minimum.accumulate(work)).mean() / service_s)


def fit(times_s: np.ndarray, levels: int = 2) -> Fitted:
    """Return at most so many levels that are as bursty as a piece whose requests come at `times_s`, from 0 on.

    Raise ValueError for a piece that is too short: it has to last for a second, and to hold a hundred requests.
    """
    if len(times_s) < 100 or times_s[-1] < 1:
        raise ValueError(f"{len(times_s)} requests in {times_s[-1]:g} s are too few to fit; take 100 in 1 s or more")
    rate = len(times_s) / float(times_s[-1])
    batch, parts = _second_order(times_s, rate, levels)
    queues = np.array([queue(times_s, load) for load in LOADS])
    # without any level there is nothing to be rare
    made = [Fitted(_levels(parts, rarity), batch, rate, float(rarity)) for rarity in (RARITIES if parts else [1.0])]
    # the first of equals, which is the least rare
    return min(made, key=lambda fitted: _distance(fitted, queues, len(times_s)))


def _second_order(times_s: np.ndarray, rate: float, max_levels: int) -> tuple[float, list[tuple[float, float]]]:
    """Return the mean batch, and the correlation time in s and the squared variation of each part of the rate."""
    windows = np.array(scales(float(times_s[-1])))
    numbers = np.array([int(times_s[-1] / window) for window in windows])
    dispersions = np.array([dispersion(times_s, window) for window in windows])
    decades = log10(times_s[-1] / FEWEST_WINDOWS) - log10(SHORTEST_S * FEWEST_WINDOWS)
    taus = SHORTEST_S * FEWEST_WINDOWS * 10 ** (np.arange(int(TIMES_A_DECADE * decades) + 1) / TIMES_A_DECADE)
    # The sample variance lacks that of the mean of the piece, and so does the model (rule 1).
    lack = numbers / (numbers - 1)
    columns = {
        tau: lack
        * (_variance(windows, tau) - _variance(windows * numbers, tau) / numbers**2)
        * rate
        / windows
        / dispersions
        for tau in taus
    }
    best: tuple[float, Sequence[float], Sequence[float]] = (1.0, (), ())
    smallest_error = np.inf
    # sets of fewer levels come first, and win where more gain nothing
    for chosen in _spaced_sets(list(taus), max_levels):
        solved = _solved(1 / dispersions, [columns[tau] for tau in chosen])
        if solved is not None and solved[1] < smallest_error:
            (base, *parts), smallest_error = solved
            best = base, chosen, parts
    found_parts = zip(best[1], best[2], strict=True)
    return float(best[0] + 1) / 2, [(float(tau), float(part)) for tau, part in found_parts if part > 0]


def _variance(windows: np.ndarray, tau: float) -> np.ndarray:
    """Return the variance of the integral, over a window, of what has variance 1 and the correlation time `tau`."""
    x = windows / tau  # expm1, as x may be tiny
    return 2 * tau**2 * (x + np.expm1(-x))


def _spaced_sets(taus: Sequence[float], max_levels: int) -> Iterator[tuple[float, ...]]:
    """Yield up to `max_levels` of `taus`, the longest first, a decade or more between two."""
    for many in range(1, max_levels + 1):
        for chosen in combinations(sorted(taus, reverse=True), many):
            # 9.999: a decade, for all its binary digits
            if all(slow >= 9.999 * fast for slow, fast in pairwise(chosen)):
                yield chosen


def _solved(base: np.ndarray, parts: Sequence[np.ndarray]) -> tuple[np.ndarray, float] | None:
    """Return the factors that make up 1 best, and the squared error: of `base`, at least 1, and of `parts`.

    None if one of `parts` would be below 0, since there are choices with fewer.
    """
    columns = np.stack([base, *parts], axis=1)
    factors = np.linalg.lstsq(columns, np.ones(len(base)), rcond=None)[0]
    # A base below 1 is a process more even than Poisson's, which batches cannot make: it is set to 1 and the rest anew.
    if factors[0] < 1:
        rest = np.linalg.lstsq(columns[:, 1:], 1 - base, rcond=None)[0]
        factors = np.concatenate([[1.0], rest])
    return None if (factors[1:] < 0).any() else (factors, float(((columns @ factors - 1) ** 2).sum()))


def _levels(parts: Sequence[tuple[float, float]], rarity: float) -> tuple[dict[str, float], ...]:
    levels, before = [], 1.0
    for tau, part in parts:
        variance = part / before
        before *= 1 + variance
        share = rarity / (1 + variance)
        traffic = share + np.sqrt(variance * share * (1 - share))
        levels.append(  # beyond 1 nothing comes outside the level
            {"share": float(share), "traffic": min(float(traffic), 1.0), "length_s": float(tau / (1 - share))}
        )
    return tuple(levels)


def _distance(made: Fitted, queues: np.ndarray, count: int) -> float:
    drawn = [[queue(piece, load) for load in LOADS] for piece in (made.draw(count, seed) for seed in range(PIECES))]
    return float(np.sqrt(np.mean(np.log((1 + np.median(drawn, axis=0)) / (1 + queues)) ** 2)))
