# cython: infer_types=True
"""The rounds of a workload that repeats itself, each measured by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ssdsim.host.request import Request
from ssdsim.metrics.tally import Tally


class Rounds:
    """Measures each round, of `requests` requests.

    A round is finished when all of its requests and of those of the rounds before it are complete, or given up because
    of a loss of power. What `report` then makes of its tally is kept in `finished`, the tally is not.
    """

    finished: list[Any]  # the reports
    unfinished: dict[int, Tally]  # tallies by round
    given_up: dict[int, int]  # by round: requests that will never be complete

    def __init__(self, requests: int, report: Callable[[Tally], Any], has_outer_parts: bool = False) -> None:
        self.requests = requests
        self.has_outer_parts = has_outer_parts
        self.report = report
        self.finished = []
        self.unfinished = {}
        self.given_up = {}

    def power_lost(self, sent: int) -> None:
        """Close the rounds of the first `sent` requests: those of them that are not complete never will be."""
        for number in range(len(self.finished), sent // self.requests + 1):  # the round that was being sent among them
            tally: Tally = self.unfinished.setdefault(number, Tally(self.has_outer_parts))
            # requests of it that had been sent
            self.given_up[number] = min(sent - number * self.requests, self.requests) - tally.done
        self.finish()

    def add(self, request: Request, response_ns: int) -> None:
        """Count in a completed request of the workload."""
        tally: Tally = self.unfinished.get(request.round)
        if tally is None:
            tally = self.unfinished[request.round] = Tally(self.has_outer_parts)
        tally.add(request, response_ns)
        if tally.done + self.given_up.get(request.round, 0) == self.requests:
            self.finish()

    def finish(self) -> None:
        """Report on the rounds that are finished and have not been reported on."""
        while True:
            number = len(self.finished)
            # Rounds finish in their order: a later one that is complete waits for the one before.
            tally: Tally = self.unfinished.get(number)
            if tally is None or tally.done + self.given_up.get(number, 0) < self.requests:
                return
            del self.unfinished[number]
            self.finished.append(self.report(tally))
