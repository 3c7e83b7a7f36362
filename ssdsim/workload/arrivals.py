"""When open-loop requests come, at a mean rate: `rate_iops`, or that of the trace whose requests are given other times.

`poisson` has independent arrivals, `constant` equal distances, and `bursts` a geometric number of requests,
`burst_requests` in the mean, which arrive as a Poisson process of `burst_iops`, with exponential gaps between bursts.

`levels` is a Markov-modulated Poisson process with batches: a quiet background, rushes of seconds to minutes, and
bursts within them. A level is on and off in turn, for exponential times; it is on for `share` of the time, `length_s`
seconds in the mean, and `traffic` of the requests come then. Levels know nothing of one another and their rates
multiply, so a burst within a rush is denser than one in the background, and n levels have 2 to the power of n rates.
Requests come in batches of a geometric number, `batch_requests` in the mean, at one time. The process starts in its
steady state; a run of a few rushes has the mean rate only roughly. With `write_levels` and `write_batch_requests` all
but the reads come by a process of their own, at their share of the rate: in traces, writes come in rushes that reads
know nothing of. A run then has its numbers of reads and writes exactly, and at its end one kind may come alone.

The superposition of such switches is how Andersen and Nielsen, "A Markovian approach for modeling packet traffic with
long-range dependence" (IEEE JSAC 16(5), 1998), reach several time scales; that the factors multiply is the
Markov-switching multifractal of Calvet and Fisher, "Forecasting multifractal volatility" (Journal of Econometrics
105(1), 2001). `experiments.study.arrivals` has those of pieces of traces.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ssdsim.config.workload import ArrivalConfig

PERIODS = 1 << 12
"""Periods of a level that are drawn at a time."""

Gaps = Callable[[int], np.ndarray]
"""Returns the times in ns before each of so many next requests: the same, whether asked for at once or one by one."""

Times = Callable[[int], np.ndarray]
"""Returns the times in whole ns of so many next requests, the first of which comes at 0."""


def gaps_of_bursts(
    rng: np.random.Generator, count: int, burst_requests: float, within: float, between: float
) -> np.ndarray:
    """Return exponential times before each request, with the means `within` a burst and `between` bursts.

    A burst of a geometric number of requests ends after each of them with the same probability. Gaps are therefore
    independent of one another, and need not know of bursts begun in an earlier chunk.
    """
    ends, gaps = rng.random((count, 2)).T  # two draws a request, whatever comes of them: the same in chunks of any size
    # log1p of the negative: exact for gaps that are short
    return -np.log1p(-gaps) * np.where(ends * burst_requests < 1, between, within)


class Switch:
    """A level: periods of being on and off, in turn, drawn `PERIODS` at a time."""

    def __init__(self, level: Mapping[str, float], rng: np.random.Generator) -> None:
        share, traffic = level["share"], level["traffic"]
        self._rng = rng
        # off, on: so that it is on for its share
        self._means_s = np.array([level["length_s"] * (1 - share) / share, level["length_s"]])
        # factors of the rate, whose mean over time is 1
        self._factors = np.array([(1 - traffic) / (1 - share), traffic / share])
        self._is_on = int(rng.random() < share)  # in its steady state, as for ever before
        self._now_s = 0.0
        self.ends_s = np.zeros(0)
        self._states = np.zeros(0, np.int64)

    def known_s(self) -> float:
        """Return until when the periods are drawn; draw more if all are used up."""
        if not len(self.ends_s):
            self._states = (np.arange(PERIODS) + self._is_on) % 2
            self.ends_s = self._now_s + np.cumsum(self._rng.exponential(size=PERIODS) * self._means_s[self._states])
            self._now_s = float(self.ends_s[-1])
        return self._now_s

    def factors(self, edges_s: np.ndarray) -> np.ndarray:
        """Return the factors of the rate from one edge to the next, and forget the periods that end by the last."""
        # the first end after a time is that of the period it lies in
        periods = np.searchsorted(self.ends_s, edges_s, "right")
        factors = self._factors[self._states[periods[:-1]]]
        self.ends_s, self._states = self.ends_s[periods[-1] :], self._states[periods[-1] :]
        return factors


class Levels:
    """Arrivals of a Markov-modulated Poisson process with batches, in memory that does not grow.

    The times are those of a Poisson process of rate 1 on the integral of the rate, which is a straight line between two
    changes of a level: it is inverted a block of changes at a time.
    """

    def __init__(
        self, levels: Sequence[Mapping[str, float]], batch_requests: float, rate_iops: float, rng: np.random.Generator
    ) -> None:
        self._rng, self._batch = rng, batch_requests
        self._rate = rate_iops
        # a generator for each, so that one's draws do not depend on how far another is drawn
        self._switches = [Switch(level, stream) for level, stream in zip(levels, rng.spawn(len(levels)), strict=True)]
        self._edges_s = np.zeros(1)
        self._areas = np.zeros(1)
        """Requests expected up to each of the edges, from the first of the block."""
        self._area = 0.0
        self._now_s = 0.0

    def __call__(self, count: int) -> np.ndarray:
        """Return the times in ns before each of the next `count` requests."""
        ends, steps = self._rng.random((count, 2)).T
        # A batch comes at one time: only its first request takes a step, of the whole batch.
        goals = self._area + np.cumsum(-np.log1p(-steps) * self._batch * (ends * self._batch < 1))
        times_s = np.empty(count)
        done = 0
        while True:
            reach = done + int(np.searchsorted(goals[done:], self._areas[-1], "right"))
            times_s[done:reach] = np.interp(goals[done:reach], self._areas, self._edges_s)
            done = reach
            if done == count:
                break
            goals[done:] -= self._areas[-1]  # areas count from the start of a block
            self._draw_on()
        self._area = float(goals[-1])
        gaps = np.diff(times_s, prepend=self._now_s)
        self._now_s = float(times_s[-1])
        return gaps * 1e9

    def _draw_on(self) -> None:
        """Take the next block of changes: up to the first end of what is drawn of a level."""
        horizon_s = min(switch.known_s() for switch in self._switches)
        # two levels may change at one time
        ends_s = np.unique(np.concatenate([switch.ends_s for switch in self._switches]))
        self._edges_s = np.concatenate([self._edges_s[-1:], ends_s[ends_s <= horizon_s]])
        rates = np.full(len(self._edges_s) - 1, self._rate)
        for switch in self._switches:
            rates *= switch.factors(self._edges_s)
        self._areas = np.concatenate([[0.0], np.cumsum(rates * np.diff(self._edges_s))])


def arrival_times(config: ArrivalConfig, rate_iops: float, rng: np.random.Generator) -> Times:
    """Return the arrivals that a configuration asks for, at a mean rate."""
    mean_ns = 1e9 / rate_iops
    if config.arrival == "levels":
        return from_zero(Levels(config.levels, config.batch_requests, rate_iops, rng))
    if config.arrival == "poisson":
        return from_zero(lambda count: rng.exponential(size=count) * mean_ns)
    if config.arrival == "constant":
        return from_zero(lambda count: np.ones(count) * mean_ns)
    length, burst_iops = config.burst_requests, config.burst_iops
    assert burst_iops and length  # the configuration sees to it
    # Times in units of the mean: gaps within a burst, and those between make up for their being short.
    within = rate_iops / burst_iops
    between = length - (length - 1) * within
    return from_zero(lambda count: gaps_of_bursts(rng, count, length, within, between) * mean_ns)


def arrival_times_by_kind(
    config: ArrivalConfig, rate_iops: float, read_share: float, rng: np.random.Generator
) -> tuple[Times, Times]:
    """Return the arrivals of the reads and of the others with `write_levels`, each at its share of the rate."""
    of_reads, of_others = rng.spawn(2)
    # Reads and others have generators of their own: how many of one kind come changes nothing of the other.
    return (
        from_zero(Levels(config.levels, config.batch_requests, rate_iops * read_share, of_reads)),
        from_zero(Levels(config.write_levels, config.write_batch_requests, rate_iops * (1 - read_share), of_others)),
    )


def from_zero(gaps: Gaps) -> Times:
    """Return the times of requests with such gaps between them, the first of which comes at 0."""
    now: float | None = None

    def times(count: int) -> np.ndarray:
        nonlocal now
        steps = gaps(count)
        if now is None:
            steps[0] = now = 0.0
        sums = now + np.cumsum(steps)  # the sum of exact times, rounded at each: errors do not add up
        now = float(sums[-1])
        return np.rint(sums).astype(np.int64)

    return times
