"""Where to go, as one writes it: `collection`, or `wait=500` and the like."""

from math import isfinite

from ssdsim.config import nearest
from ssdsim.errors import InputError

from .session import Course, Session

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
    if name == "wait":
        return session.to_wait(_number(place, given, 1000))
    if name == "time":
        return session.to_time(_number(place, given, 1000))
    return session.to_step(_number(place, given)) if name == "step" else session.to_request(_number(place, given))


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
