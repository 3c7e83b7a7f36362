"""What compiled modules call so often that the call itself would count, to be inlined; elsewhere `ssdsim._core.kernel`."""

from ssdsim._core.kernel cimport Environment


cdef inline long long now(object env) except? -1:
    """The whole part of the current time."""
    return <long long>(<Environment>env).clock if type(env) is Environment else int(env.now)
