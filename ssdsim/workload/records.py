"""Rows of a trace as they pass from its reader to the device: one NumPy array with a field for each column."""

import numpy as np

RECORD = np.dtype(
    [
        ("row", np.int64),
        ("time", np.int64),
        ("offset", np.int64),
        ("size", np.int64),
        ("device", np.int32),
        ("op", np.uint8),
        ("access_latency", np.uint8),
        ("fua", np.uint8),
    ],
    align=True,
)
"""The line of the file, from 1, for messages; the time in ticks of the format, then in ns from the file's first row;
the place and size in bytes; the code of the device's name; the others as in `Chunk`.
"""


class RowError(Exception):
    """A row of a trace cannot be used; who knows the file adds its path, and the remedy if it is the usual one."""

    def __init__(self, row: int, reason: str, remedy: str = "") -> None:
        super().__init__(row, reason, remedy)
        self.row, self.reason, self.remedy = int(row), reason, remedy
