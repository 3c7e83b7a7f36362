"""Simulated time at the pace of the wall's clock, or slower by a factor."""

import asyncio
from collections.abc import Callable
from math import inf
from time import perf_counter_ns
from typing import Any

from ssdsim._core.latency import LatencyRecorder

from .session import Operation

SPIN_NS = 100_000
"""The last of a wait, in which the loop goes round instead of sleeping: a sleep of Linux's is longer by as much."""

PATIENCE_NS = 500_000
"""How late simulation may be by the wall's clock before simulated time stands still."""


class Pace:
    """Runs the simulation of a `drive` on `env` so that each event happens when the wall's clock is at its time.

    A nanosecond of simulated time is `slow` of the wall's. An operation is handed to the drive at the time that it is
    then, in a nanosecond in which nothing else happens: so a replay of the times recorded does all in the same order.

    Where simulation is late by more than `PATIENCE_NS`, simulated time stands still for as long: nothing passes
    quicker later on for it. `stood_ns` is how long it stood, and `lateness` has by how much completions were late by
    the clock that has stood.
    """

    def __init__(self, env: Any, drive: Any, slow: float = 1.0):
        self.env, self.drive, self.slow = env, drive, slow
        self.loop = asyncio.get_running_loop()
        self.timer: asyncio.Handle | None = None
        self.begun_ns = perf_counter_ns()
        self.origin_ns = self.begun_ns - round(env.now * slow)
        self.lateness = LatencyRecorder()
        self.handed = 0  # operations so far
        self.flushed: Callable[[int], object] = int  # called with the number of a flush that is complete
        self.stood_ns = 0
        self.under_way = 0
        self.idle_ns = 0  # without an operation, up to the last that began
        self.idle_since_ns = self.begun_ns

    def perform(self, operations: list[Operation], complete: Callable[[bool], object]) -> None:
        """Submit operations to the drive, one after another, and call `complete` with whether they were done."""
        if not self.under_way:
            self.idle_ns += perf_counter_ns() - self.idle_since_ns
        self.under_way += 1
        self.hand_over(operations, complete)

    def hand_over(self, operations: list[Operation], complete: Callable[[bool], object]) -> None:
        """Hand the first of `operations` to the drive now, and the others as each is complete."""
        self.run_to_present()
        env = self.env
        now_ns = max(self.present_ns(), int(env.now) + 1)
        while not self.run_until(now_ns):
            now_ns += 1
        (name, *arguments), *rest = operations
        number = self.handed
        self.handed += 1
        event = getattr(self.drive, name)(*arguments)

        def completed(event: Any) -> None:
            if name == "flush" and event.ok:
                self.flushed(number)
            if rest and event.ok:
                self.loop.call_soon(self.hand_over, rest, complete)  # not from within an event
                return
            complete(event.ok)
            now_ns = perf_counter_ns()
            self.lateness.add(max(round(now_ns - self.due_ns(env.now)), 0))
            self.under_way -= 1
            if not self.under_way:
                self.idle_since_ns = now_ns

        event.callbacks.append(completed)
        self.plan()

    def present_ns(self) -> int:
        """Return the simulated time at this moment."""
        return int((perf_counter_ns() - self.origin_ns) / self.slow)

    def due_ns(self, simulated_ns: float) -> float:
        """Return the time of the wall's clock at a simulated time."""
        return self.origin_ns + simulated_ns * self.slow

    def run_to_present(self) -> None:
        """Process all events that are due; first stop time for as long as it is late."""
        env, next_ns = self.env, self.env.peek()
        if next_ns == inf:
            return
        late_ns = round(perf_counter_ns() - self.due_ns(next_ns))
        if late_ns > PATIENCE_NS:
            self.origin_ns += late_ns
            self.stood_ns += late_ns
        if next_ns <= (present_ns := self.present_ns()):
            self.run_until(max(present_ns, int(env.now) + 1))

    def run_until(self, time_ns: int) -> bool:
        """Process all events up to a time ahead, and return whether there was or is nothing else to process then."""
        env = self.env
        # what is scheduled is what a drive does not go beyond
        end = env.timeout(time_ns - env.now)
        before_ns = env.now
        while not end.processed:
            before_ns = env.now
            env.step()
        return bool(before_ns < time_ns < min(env.peek(), self.drive.peek()))

    def go_on(self) -> None:
        """Process all events that are due, and plan the next time to do so."""
        self.run_to_present()
        self.plan()

    def plan(self) -> None:
        """Wait for the next event of the simulation, without sleeping in the last of the wait."""
        if self.timer is not None:
            self.timer.cancel()
        next_ns = self.env.peek()
        if next_ns == inf:
            self.timer = None
            return
        sleep_ns = self.due_ns(next_ns) - perf_counter_ns() - SPIN_NS
        if sleep_ns > 0:
            self.timer = self.loop.call_later(sleep_ns / 1e9, self.go_on)  # s
        else:
            self.timer = self.loop.call_soon(self.go_on)

    def end(self) -> None:
        """Stop: no more events are processed."""
        if self.timer is not None:
            self.timer.cancel()

    def busy_ns(self) -> int:
        """Return the time on the wall's clock with something under way."""
        now_ns = perf_counter_ns()
        return now_ns - self.begun_ns - self.idle_ns - (0 if self.under_way else now_ns - self.idle_since_ns)
