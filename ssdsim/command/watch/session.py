"""A run that goes forward and back, without a screen: counted in events, with what happened last.

A run is deterministic, so to go back is to make it again up to an earlier event. What may take long is a `Course`: it
stops for a moment now and then, so that whoever follows it can draw, or leave it. A course forward leaves the run where
it had come to, one back where it was.
"""

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Generator
from itertools import count, takewhile
from math import isfinite
from typing import Any

import attrs

from ssdsim._core.codes import REQUESTS
from ssdsim.config import SimulationConfig, nearest
from ssdsim.errors import ConfigError, InputError, SsdsimError
from ssdsim.report.happenings import block_name, us
from ssdsim.run.simulation import Simulation
from ssdsim.run.state import EVENTS, Happening, State
from ssdsim.stage import Stage

TAIL = 1000
"""Events of the kernel whose happenings are told; on the way back only these are looked after, which takes longer."""

AT_ONCE = 250
"""Events between two moments at which a course can be left."""

NOTED_BEYOND = 4096
"""Requests that are noted before those that are complete are forgotten."""

Course = Generator[float | None, None, str]
"""What yields how far it has come, None where the end is not known, and returns in a sentence where that is."""


@attrs.frozen
class Asked:
    """What a request asks for; `arrival_ns` is when its response time began."""

    number: int
    op: str
    arrival_ns: int
    size_bytes: int


@attrs.frozen
class Told:
    """What has happened in the event numbered `step`, and to which request, if to one."""

    step: int
    happening: Happening
    request: Asked | None


class Noting(Stage):
    """Stands before the device and notes what requests ask for.

    The host queue tells only numbers, and one that is answered in the event of its admission is in it at no moment
    between two events.
    """

    def __init__(self, front: Any):
        self.front = front
        self.noted: dict[int, Asked] = {}

    def submit(self, request: Any) -> None:
        """Pass it on, noted."""
        if len(self.noted) > NOTED_BEYOND:
            inside = request.owner.outstanding()
            self.noted = {number: self.noted[number] for number in inside if number in self.noted}
        op = REQUESTS[request.op]
        self.noted[request.id] = Asked(request.id, op, request.arrival_ns, request.size_bytes)
        self.front.submit(request)

    def newest(self, lpa: int) -> Any:
        """Ask the device."""
        return self.front.newest(lpa)


class Watched(Simulation):
    """A run that counts its events, notes its requests and, from `tell` on, keeps what happens."""

    def __init__(self, config: SimulationConfig):
        super().__init__(config)
        self.steps = 0
        self.told: deque[Told] = deque()
        self.failure = ""
        self.noting = Noting(None)  # `begin` attaches that of the device
        self.begin()

    def attach(self) -> None:
        """Have requests noted on their way into the device, which is another one after a loss of power."""
        super().attach()
        self.noting = self.device.front = Noting(self.device.front)

    def tell(self) -> None:
        """Keep all happenings from now on."""
        for name in EVENTS:
            self.on(name, self.keep)

    def keep(self, happening: Happening) -> None:
        """Keep a happening of the event that is on."""
        # an event is counted once it is over
        self.told.append(Told(self.steps + 1, happening, self.noting.noted.get(happening.request)))

    def advance(self) -> bool:
        """Process the next event, and return whether there was one and nothing failed."""
        if self.failure or self.is_over:
            return False
        try:
            self.step()
        except SsdsimError as error:
            self.failure = str(error)
            return False
        self.steps += 1
        while self.told and self.told[0].step <= self.steps - TAIL:
            self.told.popleft()  # oldest first
        return True


