"""Processes without generators: they do on our kernel what `steps` has them do on stock SimPy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.kernel import Routine, fire, hold, make_environment, new_event, now, run_routine

KERNELS = ["compiled", "simpy"]


class BoomError(Exception):
    pass


@pytest.fixture(params=KERNELS)
def env(request: pytest.FixtureRequest):
    return make_environment(request.param)


class Script(Routine):
    """Does one thing after another: `acts`, called with the environment, return what to wait for; then it ends."""

    def __init__(self, env, acts):
        self.env = env
        self.acts = iter(acts)
        self.times = []

    def go_on(self):
        self.times.append(now(self.env))
        for act in self.acts:
            return act(self.env)
        return None


def wait(delay):
    return lambda env: hold(env, delay)


def test_times_by_hand(env):
    """Holds of 3, 0 and 4: it goes on at 3, 3 and 7, and ends there."""
    script = Script(env, [wait(3), wait(0), wait(4)])
    process = run_routine(env, script)
    assert process.is_alive
    assert env.run(process) is None
    assert script.times == [0, 3, 3, 7] and now(env) == 7 and not process.is_alive


def test_what_has_happened_is_not_waited_for(env):
    past = new_event(env)
    fire(past)
    env.run()
    script = Script(env, [lambda env: past, wait(2), lambda env: past])
    run_routine(env, script)
    env.run()
    assert script.times == [0, 0, 2, 2]


def test_it_waits_for_whatever_a_generator_may_yield(env):
    """Another process, one of two events, an event for which others wait, and one of SimPy's own conditions."""
    shared = new_event(env)
    other = Script(env, [lambda env: shared])
    script = Script(
        env,
        [
            lambda env: run_routine(env, other),
            lambda env: hold(env, 5) | hold(env, 2),
            wait(1),
            lambda env: env.timeout(1),
        ],
    )
    run_routine(env, Script(env, [wait(4), lambda env: fire(shared) or hold(env, 0)]))
    run_routine(env, Script(env, [lambda env: shared]))
    process = run_routine(env, script)
    env.run()
    assert other.times == [0, 4]
    assert script.times == [0, 4, 6, 7, 8] and not process.is_alive


def test_its_exception_is_raised_in_who_waits_for_it(env):
    def fails(env):
        raise BoomError("oh")

    def waits():
        with pytest.raises(BoomError, match="oh"):
            yield run_routine(env, Script(env, [wait(2), fails]))
        caught.append(now(env))

    caught = []
    env.process(waits())
    env.run()
    assert caught == [2]


def test_its_exception_ends_the_run_if_nobody_waits(env):
    def fails(env):
        raise BoomError("oh")

    after = Script(env, [wait(2)])
    run_routine(env, Script(env, [wait(2), fails]))
    run_routine(env, after)
    with pytest.raises(BoomError, match="oh"):
        env.run()
    assert after.times == [0, 2]  # what was to happen before the failure did
    assert env.active_process is None


def test_a_failure_that_it_waits_for_is_its_own(env):
    def fails():
        yield hold(env, 1)
        raise BoomError("oh")

    process = run_routine(env, Script(env, [lambda env: env.process(fails())]))
    with pytest.raises(BoomError, match="oh"):
        env.run(process)


class Sleeper(Routine):
    """Takes one step after another: `steps`, called with it, return what it returns; then it ends."""

    def __init__(self, env, *steps):
        self.env, self.steps, self.times = env, iter(steps), []

    def go_on(self):
        self.times.append(now(self.env))
        for step in self.steps:
            return step(self)
        return None


def sleep(delay):
    return lambda routine: routine.sleep(delay)


def pause(routine):
    return routine.pause()


def resume(other, delay, then):
    """Have `other` resumed, and go on after `then`."""
    return lambda routine: other.resume(delay) or routine.sleep(then)


def test_sleeping_and_resuming_by_hand(env):
    """It sleeps for 3, is resumed at 3 + 1, sleeps for 0 and 2, pauses at 6, and is resumed at 7 + 2."""
    sleeper = Sleeper(env, sleep(3), pause, sleep(0), sleep(2), pause)
    waker = Sleeper(env, sleep(3), resume(sleeper, 1, then=4), resume(sleeper, 2, then=1))
    processes = [run_routine(env, each) for each in (sleeper, waker)]
    env.run()
    assert sleeper.times == [0, 3, 4, 4, 6, 9] and waker.times == [0, 3, 7, 8]
    assert not any(process.is_alive for process in processes)


