"""What a generator yields besides the events of the kernel, and what happens to it when something fails."""

from simpy.events import _describe_frame

from cpython.ref cimport Py_INCREF


cdef PySendResult resume_failing(generator, event, bint has_raised, PyObject** result) noexcept:
    """Throw the failure of `event` into a generator, or, if it has raised an exception, catch that."""
    cdef PySendResult sent = PYGEN_NEXT
    try:
        if has_raised:
            raise_again()
        event._defused = True
        outcome = generator.throw(copy_of(event._value))
    except StopIteration as stop:
        outcome = stop.value
        sent = PYGEN_RETURN
    except BaseException as error:
        outcome = error.with_traceback(error.__traceback__.tb_next)   # less the frame of this function
        sent = PYGEN_ERROR
    Py_INCREF(outcome)
    result[0] = <PyObject*>outcome
    return sent


cdef int raise_again() except -1:
    """Hand an exception that C code has set to Cython's `try`."""
    return -1


cdef object copy_of(failure):
    """A copy of an exception, caused by it, so that each place that raises it has a traceback of its own."""
    copy = type(failure)(*failure.args)
    copy.__cause__ = failure
    return copy


cdef bint call_when_processed(event, callback, generator) except -1:
    """Add a callback to an event of another module's classes, which `generator` yields; false if it is too late."""
    callbacks = getattr(event, "callbacks", NotImplemented)
    if callbacks is NotImplemented:
        raise RuntimeError(f'\n{_describe_frame(generator.gi_frame)}Invalid yield value "{event}"')
    if callbacks is None:
        return False
    callbacks.append(callback)
    return True
