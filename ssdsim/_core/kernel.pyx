"""SimPy's environment, events and processes in C: same interface, order of events, values and exceptions.

Conditions, resources and exceptions are SimPy's own classes and work on these events. What differs from stock SimPy:

- Time is a double, and a whole time reads as an int. Whole times stay below 2**53, where they are exact: an integer
  delay past it raises OverflowError. Float delays go anywhere, infinity included, with the accuracy of floats.
- `schedule`, like `timeout`, refuses delays that are negative or not a number, and priorities outside -128..127.
- `Event` and `Timeout` take new attributes and weak references only when subclassed. There is no `_queue`.
"""

from simpy.core import EmptySchedule, StopSimulation
from simpy.events import PENDING, AllOf, AnyOf, Condition, ConditionValue
from simpy.events import Event as StockEvent
from simpy.exceptions import Interrupt, SimPyException

cimport cython
from cpython.ref cimport Py_DECREF

from ssdsim._core.clock cimport as_delay, as_number, check_exact
from ssdsim._core.generators cimport PYGEN_NEXT, PYGEN_RETURN, PySendResult, call_when_processed, copy_of, resume
from ssdsim._core.schedule cimport END, FOREIGN, NATIVE, NORMAL, PAUSE, STEP, TIMER, URGENT
from ssdsim._core.schedule cimport Kind, Routine, Timer, is_empty, leave, pop, push, resume_at_once, resume_otherwise

cdef object UNTRIGGERED = PENDING
cdef enum:
    BREATH = 4096   # events of a run between two calls of `breathe`
cdef object breathe = eval("lambda: None")   # on entry to Python code the interpreter sees to Ctrl-C and other threads


cdef inline int launch(Event event, double delay, int priority) except -1:
    """Schedule an event of ours, by the method of its environment if that is overridden."""
    if event.env is None:
        raise RuntimeError(f"{event} is not initialised")
    if event.env.plain:
        return push(event.env, event, event.env.clock + delay, priority, NATIVE)
    event.env.schedule(event, priority, as_number(delay))
    return 0


cdef int process_events(Environment env, int most) except -1:
    """Process up to `most` events, less if a routine fails; return whether more may be scheduled."""
    cdef Kind kind
    cdef PyObject* first
    cdef Timer timer
    try:
        while most:
            first = pop(env, &kind)
            if first == NULL:
                return False
            if kind == STEP:
                take_step(env, <Routine>first)
                Py_DECREF(<object>first)
            elif kind == TIMER:
                timer = <Timer>first
                Py_DECREF(timer)
                timer.due()
            else:
                process_event(env, first, kind)
            most -= 1
    except BaseException as error:
        fail_routine(env, error)
    return True


cdef int fail_routine(Environment env, error) except -1:
    """Fail the routine that has just raised `error`, still active and its reference owned; raise any other's on."""
    if env.active == NULL:
        raise error
    routine = <Routine>env.active
    Py_DECREF(routine)
    env.active = NULL
    if routine.process is None:   # it has just ended, and its process had an outcome already
        raise error
    end_routine(routine, False, error)
    return 0


cdef inline int take_step(Environment env, Routine routine) except -1:
    """Run the next step of a routine, unless it has ended."""
    cdef long long delay
    routine.resumed = False
    if routine.process is None:
        return 0
    env.active = <PyObject*>routine
    delay = routine.go_on()
    if delay == END:
        end_routine(routine, True, None)
    elif delay != PAUSE and not resume_at_once(routine, delay):
        resume_otherwise(routine, delay)
    env.active = NULL
    return 0


cdef int process_event(Environment env, PyObject* first, Kind kind) except -1:
    event = <object>first
    Py_DECREF(event)
    if kind != FOREIGN:
        return process_native(env, <Event>event)
    waiting, event.callbacks = event.callbacks, None
    call_back(env, event, waiting)
    if not event._ok and not event.defused:
        raise copy_of(event._value)
    return 0


cdef inline int process_native(Environment env, Event event) except -1:
    cdef Process waiter = event.waiter
    if event.processed:
        raise TypeError(f"{event} was scheduled again after it had been processed")
    event.processed = True
    if waiter is not None:
        event.waiter = None
        waiter.step(event)
    elif event.waiting is not None:
        waiting, event.waiting = event.waiting, None
        call_back(env, event, waiting)
    if not event._ok and not event._defused:
        raise copy_of(event.value)
    return 0


cdef int end_routine(Routine routine, bint ok, outcome) except -1:
    """End a routine, and trigger its process with this outcome."""
    cdef Process process = routine.process
    leave(routine)
    return settle_as(process, ok, outcome, 0)


