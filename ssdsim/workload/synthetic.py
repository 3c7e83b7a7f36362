"""Generated workloads: where requests go, what they are, how large, and when they come.

Requests start on multiples of the alignment: `align_kib`, or else the smallest request size but at most a page. All
starts from which the largest request still fits in the footprint are *slots*, and a pattern chooses among them:
`uniform` alike; `zipf` by popularity, the popular ones scattered at random over the footprint; `hot_cold` sends
`hot_traffic` of the requests to the first `hot_share` of the slots. `sequential` goes on where the last request ended,
and needs no more room behind a start than the request at hand.

Open-loop requests arrive as `ssdsim.workload.arrivals` says. Closed-loop `bursts` have a geometric number of requests,
and the times between them are exponential.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
import numpy as np

from ssdsim.config import SyntheticConfig
from ssdsim.config.validators import refuse
from ssdsim.config.workload import LEVEL_KEYS
from ssdsim.workload.arrivals import Times, arrival_times, arrival_times_by_kind, gaps_of_bursts
from ssdsim.workload.chunk import CHUNK_ROWS, READ, TRIM, WRITE, Chunk, merged


class Zipf:
    """Ranks 0 to `items - 1` with probability proportional to 1 / (rank + 1) ** theta, for any theta > 0.

    Rejection-inversion after Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
    distributions" (ACM TOMACS 6(3), 1996): constant memory, and few of the draws are rejected.
    """

    def __init__(self, items: int, theta: float) -> None:
        self._items = items
        self._theta = theta
        self._low = self._area(1.5) - 1.0
        self._high = self._area(items + 0.5)
        self._sure = 2.0 - self._area_inverse(self._area(2.5) - 2.0**-theta)

    def _area(self, x: np.ndarray | float) -> np.ndarray | float:
        """Integral of x ** -theta from 1 to x."""
        power = 1.0 - self._theta
        return np.expm1(power * np.log(x)) / power if power else np.log(x)

    def _area_inverse(self, area: np.ndarray | float) -> np.ndarray | float:
        power = 1.0 - self._theta
        return np.exp(np.log1p(np.maximum(area * power, -1.0)) / power) if power else np.exp(area)

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Return `count` ranks, int64."""
        ranks = np.empty(count, np.int64)
        missing = np.arange(count)
        while len(missing):
            area = self._high + rng.random(len(missing)) * (self._low - self._high)
            x = self._area_inverse(area)
            nearest = np.clip(np.rint(x), 1, self._items)
            accepted = (nearest - x <= self._sure) | (area >= self._area(nearest + 0.5) - nearest**-self._theta)
            ranks[missing[accepted]] = nearest[accepted].astype(np.int64) - 1
            missing = missing[~accepted]
        return ranks


Sizes = tuple[tuple[int, ...], tuple[float, ...]]
"""Sizes of requests in bytes, and the share of each."""


