"""Resuming a generator with the outcome of an event."""

from cpython.ref cimport PyObject

cdef extern from *:
    ctypedef enum PySendResult:
        PYGEN_RETURN
        PYGEN_ERROR
        PYGEN_NEXT
    PySendResult PyIter_Send(object generator, object value, PyObject** result)


cdef inline PySendResult resume(generator, event, bint ok, value, PyObject** result) noexcept:
    """Send an outcome into a generator; the result is owned: what it yields, returns, or the exception it raises."""
    cdef PySendResult sent = PYGEN_NEXT
    if ok:
        sent = PyIter_Send(generator, value, result)
        if sent != PYGEN_ERROR:
            return sent
    return resume_failing(generator, event, sent == PYGEN_ERROR, result)


cdef PySendResult resume_failing(generator, event, bint has_raised, PyObject** result) noexcept
cdef object copy_of(failure)
cdef bint call_when_processed(event, callback, generator) except -1