cdef int call_back(Environment env, object event, waiting) except -1:
    """Call each callback; those after one that stops the simulation are called first when it resumes."""
    for callback in waiting:
        try:
            callback(event)
        except StopSimulation:
            event.callbacks = waiting[waiting.index(callback) + 1:]
            env.schedule(event, -1)
            raise
    return 0


cdef class Environment(Schedule):
    """One simulation, whose time starts at `initial_time`."""

    def __cinit__(self):
        self.plain = type(self) is Environment

    @property
    def active_process(self) -> Process | None:
        """The process that runs at this moment, or None."""
        if self.active == NULL:
            return None
        active = <object>self.active
        return (<Routine>active).process if isinstance(active, Routine) else active

    def process(self, generator: Generator) -> Process:
        """Start a process that runs `generator`."""
        return Process(self, generator)

    def timeout(self, delay: float = 0, value: Any = None) -> Timeout:
        """An event that happens `delay` from now."""
        return timeout_of(self, as_delay(self.clock, delay), value)

    def event(self) -> Event:
        """An event that happens when it is triggered."""
        return event_of(self, False, UNTRIGGERED)

    def all_of(self, events: Iterable) -> AllOf:
        """An event that happens when all of `events` have, or one has failed."""
        return AllOf(self, events)

    def any_of(self, events: Iterable) -> AnyOf:
        """An event that happens when one of `events` has."""
        return AnyOf(self, events)

    def schedule(self, event, int priority=NORMAL, delay: float = 0):
        """Schedule `event` for `delay` from now, at equal times in the order of `priority`, then of calls."""
        if not -128 <= priority <= 127:
            raise ValueError(f"Priority {priority} is not between -128 and 127")
        push(self, event, self.clock + as_delay(self.clock, delay), priority, NATIVE if isinstance(event, Event) else FOREIGN)

    def step(self):
        """Process the next event; EmptySchedule if there is none."""
        if is_empty(self):
            raise EmptySchedule
        process_events(self, 1)

    def run(self, until=None) -> Any:
        """Process events until none is left, the time `until` is reached, or the event `until` happens: its value.

        Raises ValueError for a time that is not ahead, RuntimeError if the event never happens, and whatever an
        event fails with that nobody handles.
        """
        if until is not None:
            if not isinstance(until, (Event, StockEvent)):
                at = until if isinstance(until, int) else float(until)
                if at <= self.now:
                    raise ValueError(f"until ({at}) must be greater than the current simulation time")
                until = event_of(self, True, None)
                self.schedule(until, URGENT, at - self.now)   # before the usual events of that time
            elif until.callbacks is None:
                return until.value
            until.callbacks.append(StopSimulation.callback)
        try:
            if self.plain:
                while process_events(self, BREATH):
                    breathe()
            else:
                while True:
                    self.step()
        except StopSimulation as stop:
            return stop.args[0]
        except EmptySchedule:
            pass
        if until is not None:
            raise RuntimeError(f'No scheduled events left but "until" event was not triggered: {until}')
        return None


@cython.freelist(1024)
cdef class Event:
    """Something that may happen: pending, then triggered (its outcome and time are set), then processed."""

    def __init__(self, Environment env not None):
        self.env = env
        self._value = UNTRIGGERED

    @property
    def callbacks(self) -> list[Callable[[Any], Any]] | None:
        """What is called with the event when it is processed; None from then on."""
        if self.waiting is None and not self.processed:
            self.waiting = []
            if self.waiter is not None:
                self.waiting.append(self.waiter._resume)
                self.waiter = None
        return self.waiting

    @callbacks.setter
    def callbacks(self, value):
        self.waiter = None
        self.waiting = value
        self.processed = value is None

    @property
    def triggered(self) -> bool:
        """Whether it has a value: it has been processed or is going to be."""
        return self._value is not UNTRIGGERED

    @property
    def ok(self) -> bool:
        """Whether it succeeded; AttributeError until that is known."""
        if self._value is UNTRIGGERED:
            raise AttributeError(f"Outcome of {self} is not yet available")
        return self._ok

    @property
    def value(self) -> Any:
        """What it happened with; AttributeError until that is known."""
        if self._value is UNTRIGGERED:
            raise AttributeError(f"Value of {self} is not yet available")
        return self._value

    @property
    def defused(self) -> bool:
        """Whether its failure has been handled; assigning anything says so."""
        return self._defused

    @defused.setter
    def defused(self, value):
        self._defused = True

    def trigger(self, event):
        """Happen now with the outcome of `event`; serves as a callback."""
        self._ok = event.ok
        self._value = event._value
        launch(self, 0, NORMAL)

    def succeed(self, value=None) -> Event:
        """Happen now with `value`; RuntimeError if already triggered."""
        settle_as(self, True, value, 0)
        return self

    def fail(self, exception: BaseException) -> Event:
        """Happen now as a failure, raised in whoever waits; RuntimeError if already triggered."""
        if self._value is UNTRIGGERED and not isinstance(exception, BaseException):
            raise ValueError(f"{exception} is not an exception.")
        settle_as(self, False, exception, 0)
        return self

    def __and__(self, other) -> Condition:
        return Condition(self.env, Condition.all_events, [self, other])

    def __or__(self, other) -> Condition:
        return Condition(self.env, Condition.any_events, [self, other])

    def _desc(self):
        return f"{type(self).__name__}()"

    def __repr__(self):
        return f"<{self._desc()} object at {id(self):#x}>"