def drawn_sizes(sizes: Sizes, rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw sizes in bytes, int64."""
    values, shares = sizes
    if len(values) == 1:
        return np.full(count, values[0], np.int64)
    return rng.choice(np.array(values, np.int64), count, p=shares)


class Permutation:
    """A random bijection of the integers 0 to `items - 1`, computed and not stored.

    Rounds of multiply-add and xor-shift permute the next power of two; a value that lands outside the range walks on
    along its cycle until it is inside again (on average less than one step more).
    """

    def __init__(self, items: int, rng: np.random.Generator, rounds: int = 3) -> None:
        bits = max(1, (items - 1).bit_length())
        self._items = np.uint64(items)
        self._mask = np.uint64((1 << bits) - 1)
        self._shift = np.uint64((bits + 1) // 2)
        self._keys = rng.integers(0, 1 << 63, size=(rounds, 2), dtype=np.uint64)
        self._keys[:, 0] |= np.uint64(1)

    def _step(self, values: np.ndarray) -> np.ndarray:
        for factor, addend in self._keys:
            values = (values * factor + addend) & self._mask
            values ^= values >> self._shift
        return values

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Return the images of `values`, int64."""
        images = self._step(values.astype(np.uint64))
        while (outside := np.flatnonzero(images >= self._items)).size:
            images[outside] = self._step(images[outside])
        return images.astype(np.int64)


@attrs.frozen
class Space:
    """The part of the device that requests go to."""

    footprint_bytes: int
    align_bytes: int
    slots: int


Pattern = Callable[[np.ndarray], np.ndarray]
"""Returns the offsets in bytes of the next requests, given their sizes in bytes."""


def uniform(config: SyntheticConfig, space: Space, rng: np.random.Generator) -> Pattern:
    """Every slot alike."""
    return lambda sizes: rng.integers(0, space.slots, len(sizes)) * space.align_bytes


def zipf(config: SyntheticConfig, space: Space, rng: np.random.Generator) -> Pattern:
    """Popularity falls with rank to the power of `zipf_theta`."""
    ranks, scatter = Zipf(space.slots, config.zipf_theta), Permutation(space.slots, rng)
    return lambda sizes: scatter(ranks.draw(rng, len(sizes))) * space.align_bytes


def hot_cold(config: SyntheticConfig, space: Space, rng: np.random.Generator) -> Pattern:
    """Two regions, each uniform."""
    hot = round(space.slots * config.hot_share)  # slots, not bytes: the hot share is of the footprint
    if not 0 < hot < space.slots:
        raise refuse(config, "hot_share", config.hot_share, "a share that leaves both hot and cold addresses")

    def choose(sizes: np.ndarray) -> np.ndarray:
        is_hot = rng.random(len(sizes)) < config.hot_traffic
        within = rng.integers(0, np.where(is_hot, hot, space.slots - hot))
        return np.where(is_hot, within, within + hot) * space.align_bytes

    return choose


def sequential(config: SyntheticConfig, space: Space, rng: np.random.Generator) -> Pattern:
    """One stream through the footprint, again and again; a request that would run over the end is moved to fit."""
    # whole steps: after a lap requests start where they did
    lap = max(space.footprint_bytes // space.align_bytes, 1) * space.align_bytes
    position = 0

    def advance(sizes: np.ndarray) -> np.ndarray:
        nonlocal position
        steps = -(-sizes // space.align_bytes) * space.align_bytes
        starts = (position + np.cumsum(steps) - steps) % lap
        position = int(starts[-1] + steps[-1]) % lap
        # the last request of a lap may not fit: it is moved back
        return np.minimum(starts, (space.footprint_bytes - sizes) // space.align_bytes * space.align_bytes)

    return advance


PATTERNS = {"uniform": uniform, "zipf": zipf, "hot_cold": hot_cold, "sequential": sequential}


def _of_one_kind(op: int, requests: int, times: Times) -> Iterator[Chunk]:
    """Yield so many requests that are told apart by their operation alone."""
    for first in range(0, requests, CHUNK_ROWS):
        count = min(CHUNK_ROWS, requests - first)
        nothing = np.zeros(count, np.int64)
        yield Chunk(times(count), np.full(count, op, np.uint8), nothing, nothing)


class SyntheticWorkload:
    """Requests drawn from the distributions of a `SyntheticConfig`, one seeded generator for each purpose.

    Raise a `ConfigError` if the sizes, the alignment, the hot share or the run's length cannot work on this device.
    """

    def __init__(self, config: SyntheticConfig, capacity_bytes: int, page_bytes: int, seed: int) -> None:
        self.requests, self.queue_depth = config.requests, config.queue_depth
        self._config, self._seed = config, seed
        given = config.size_kib if isinstance(config.size_kib, Mapping) else {config.size_kib: 1.0}
        weights = np.array([float(weight) for weight in given.values()])
        self._sizes = tuple(round(float(size) * 1024) for size in given), tuple(weights / weights.sum())
        self._space = self._lay_out(capacity_bytes, page_bytes)
        self._pattern = PATTERNS[config.pattern]
        self._pattern(config, self._space, np.random.default_rng(seed))  # for what the pattern refuses

    def _lay_out(self, capacity_bytes: int, page_bytes: int) -> Space:
        config, smallest, largest = self._config, min(self._sizes[0]), max(self._sizes[0])
        align = min(smallest, page_bytes) if config.align_kib is None else config.align_kib * 1024
        if align < 1 or align != int(align):
            raise refuse(config, "align_kib", config.align_kib, "a whole number of bytes")
        footprint = int(capacity_bytes * config.footprint) // page_bytes * page_bytes  # whole pages
        if largest > footprint:
            allowed = f"at most the footprint, {footprint / 1024:g} KiB of a device of {capacity_bytes / 1024:g} KiB"
            raise refuse(config, "size_kib", config.size_kib, allowed)
        return Space(footprint, int(align), (footprint - largest) // int(align) + 1)

    def chunks(self) -> Iterator[Chunk]:
        """Start a fresh pass; every pass yields the same requests."""
        # A generator for each purpose: other sizes, say, leave places and times as they were.
        entropy = np.random.SeedSequence(self._seed).spawn(5)
        op_rng, size_rng, place_rng, time_rng, fua_rng = map(np.random.default_rng, entropy)
        place = self._pattern(self._config, self._space, place_rng)
        for times, is_read in self._timed(time_rng):
            count = len(times)
            sizes = drawn_sizes(self._sizes, size_rng, count)
            chunk = Chunk(times, self._draw_ops(op_rng, is_read, count), place(sizes), sizes)
            if self._config.fua_share:
                fua = (chunk.op == WRITE) & (fua_rng.random(count) < self._config.fua_share)
                chunk = attrs.evolve(chunk, fua=fua.view(np.uint8))
            yield chunk

    def _timed(self, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        """Yield arrivals, or idle times, in whole ns, and which are of reads; None if that is yet to be drawn."""
        config = self._config
        reads = round(config.requests * config.read_share)
        if config.parts_writes and config.rate_iops and 0 < reads < config.requests:
            counts = (reads, config.requests - reads)
            kinds = arrival_times_by_kind(config, config.rate_iops, config.read_share, rng)
            for chunk in merged(map(_of_one_kind, (READ, WRITE), counts, kinds)):
                yield chunk.arrival_ns, chunk.op == READ
            return
        times_of = arrival_times(config, config.rate_iops, rng) if config.rate_iops else None
        for first in range(0, self.requests, CHUNK_ROWS):
            count = min(CHUNK_ROWS, self.requests - first)
            yield self._idle_times(count, not first, rng) if times_of is None else times_of(count), None

    def _idle_times(self, count: int, are_first: bool, rng: np.random.Generator) -> np.ndarray:
        """Draw the times for which a closed loop is idle before its next requests."""
        config = self._config
        if config.arrival != "bursts" or not config.burst_requests or not config.idle_ms:
            return np.zeros(count, np.int64)
        gaps = np.rint(gaps_of_bursts(rng, count, config.burst_requests, 0.0, config.idle_ms * 1e6)).astype(np.int64)
        gaps[: int(are_first)] = 0  # the first request waits for nothing
        return gaps

    def _draw_ops(self, rng: np.random.Generator, is_read: np.ndarray | None, count: int) -> np.ndarray:
        """Draw operations; if it is known which are reads, trims have their share of the others."""
        config, draw = self._config, rng.random(count)
        if is_read is not None:
            # a trim's share is of all requests, and reads are drawn below it
            draw = np.where(is_read, 0.0, config.read_share + draw * (1 - config.read_share))
        op = np.array([WRITE, READ], np.uint8)[(draw < config.read_share).view(np.uint8)]
        if config.trim_share:
            op[(draw >= config.read_share) & (draw < config.read_share + config.trim_share)] = TRIM
        return op

    def describe(self) -> dict[str, Any]:
        """Return the configuration, of levels and FUA only where there are any, and the layout that came of it."""
        config = attrs.asdict(self._config)
        if self._config.arrival != "levels":
            config = {name: value for name, value in config.items() if name not in LEVEL_KEYS}
        if not config["fua_share"]:
            del config["fua_share"]
        return {"kind": "synthetic", "seed": self._seed, **config, **attrs.asdict(self._space)}
