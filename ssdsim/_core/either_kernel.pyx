"""What the device asks of its clock, on either kernel: ours, or stock SimPy's."""

import simpy

from libc.stdint cimport int64_t

from ssdsim._core.clock cimport as_number, check_exact
from ssdsim._core.kernel cimport Environment, Event, Process, is_native, process_events, settle_as, timeout_of
from ssdsim._core.schedule cimport END, NORMAL, PAUSE, STEP, TIMER, URGENT
from ssdsim._core.schedule cimport Routine, Timer, leave, next_time, push, resume_routine


cpdef object make_environment(str kernel, long long start_ns=0):
    """The environment for `kernel=compiled` or `kernel=simpy`."""
    return Environment(start_ns) if kernel == "compiled" else simpy.Environment(start_ns)


cpdef long long now(object env) except? -1:
    """The whole part of the current time.

    Of SimPy's it is read without a call of Python's, in which a signal could be taken, whose exception nobody handles
    where this is inlined.
    """
    if type(env) is Environment:
        return <long long>(<Environment>env).clock
    time = getattr(env, "_now", None)
    return int(env.now if time is None else time)


cpdef double time_of(object env) except? -1:
    """The current time, whole or not."""
    return (<Environment>env).clock if type(env) is Environment else env.now


cpdef double next_time_of(object env) except? -1:
    """The time of the next event, or infinity."""
    return next_time(<Environment>env) if type(env) is Environment else env.peek()


cpdef int fire(object event, object value=None, double delay=0) except -1:
    """Trigger an event with a value, to be processed `delay` from now; RuntimeError if already triggered."""
    if is_native(event):
        return settle_as(<Event>event, True, value, delay)
    if event.triggered:
        raise RuntimeError(f"{event} has already been triggered")
    event._ok = True
    event._value = value
    event.env.schedule(event, delay=as_number(delay))
    return 0


cpdef int call_later(object env, double delay, object callback) except -1:
    """Call `callback`, with an event, `delay` from now; ValueError if that is negative."""
    if delay < 0 or type(env) is not Environment:
        env.timeout(as_number(delay)).callbacks.append(callback)
    else:
        check_exact((<Environment>env).clock, delay)
        timeout_of(<Environment>env, delay, None).waiting = [callback]
    return 0


cpdef int set_timer(object env, long long delay, Timer timer) except -1:
    """Set a timer to be due `delay` from now, which is not negative; it may be set again from then on."""
    if type(env) is not Environment:
        env.timeout(delay).callbacks.append(timer._due)
    else:
        check_exact((<Environment>env).clock, delay)
        push(<Environment>env, timer, (<Environment>env).clock + delay, NORMAL, TIMER)
    return 0


cpdef int run_before(object env, double end, list signals) except -1:
    """Process the events before the time `end`, or less: up to the one that puts something into `signals`."""
    while not signals and next_time_of(env) < end:
        if type(env) is Environment:
            process_events(<Environment>env, 1)
        else:
            env.step()
    return 0


cpdef int advance_clock(object env, long long time) except -1:
    """Take the clock to `time`, before which nothing is scheduled any more."""
    if type(env) is Environment:
        (<Environment>env).clock = time
    else:
        env._now = time
    return 0


cpdef object run_routine(object env, Routine routine):
    """Start a process that does what `routine` does: without a generator if the environment is of our kernel."""
    cdef Process process
    generator = steps(routine)
    generator.__name__ = type(routine).__name__
    next(generator)
    routine.resumed = True
    if type(env) is not Environment:
        routine.alarm = env.event()
        return env.process(generator)
    process = Process.__new__(Process)
    Event.__init__(process, env)
    process._generator = generator
    routine.clock, routine.process = env, process
    push(routine.clock, routine, routine.clock.clock, URGENT, STEP)
    return process


def steps(Routine routine):
    """What `routine` does, as a generator, which is to be begun before it is sent anything."""
    cdef int64_t delay
    try:
        yield
        while True:
            routine.resumed = False
            routine.alarm = routine.alarm.env.event()   # the last one has been heard
            delay = routine.go_on()
            if delay == END:
                break
            if delay != PAUSE:
                resume_routine(routine, delay)
            yield routine.alarm
    except Exception:   # not where the generator is given up: by then the routine may run on another kernel
        leave(routine)
        raise
    leave(routine)