cdef inline Event event_of(Environment env, bint ok, value):
    """An event with this outcome, pending if the value is UNTRIGGERED; not scheduled yet."""
    cdef Event event = Event.__new__(Event)
    event.env = env
    event._ok = ok
    event._value = value
    return event


cdef inline int settle_as(Event event, bint ok, value, double delay) except -1:
    """Give an event its outcome and schedule it."""
    if event._value is not UNTRIGGERED:
        raise RuntimeError(f"{event} has already been triggered")
    check_exact(event.env.clock, delay)
    event._ok = ok
    event._value = value
    return launch(event, delay, NORMAL)


cdef inline bint is_native(event) noexcept:
    return type(event) is Timeout or type(event) is Event or isinstance(event, Event)


cdef class Timeout(Event):
    """An event that happens `delay` after its creation."""

    def __init__(self, Environment env not None, delay: float, value: Any = None):
        begin(self, env, as_delay(env.clock, delay), value)

    def _desc(self):
        value = "" if self._value is None else f", value={self._value}"
        return f"{type(self).__name__}({as_number(self.delay)}{value})"


cdef inline Timeout begin(Timeout timeout, Environment env, double delay, value):
    """Fill in a timeout, and schedule it."""
    timeout.env = env
    timeout._value = value
    timeout._ok = True
    timeout.delay = delay
    launch(timeout, delay, NORMAL)
    return timeout


cdef Timeout timeout_of(Environment env, double delay, value):
    """A timeout, which is scheduled."""
    return begin(Timeout.__new__(Timeout), env, delay, value)


cdef class Process(Event):
    """Runs a generator that yields events, resuming it with the value of each; itself the event of its end."""

    def __init__(self, Environment env not None, generator: Generator):
        if not hasattr(generator, "throw"):
            raise ValueError(f"{generator} is not a generator.")
        Event.__init__(self, env)
        self._generator = generator
        cdef Event start = event_of(env, True, None)
        self.wait_for(start)
        launch(start, 0, URGENT)

    @property
    def name(self) -> str:
        """The name of the generator function."""
        return self._generator.__name__

    @property
    def is_alive(self) -> bool:
        """Whether the generator has not ended."""
        return self._value is UNTRIGGERED

    def interrupt(self, cause=None):
        """Raise `Interrupt(cause)` in it, now; RuntimeError if it has ended or is the one that runs."""
        if self._value is not UNTRIGGERED:
            raise RuntimeError(f"{self} has terminated and cannot be interrupted.")
        if self is self.env.active_process:
            raise RuntimeError("A process is not allowed to interrupt itself.")
        cdef Event note = event_of(self.env, False, Interrupt(cause))
        note._defused = True
        note.waiting = [self._interrupted]
        launch(note, 0, URGENT)

    def _interrupted(self, event):
        if self._value is not UNTRIGGERED:   # ended by an earlier interrupt of the same time
            return
        if self.target is not None:   # else it is a routine's
            self.target.callbacks.remove(self._resume)
        self.step(event)

    def _resume(self, event):
        self.step(event)

    def _desc(self):
        return f"{type(self).__name__}({self.name})"

    cdef int step(self, object event) except -1:
        """Run the generator, given the outcome of `event`, until it waits for another."""
        cdef PyObject* result = NULL
        cdef PySendResult sent
        self.env.active = <PyObject*>self
        try:
            while True:
                if is_native(event):
                    sent = resume(self._generator, event, (<Event>event)._ok, (<Event>event)._value, &result)
                else:
                    sent = resume(self._generator, event, event._ok, event._value, &result)
                event = <object>result
                Py_DECREF(event)
                if sent != PYGEN_NEXT:
                    self.target = None
                    return settle_as(self, sent == PYGEN_RETURN, event, 0)
                if self.wait_for(event):
                    return 0
        finally:
            self.env.active = NULL

    cdef bint wait_for(self, object event) except -1:
        """Be resumed when `event` is processed; false if it already has been."""
        cdef Event native
        if is_native(event):
            native = <Event>event
            if native.processed:
                return False
            if native.waiter is None and native.waiting is None and type(self) is Process:
                native.waiter = self
            else:
                native.callbacks.append(self._resume)
        elif not call_when_processed(event, self._resume, self._generator):
            return False
        self.target = event
        return True
