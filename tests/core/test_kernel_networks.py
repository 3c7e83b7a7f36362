"""The compiled kernel against stock SimPy: random networks of processes, many events at once, random times."""

import traceback
from collections.abc import Iterator

import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim._core.either_kernel import call_later, fire, make_environment


class BoomError(Exception):
    pass


DELAYS = st.integers(0, 4) | st.sampled_from([0.5, 1.25, 2.0])
INDEX = st.integers(0, 3)
LEAF = st.one_of(
    st.tuples(st.just("timeout"), DELAYS),
    st.tuples(st.just("event"), INDEX),
    st.tuples(st.just("process"), INDEX),
    st.tuples(st.just("call"), st.integers(0, 4)),
)
TARGET = st.recursive(
    LEAF,
    lambda inner: st.tuples(st.sampled_from(["all", "any", "and", "or"]), st.lists(inner, max_size=3)),
    max_leaves=4,
)
STEP = st.one_of(
    st.tuples(st.just("wait"), TARGET),
    st.tuples(
        st.sampled_from(["succeed", "fail", "fire", "chain", "interrupt", "start", "level", "put", "get"]), INDEX
    ),
    st.tuples(st.just("schedule"), st.tuples(st.integers(-1, 2), DELAYS)),
    st.tuples(st.just("request"), st.tuples(st.integers(0, 2), DELAYS, st.booleans())),
    st.tuples(st.sampled_from(["raise", "return", "yield nothing"]), INDEX),
)
PROGRAM = st.lists(st.lists(STEP, min_size=2, max_size=8), min_size=2, max_size=5)


class Network:
    """Interprets a program of random steps on one kernel and keeps a log of all that can be seen."""

    def __init__(self, env, program):
        self.env, self.program, self.log = env, program, []
        self.events = [env.event() for _ in range(4)]
        self.resource = simpy.PreemptiveResource(env, 1)
        self.store = simpy.Store(env, 2)
        self.tank = simpy.Container(env, 5, init=2)
        self.processes = [env.process(self.play(i, steps)) for i, steps in enumerate(program)]

    def play(self, name, steps) -> Iterator:
        for number, (verb, argument) in enumerate(steps):
            try:
                outcome = yield from self.perform(verb, argument)
            except Exception as error:
                outcome = self.described(error)
            self.note(name, number, verb, self.described(outcome))
            if verb == "return":
                return name
            if verb == "raise":
                raise BoomError(name, number)

    def perform(self, verb, argument) -> Iterator:
        env = self.env
        event = self.events[argument % 4] if isinstance(argument, int) else None
        if verb == "wait":
            return (yield self.target(argument))
        if verb == "succeed":
            event.succeed(argument)
        elif verb == "fail":
            event.fail(BoomError(argument))
        elif verb == "fire":
            fire(event, None, argument)
        elif verb == "chain":
            self.events[argument - 1].callbacks.append(lambda cause: event.triggered or event.trigger(cause))
        elif verb == "interrupt":
            self.processes[argument % len(self.processes)].interrupt(argument)
        elif verb == "start" and len(self.processes) < 12:
            self.processes.append(
                env.process(self.play(len(self.processes), self.program[argument % len(self.program)][:2]))
            )
        elif verb == "level":
            yield self.tank.get(argument) if argument % 2 and argument else self.tank.put(argument + 1)
        elif verb == "put":
            yield self.store.put(argument)
        elif verb == "get":
            return (yield self.store.get())
        elif verb == "schedule":
            ready = env.event()
            ready._ok, ready._value = True, argument
            env.schedule(ready, *argument)
            return (yield ready)
        elif verb == "request":
            priority, delay, preempt = argument
            with self.resource.request(priority, preempt) as request:
                yield request
                yield env.timeout(delay)
        elif verb == "yield nothing" and argument == 3:
            yield None
        return None

    def target(self, description):
        kind, argument = description
        if kind == "timeout":
            return self.env.timeout(argument, value=argument)
        if kind == "call":
            event = self.env.event()
            call_later(self.env, argument, event.trigger)
            return event
        if kind == "event":
            self.events[argument] = self.env.event() if self.events[argument].processed else self.events[argument]
            return self.events[argument]
        if kind == "process":
            return self.processes[argument % len(self.processes)]
        parts = [self.target(part) for part in argument]
        if kind in ("all", "any") or len(parts) < 2:
            return self.env.all_of(parts) if kind in ("all", "and") else self.env.any_of(parts)
        return parts[0] & parts[1] if kind == "and" else parts[0] | parts[1]

    def note(self, *what):
        self.log.append((self.env.now, self.env.peek(), *what))

    def described(self, what):
        """What a value is, in words that do not depend on the kernel."""
        if isinstance(what, BaseException):
            own = [frame.name for frame in traceback.extract_tb(what.__traceback__) if frame.filename == __file__]
            arguments = [self.described(argument) for argument in what.args]
            return type(what).__name__, arguments, own, self.described(what.__cause__)
        if isinstance(what, simpy.events.ConditionValue):
            return [self.described(value) for value in what.values()]
        if isinstance(what, simpy.resources.resource.Preempted):
            return "preempted", self.processes.index(what.by) if what.by in self.processes else None, what.usage_since
        return what.split(" at 0x")[0] if isinstance(what, str) else what

    def run(self, stops):
        """Run by slices, going on after crashes, and end with the state of everything."""
        for until in [*stops, *[None] * 12]:
            try:
                result = self.env.run(self.events[until[1]] if isinstance(until, tuple) else until)
                self.note("run", self.described(result))
            except Exception as error:
                self.note("crash", self.described(error)[:2], self.described(error.__cause__))
        for event in [*self.events, *self.processes]:
            state = event.triggered, event.processed, event.defused
            self.note(state, self.described(event.value) if event.triggered else None)
        return self.log


@settings(deadline=None)
@given(PROGRAM, st.lists(st.integers(1, 9) | st.tuples(st.just("event"), INDEX), max_size=3))
def test_random_networks_run_as_on_stock_simpy(program, stops):
    logs = [Network(make_environment(name), program).run(stops) for name in ("compiled", "simpy")]
    assert logs[0] == logs[1]
