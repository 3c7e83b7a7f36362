"""What compiled modules call so often that the call itself would count, to be inlined; elsewhere `ssdsim._core.kernel`."""

from ssdsim._core cimport kernel


cdef inline long long now(object env) noexcept:
    """The whole part of the current time."""
    return <long long>(<kernel.Environment>env).clock if type(env) is kernel.Environment else kernel.now(env)
