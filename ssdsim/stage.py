# cython: infer_types=True
"""The roles in which the parts of a device meet: who takes requests, owns transactions, or waits for a place."""

from __future__ import annotations

from typing import Any

from ssdsim._core.calls import cfunc
from ssdsim.host.request import Request, RequestOwner


class Stage(RequestOwner):
    """One stage on the way of a request: the host queue, a gate, a write buffer, the translation layer.

    A stage overrides the calls that reach it and leaves the rest. A request names as its `owner` the stage to be told
    when it is complete.
    """

    inner: Stage  # the next one towards the flash

    def submit(self, request: Request) -> None:
        """Take over `request`, and tell its owner when it is complete."""
        raise NotImplementedError

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds (`ssdsim.flash.data`), wherever it is; takes no time."""
        return self.inner.newest(lpa)


class TransactionOwner:
    """The owner of transactions (`Transactions.add_owner`), who is told how far each of them is."""

    @cfunc
    def transferred(self, transaction: int) -> None:
        """React when a program's data has left the bus; called only where that completes a write."""

    def done(self, transaction: int) -> None:
        """React when the die has finished; the transaction may be issued again or given back from here."""
        raise NotImplementedError

    @cfunc
    def translated(self, transaction: int) -> None:
        """Continue a transaction that waited for the mapping of its logical page, which is at hand now."""
        raise NotImplementedError


class WriteOwner(TransactionOwner):
    """The owner of the host's writes, as collection sees it, which it knows: the modules do not import one another."""

    def space_freed(self, unit: int) -> None:
        """React when a block of `unit` has become free."""
        raise NotImplementedError
