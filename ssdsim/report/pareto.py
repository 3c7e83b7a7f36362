"""Which of several points no other is better than."""

from collections.abc import Sequence


def dominant(points: Sequence[Sequence[float]], upwards: Sequence[bool]) -> set[int]:
    """Return the places of the points on the Pareto front; `upwards` says where more is better.

    A point is on it unless another is at least as good in everything and better in something; equal ones both are.
    """
    # turned, so that more is better everywhere
    better = [[value if up else -value for value, up in zip(point, upwards, strict=True)] for point in points]
    # of equal points none beats the other: both are on the front
    return {
        index
        for index, one in enumerate(better)
        if not any(other != one and all(a >= b for a, b in zip(other, one, strict=True)) for other in better)
    }
