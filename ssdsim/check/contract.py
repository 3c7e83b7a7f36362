"""What a stack owes its host, and what a device says it lost with its power."""

from collections.abc import Collection
from typing import NamedTuple

import attrs


class Contract(NamedTuple):
    """What a stack owes its host: `together` pages are trimmed as one, and none of less.

    A write with FUA is in flash when it is complete, and with `durable_when_complete` any is, else when a flush is. A
    program that a loss of power cuts short may take up to `endangered` pages with it that are in flash.
    """

    together: int
    durable_when_complete: bool
    endangered: int


@attrs.frozen
class Losses:
    """The logical pages lost from flash and from memory, the trims undone, and how many programs were cut short."""

    flash: Collection[int] = ()
    memory: Collection[int] = ()
    trims: Collection[int] = ()
    programs: int = 0
