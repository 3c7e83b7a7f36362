"""What is counted from the commands of a run: write bandwidth over time (Fig. 8c), rows of LSB pages, backups.

Bandwidth is what the host's page programs amount to in windows of equal length; moved pages and backups do not count.
It is taken from the flash, not from the requests, since a write is complete when it is in the buffer, which takes the
first of a burst at the speed of memory under all systems; and from the commands, since in a long run the windows of the
time series are wider than a burst. Windows without a program of the host are left out: how long it is idle is up to the
workload. The first half of the programs is left out too, in which the blocks that the device was filled with are
collected.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result
from ssdsim.policies import ProgramOrder

from .systems import RTF_BLOCKS

MIB = 2**20
NS_PER_S = 10**9
# Times the drain time of rtfFTL's pool of LSB pages that a window of Fig. 8(c) is wide. One as wide as that would hold
# a whole drain only if both began together, one of twice that holds every other; MSB pages fill more of wider ones.
DRAINS = 2


def program_s(hardware: HardwareConfig) -> float:
    """Return the seconds that an LSB page takes on the bus and in the array."""
    bus_us = hardware.program_command_us + hardware.page_bytes * hardware.bus_ns_per_byte / 1000
    return (bus_us + hardware.program_us[0]) / 1e6


def drain_s(hardware: HardwareConfig) -> float:
    """Return the seconds in which a chip programs its LSB pages of rtfFTL's pool."""
    return RTF_BLOCKS * program_s(hardware)


def slc_mib_s(hardware: HardwareConfig) -> float:
    """Return the write bandwidth if every plane programs LSB pages alone."""
    return hardware.planes * hardware.page_bytes / MIB / program_s(hardware)


@attrs.frozen(eq=False)
class Programs:
    """Programs of data in the order in which they were over: begin and end, page types, and chips."""

    starts_ns: np.ndarray
    ends_ns: np.ndarray
    page_types: np.ndarray
    chips: np.ndarray

    def by_window(self, page_bytes: int, window_s: float) -> np.ndarray:
        """Return the MiB/s of each window in which something was programmed."""
        count = np.unique(self.ends_ns // round(window_s * NS_PER_S), return_counts=True)[1]
        return count * page_bytes / MIB / window_s

    def mean(self, page_bytes: int, window_s: float) -> float:
        """Return the mean MiB/s of the windows in which something was programmed."""
        return float(self.by_window(page_bytes, window_s).mean())

    def average(self, page_bytes: int) -> float:
        """Return the MiB/s from the first of them to the last."""
        return len(self.ends_ns) * page_bytes / MIB / (self.ends_ns[-1] - self.ends_ns[0]) * NS_PER_S

    def longest_row(self) -> int:
        """Return the most LSB pages whose programs began one after the other on the device."""
        return _longest_row(self.page_types[np.argsort(self.starts_ns, kind="stable")])

    def longest_row_of_chip(self) -> int:
        """Return the most LSB pages whose programs began one after the other on a chip."""
        order = np.argsort(self.starts_ns, kind="stable")
        types, chips = self.page_types[order], self.chips[order]
        return max(_longest_row(types[chips == chip]) for chip in np.unique(chips))


def _longest_row(page_types: np.ndarray) -> int:
    ends = np.flatnonzero(np.concatenate(([True], page_types != 0, [True])))
    return int(np.diff(ends).max()) - 1


def host_programs(result: Result) -> Programs:
    """Return the second half of the host's programs."""
    return _programs(_folder(result), ("host",))


def data_programs(result: Result) -> Programs:
    """Return the second half of the programs of the host and of collection."""
    return _programs(_folder(result), ("host", "gc"))


def _folder(result: Result) -> Path:
    assert result.folder is not None
    return result.folder


def _table(folder: Path, columns: Sequence[str], sources: Sequence[str]) -> pa.Table:
    kept = [("op", "=", "program"), ("source", "in", [*sources])]
    return pq.read_table(folder / "commands.parquet", columns=[*columns], filters=kept)


@lru_cache(maxsize=12)
def _programs(folder: Path, sources: Sequence[str]) -> Programs:
    table = _table(folder, ["array_start_ns", "end_ns", "page_type", "channel", "chip"], sources)
    half = {name: table[name].slice(table.num_rows // 2).to_numpy() for name in table.column_names}
    chips = half["channel"].astype(np.int64) << 32 | half["chip"]
    return Programs(half["array_start_ns"], half["end_ns"], half["page_type"], chips)


def lsb_pages_a_backup(result: Result) -> float:
    """Return how many LSB pages of data are programmed for a backup."""
    types, backups = (_table(_folder(result), ["page_type"], sources) for sources in (["host", "gc"], ["backup"]))
    return float(pc.sum(pc.equal(types["page_type"], 0)).as_py()) / backups.num_rows


def msb_with_backup(result: Result) -> float:
    """Return the time of a mean MSB program and the backup before it, in LSB programs."""
    data = _table(_folder(result), ["page_type", "array_start_ns", "array_end_ns"], ["host", "gc"])
    backups = _table(_folder(result), ["array_start_ns", "array_end_ns"], ["backup"])
    slow, fast = (_mean_ns(data.filter(pc.equal(data["page_type"], page_type))) for page_type in (1, 0))
    return (slow + _mean_ns(backups)) / fast


def _mean_ns(programs: pa.Table) -> float:
    return float(pc.mean(pc.subtract(programs["array_end_ns"], programs["array_start_ns"])).as_py())


def most_aggressors(result: Result, order: ProgramOrder) -> int:
    """Return the most programs beside a full wordline of a block of data of the first chip."""
    return max(max(order.aggressors(pages)) for pages in _blocks(_folder(result)))


def _blocks(folder: Path) -> Iterator[list[int]]:
    """Return the pages of data of each block of the first chip in the order of their programs, from erase to erase."""
    kept = [("channel", "=", 0), ("chip", "=", 0), ("op", "in", ["program", "erase"])]
    table = pq.read_table(
        folder / "commands.parquet", columns=["op", "source", "block", "page", "array_start_ns"], filters=kept
    )
    pages: dict[int, list[int]] = {}
    for row in table.sort_by("array_start_ns").to_pylist():
        if row["op"] == "erase":
            yield pages.pop(row["block"], [])
        elif row["source"] != "backup":
            pages.setdefault(row["block"], []).append(row["page"])
    yield from pages.values()


def distribution(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values in order, and the share of all that is at most as large as each."""
    return np.sort(values), np.arange(1, len(values) + 1) / len(values)
