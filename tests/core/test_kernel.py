"""The compiled kernel: hand-worked cases, failures, subclasses, time, memory, signals."""

import contextlib
import gc
import itertools
import math
import signal
import sys
import threading
import traceback
import weakref

import pytest
import simpy

from ssdsim._core import kernel
from ssdsim._core.kernel import call_later, fire, make_environment, now
from ssdsim.errors import ConfigError

EXACT = 2**53


class BoomError(Exception):
    pass


@pytest.fixture(params=["compiled", "simpy"])
def env(request: pytest.FixtureRequest):
    return make_environment(request.param)


@pytest.fixture
def compiled():
    return kernel.Environment()


class ClockworkChain(map):
    """A process without Python code: each step is a C call that makes the next timeout."""

    throw = None


def clockwork(env, steps: int, delay: int = 1) -> ClockworkChain:
    return ClockworkChain(env.timeout, itertools.repeat(delay, steps))


# Helpers, on either kernel


def test_helpers_by_hand(env):
    """Two workers take turns at a bus; every time below is a sum of the delays above it."""
    log = []
    granted = env.event()

    def first():
        yield env.timeout(3)
        log.append(("first", now(env)))
        fire(granted, "bus", 4)
        assert granted.triggered
        yield env.timeout(10)
        log.append(("first", now(env)))

    def second():
        value = yield granted
        log.append(("second", now(env), value))
        yield env.timeout(0)
        log.append(("second", now(env)))

    env.process(second())
    env.process(first())
    env.run()
    assert log == [("first", 3), ("second", 7, "bus"), ("second", 7), ("first", 13)]
    assert env.now == now(env) == 13


def test_functions_are_called_later_in_the_order_of_their_times(env):
    called = []
    for delay in (3, 0, 1.5, 3):
        call_later(env, delay, lambda event, delay=delay: called.append((delay, env.now)))
    env.run()
    assert called == [(0, 0), (1.5, 1.5), (3, 3), (3, 3)]


def test_what_is_triggered_or_past_is_refused(env):
    event = env.event()
    fire(event)
    with pytest.raises(RuntimeError, match="already been triggered"):
        fire(event)
    with pytest.raises(ValueError, match="Negative delay -2"):
        call_later(env, -2, print)


def test_unknown_kernel_is_a_configuration_error():
    with pytest.raises(ConfigError, match=r"kernel=fast .* compiled or simpy"):
        make_environment("fast")


# Failures


def failing(env):
    yield env.timeout(1)
    raise BoomError("one")


def waiting(env, other):
    yield other


def test_unhandled_failure_shows_where_it_came_from(env):
    """The chain is a copy for each process passed, each with the frames of that process only."""
    env.process(waiting(env, env.process(failing(env))))
    with pytest.raises(BoomError, match="one") as caught:
        env.run()
    passed_on = caught.value.__cause__
    origin = passed_on.__cause__
    assert [frame.name for frame in traceback.extract_tb(passed_on.__traceback__)] == ["waiting"]
    assert [frame.name for frame in traceback.extract_tb(origin.__traceback__)] == ["failing"]
    assert origin.__cause__ is None


def test_invalid_yield_names_the_line(env):
    def careless():
        yield 42

    env.process(careless())
    with pytest.raises(
        RuntimeError, match=r"(?s)test_kernel.py.*in careless\n    yield 42\nInvalid yield value \"42\""
    ):
        env.run()
    if isinstance(env, kernel.Environment):  # stock SimPy leaves the process there
        assert env.active_process is None


def test_process_may_step_the_environment_itself(env):
    """Re-entrance: the clock and the heap are consistent within a process that runs the simulation."""
    log = []

    def eager():
        yield env.timeout(1)
        env.run(until=10)
        log.append(("eager", env.now))
        yield env.timeout(1)
        log.append(("eager", env.now))

    def other():
        for _ in range(3):
            yield env.timeout(4)
            log.append(("other", env.now))

    env.process(eager())
    env.process(other())
    env.run()
    assert log == [("other", 4), ("other", 8), ("eager", 10), ("eager", 11), ("other", 12)]


# Subclasses, and stock events on the compiled heap


def test_overridden_methods_are_used():
    log = []

    class Audited(kernel.Environment):
        def __init__(self, title):
            super().__init__(initial_time=2)
            self.title = title

        def schedule(self, event, priority=1, delay=0):
            log.append(("schedule", type(event).__name__, priority, delay))
            super().schedule(event, priority, delay)

        def step(self):
            super().step()
            log.append(("step", self.now))

    class Alarm(kernel.Event):
        def __init__(self, env, text):
            super().__init__(env)
            self.text = text

    class Watcher(kernel.Process):
        def _resume(self, event):
            log.append(("resume", event))
            super()._resume(event)

    def watch(alarm):
        yield alarm
        yield env.timeout(3)

    env = Audited("night")
    alarm = Alarm(env, "fire")
    Watcher(env, watch(alarm))
    fire(alarm, None, 1)
    env.run()
    assert (env.title, alarm.text, env.now) == ("night", "fire", 6)
    assert log[0] == ("schedule", "Event", 0, 0)
    assert log[1] == ("schedule", "Alarm", 1, 1)
    assert ("resume", alarm) in log
    assert [entry for entry in log if entry[0] == "step"] == [("step", 2), ("step", 3), ("step", 6), ("step", 6)]


def test_stock_events_work_on_the_compiled_heap(compiled):
    stock = simpy.events.Timeout(compiled, 3, "late")
    pending = simpy.events.Event(compiled)

    def process():
        first = yield stock
        pending.succeed("soon")
        both = yield pending & compiled.timeout(1, "ours")
        with pytest.raises(BoomError):
            yield simpy.events.Event(compiled).fail(BoomError())
        return first, list(both.values())

    assert compiled.run(compiled.process(process())) == ("late", ["soon", "ours"])
    assert compiled.run(simpy.events.Timeout(compiled, 1.5, "done")) == "done"
    assert compiled.now == 5.5


def test_uninitialised_event_is_refused(compiled):
    class Forgetful(kernel.Event):
        def __init__(self):
            pass

    with pytest.raises(RuntimeError, match="not initialised"):
        Forgetful().trigger(compiled.timeout(0))
    with pytest.raises(TypeError):
        kernel.Event(None)


# Time


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


# Memory


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


def test_collector_may_run_at_any_event(compiled):
    """Also between taking out an event and the next that fills its place."""
    gc.freeze()  # what is there already takes no part, and would take time

    def process():
        for _ in range(5):
            yield compiled.timeout(3)
            gc.collect()
            fire(compiled.event(), None, 2)
            gc.collect()

    for _ in range(3):
        compiled.process(process())
    compiled.run()
    assert compiled.now == 17


# Signals and threads


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


def test_the_time_is_read_without_python_code():
    """A signal that came in such code would be lost, as nobody handles exceptions there."""

    class Interrupted(simpy.Environment):
        @property
        def now(self):
            raise KeyboardInterrupt

    assert now(Interrupted(5)) == 5


def test_other_threads_get_their_turn(compiled):
    compiled.process(clockwork(compiled, 50_000_000))
    stop = compiled.event()
    threading.Timer(0.02, stop.succeed).start()
    compiled.run(until=stop)
    assert 0 < compiled.now < 50_000_000
