"""Signals that end a run: SIGTERM and SIGHUP, which batch systems send, do what Ctrl-C does."""

import signal
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Terminated(KeyboardInterrupt):
    """The process was told to end by the signal whose number is the argument."""


def exit_status(error: KeyboardInterrupt) -> int:
    """Return the exit status that a shell expects of a process that a signal has ended: 128 and the signal's number."""
    return 128 + (error.args[0] if isinstance(error, Terminated) else signal.SIGINT)


def stoppable() -> AbstractContextManager[None]:
    """Raise `Terminated` on SIGTERM and SIGHUP within this context, unless they are ignored (`nohup`) or handled."""
    return _handled_by(_terminate, lambda before: before is signal.SIG_DFL)


@contextmanager
def held_back() -> Iterator[None]:
    """Hold the signals that end a run back within this context; the first of them comes when it is left."""
    came: list[int] = []
    with _handled_by(lambda number, frame: came.append(number), callable):
        yield
    for number in came[:1]:  # the first decides, as it ends the run
        signal.raise_signal(number)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)


@contextmanager
def _handled_by(handler: Any, replaces: Any) -> Iterator[None]:
    """Handle the ending signals whose handler it `replaces` by `handler`, in the main thread, which alone gets any."""
    main = threading.current_thread() is threading.main_thread()  # Python allows nobody else to set a handler
    before = {number: signal.getsignal(number) for number in ENDING if main and replaces(signal.getsignal(number))}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
