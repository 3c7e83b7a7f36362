"""What can go wrong through no fault of the program, as a sentence and an exit status."""

import errno
import io
import os
import sys
from collections.abc import Callable
from typing import NamedTuple

from ssdsim.errors import PolicyError, SsdsimError, printable
from ssdsim.run.interrupts import exit_status, stoppable

STORAGE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}


class Failure(NamedTuple):
    """A failure that is told in one sentence."""

    message: str
    exit_status: int


def expected(error: BaseException) -> Failure | None:
    """Return the failure to report for `error`, or None if it is a bug and wants its traceback."""
    if isinstance(error, PolicyError) and error.frames:
        return Failure(f"{error.frames}{error}", error.exit_status)
    if isinstance(error, MemoryError):
        return Failure(f"Memory ran out ({error}): take fewer blocks or pages, or a machine with more memory.", 1)
    if isinstance(error, SsdsimError):
        told = " ".join([str(error), *getattr(error, "__notes__", ())])
        return Failure(printable(" ".join(told.split())), error.exit_status)
    if isinstance(error, OSError) and error.errno in STORAGE:
        place = f"{error.filename}: " if error.filename else ""
        return Failure(f"{place}the results cannot be written: {os.strerror(error.errno)}.", 1)
    return None


def guarded(work: Callable[[], int], interrupted: str = "Interrupted.") -> int:
    """Do `work` and return the exit status that it returns, or that of what stopped it, which is told in a sentence."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no such characters shows other ones
    try:
        with stoppable():
            status = work()
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        print(interrupted, file=sys.stderr)
        return exit_status(interrupt)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        failure = expected(error)
        if failure is None:
            raise
        print(failure.message, file=sys.stderr)
        return failure.exit_status
    return status
