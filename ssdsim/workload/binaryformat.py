"""Binary trace formats: records of a fixed length, read block by block as structured NumPy arrays."""

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

import attrs
import numpy as np

from ssdsim.workload.chunk import FLUSH, READ, WRITE
from ssdsim.workload.tracefile import TraceFile
from ssdsim.workload.traceformat import MAX_BYTES, SKIP, Records, RowError, TraceFormat

MOST_RECORDS = 1 << 40
"""More accesses than any trace has: a next one beyond that is taken for another format."""

_HEAD_RECORDS = 1000
_SCSI = {
    **dict.fromkeys((0x08, 0x28, 0x88, 0xA8), READ),
    **dict.fromkeys((0x0A, 0x2A, 0x8A, 0xAA, 0x2E, 0x8E, 0xAE), WRITE),  # the last three verify what they write
    **dict.fromkeys((0x35, 0x91), FLUSH),
}


def scsi(token: str) -> int | str | None:
    """Return the meaning of a SCSI operation code in hexadecimal: READ, WRITE, SYNCHRONIZE CACHE of any length.

    Of all other commands the records do not tell what they touch: UNMAP has its ranges in its data (SBC-3).
    """
    try:
        code = int(token, 16)
    except ValueError:
        return None
    return _SCSI.get(code, "other commands") if 0 <= code <= 0xFF else None


