"""Processes without generators: they do on our kernel what `steps` has them do on stock SimPy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.kernel import Routine, fire, hold, make_environment, new_event, now, renewed, run_routine

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


def test_it_can_be_interrupted(env):
    process = run_routine(env, Script(env, [wait(9)]))

    def interrupts():
        yield hold(env, 1)
        process.interrupt("enough")

    env.process(interrupts())
    with pytest.raises(Exception, match="enough"):
        env.run(process)
    assert now(env) == 1


def test_a_time_that_nobody_else_holds_is_the_same_object_again():
    """Were it let go, one of the timeouts made meanwhile, which are kept, would have its place."""
    env = make_environment("compiled")
    seen, kept = [], []

    def naps():
        for _ in range(3):
            nap = hold(env, 1)
            seen.append(id(nap))
            yield nap
            del nap
            yield env.timeout(1)
            kept.extend(env.timeout(0) for _ in range(4))

    env.process(naps())
    env.run()
    assert len(set(seen)) == 1 and now(env) == 6


def test_a_time_that_somebody_holds_stays_as_it_is(env):
    """The earlier ones are kept, by the process, in a condition, and before they have passed."""
    kept = []

    def naps():
        for delay in (1, 2, 3):
            kept.append(hold(env, delay))
            yield kept[-1]
        both = hold(env, 1) & hold(env, 4)
        yield both
        kept.extend(both.value)

    env.process(naps())
    env.run()
    assert len({id(nap) for nap in kept}) == 5 and now(env) == 10
    assert all(nap.processed for nap in kept)


@given(st.lists(st.lists(st.sampled_from(["hold", "ring", "listen"]), max_size=12), min_size=1, max_size=4), st.data())
def test_routines_go_on_in_the_same_order_on_both_kernels(plans, data):
    """Routines that hold, and ring and listen for one bell: who goes on when, and in which order, is the same."""
    delays = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=8))

    def log_of(kernel):
        env = make_environment(kernel)
        log, box = [], [new_event(env)]

        class Ringer(Routine):
            def __init__(self, number, plan):
                self.number, self.plan, self.at = number, plan, 0

            def go_on(self):
                log.append((now(env), self.number, self.at))
                if self.at == len(self.plan):
                    return None
                act = self.plan[self.at]
                delay = delays[(self.number + self.at) % len(delays)]
                self.at += 1
                if act == "listen":
                    box[0] = renewed(env, box[0]) if box[0].processed else box[0]
                    return box[0]
                if act == "ring" and not box[0].triggered:
                    fire(box[0], delay)
                return hold(env, delay)

        for number, plan in enumerate(plans):
            run_routine(env, Ringer(number, plan))
        env.run()
        return log

    assert log_of("compiled") == log_of("simpy")
