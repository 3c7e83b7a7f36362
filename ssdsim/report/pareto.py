"""Which of several points no other is better than."""

from collections.abc import Sequence


def dominant(points: Sequence[Sequence[float]], upwards: Sequence[bool]) -> set[int]:
    """Return the places of the points on the Pareto front; `upwards` says where more is better.

    A point is on it unless another is at least as good in everything and better in something; equal ones both are.
    """
    # turned, so that more is better everywhere
    better = [[value if up else -value for value, up in zip(point, upwards, strict=True)] for point in points]
    return {index for index, point in enumerate(better) if not any(_beats(other, point) for other in better)}


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    # equal points do not beat each other: both are on the front
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))