@attrs.frozen(kw_only=True)
class BinaryFormat(TraceFormat):
    """A format of records that are all as `record` says, without a header."""

    row_name: ClassVar[str] = "record"

    record: np.dtype

    @property
    def remedy(self) -> str:
        """What to do about a record that cannot be read."""
        return "fetch the file again, or set workload.format"

    def fits(self, records: np.ndarray) -> np.ndarray:
        """Tell of each of the records at the start of a file whether it looks like one of this format."""
        raise NotImplementedError

    def claims(self, head: bytes) -> float:
        """Return the share of the first records that fit; of less than a record, none does."""
        count = min(len(head) // self.record.itemsize, _HEAD_RECORDS)  # more would tell no more
        if not count:
            return 0.0
        return float(self.fits(np.frombuffer(head, self.record, count)).mean())

    def blocks(self, file: TraceFile, block_bytes: int) -> Iterator[bytes]:
        """Yield whole records; only the last block may end within one."""
        length, rest = self.record.itemsize, b""
        for piece in file.pieces(max(block_bytes, length)):
            block = rest + piece
            cut = len(block) // length * length
            yield block[:cut]
            rest = block[cut:]
        if rest:
            yield rest

    def rows_in(self, block: bytes) -> int:
        """Return the number of records."""
        return len(block) // self.record.itemsize

    def parse(self, block: bytes, first_row: int, devices: dict[str, int]) -> tuple[Records, Counter[str]]:
        """Return the records of a block; none names a device."""
        count, rest = divmod(len(block), self.record.itemsize)
        if rest:
            raise RowError(first_row + count, f"the file ends {rest} bytes into its {self.record.itemsize}")
        skipped: Counter[str] = Counter()
        row = np.arange(first_row, first_row + count)
        # Skipping is after all columns have been read, so that a wrong row is told even where it would be skipped.
        return self.kept(self.columns(np.frombuffer(block, self.record), row, skipped), skipped), skipped

    def columns(self, records: np.ndarray, row: np.ndarray, skipped: Counter[str]) -> Records:
        """Return the columns of a block, whose records are numbered `row`. Raise a `RowError`."""
        raise NotImplementedError

    def below(self, values: np.ndarray, limit: int, row: np.ndarray, what: str) -> np.ndarray:
        """Return `values` as int64. Raise a `RowError` for the first that is not below `limit`."""
        # unsigned, as the file has it: no value can pass for a negative one
        if len(large := np.flatnonzero(values >= np.uint64(limit))):
            raise RowError(row[large[0]], f"{what} {values[large[0]]} is too large")
        return values.astype(np.int64)

    def places(self, values: np.ndarray, row: np.ndarray, what: str) -> np.ndarray:
        """Return addresses in bytes."""
        return self.below(values, MAX_BYTES // self.address_unit_bytes + 1, row, what) * self.address_unit_bytes

    def sizes(self, values: np.ndarray, row: np.ndarray) -> np.ndarray:
        """Return sizes in bytes."""
        return self.below(values, MAX_BYTES // self.size_unit_bytes + 1, row, "size") * self.size_unit_bytes


_COMMON = {"sn": "<u4", "len": "<u4", "nsg": "<u4"}
_KIND = {"cmd": "<u2", "ver": "<u2"}
_WHERE = {"lbn": "<u8", "ts": "<u8"}

VSCSI_RECORDS = {
    1: np.dtype(list({**_COMMON, **_KIND, **_WHERE}.items())),
    2: np.dtype(list({**_KIND, **_COMMON, **_WHERE, "rt": "<u8"}.items())),
}
"""Records by version: `len` in bytes, `lbn` in sectors, `ts` and `rt` (response) in us, `cmd` a SCSI operation code."""


@attrs.frozen(kw_only=True)
class VscsiFormat(BinaryFormat):
    """The commands of a virtual disk, as CloudPhysics recorded them: 32 bytes a record in version 1, 40 in version 2.

    Source: libCacheSim, libCacheSim/traceReader/customizedReader/vscsi.h (trace_v1_record_t, trace_v2_record_t); the
    version is the high byte of `ver`.
    """

    version: int
    record: np.dtype = attrs.field(init=False)

    @record.default
    def _of_version(self) -> np.dtype:
        return VSCSI_RECORDS[self.version]

    def fits(self, records: np.ndarray) -> np.ndarray:
        """Tell of each record whether it has the version."""
        return records["ver"] >> 8 == self.version

    def columns(self, records: np.ndarray, row: np.ndarray, skipped: Counter[str]) -> Records:
        """Return the commands; those that neither read, write nor flush are skipped."""
        if len(wrong := np.flatnonzero(~self.fits(records))):
            version = records["ver"][wrong[0]] >> 8
            raise RowError(row[wrong[0]], f"its version is {version} instead of {self.version}")
        return Records(
            row,
            self.below(records["ts"], 1 << 63, row, "time"),
            self._op_codes(records["cmd"], row, skipped),
            np.zeros(len(row), np.int64),
            self.places(records["lbn"], row, "block number"),
            self.sizes(records["len"], row),
        )

    def _op_codes(self, commands: np.ndarray, row: np.ndarray, skipped: Counter[str]) -> np.ndarray:
        # a code is looked up once, however often it comes
        present, first, where, count = np.unique(commands, return_index=True, return_inverse=True, return_counts=True)
        codes = np.empty(len(present), np.uint8)
        for place, command in enumerate(present.tolist()):
            meaning = self.ops(f"{command:02x}")
            if meaning is None:
                raise RowError(row[first[place]], f"command {command:#x} is no SCSI operation code")
            codes[place] = meaning if isinstance(meaning, int) else SKIP
            if isinstance(meaning, str):
                skipped[meaning] += int(count[place])
        return codes[where]


@attrs.frozen(kw_only=True)
class OracleGeneralFormat(BinaryFormat):
    """libCacheSim's records of accesses to a cache: 24 bytes of time, object, its size, and when it is next accessed.

    Objects are taken for addresses, as they are in what was made of block traces; a record does not say whether it
    reads or writes. Times are whole seconds. `next` counts records, and is -1 or the largest number of 64 bits where an
    object is accessed no more. Source: libCacheSim, traceReader/customizedReader/oracle/oracleGeneralBin.h.
    """

    has_ops: ClassVar[bool] = False

    record: np.dtype = attrs.field(
        init=False, factory=lambda: np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next", "<i8")])
    )

    def fits(self, records: np.ndarray) -> np.ndarray:
        """Tell of each record whether it is no earlier than the one before, and its next access in reach of a trace."""
        in_order = np.diff(records["time"].astype(np.int64), prepend=0) >= 0
        return in_order & is_next_access(records["next"])

    def columns(self, records: np.ndarray, row: np.ndarray, skipped: Counter[str]) -> Records:
        """Return the accesses."""
        if len(wrong := np.flatnonzero(~is_next_access(records["next"]))):
            raise RowError(row[wrong[0]], f"its next access, {records['next'][wrong[0]]}, is none")
        return Records(
            row,
            records["time"].astype(np.int64),
            np.full(len(row), self.every_op, np.uint8),
            np.zeros(len(row), np.int64),
            self.places(records["object"], row, "object"),
            self.sizes(records["size"], row),
        )


def is_next_access(values: np.ndarray) -> np.ndarray:
    """Return a mask of the values that may be a next access: the number of a record, or a mark of there being none."""
    return (values == -1) | (values == np.iinfo(np.int64).max) | ((values > 0) & (values < MOST_RECORDS))
