"""Times: doubles that read as ints when they are whole, and are exact then below 2**53."""

from libc.math cimport fabs

cdef extern from *:
    const double EXACT "0x1p53"


cdef inline object as_number(double time):
    """A whole time as an int, any other as it is."""
    if fabs(time) < EXACT and <double><long long>time == time:
        return <long long>time
    return time


cdef inline double as_delay(double now, delay) except? -1:
    """A delay from `now` that a caller has given; ValueError if it is negative or not a number."""
    cdef double span = delay
    if not span >= 0:
        raise ValueError(f"Negative delay {delay}" if span < 0 else f"Delay {delay} is not a number")
    if not isinstance(delay, float):
        check_exact(now, span)
    return span


cdef inline int check_exact(double now, double delay) except -1:
    """Refuse a whole delay from a time below 2**53 to one that is not."""
    if now + delay >= EXACT > now:
        raise OverflowError(f"Delay {as_number(delay)} at time {as_number(now)} ends past 2**53, where whole times "
                            "are not exact; use a coarser time unit or a float delay")
    return 0
