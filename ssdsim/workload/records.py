"""Rows of a trace as they pass from its reader to the device."""

import attrs
import numpy as np

from ssdsim.workload.chunk import Chunk


@attrs.frozen(eq=False)
class Records(Chunk):
    """Requests as a trace has them: their offsets are within their devices, and their times those of its clock."""

    row: np.ndarray = attrs.field(kw_only=True)
    """The line of the file that each stands on, from 1, for messages."""

    device: np.ndarray = attrs.field(kw_only=True)
    """The code of the device's name."""


class RowError(Exception):
    """A row of a trace cannot be used; who knows the file adds its path, and the remedy if it is the usual one."""

    def __init__(self, row: int, reason: str, remedy: str = "") -> None:
        super().__init__(row, reason, remedy)
        self.row, self.reason, self.remedy = int(row), reason, remedy