class Session:
    """A run of `config` to be watched, at its start at first.

    Raise `InputError` where a run would, and for one without events. What goes wrong later is told by `ending`.
    """

    def __init__(self, config: SimulationConfig):
        if config.timing == "off":
            raise ConfigError("timing=off: there are no events to watch; leave it out, or set timing=on.")
        self.config = attrs.evolve(config, record=[])  # no file is written
        self.run = Watched(self.config)
        self.run.tell()
        self.times = array("q", [self.run.now])  # ns, by number of events
        self.admitted_in = array("q")
        """The events in which requests were admitted, by their number, as far as the run has ever come."""
        self.seen: State | None = None

    @property
    def steps(self) -> int:
        """The events processed so far."""
        return self.run.steps

    @property
    def now_ns(self) -> int:
        """The simulated time."""
        return self.run.now

    @property
    def state(self) -> State:
        """What the simulation looks like now; it is copied once for each event."""
        if self.seen is None:
            self.seen = self.run.state
        return self.seen

    @property
    def told(self) -> list[Told]:
        """What happened in the last `TAIL` events, oldest first."""
        return list(self.run.told)

    @property
    def requests(self) -> list[Asked]:
        """The requests in the device, oldest first."""
        noted = self.run.noting.noted
        return [noted[number] for number in self.run.replay.host.outstanding() if number in noted]

    @property
    def ending(self) -> str:
        """Why the run does not go on, or nothing if it does."""
        return self.run.failure or ("The run is over." if self.run.is_over else "")

    def pages(self, block: int) -> tuple[str, ...]:
        """Return the state of each page of `block`."""
        return self.run.pages(block)

    def name(self, block: int) -> str:
        """Return a block as plane:block."""
        return block_name(block, self.config.hardware.physical_blocks)

    # Courses.

    def forward(self, events: int = 1) -> Course:
        """Process so many events."""
        return self.to_step(self.steps + events)

    def back(self, events: int = 1) -> Course:
        """Return to where it was so many events ago, or to the start."""
        return self.to_step(max(self.steps - events, 0))

    def to_step(self, step: int) -> Course:
        """Go to where `step` events are processed."""
        if step < self.steps or (step == self.steps and self.run.failure):  # a run that has failed is made again
            return self._again(step, f"Event {step:,}.")
        if step == self.steps:
            return _stay(self.ending or f"Event {step:,}.")
        begin = self.steps
        return self._on(
            lambda: f"Event {step:,}." if self.steps == step else "",
            share=lambda: (self.steps - begin) / (step - begin),
        )

    def to_time(self, at_ns: int) -> Course:
        """Go to the last event that is not later than `at_ns`."""
        said = f"The last event up to {us(at_ns)}."
        if at_ns < self.now_ns:
            return self._again(max(bisect_right(self.times, at_ns) - 1, 0), said)  # of equal times the last
        if self.run.peek() > at_ns:
            return _stay(self.ending or said)
        begin_ns = self.now_ns
        return self._on(
            lambda: said if self.run.peek() > at_ns else "",
            share=lambda: (self.now_ns - begin_ns) / (at_ns - begin_ns),
        )

    def to_collection(self) -> Course:
        """Go to the event in which the next collection begins."""

        def began() -> str:
            blocks = [entry.happening.block for entry in self._news() if entry.happening.name == "collection_began"]
            return f"A collection of block {self.name(blocks[0])} has begun." if blocks else ""

        return self._on(began, "No collection began.")

    def to_request(self, number: int) -> Course:
        """Go to the admission of request `number`, or if it is in the device, on to its completion.

        If it is complete, go back to its admission.
        """
        total = self.run.context.reporter.total
        if number < 0 or (total is not None and number >= total):
            there = "numbers begin at 0" if total is None else f"there are {total:,} requests, from 0 on"
            raise InputError(f"request {number}: {there}.")
        if any(request.number == number for request in self.requests):
            return self._on(lambda: self._came("request_completed", number), f"Request {number} was not completed.")
        if number < len(self.admitted_in) and self.admitted_in[number] <= self.steps:
            return self._again(self.admitted_in[number], f"Request {number} has been admitted.")
        return self._on(lambda: self._came("request_admitted", number), f"Request {number} was not admitted.")

    def to_wait(self, over_ns: int) -> Course:
        """Go on until another read has waited for longer than `over_ns`, and is still in the device or just complete.

        A read waits from its arrival on: its response time is what it has waited when it is complete. Those that have
        waited for longer already are passed over.
        """

        def late() -> list[Asked]:
            news = [entry.request for entry in self._news() if entry.happening.name == "request_completed"]
            every = [*self.requests, *(request for request in news if request is not None)]
            return [request for request in every if request.op == "read" and self.now_ns - request.arrival_ns > over_ns]

        known = late()

        def waits() -> str:
            if not (new := [request for request in late() if request not in known]):
                return ""
            first, *others = new
            done = "has waited for" if first in self.requests else "is complete after"
            also = f" The same holds for {', '.join(str(request.number) for request in others)}." if others else ""
            return f"Request {first.number}, a read, {done} {us(self.now_ns - first.arrival_ns)}.{also}"

        return self._on(waits, f"No other read waited for longer than {us(over_ns)}.")

    def _came(self, name: str, number: int) -> str:
        """Return that this has happened to a request in the last event, if it has."""
        if any(entry.happening.name == name and entry.happening.request == number for entry in self._news()):
            return f"Request {number} has been {name.removeprefix('request_')}."
        return ""

    def _news(self) -> list[Told]:
        """Return the happenings of the last event."""
        news = takewhile(lambda entry: entry.step >= self.steps, reversed(self.run.told))
        return [*news][::-1]  # oldest first again

    def _on(
        self, reached: Callable[[], str], otherwise: str = "", share: Callable[[], float | None] = lambda: None
    ) -> Course:
        """Process events, one at least, until `reached` says where the run is, or it is over."""
        for done in count(1):
            if not self._step():
                return f"{self.ending} {otherwise}".strip()
            if said := reached():
                return said
            if done % AT_ONCE == 0:
                yield share()
        raise AssertionError("unreachable")  # `count` has no end

    def _step(self) -> bool:
        """Process an event, and return whether there was one."""
        self.seen = None
        if not self.run.advance():
            return False
        if self.steps == len(self.times):  # a run that is made again takes the same course
            self.times.append(self.now_ns)
            came = [entry.happening for entry in self._news() if entry.happening.name == "request_admitted"]
            self.admitted_in.extend([self.steps] * len(came))
        return True

    def _again(self, step: int, said: str) -> Course:
        """Make the run again, up to an event that it has come to before."""
        run = Watched(self.config)
        for done in range(step + 1):
            if done == max(step - TAIL, 0):
                run.tell()
            if done == step or not run.advance():
                break
            if done % AT_ONCE == 0:
                yield done / step
        self.run, self.seen = run, None  # only now: a course that is left changes nothing
        return said


