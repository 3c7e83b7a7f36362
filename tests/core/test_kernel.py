"""The compiled kernel: hand-worked cases, failures, subclasses, time, memory, signals."""

import contextlib
import gc
import itertools
import math
import signal
import sys
import weakref

import pytest
import simpy

from ssdsim._core import kernel
from ssdsim._core.either_kernel import call_later, fire, now

EXACT = 2**53


class BoomError(Exception):
    pass


@pytest.fixture
def compiled():
    return kernel.Environment()


class ClockworkChain(map):
    """A process without Python code: each step is a C call that makes the next timeout."""

    throw = None


def clockwork(env, steps: int, delay: int = 1) -> ClockworkChain:
    return ClockworkChain(env.timeout, itertools.repeat(delay, steps))


def test_uninitialised_event_is_refused(compiled):
    class Forgetful(kernel.Event):
        def __init__(self):
            pass

    with pytest.raises(RuntimeError, match="not initialised"):
        Forgetful().trigger(compiled.timeout(0))
    with pytest.raises(TypeError):
        kernel.Event(None)


def test_integers_are_exact_below_two_to_the_53(compiled):
    compiled.run(until=EXACT - 3)
    assert compiled.now == EXACT - 3 and type(compiled.now) is int

    def process():
        yield compiled.timeout(1)
        assert compiled.now == now(compiled) == EXACT - 2
        yield compiled.timeout(1)

    compiled.run(compiled.process(process()))
    assert compiled.now == EXACT - 1
    event = compiled.event()
    for refused in (
        lambda: call_later(compiled, 1, print),
        lambda: fire(event, None, 1),
        lambda: compiled.timeout(1),
        lambda: compiled.timeout(EXACT * 4),
        lambda: compiled.schedule(event, delay=1),
        lambda: compiled.run(until=EXACT),
    ):
        with pytest.raises(OverflowError, match=r"2\*\*53.*coarser time unit"):
            refused()
    assert not event.triggered
    compiled.run(compiled.timeout(8.0))
    assert compiled.now == EXACT + 7.0 and type(compiled.now) is float


def test_times_that_are_not_numbers_are_refused(compiled):
    for refused in (compiled.timeout, compiled.run, kernel.Environment):
        with pytest.raises(ValueError, match="not a number"):
            refused(math.nan)
    with pytest.raises(TypeError):
        compiled.schedule(compiled.event(), "soon")
    with pytest.raises(ValueError, match="below"):
        kernel.Environment(EXACT)


@pytest.mark.parametrize("priority", [-129, 128])
def test_priorities_out_of_range_are_refused(compiled, priority):
    with pytest.raises(ValueError, match=f"Priority {priority}"):
        compiled.schedule(compiled.event(), priority)


def test_memory_does_not_grow_over_a_million_timeouts(compiled):
    compiled.process(clockwork(compiled, 1_100_000))
    compiled.run(until=100_000)
    before = sys.getallocatedblocks()
    compiled.run()
    assert compiled.now == 1_100_000
    assert sys.getallocatedblocks() - before < 50


def test_reference_counts_return_to_where_they_were(compiled):
    """An event is held by its holder alone once it is processed, whoever waited and however it went."""
    gc.freeze()  # what is there already takes no part, and would take time
    value, error = object(), BoomError()

    def waiter(event):
        with contextlib.suppress(BoomError):
            yield event

    def cycle():
        event = compiled.event()
        for _ in range(2):
            compiled.process(waiter(event))
        compiled.process(waiter(compiled.timeout(1, value)))
        compiled.run(until=compiled.now + 1)
        event.fail(error)
        compiled.run()
        return sys.getrefcount(event)

    cycle()
    error.__traceback__ = None
    gc.collect()
    counts = sys.getrefcount(value), sys.getrefcount(error), sys.getrefcount(compiled)
    nones = sys.getrefcount(None)
    for _ in range(100):
        assert cycle() == 2
    gc.collect()
    assert counts == (sys.getrefcount(value), sys.getrefcount(error), sys.getrefcount(compiled))
    # Everything in the process holds None; a cycle that lost or kept one would show a hundred times.
    assert abs(sys.getrefcount(None) - nones) < 50


def test_abandoned_simulation_is_collected():
    """Environment, event, process, generator and back: a cycle through the heap, which the collector must see."""
    gc.freeze()
    closed = []

    def process(env, name):
        try:
            yield env.timeout(10)
        finally:
            closed.append(name)
            env.timeout(1)  # scheduled while the heap is being released

    env = kernel.Environment()
    for name in "ab":
        env.process(process(env, name))
    simpy.Resource(env).request()
    env.step()
    env.step()
    gone = weakref.ref(env)
    gc.collect()
    assert gone() is env and not closed
    del env
    gc.collect()
    assert gone() is None and sorted(closed) == ["a", "b"]


def test_control_c_stops_a_run_without_python_code(compiled):
    def interrupt(*_):
        raise KeyboardInterrupt

    compiled.process(clockwork(compiled, 50_000_000))
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(KeyboardInterrupt):
            compiled.run()
    finally:
        signal.signal(signal.SIGALRM, before)
    stopped = compiled.now
    assert 0 < stopped < 50_000_000
    compiled.run(until=stopped + 1000)
    assert compiled.now == stopped + 1000
