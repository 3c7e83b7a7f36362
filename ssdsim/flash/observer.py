"""Who is told of what happens in the flash: backups, what checks the data, logs."""

from collections.abc import Callable
from typing import Any, Protocol

EVENTS = ("queued", "sensed", "programmed", "erased", "done", "idle")


class Observer(Protocol):
    """Has a method for each of the `EVENTS` in `observes`; it is told of no other.

    - `queued(transactions, number)`: a program has been handed over to the flash, with the data that it brings.
    - `sensed(transactions, number)`: an array has read a page; the data is added to what the transaction has of it.
    - `programmed(transactions, number)`: an array has programmed a page, or copied one back to it.
    - `erased(transactions, number)`: an array has erased a block.
    - `done(transactions, number, end_ns)`: a command is over for one of its pages; its owner is told after that. Where
      no time passes this is never told.
    - `idle(die)`: a die is about to look for work, and executes nothing; what is submitted now is there when it does.
      Where no time passes this is never told.

    The state of the blocks is changed before an observer is told of it. Numbers of transactions are used again, so keep
    none; `ssdsim.flash.views.Transaction` shows one to Python.
    """

    @property
    def observes(self) -> tuple[str, ...]:
        """What it wants to be told of."""


class Observers:
    """By event, the methods of those who are to be told, in the order in which they were added.

    Whoever tells them keeps the list itself, so that an event that nobody wants costs a look at an empty one, and an
    observer that comes later is told, too.
    """

    def __init__(self) -> None:
        self.queued: list[Callable[[Any, int], None]] = []
        self.sensed: list[Callable[[Any, int], None]] = []
        self.programmed: list[Callable[[Any, int], None]] = []
        self.erased: list[Callable[[Any, int], None]] = []
        self.done: list[Callable[[Any, int, int], None]] = []
        self.idle: list[Callable[[int], None]] = []

    def add(self, observer: Observer | None) -> None:
        """Tell `observer`, if there is one, from now on of what it wants to know."""
        if observer is not None:
            for event in observer.observes:
                getattr(self, event).append(getattr(observer, event))

    def remove(self, observer: Observer) -> None:
        """Tell `observer` no more; not to be called by one that is being told."""
        for event in observer.observes:
            getattr(self, event).remove(getattr(observer, event))