def _stay(said: str) -> Course:
    """Be there already."""
    yield from ()
    return said


def followed(course: Course) -> str:
    """Follow a course to its end, and return what that says."""
    while True:
        try:
            next(course)
        except StopIteration as end:
            return str(end.value)


NUMBERS = {
    "wait": "us that another read has waited for longer than",
    "request": "number of a request: its admission, then its completion",
    "time": "us since the start",
    "step": "events since the start",
}
"""The places that take a number, and what it is."""

PLACES = ("collection", *(f"{name}=N" for name in NUMBERS))


def course(session: Session, place: str) -> Course:
    """Return the course to `place`; raise InputError if there is no such one."""
    name, _, given = place.partition("=")
    if place == "collection":
        return session.to_collection()
    if name not in NUMBERS:
        near = nearest(name, [*NUMBERS, "collection"])
        raise InputError(f"{place}: must be one of {', '.join(PLACES)}{near}.")
    go: Callable[[int], Course] = getattr(session, f"to_{name}")
    return go(_number(place, given, 1000 if NUMBERS[name].startswith("us ") else 0))


def _number(place: str, given: str, unit: int = 0) -> int:
    """Return a whole number, or one of us (`unit` ns each) in ns; raise InputError if it is none, or below 0."""
    try:
        number = float(given) if unit else int(given)
    except ValueError:
        number = -1
    if not (isfinite(number) and 0 <= number < 2**53):  # from 2**53 on floats leave out whole numbers
        kind = "a number of us" if unit else "a whole number"
        raise InputError(f"{place}: must be {kind} from 0 on.")
    return round(number * unit) if unit else int(number)
