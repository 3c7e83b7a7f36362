"""Vectorised draws over large ranges: Zipf ranks and random permutations, neither with a table."""

import numpy as np


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
