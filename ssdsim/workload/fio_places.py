"""Where the requests of a job of fio go: blocks drawn by fio's own formulas (its `lib/zipf.c`, `gauss.c`).

Ranks of `zipf` are those of Gray et al., "Quickly generating billion-record synthetic databases" (SIGMOD 1994); those
of `pareto` are a power of a uniform number. Both are scattered by Knuth's multiplicative hash, by which two ranks may
share a block. `normal` is the mean of twelve uniform numbers, and a uniform one of the width that is given beside it.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ssdsim.workload.synthetic import Permutation

GOLDEN = np.uint64(0x61C8864680B583EB)
"""2 to the power of 64 times the square of the golden ratio's inverse, odd: Knuth's multiplier."""

EXACT_TERMS = 1 << 14
"""Terms of a sum of powers that are added one by one; the rest is an integral."""

Draw = Callable[[int], np.ndarray]
"""Returns so many blocks, int64."""


@cache
def _sum_of_powers(terms: int, theta: float) -> float:
    """Return the sum of 1 / i ** theta for i from 1 to `terms`."""
    exact = min(terms, EXACT_TERMS)
    total = float(np.sum(np.arange(1, exact + 1, dtype=float) ** -theta))
    power = 1 - theta
    # the midpoint rule, whose error falls with the third power of the first term left
    return total + ((terms + 0.5) ** power - (exact + 0.5) ** power) / power


def _scattered(ranks: np.ndarray, start: int, blocks: int) -> np.ndarray:
    """Return a block for each rank; `start` is that of rank 0."""
    hashed = (ranks.astype(np.uint64) * GOLDEN + np.uint64(start)) % np.uint64(blocks)
    return hashed.astype(np.int64)


def zipf(rng: np.random.Generator, blocks: int, theta: float, start: int) -> Draw:
    """Ranks whose probability falls with their power `theta`."""
    whole = _sum_of_powers(blocks, theta)
    spread = (1 - (2 / blocks) ** (1 - theta)) / (1 - (1 + 0.5**theta) / whole) if blocks > 2 else 0.0

    def draw(count: int) -> np.ndarray:
        uniform = rng.random(count)
        mass = uniform * whole
        with np.errstate(all="ignore"):
            tail = 1 + np.floor(blocks * (spread * uniform - spread + 1) ** (1 / (1 - theta)))
        ranks = np.where(mass < 1, 1, np.where(mass < 1 + 0.5**theta, 2, tail)) - 1
        return _scattered(ranks, start, blocks)

    return draw


def pareto(rng: np.random.Generator, blocks: int, share: float, start: int) -> Draw:
    """Ranks of which the first `share` gets all but `share` of the requests."""
    power = np.log(share) / np.log(1 - share)
    return lambda count: _scattered(np.floor((blocks - 1) * rng.random(count) ** power), start, blocks)


def normal(rng: np.random.Generator, blocks: int, percent: float, shift: int) -> Draw:
    """Means of twelve uniform numbers, and a uniform one of `percent` of the blocks."""
    width = min(np.ceil(blocks * percent / 100), blocks // 2)

    def draw(count: int) -> np.ndarray:
        means = -(-rng.integers(0, blocks + 1, (count, 12)).sum(axis=1) // 12)
        steps = np.trunc(width * rng.random(count)) - width // 2
        while (beyond := (means + steps < 0) | (means + steps >= blocks)).any():
            steps[beyond] = np.trunc(steps[beyond] / 2)
            means[beyond & (steps == 0)] = np.minimum(means[beyond & (steps == 0)], blocks - 1)
        return _scattered(means + steps, shift, blocks)

    return draw


class Covering:
    """Draws each of `blocks` once, then each once more in another order, and so on."""

    def __init__(self, blocks: int, rng: np.random.Generator) -> None:
        self._blocks, self._rng = blocks, rng
        self._order, self._next = Permutation(blocks, rng), 0

    def __call__(self, count: int) -> np.ndarray:
        """Return the next blocks."""
        parts: list[np.ndarray] = []
        while count:
            taken = min(count, self._blocks - self._next)
            parts.append(self._order(np.arange(self._next, self._next + taken)))
            count -= taken
            self._next += taken
            if self._next == self._blocks:
                self._order, self._next = Permutation(self._blocks, self._rng), 0
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


class Cutting:
    """Covers each of `blocks` once, and then again, with requests that end before a covered block."""

    def __init__(self, blocks: int) -> None:
        self._taken, self._free = bytearray(blocks), blocks

    def __call__(self, starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the starts, moved on to the next free block, and the lengths, in blocks."""
        moved, cut = starts.copy(), lengths.copy()
        for place, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
            first = self._taken.find(0, start)
            first = self._taken.find(0) if first < 0 else first
            end = min(first + length, len(self._taken))
            covered = self._taken.find(1, first, end)
            end = end if covered < 0 else covered
            self._taken[first:end] = b"\1" * (end - first)
            moved[place], cut[place] = first, end - first
            self._free -= end - first
            if not self._free:
                self._taken, self._free = bytearray(len(self._taken)), len(self._taken)
        return moved, cut
