"""Generated workloads: where requests go, what they are, how large, and when they come.

Requests start on multiples of the alignment: `align_kib`, or else the smallest request size but at most a page. All
starts from which the largest request still fits in the footprint are *slots*, and a pattern chooses among them:
`uniform` alike; `zipf` by popularity, the popular ones scattered at random over the footprint; `hot_cold` sends
`hot_traffic` of the requests to the first `hot_share` of the slots; `sequential` goes on where the last request ended.

Open-loop requests arrive at `rate_iops` in the long run: as a Poisson process (`poisson`), at equal distances
(`constant`), or in `bursts` of a geometric number of requests, `burst_requests` in the mean, which arrive as a Poisson
process of `burst_iops`; the gaps between bursts are exponential. The first request begins a burst.

Closed-loop `bursts` are of as many requests, and after each of them, once all its requests are complete, the stream is
idle for an exponential time of `idle_ms` in the mean.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import attrs
import numpy as np

from ssdsim.config import SyntheticConfig, refuse
from ssdsim.workload.chunk import CHUNK_ROWS, MAX_TIME_NS, READ, TRIM, WRITE, Chunk
from ssdsim.workload.sampling import Permutation, Zipf


@attrs.frozen
class Space:
    """The part of the device that requests go to."""

    footprint_bytes: int
    align_bytes: int
    slots: int


class Pattern(Protocol):
    """Chooses where requests start."""

    def __call__(self, sizes: np.ndarray) -> np.ndarray:
        """Return the offsets in bytes of the next requests, given their sizes in bytes."""


def uniform(config: SyntheticConfig, space: Space, rng: np.random.Generator) -> Pattern:
    """Every slot alike."""
    return lambda sizes: rng.integers(0, space.slots, len(sizes)) * space.align_bytes


def zipf(config: SyntheticConfig, space: Space, rng: np.random.Generator) -> Pattern:
    """Popularity falls with rank to the power of `zipf_theta`."""
    ranks, scatter = Zipf(space.slots, config.zipf_theta), Permutation(space.slots, rng)
    return lambda sizes: scatter(ranks.draw(rng, len(sizes))) * space.align_bytes


def hot_cold(config: SyntheticConfig, space: Space, rng: np.random.Generator) -> Pattern:
    """Two regions, each uniform."""
    hot = round(space.slots * config.hot_share)
    if not 0 < hot < space.slots:
        raise refuse(config, "hot_share", config.hot_share, "a share that leaves both hot and cold addresses")

    def choose(sizes: np.ndarray) -> np.ndarray:
        is_hot = rng.random(len(sizes)) < config.hot_traffic
        within = rng.integers(0, np.where(is_hot, hot, space.slots - hot))
        return np.where(is_hot, within, within + hot) * space.align_bytes

    return choose


def sequential(config: SyntheticConfig, space: Space, rng: np.random.Generator) -> Pattern:
    """One stream through the footprint, again and again; a request that would run over the end is moved to fit."""
    last_slot = (space.slots - 1) * space.align_bytes
    lap = max(space.footprint_bytes // space.align_bytes, 1) * space.align_bytes
    position = 0

    def advance(sizes: np.ndarray) -> np.ndarray:
        nonlocal position
        steps = -(-sizes // space.align_bytes) * space.align_bytes
        starts = (position + np.cumsum(steps) - steps) % lap
        position = int(starts[-1] + steps[-1]) % lap
        return np.minimum(starts, last_slot)

    return advance


PATTERNS: dict[str, Callable[[SyntheticConfig, Space, np.random.Generator], Pattern]] = {
    "uniform": uniform,
    "zipf": zipf,
    "hot_cold": hot_cold,
    "sequential": sequential,
}


def poisson(config: SyntheticConfig, rng: np.random.Generator, count: int) -> np.ndarray:
    """Independent arrivals."""
    return rng.exponential(size=count)


def constant(config: SyntheticConfig, rng: np.random.Generator, count: int) -> np.ndarray:
    """One arrival after another at equal distances."""
    return np.ones(count)


def bursts(config: SyntheticConfig, rng: np.random.Generator, count: int) -> np.ndarray:
    """Bursts of Poisson arrivals and, between them, exponential gaps that make up for their higher rate."""
    assert config.rate_iops and config.burst_iops and config.burst_requests  # `SyntheticConfig` sees to it
    within = config.rate_iops / config.burst_iops
    between = config.burst_requests - (config.burst_requests - 1) * within
    return gaps_of_bursts(rng, count, config.burst_requests, within, between)


def gaps_of_bursts(
    rng: np.random.Generator, count: int, burst_requests: float, within: float, between: float
) -> np.ndarray:
    """Return exponential times before each request, with the means `within` a burst and `between` bursts.

    A burst of a geometric number of requests ends after each of them with the same probability. Gaps are therefore
    independent of one another, and need not know of bursts begun in an earlier chunk.
    """
    ends, gaps = rng.random((count, 2)).T
    return -np.log1p(-gaps) * np.where(ends * burst_requests < 1, between, within)


GAPS: dict[str, Callable[[SyntheticConfig, np.random.Generator, int], np.ndarray]] = {
    "poisson": poisson,
    "constant": constant,
    "bursts": bursts,
}
"""Times between arrivals, in units of their mean, which is 1 / `rate_iops`."""


def _sizes(config: SyntheticConfig) -> tuple[np.ndarray, np.ndarray]:
    """Return the request sizes in bytes and the probability of each."""
    given = config.size_kib if isinstance(config.size_kib, Mapping) else {config.size_kib: 1.0}
    weights = np.array([float(weight) for weight in given.values()])
    return np.array([round(float(size) * 1024) for size in given], np.int64), weights / weights.sum()


class SyntheticWorkload:
    """Requests drawn from the distributions of a `SyntheticConfig`, one seeded generator for each purpose.

    Raise a `ConfigError` if the sizes, the alignment, the hot share or the run's length cannot work on this device.
    """

    def __init__(self, config: SyntheticConfig, capacity_bytes: int, page_bytes: int, seed: int) -> None:
        self.requests = config.requests
        self.queue_depth = config.queue_depth
        self.rounds = 1
        self._config = config
        self._seed = seed
        self._sizes, self._weights = _sizes(config)
        self._space = self._lay_out(capacity_bytes, page_bytes)
        longest = max(config.requests, config.burst_requests or 0)
        if config.rate_iops and longest / config.rate_iops * 1e9 >= MAX_TIME_NS / 2:
            raise refuse(config, "rate_iops", config.rate_iops, "high enough for the run to last under 50 days")
        if config.idle_ms and longest / (config.burst_requests or 1) * config.idle_ms * 1e6 >= MAX_TIME_NS / 2:
            raise refuse(config, "idle_ms", config.idle_ms, "short enough for the run to last under 50 days")
        self._pattern(np.random.default_rng(seed))

    def _lay_out(self, capacity_bytes: int, page_bytes: int) -> Space:
        config, smallest, largest = self._config, int(self._sizes.min()), int(self._sizes.max())
        align = min(smallest, page_bytes) if config.align_kib is None else config.align_kib * 1024
        if align < 1 or align != int(align):
            raise refuse(config, "align_kib", config.align_kib, "a whole number of bytes")
        footprint = int(capacity_bytes * config.footprint) // page_bytes * page_bytes
        if largest > footprint:
            allowed = f"at most the footprint, {footprint / 1024:g} KiB of a device of {capacity_bytes / 1024:g} KiB"
            raise refuse(config, "size_kib", config.size_kib, allowed)
        return Space(footprint, int(align), (footprint - largest) // int(align) + 1)

    def _pattern(self, rng: np.random.Generator) -> Pattern:
        return PATTERNS[self._config.pattern](self._config, self._space, rng)

    def chunks(self) -> Iterator[Chunk]:
        """Start a fresh pass; every pass yields the same requests."""
        op_rng, size_rng, place_rng, time_rng = map(np.random.default_rng, np.random.SeedSequence(self._seed).spawn(4))
        place = self._pattern(place_rng)
        now = 0.0
        for first in range(0, self.requests, CHUNK_ROWS):
            count = min(CHUNK_ROWS, self.requests - first)
            sizes = self._draw_sizes(size_rng, count)
            times = self._draw_gaps(time_rng, count, is_first=first == 0)
            if self.queue_depth is None:
                times = now + np.cumsum(times)
                now = float(times[-1])
            yield Chunk(np.rint(times).astype(np.int64), self._draw_ops(op_rng, count), place(sizes), sizes)

    def _draw_ops(self, rng: np.random.Generator, count: int) -> np.ndarray:
        config, draw = self._config, rng.random(count)
        op = np.where(draw < config.read_share, np.uint8(READ), np.uint8(WRITE))
        if config.trim_share:
            op[(draw >= config.read_share) & (draw < config.read_share + config.trim_share)] = TRIM
        return op

    def _draw_sizes(self, rng: np.random.Generator, count: int) -> np.ndarray:
        if len(self._sizes) == 1:
            return np.full(count, self._sizes[0])
        return rng.choice(self._sizes, count, p=self._weights)

    def _draw_gaps(self, rng: np.random.Generator, count: int, *, is_first: bool) -> np.ndarray:
        """Return the time in ns before each request: since the last arrival or, closed loop, of being idle."""
        config, gaps = self._config, np.zeros(count)
        if config.rate_iops:
            gaps = GAPS[config.arrival](config, rng, count) * (1e9 / config.rate_iops)
        elif config.burst_requests and config.idle_ms:
            gaps = gaps_of_bursts(rng, count, config.burst_requests, 0.0, config.idle_ms * 1e6)
        if is_first:
            gaps[0] = 0.0
        return gaps

    def describe(self) -> dict[str, Any]:
        """Return the configuration and the layout that came of it."""
        return {"kind": "synthetic", "seed": self._seed, **attrs.asdict(self._config), **attrs.asdict(self._space)}
