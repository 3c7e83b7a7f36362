# cython: infer_types=True
"""Policies of suspension: for which transactions that wait a program or an erase stops (`ssdsim.flash.overlap`)."""

from __future__ import annotations

from ssdsim.config.validators import check_option, is_number
from ssdsim.device_view import Policy
from ssdsim.flash.timing import to_ns
from ssdsim.flash.transactions import Transactions


class SuspensionPolicy(Policy):
    """Decides for a waiting transaction whether a command is suspended.

    It is asked when a transaction that may suspend (`Overlap.may_interrupt`) is queued for a die whose array can be
    suspended, and about all that wait when the array can be again. Once a command is suspended, it stays so until
    nothing that may suspend waits any more.
    """

    transactions: Transactions

    def suspends(self, waiting: int, command: int, end_ns: int) -> bool:
        """Return whether `command`, whose array would be done at `end_ns`, is suspended for `waiting`."""
        raise NotImplementedError


class Always(SuspensionPolicy):
    """Suspends for every transaction that may suspend (Wu and He, FAST 2012)."""

    def suspends(self, waiting: int, command: int, end_ns: int) -> bool:
        """Return True."""
        return True


class Deadline(SuspensionPolicy):
    """Suspends for a transaction that would else wait longer than `deadline_us` for its die; of no paper."""

    deadline_ns: int

    def __init__(self, deadline_us: float = 500.0) -> None:
        name, words = "flash.suspension.options.deadline_us", "a time in microseconds, 0 to 1e9"
        check_option(name, deadline_us, lambda value: is_number(value) and 0 <= value <= 1e9, words)
        self.deadline_ns = to_ns(deadline_us)

    def suspends(self, waiting: int, command: int, end_ns: int) -> bool:
        """Return whether the wait until `end_ns` would be longer than the deadline."""
        return end_ns - self.transactions.queued_ns[waiting] > self.deadline_ns
