"""The state of environments, events and processes: what is taken from one is what another goes on with."""

import pytest

from ssdsim._core.kernel import END, PAUSE, Routine, make_environment, new_event, now, resume_routine, run_routine
from ssdsim._core.kernel_state import set_state, state_of


class Sleeper(Routine):
    """Sleeps for each of `delays`, and pauses in between."""

    def __init__(self, env, *delays):
        self.env, self.delays, self.times = env, list(delays), []

    def go_on(self):
        self.times.append(now(self.env))
        if not self.delays:
            return END
        return PAUSE if len(self.times) % 2 == 0 else self.delays.pop(0)


def test_a_routine_that_sleeps_or_pauses_goes_on_in_another_environment():
    """At 2 it sleeps until 5; at 6 it is paused, and is resumed at 8."""
    for at in (2, 6):
        env, other = make_environment("compiled"), make_environment("compiled")
        sleeper, copy = Sleeper(env, 5, 4), Sleeper(other, 0, 0)
        process, own = run_routine(env, sleeper), run_routine(other, copy)
        env.run(at)
        if at == 6:
            other.run()  # up to its first pause
        copy.delays, copy.times = list(sleeper.delays), list(sleeper.times)
        set_state(own, {**state_of(process), "env": other, "generator": state_of(own)["generator"]})
        state = state_of(env)
        set_state(other, {**state, "queue": {key: copy for key, event in state["queue"].items() if event is sleeper}})
        other.run(8)
        resume_routine(copy, 0)
        other.run()
        assert copy.times == [0, 5, 8, 12] and now(other) == 12


@pytest.mark.parametrize("number", [0, 2], ids=["an event", "a process that goes on"])
def test_what_is_scheduled_as_what_it_is_not_is_refused(number):
    """The kernel takes an entry for what the lowest bits of its number say."""
    env = make_environment("compiled")
    pending = new_event(env)
    wrong = pending if number else "no event"
    with pytest.raises(TypeError, match="is scheduled as what it is not"):
        set_state(env, {"clock": 0, "pushed": 1, "queue": {(1.0, number): wrong}})
    assert env.peek() == float("inf")
