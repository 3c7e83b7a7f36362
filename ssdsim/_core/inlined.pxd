"""What compiled modules call so often that the call itself would count, to be inlined; else it is `either_kernel`."""

from ssdsim._core cimport either_kernel, kernel


cdef inline long long now(object env) noexcept:
    """The whole part of the current time."""
    return <long long>(<kernel.Environment>env).clock if type(env) is kernel.Environment else either_kernel.now(env)
