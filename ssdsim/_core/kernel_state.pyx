"""What an environment has scheduled, and its events and processes, as plain state, on either kernel.

Environment and events of this state may be set to another, each of its own kind; what they refer to is theirs to find.
"""

from itertools import count

from simpy.core import Environment as StockEnvironment
from simpy.core import StopSimulation
from simpy.events import PENDING
from simpy.events import Event as StockEvent

from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport uint64_t

from ssdsim._core.kernel cimport Environment, Event, Process, Routine
from ssdsim._core.schedule cimport FOREIGN, STEP, Entry, Schedule, drop, is_full, kind_of, make_room, settle, sort_key

cdef object STOP = StopSimulation.callback   # of whoever waits in `run` for an event: not of the event's own


def is_event(thing) -> bool:
    """Return whether `thing` is an event, maybe a process, of either kernel."""
    return isinstance(thing, (Event, StockEvent))


def is_environment(thing) -> bool:
    """Return whether `thing` is an environment of either kernel."""
    return isinstance(thing, (Environment, StockEnvironment))


def state_of(thing) -> dict:
    """Return the state of an environment or an event, by name; between two events, or in a callback of one."""
    if isinstance(thing, Environment):
        return {"clock": (<Environment>thing).clock, "pushed": (<Environment>thing).pushed, "queue": queue_of(thing)}
    if isinstance(thing, Event):
        return event_state(thing)
    if isinstance(thing, StockEnvironment):
        number = next(thing._eid)
        thing._eid = count(number)
        return {"clock": thing._now, "pushed": number, "queue": sorted(thing._queue, key=lambda entry: entry[:3])}
    state = {name: value for name, value in vars(thing).items() if value is not PENDING}
    return state | {"callbacks": own_callbacks(state["callbacks"])}


def set_state(thing, dict state) -> None:
    """Have an environment or an event be in a `state` that another was in."""
    if isinstance(thing, Environment):
        (<Environment>thing).clock = state["clock"]
        (<Environment>thing).pushed = state["pushed"]
        set_queue(thing, state["queue"])
    elif isinstance(thing, Event):
        set_event(thing, state)
    elif isinstance(thing, StockEnvironment):
        thing._now = state["clock"]
        thing._eid = count(state["pushed"])
        thing._queue = list(state["queue"])
    else:
        vars(thing).clear()
        vars(thing).update(state)


cdef dict queue_of(Schedule schedule):
    """Return each event scheduled by its time and its order in that instant, in the order of processing.

    What is next in one environment has nothing to do with that in another: unlike places in a list, these keys are its own.
    """
    cdef Py_ssize_t i
    cdef dict events = {}
    settle(schedule)
    for i in range(schedule.size):
        events[schedule.heap[i].time, <uint64_t>schedule.heap[i].key] = <object>schedule.heap[i].event
    for i in range(schedule.first, schedule.end):
        events[schedule.clock, schedule.line[i].order] = <object>schedule.line[i].event
    return {key: events[key] for key in sorted(events)}


cdef int set_queue(Schedule schedule, dict events) except -1:
    """Schedule these events, in the order of processing, in the place of all that is.

    TypeError for one that is not of its kind, which the kernel does not look at again.
    """
    cdef Entry entry
    drop(schedule)
    for (time, number), event in events.items():
        entry.time = time
        entry.key = sort_key(time, number)
        entry.event = <PyObject*>event
        if kind_of(number) != FOREIGN and not isinstance(event, Routine if kind_of(number) == STEP else Event):
            raise TypeError(f"a {type(event).__name__} is scheduled as what it is not")
        if is_full(schedule):
            make_room(schedule)
        Py_INCREF(event)
        schedule.heap[schedule.size] = entry
        schedule.size += 1
    return 0


cdef list own_callbacks(callbacks):
    return None if callbacks is None else [each for each in callbacks if each != STOP]


cdef dict event_state(Event event):
    cdef dict state = {
        "env": event.env,
        "ok": event._ok,
        "defused": event._defused,
        "processed": event.processed,
        "delay": event.delay,
        "waiter": event.waiter,
        "waiting": own_callbacks(event.waiting),
    }
    if event._value is not PENDING:
        state["value"] = event._value
    if isinstance(event, Process):
        state["generator"] = (<Process>event)._generator
        state["target"] = (<Process>event).target
    return state


cdef int set_event(Event event, dict state) except -1:
    event.env = state["env"]
    event._ok = state["ok"]
    event._defused = state["defused"]
    event.processed = state["processed"]
    event.delay = state["delay"]
    event.waiter = state["waiter"]
    event.waiting = state["waiting"]
    event._value = state.get("value", PENDING)
    if isinstance(event, Process):
        (<Process>event)._generator = state["generator"]
        (<Process>event).target = state["target"]
    return 0
