# cython: infer_types=True
"""A channel as its dies see it."""

from __future__ import annotations


class Channel:
    """The bus that dies share: `ssdsim.flash.controller.FlashController`."""

    def ask(self, die: int) -> None:
        """Add `die` to those that want the bus; `offer_bus` follows in the same instant."""
        raise NotImplementedError

    def offer_bus(self) -> None:
        """Give the bus away if it is free."""
        raise NotImplementedError

    def bus_time_ns(self, now_ns: int) -> int:
        """Return the time that the bus has been held, up to now: its phases count when they begin."""
        raise NotImplementedError
