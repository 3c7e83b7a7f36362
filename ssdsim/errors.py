"""Everything that can go wrong in a way a user can mend, each with one sentence that says where and how."""

import difflib
from collections.abc import Iterable


class SsdsimError(Exception):
    """Base of the errors that are reported as one sentence, never as a traceback."""

    exit_status = 1


class InputError(SsdsimError):
    """The user's input cannot be used as it is; the sentence names the place and the remedy."""

    exit_status = 2


class ConfigError(InputError):
    """A configuration key, value or unit is wrong, or values cannot work together."""


class NotRecordedError(InputError):
    """A run has not kept the table that is asked for."""


class TraceError(InputError):
    """A trace file is missing, damaged, in another format, or does not fit the device."""


class PolicyError(InputError):
    """A policy of the user's own does not do what it owes, or raised an error: `frames` shows where."""

    def __init__(self, message: str, frames: str = ""):
        super().__init__(message, frames)  # both, as SimPy makes the error anew of these
        self.message, self.frames = message, frames

    def __str__(self) -> str:
        return self.message


class SimulationError(SsdsimError):
    """A run went wrong: a request was lost, nothing can make progress, or an invariant is broken."""


class FlashError(SimulationError):
    """The flash was asked for something a real chip forbids, such as an out-of-order program."""


class PowerLostError(SsdsimError):
    """A request was in a drive when that lost its power."""


def nearest(name: object, allowed: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the allowed name closest to `name`, or nothing if none is near."""
    close_names = difflib.get_close_matches(str(name), list(allowed), n=1, cutoff=0.5)
    return f" (did you mean '{close_names[0]}'?)" if close_names else ""


def printable(text: str) -> str:
    """Return `text` with what would move a terminal's cursor, colour it or turn its writing direction escaped."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shown(text: str, length: int = 60) -> str:
    """Return the text of a user's file as fits into a sentence: printable, and not longer than `length` of it."""
    return printable(text[:length]) + ("..." if len(text) > length else "")
