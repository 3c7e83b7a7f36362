"""Simulated time beside a wall's clock that is moved by hand: when things happen, and when time stands still."""

import asyncio
from types import SimpleNamespace

import pytest

from ssdsim import Environment
from ssdsim.serve import pace as paces
from ssdsim.serve.pace import PATIENCE_NS, SPIN_NS, Pace

READ_NS, FLUSH_NS = 300_000, 40_000


class Drive:
    """Takes a fixed time for an operation, and notes when each came."""

    def __init__(self, env):
        self.env, self.came = env, []

    def read(self, offset, size):
        self.came.append(("read", self.env.now))
        return self.env.timeout(READ_NS)

    def flush(self):
        self.came.append(("flush", self.env.now))
        return self.env.timeout(FLUSH_NS)

    def peek(self):
        return float("inf")


@pytest.fixture
def wall(monkeypatch):
    """A wall's clock in ns that stands until it is moved, and a loop that notes what it is to call next."""
    wall = SimpleNamespace(now_ns=5_000_000, timers=[])
    handle = SimpleNamespace(cancel=lambda: None)
    loop = SimpleNamespace(
        call_later=lambda delay, *call: (wall.timers.append((round(delay * 1e9), *call)), handle)[1],
        call_soon=lambda *call: (wall.timers.append((0, *call)), handle)[1],
    )
    monkeypatch.setattr(paces, "perf_counter_ns", lambda: wall.now_ns)
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: loop)
    return wall


@pytest.mark.parametrize("slow", [1, 4])
def test_an_operation_is_complete_when_its_time_has_passed_on_the_wall(wall, slow):
    env = Environment()
    pace, done = Pace(env, drive := Drive(env), slow), []
    wall.now_ns += 1000 * slow
    pace.perform([("read", 0, 512)], lambda _: done.append(wall.now_ns))
    assert drive.came == [("read", 1000)]
    assert wall.timers.pop() == (READ_NS * slow - SPIN_NS, pace.go_on)  # it sleeps up to the last of the wait
    wall.now_ns += READ_NS * slow - 1
    pace.go_on()
    assert not done and wall.timers.pop() == (0, pace.go_on)
    wall.now_ns += 1
    pace.go_on()
    assert done == [5_000_000 + (1000 + READ_NS) * slow]
    assert (pace.lateness.largest, pace.stood_ns, pace.busy_ns()) == (0, 0, READ_NS * slow)


def test_what_comes_at_once_comes_in_nanoseconds_of_its_own(wall):
    env = Environment()
    pace = Pace(env, drive := Drive(env))
    wall.now_ns += 1000
    for _ in range(2):
        pace.perform([("read", 0, 512)], lambda _: None)
    wall.now_ns += READ_NS - 1  # as the first is complete, whose nanosecond is not free, nor the next
    pace.perform([("flush",)], lambda _: None)
    wall.now_ns += 1
    pace.perform([("flush",)], lambda _: None)
    assert drive.came == [
        *(("read", 1000), ("read", 1001)),
        *(("flush", 1000 + READ_NS - 1), ("flush", 1000 + READ_NS + 2)),
    ]


def test_what_is_late_stops_time_and_nothing_passes_quicker_for_it(wall):
    env = Environment()
    pace, done = Pace(env, Drive(env)), []
    wall.now_ns += 1000
    pace.perform([("read", 0, 512)], lambda _: done.append("first"))
    wall.now_ns += 100_000
    pace.perform([("read", 0, 512)], lambda _: done.append("second"))
    wall.now_ns += READ_NS - 100_000 + PATIENCE_NS  # late, but not by more: what was due is done
    pace.go_on()
    assert done == ["first", "second"] and pace.stood_ns == 0
    assert pace.lateness.largest == PATIENCE_NS
    done.clear()
    wall.now_ns += 1  # the nanosecond of what was done last is over
    came_ns = wall.now_ns
    pace.perform([("read", 0, 512)], lambda _: done.append("first"))
    wall.now_ns += 100_000
    pace.perform([("read", 0, 512)], lambda _: done.append("second"))
    wall.now_ns = came_ns + READ_NS + 7_000_000  # the time that the machine was elsewhere
    pace.go_on()
    stood_ns = 7_000_000
    assert (done, pace.stood_ns) == (["first"], stood_ns)
    wall.now_ns += 100_000 - 1
    pace.go_on()
    assert done == ["first"]
    wall.now_ns += 1
    pace.go_on()
    assert done == ["first", "second"]
    assert wall.now_ns == came_ns + stood_ns + 100_000 + READ_NS
