"""What a stack owes its host, and what a device says it lost with its power."""

from collections.abc import Collection
from typing import NamedTuple, Protocol


class Contract(NamedTuple):
    """What a stack owes its host: `together` pages are trimmed as one, and none of less.

    A write with FUA is in flash when it is complete, and with `durable_when_complete` any is, else when a flush is. A
    program that a loss of power cuts short may take up to `endangered` pages with it that are in flash.
    """

    together: int
    durable_when_complete: bool
    endangered: int


class Losses(Protocol):
    """The logical pages that a device says it lost with its power: from flash, from memory, and by undoing trims."""

    @property
    def flash(self) -> Collection[int]:
        """Those of which data in flash was lost."""

    @property
    def memory(self) -> Collection[int]:
        """Those of which data was lost that was not in flash yet."""

    @property
    def programs(self) -> int:
        """How many programs were cut short."""

    @property
    def trims(self) -> Collection[int]:
        """Those that hold data again."""
