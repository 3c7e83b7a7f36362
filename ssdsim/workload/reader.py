"""From the bytes of a trace file to records in the order of the file, block by block."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain

import attrs
import numpy as np

from ssdsim.config import TraceConfig, nearest
from ssdsim.errors import ConfigError, TraceError
from ssdsim.workload.chunk import READ, WRITE
from ssdsim.workload.formats import BINARY, FORMATS, OPS, inverted, listed, recognise
from ssdsim.workload.ordering import FARTHEST_NS, descents
from ssdsim.workload.owncolumns import own_format
from ssdsim.workload.textformat import BYTE_ORDER_MARK, TextFormat
from ssdsim.workload.tracefile import BLOCK_BYTES, Checksum, TraceFile
from ssdsim.workload.traceformat import ROUNDED, Records, RowError, TraceFormat

_HEAD_LINES = 1000


@attrs.define(eq=False)
class Tally:
    """What one reading of the file met."""

    rows: int = 0
    """Records, without those that were skipped."""

    skipped: Counter[str] = attrs.field(factory=Counter)
    """Records and other lines skipped, by reason."""

    reordered: int = 0
    """Records that are earlier than the one before."""

    rounded: int = 0
    """Records with numbers that were rounded."""

    checksum: Checksum = attrs.field(factory=Checksum)


class TraceReader:
    """Records of the devices that a `TraceConfig` asks for, past those skipped and up to its limit.

    `reason` is why the file is taken to be in its `format`.

    Times are in ns from the file's first row.

    Raise a `TraceError` for a file that is not there, is empty, or fits no format.
    """

    def __init__(self, config: TraceConfig, block_bytes: int = BLOCK_BYTES) -> None:
        self.file = TraceFile(config.path)
        self.devices: dict[str, int] = {}
        self._config = config
        self._block_bytes = block_bytes
        head = self._head()
        declared, self.reason = self._declared(head)
        self.format = self._as_configured(declared)
        try:
            self.format = self.format.bind(head, config.device)
        except RowError as error:
            raise self.explained(error) from None

    def _head(self) -> bytes:
        """Return the first lines of the file, or as much of it as is read at a time where it is no text."""
        pieces = self.file.pieces(BLOCK_BYTES)
        if b"\0" in (piece := next(pieces, b"")):
            return piece
        block = next(self.file.in_lines(chain([piece], pieces)), b"").removeprefix(BYTE_ORDER_MARK)
        if not block.strip():
            raise TraceError(f"{self.file.path}: the file is empty; fetch it again, or correct workload.path.")
        return b"\n".join(block.strip(b"\n").split(b"\n", _HEAD_LINES)[:_HEAD_LINES])  # enough to tell a format

    def _declared(self, head: bytes) -> tuple[TraceFormat, str]:
        """Return the format, and why it is taken."""
        name = self._config.format
        if self._config.columns or self._config.pattern:
            if name != "auto":
                raise ConfigError(f"workload.format={name}: goes without columns and pattern; set it to auto.")
            ops = OPS["words_or_numbers" if self._config.read_op else "words"]
            return own_format(self._config, ops), "workload.columns or workload.pattern describes it"
        if name == "auto":
            try:
                return recognise(head)
            except ValueError as error:
                raise TraceError(f"{self.file.path}: {error}.") from None
        if name not in FORMATS:
            allowed = f"auto, {listed(FORMATS)}{nearest(name, FORMATS)}"
            raise ConfigError(f"workload.format={name}: must be {allowed}.")
        if (b"\0" in head) != (name in BINARY):  # a byte of 0 is in no text
            kind = "binary, no text" if b"\0" in head else "text"
            raise TraceError(f"{self.file.path}: this is {kind}; set workload.format={name} to another, or to auto.")
        return FORMATS[name], "workload.format says so"

    def _as_configured(self, declared: TraceFormat) -> TraceFormat:
        config = self._config
        if declared.has_ops and config.every_op:
            raise ConfigError(
                f"workload.every_op={config.every_op}: the records of {declared.name} say themselves what they ask "
                "for; set it to null."
            )
        known = attrs.evolve(
            declared,
            time_unit=config.time_unit or declared.time_unit,
            address_unit_bytes=config.address_unit_bytes or declared.address_unit_bytes,
            size_unit_bytes=config.size_unit_bytes or declared.size_unit_bytes,
            ops=inverted(declared.ops, config.read_op) if config.read_op else declared.ops,
            every_op=WRITE if config.every_op == "write" else READ,
        )
        if isinstance(known, TextFormat):
            is_rounded, has_unit = config.rounded_numbers == "nearest_sector", config.time_unit is not None
            return attrs.evolve(known, takes_rounded=is_rounded, takes_decimals=has_unit)
        return known

    def explained(self, error: RowError) -> TraceError:
        """Return the one sentence for a row that is wrong."""
        remedy = error.remedy or self.format.remedy
        place = f"{self.format.row_name} {error.row}" + (f", {error.place}" if error.place else "")
        return TraceError(f"{self.file.path}: {place}: {error.reason}; {remedy}.")

    def records(self, tally: Tally) -> Iterator[Records]:
        """Start a fresh reading; no block is empty. Raise a `RowError` for a row that is wrong."""
        left, skip, last_ns = self._config.limit, self._config.skip, -FARTHEST_NS
        for records in self._scaled(tally):
            if self._config.device is not None:
                # -1: a device that no row has named yet
                records = records[records.device == self.devices.get(str(self._config.device), -1)]
            skipped = min(skip, len(records))
            skip -= skipped  # skipped rows count before the limit does
            records = records[skipped:][:left]
            if len(records):
                tally.reordered += descents(records.time, last_ns)
                last_ns = int(records.time[-1])
                yield records
            if left is not None and (left := left - len(records)) == 0:  # the rest of the file is not read
                return

    def _scaled(self, tally: Tally) -> Iterator[Records]:
        tick_ps = self.format.tick_ps
        limit = FARTHEST_NS // max(tick_ps // 1000, 1)  # in ticks, before they are multiplied
        first_row, origin = 1, None
        for block in tally.checksum.over(self.format.blocks(self.file, self._block_bytes)):
            records, skipped = self.format.parse(block, first_row, self.devices)
            first_row += self.format.rows_in(block)
            tally.rounded += skipped.pop(ROUNDED, 0)
            tally.skipped.update(skipped)
            tally.rows += len(records)
            if not len(records):
                continue
            # of the first row that is a request, whatever its device
            origin = int(records.time[0]) if origin is None else origin
            time = records.time - origin
            if max(time.max(), -time.min()) > limit:
                name, far = self.format.row_name, np.argmax(np.abs(time) > limit)
                raise RowError(records.row[far], f"its time is over a century away from that of the first {name}")
            # ps to ns: finer ones are cut off
            yield records.with_times(time * (tick_ps // 1000) if tick_ps >= 1000 else time // 1000)
