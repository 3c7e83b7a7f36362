"""What can go wrong through no fault of the program, as a sentence and an exit status."""

import errno
import os

from attrs import frozen

from ssdsim.errors import PolicyError, SsdsimError, printable

STORAGE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}


@frozen
class Failure:
    """A failure that is told in one sentence."""

    message: str
    exit_status: int


def expected(error: BaseException) -> Failure | None:
    """Return how to tell `error` to the user, or None if it is a bug and wants its traceback."""
    if isinstance(error, PolicyError) and error.frames:
        return Failure(f"{error.frames}{error}", error.exit_status)
    if isinstance(error, MemoryError):
        detail = f" ({error})" if str(error) else ""
        return Failure(f"Memory ran out{detail}: take fewer blocks or pages, or a machine with more memory.", 1)
    if isinstance(error, SsdsimError):
        told = [str(error), *getattr(error, "__notes__", ())]
        return Failure(printable(" ".join(" ".join(told).split())), error.exit_status)
    if isinstance(error, OSError) and error.errno in STORAGE:
        place = f"{error.filename}: " if error.filename else ""
        return Failure(f"{place}the results cannot be written: {os.strerror(error.errno)}.", 1)
    return None
