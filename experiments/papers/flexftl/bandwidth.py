"""The write bandwidth of the flash over time (Fig. 8c), from the commands of a run.

It is what the host's page programs amount to in windows of equal length; moved pages and backups do not count. It is
taken from the flash, not from the requests, since a write is complete when it is in the buffer, which takes the first
of a burst at the speed of memory under all systems; and from the commands, since in a long run the windows of the time
series are wider than a burst. Windows without a program of the host are left out: how long it is idle is up to the
workload, and with them the mean would be the volume over the time, about the same for all. The first half of the
programs is left out too, in which the blocks that the device was filled with are collected.
"""

import attrs
import numpy as np
import pyarrow.parquet as pq

from ssdsim.metrics.result import Result

MIB = 2**20
WINDOW_S = 0.1
"""A burst of Varmail takes some of these."""

WINDOWS_S = [0.01, 0.03, WINDOW_S, 0.3, 1.0]


@attrs.frozen
class Programs:
    """The ends in ns, in order, and the page types of programs."""

    ends_ns: np.ndarray
    page_types: np.ndarray

    def by_window(self, page_bytes: int, window_s: float = WINDOW_S) -> np.ndarray:
        """Return the MiB/s of each window in which something was programmed."""
        count = np.unique(self.ends_ns // round(window_s * 1e9), return_counts=True)[1]
        return count * page_bytes / MIB / window_s

    def average(self, page_bytes: int) -> float:
        """Return the MiB/s from the first of them to the last."""
        return len(self.ends_ns) * page_bytes / MIB / (self.ends_ns[-1] - self.ends_ns[0]) * 1e9


def host_programs(result: Result) -> Programs:
    """Return the second half of the host's programs."""
    assert result.folder is not None
    table = pq.read_table(
        result.folder / "commands.parquet",
        columns=["end_ns", "page_type"],
        filters=[("op", "=", "program"), ("source", "=", "host")],
    )
    half = table.slice(table.num_rows // 2)
    return Programs(half["end_ns"].to_numpy(), half["page_type"].to_numpy())


def distribution(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values in order, and the share of all that is at most as large as each."""
    return np.sort(values), np.arange(1, len(values) + 1) / len(values)
