"""Processes without generators: they do on our kernel what `Steps` has them do on stock SimPy."""

import gc
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim._core.either_kernel import call_later, make_environment, now, run_routine, set_timer
from ssdsim._core.schedule import END, PAUSE, Routine, Timer, resume_routine

KERNELS = ["compiled", "simpy"]


class BoomError(Exception):
    pass


@pytest.fixture(params=KERNELS)
def env(request: pytest.FixtureRequest):
    return make_environment(request.param)


class Script(Routine):
    """Takes one step after another: `steps`, called with it, return what `go_on` does; then it ends."""

    def __init__(self, env, *steps):
        self.env, self.steps, self.times = env, iter(steps), []

    def go_on(self):
        self.times.append(now(self.env))
        for step in self.steps:
            return step(self)
        return END


def sleep(delay):
    return lambda routine: delay


def pause(routine):
    return PAUSE


def resume(other, delay, then):
    """Have `other` resumed, and go on after `then`."""
    return lambda routine: resume_routine(other, delay) or then


def fail(routine):
    raise BoomError("oh")


def test_times_by_hand(env):
    """Sleeps of 3, 0 and 4: it goes on at 3, 3 and 7, and ends there."""
    script = Script(env, sleep(3), sleep(0), sleep(4))
    process = run_routine(env, script)
    assert process.is_alive
    assert env.run(process) is None
    assert script.times == [0, 3, 3, 7] and now(env) == 7 and not process.is_alive


def test_pausing_and_resuming_by_hand(env):
    """It sleeps for 3, is resumed at 3 + 1, sleeps for 0 and 2, pauses at 6, and is resumed at 7 + 2."""
    sleeper = Script(env, sleep(3), pause, sleep(0), sleep(2), pause)
    waker = Script(env, sleep(3), resume(sleeper, 1, then=4), resume(sleeper, 2, then=1))
    processes = [run_routine(env, each) for each in (sleeper, waker)]
    env.run()
    assert sleeper.times == [0, 3, 4, 4, 6, 9] and waker.times == [0, 3, 7, 8]
    assert not any(process.is_alive for process in processes)


def test_it_is_not_resumed_twice_at_a_time_nor_in_the_past(env):
    sleeper = Script(env, sleep(3), pause)
    process = run_routine(env, sleeper)
    with pytest.raises(RuntimeError, match="already"):
        resume_routine(sleeper, 0)  # it has not begun
    env.run(1)
    with pytest.raises(RuntimeError, match="already"):
        resume_routine(sleeper, 0)
    env.run(4)
    with pytest.raises(ValueError, match="Negative delay -2"):
        resume_routine(sleeper, -2)
    resume_routine(sleeper, 1)
    with pytest.raises(RuntimeError, match="already"):
        resume_routine(sleeper, 1)
    env.run(process)
    assert sleeper.times == [0, 3, 5]
    with pytest.raises(RuntimeError, match="does not run"):
        resume_routine(sleeper, 1)
    env.run()
    assert now(env) == 5 and sleeper.times == [0, 3, 5]


def test_it_does_not_sleep_past_what_is_exact():
    env = make_environment("compiled", 2**53 - 2)
    sleeper = Script(env, sleep(1), pause)
    run_routine(env, sleeper)
    env.run()
    assert sleeper.times == [2**53 - 2, 2**53 - 1]
    with pytest.raises(OverflowError, match=r"2\*\*53"):
        resume_routine(sleeper, 1)
    assert env.peek() == float("inf")


class Witness:
    """Says whether it is alive."""


@pytest.mark.parametrize("steps", [(), (fail,), (pause,), (sleep(5),)], ids=["ended", "failed", "paused", "asleep"])
def test_nothing_is_left_of_it_and_its_environment(steps):
    env = make_environment("compiled")
    script = Script(env, *steps)
    script.witness = Witness()
    gone = weakref.ref(script.witness)
    run_routine(env, script).defused = True
    env.run(1)
    del env, script
    gc.collect()
    assert gone() is None


ACTS = ["sleep", "sleep", "pause", "resume", "both", "event", "timer", "urgent", "process", "interrupt", "fail"]


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(ACTS), max_size=12), min_size=1, max_size=4), st.data())
def test_routines_go_on_in_the_same_order_on_both_kernels(plans, data):
    """Routines among processes, events and interrupts, most of them in the same instants: all happens as on SimPy."""
    delays = data.draw(st.lists(st.integers(0, 2) | st.just(0), min_size=1, max_size=8))

    def log_of(kernel):
        env = make_environment(kernel)
        log, routines, processes = [], [], []

        def note(*what):
            active = env.active_process
            log.append((now(env), env.peek(), processes.index(active) if active in processes else None, *what))

        class Noted(Timer):
            def due(self):
                note("timer")
                return 0

        class Actor(Routine):
            def __init__(self, number, plan):
                self.number, self.plan, self.at = number, plan, 0

            def go_on(self):
                note(self.number, self.at)
                if self.at == len(self.plan):
                    return END
                act = self.plan[self.at]
                delay = delays[(self.number + self.at) % len(delays)]
                self.at += 1
                other = (self.number + delay) % len(routines)
                if act in ("resume", "both"):
                    attempt(resume_routine, routines[other], delay)
                elif act == "event":
                    call_later(env, delay, lambda event: note("event"))
                elif act == "timer":
                    set_timer(env, delay, Noted())
                elif act == "urgent":
                    env.schedule(happened(), priority=0, delay=delay)
                elif act == "process":
                    env.process(generator(self.number, delay))
                elif act == "interrupt":
                    attempt(processes[other].interrupt)
                elif act == "fail":
                    raise BoomError(self.number)
                return PAUSE if act in ("pause", "both") else delay

        def generator(number, delay):
            note("begins")
            yield env.timeout(delay)
            note("goes on")
            attempt(resume_routine, routines[number], delay)

        def attempt(act, *arguments):
            try:
                act(*arguments)
            except RuntimeError as error:
                note("refused", type(error).__name__)

        def happened():
            event = env.event()
            event._ok, event._value = True, None
            event.callbacks.append(lambda event: note("urgent"))
            return event

        def waits_for(number, process):
            try:
                yield process
                note("ended", number)
            except Exception as error:
                note("failed", number, repr(error))

        routines += [Actor(number, plan) for number, plan in enumerate(plans)]
        processes += [run_routine(env, routine) for routine in routines]
        for number, process in enumerate(processes):
            env.process(waits_for(number, process))
        while env.peek() < float("inf"):
            try:
                env.step()
            except Exception as error:
                note(repr(error))
        return log

    assert log_of("compiled") == log_of("simpy")
