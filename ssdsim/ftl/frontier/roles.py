# cython: infer_types=True
"""What a frontier may be beside handing out pages: each role is an attribute that is the role, or None."""

from __future__ import annotations

from ssdsim._core.calls import cfunc


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


class WritePoints:
    """How far the active block of a plane has been filled, page after page: what ParaGC brings into line (SPD, 5.3)."""

    def reached(self, plane: int, kind: int) -> int:
        """Return how many pages of the active block for `kind` have been handed out, 0 without one."""
        raise NotImplementedError

    @cfunc
    def filled_next(self, first: int, count: int, kind: int) -> int:
        """Return the plane of `count` from `first` on that is filled next, if only one of them is at a time; or -1.

        It is one with an active block for `kind`, the fullest of several, else the one with the most free blocks.
        """
        raise NotImplementedError


class PartlyWritten:
    """Blocks that can be reclaimed before all of their pages are used, where no full one has dead pages."""

    def best(self, unit: int) -> int:
        """Return the (aligned) block of `unit` with the most dead pages that no program is on its way to, or -1."""
        raise NotImplementedError

    def withdraw(self, unit: int, aligned: int) -> None:
        """Forget `aligned`, which is being reclaimed."""
        raise NotImplementedError


class AnnouncedRows:
    """Hears of the rows that the host writes before they are placed."""

    def begin(self, lpas: list[int]) -> bool:
        """Be told which logical pages the next row holds; return whether they are to be in ascending order."""
        raise NotImplementedError
