# cython: infer_types=True
"""What a frontier may be beside handing out pages: each role is an attribute that is the role, or None."""

from __future__ import annotations


class CopyTargets:
    """Which page the data of another of the same plane can be copied back to (PCFTL, 3.2)."""

    def passed_over(self, plane: int, kind: int, page: int) -> int:
        """Return how many pages of `plane` would be wasted to copy `page` back now, or -1 if it cannot be.

        Its data is of that `kind`; `page` is its number within its block.
        """
        raise NotImplementedError

    def foreseen(self, plane: int, copies: list[tuple[int, int]]) -> int:
        """Return how many pages would be wasted if `copies`, (page, kind) in this order, came with no other between."""
        return 0

    def allocate(self, plane: int, kind: int, lpa: int, page: int) -> int:
        """Hand out the page that `lpa`, of that kind, is copied back to from `page` of its block, and return its PPA.

        Raise `SimulationError` if `plane` has no page left for it, as `WriteFrontier.allocate` does.
        """
        raise NotImplementedError