def test_it_may_be_resumed_before_it_pauses(env):
    """By itself in the same step, and by another while it waits for an event that comes first."""
    sleeper = Sleeper(
        env, lambda routine: routine.resume(2) or routine.pause(), lambda routine: hold(env, 1), pause, sleep(1)
    )
    run_routine(env, sleeper)
    run_routine(env, Sleeper(env, sleep(2), lambda routine: sleeper.resume(4) or routine.sleep(0)))
    env.run()
    assert sleeper.times == [0, 2, 3, 6, 7]


def test_to_be_resumed_while_it_waits_for_something_else_is_not_kept(env):
    """As for an event that nobody waits for when it happens: the pause at 3 is for a later one, at 5."""
    sleeper = Sleeper(env, lambda routine: hold(env, 3), pause)
    run_routine(env, sleeper)
    run_routine(env, Sleeper(env, resume(sleeper, 1, then=4), resume(sleeper, 1, then=0)))
    env.run()
    assert sleeper.times == [0, 3, 5]


def test_it_is_not_resumed_twice_at_a_time_nor_in_the_past(env):
    sleeper = Sleeper(env, sleep(3), pause)
    process = run_routine(env, sleeper)
    env.run(1)
    with pytest.raises(RuntimeError, match="already"):
        sleeper.resume(0)
    env.run(4)
    for negative in (sleeper.resume, sleeper.sleep):
        with pytest.raises(ValueError, match="Negative delay -2"):
            negative(-2)
    sleeper.resume(1)
    with pytest.raises(RuntimeError, match="already"):
        sleeper.resume(1)
    env.run(process)
    assert sleeper.times == [0, 3, 5]
    sleeper.resume(1)  # nobody hears
    env.run()
    assert now(env) == 6


@pytest.mark.parametrize(
    "waits", [lambda routine: hold(routine.env, 9), sleep(9), pause], ids=["for an event", "asleep", "paused"]
)
def test_it_can_be_interrupted_whatever_it_waits_for(env, waits):
    sleeper = Sleeper(env, waits)
    process = run_routine(env, sleeper)

    def interrupts():
        yield hold(env, 1)
        process.interrupt("enough")

    env.process(interrupts())
    with pytest.raises(Exception, match="enough"):
        env.run(process)
    assert now(env) == 1
    env.run()
    assert sleeper.times == [0] and now(env) == (1 if waits is pause else 9)


def test_what_it_waited_for_before_is_not_kept_while_it_pauses():
    env = make_environment("compiled")
    process = run_routine(env, Sleeper(env, lambda routine: hold(env, 1), pause))
    env.run(0.5)
    assert process.target is not None
    env.run()
    assert process.target is None and process.is_alive


def test_it_does_not_sleep_past_what_is_exact():
    env = make_environment("compiled", 2**53 - 2)
    sleeper = Sleeper(env, sleep(1), pause)
    run_routine(env, sleeper)
    env.run()
    assert sleeper.times == [2**53 - 2, 2**53 - 1]
    with pytest.raises(OverflowError, match=r"2\*\*53"):
        sleeper.resume(1)
    assert env.peek() == float("inf")


ACTS = ["hold", "sleep", "pause", "resume", "resume", "both"]


@given(st.lists(st.lists(st.sampled_from(ACTS), max_size=12), min_size=1, max_size=4), st.data())
def test_routines_go_on_in_the_same_order_on_both_kernels(plans, data):
    """Routines that wait for events and times, pause, and resume each other: who goes on when is the same."""
    delays = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=8))

    def log_of(kernel):
        env = make_environment(kernel)
        log, routines = [], []

        class Actor(Routine):
            def __init__(self, number, plan):
                self.number, self.plan, self.at = number, plan, 0

            def go_on(self):
                log.append((now(env), self.number, self.at))
                if self.at == len(self.plan):
                    return None
                act = self.plan[self.at]
                delay = delays[(self.number + self.at) % len(delays)]
                self.at += 1
                if act in ("resume", "both"):
                    self.try_to(routines[(self.number + delay) % len(routines)].resume, delay)
                if act in ("pause", "both"):
                    return self.pause()
                if act == "sleep":
                    return self.try_to(self.sleep, delay) or hold(env, delay)
                return hold(env, delay)

            def try_to(self, act, delay):
                try:
                    return act(delay)
                except RuntimeError:
                    log.append("refused")

        routines += [Actor(number, plan) for number, plan in enumerate(plans)]
        for routine in routines:
            run_routine(env, routine)
        env.run()
        return log

    assert log_of("compiled") == log_of("simpy")
