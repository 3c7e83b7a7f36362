# cython: infer_types=True
"""Kinds of data: which writes share active blocks."""

from __future__ import annotations

from typing import Any

from ssdsim._core.codes import HOST
from ssdsim._core.either_kernel import now
from ssdsim.device_view import Policy
from ssdsim.ftl.hotness import Hotness


class Separation(Policy):
    """Sorts writes into kinds, numbered from 0, that have active blocks of their own.

    `hosts` are the kinds that the host's data may be of, `moved` those of moved data; some may be in both. Pages of the
    mapping table are not asked about. A policy changes nothing but its own state. `hotness` tells hot data from cold
    (`ssdsim.ftl.hotness`), where `heeds_hotness`, and `env` is the clock, None while no time passes.
    """

    hotness: Hotness | None
    env: Any

    owed = ("kind_of(lpa, source, stream, before) -> a whole number",)
    heeds_hotness = False
    hosts = range(1)
    moved = range(1, 2)

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""
        self.hotness = None
        self.env = None

    def kind_of(self, lpa: int, source: int, stream: int, before: int) -> int:
        """Return the kind of the data of logical page `lpa`, which is going to be programmed.

        It is the host's where `source` is HOST (`ssdsim._core.codes`), else data that is moved. `stream` is the number
        of the host's stream, -1 where it is not the host's data; `before` is the page that data is moved from, or -1.
        """
        raise NotImplementedError


class Separate(Separation):
    """The host's data and moved data have active blocks of their own; of no paper, and usual."""

    def kind_of(self, lpa: int, source: int, stream: int, before: int) -> int:
        """Return 0 for the host's data; frontiers know it and do not ask."""
        return source != HOST


class Shared(Separation):
    """All data shares active blocks; of no paper, and the simplest there is."""

    moved = range(1)

    def kind_of(self, lpa: int, source: int, stream: int, before: int) -> int:
        """Return 0; frontiers know it and do not ask."""
        return 0


class HotCold(Separation):
    """Moved data that is hot goes to the host's active blocks, the rest to its own (SPD, 6.5)."""

    heeds_hotness = True
    moved = range(2)

    def kind_of(self, lpa: int, source: int, stream: int, before: int) -> int:
        """Return 0 for the host's data and for what is hot."""
        if source == HOST:
            return 0
        return not self.hotness.is_hot(lpa, 0 if self.env is None else now(self.env))
