"""A text format as a declaration of its columns, and the one vectorised reader that all of them share."""

import io
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import NoReturn, Self

import attrs
import numpy as np
import pyarrow as pa

from ssdsim.config import ACCESS_LATENCIES
from ssdsim.errors import shown
from ssdsim.workload.columns import UnreadableError, integers, joined, read_columns, rounded_integers, translate
from ssdsim.workload.tracefile import TraceFile, line_ends
from ssdsim.workload.traceformat import MAX_BYTES, PICOSECONDS, ROUNDED, SECTOR, SKIP, Records, RowError, TraceFormat

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

MOST_DEVICES, MOST_NAME_BYTES = 1 << 18, 1 << 26
"""More names, or longer ones altogether, are taken for damage; they are kept in memory."""

_ROUNDED_DECIMALS = 0
_BLANKS = bytes.maketrans(b"\t\r", b"  ")
_WHOLE = re.compile(r"[+-]?[0-9]++")
_DECIMAL = re.compile(r"[+-]?([0-9]++(\.[0-9]*+)?|\.[0-9]++)([eE][+-]?[0-9]++)?")
_EXPONENT = re.compile(r"\d(\.\d++)?[eE]\+?\d{1,2}")


def single_blanks(text: bytes) -> bytes:
    """Return `text` with tabs and runs of blanks as one blank, and none at either end of a line."""
    symbols = np.frombuffer(text.translate(_BLANKS), np.uint8)
    while len(symbols):  # each time round shortens every run of blanks
        is_blank, is_end = symbols == ord(" "), symbols == ord("\n")
        before_gap = np.append((is_blank | is_end)[1:], True)
        surplus = is_blank & (before_gap | np.append(True, is_end[:-1]))
        if not surplus.any():
            break
        symbols = symbols[~surplus]
    return symbols.tobytes()


def head_lines(head: bytes) -> list[str]:
    """Return the lines of the start of a file that have anything in them."""
    return [line for line in head.decode("utf-8", "replace").split("\n") if line.strip()]


def split_line(line: str) -> list[str]:
    """Return the columns of a line, which are separated by commas if it has any, by blanks if not."""
    return [column.strip() for column in line.split(",")] if "," in line else line.split()


@lru_cache(1)
def with_commas(head: bytes) -> list[str]:
    """Return the columns of these lines joined by commas, for one format after the other to look at."""
    return [",".join(map(written_out, split_line(line))) for line in head_lines(head)]


def written_out(field: str) -> str:
    """Return a number such as 1.82083E+11 with all its digits, so that a rounded row is known for what it was."""
    return f"{Decimal(field):.0f}" if _EXPONENT.fullmatch(field) else field


InBytes = tuple[np.ndarray, np.ndarray]
"""Addresses or sizes in bytes, and which of them were rounded."""


@attrs.frozen(eq=False)
class Lines:
    """The records of a block as separated text without blank lines, and the line of the file each came from."""

    text: bytes
    separator: str
    rows: np.ndarray
    skipped: Counter[str]


@attrs.frozen(kw_only=True)
class TextFormat(TraceFormat):
    """A trace format with one record a line, in columns separated by commas or by blanks."""

    columns: str
    """The role of each column: time, op, offset, size, hint, fua, device (several form one name), or _ for none."""

    example: str
    """A made-up record, for messages."""

    like: str
    """A regular expression for the columns of a record joined by commas, to recognise the format; as all patterns here,
    it takes a time in proportion to the line, whatever stands there.
    """

    decimal_time: bool = False

    takes_rounded: bool = False
    """Whether a size such as 1.82083E+11, which a spreadsheet has made of a number, is read, and such an offset taken
    to the nearest sector.
    """

    takes_decimals: bool = False
    """Whether times may have decimals though the format has none, as its unit was given."""

    header: Mapping[str, str] = attrs.field(factory=dict)
    """Roles by the column names in the file's first line, all required; empty if the format has no such line."""

    optional: Mapping[str, str] = attrs.field(factory=dict)
    """Roles of columns that the header may name beside these."""

    device_joint: str = "_"

    @property
    def _roles(self) -> list[str]:
        return self.columns.split()

    @property
    def _decimals(self) -> int | None:
        """Decimals of a time down to the nanosecond."""
        # decimals of the unit down to ns: a unit is 10 ** (digits - 1) ps
        return max(len(str(PICOSECONDS[self.time_unit])) - 4, 0) if self.decimal_time else None

    @property
    def tick_ps(self) -> int:
        """The unit of `Records.time` as `parse` returns it, in picoseconds."""
        return PICOSECONDS[self.time_unit] // 10 ** (self._decimals or 0)

    @property
    def remedy(self) -> str:
        """How a record of this format reads."""
        return f"a {self.name} row reads like '{self.example}': mend the file, or set workload.format"

    def blocks(self, file: TraceFile, block_bytes: int) -> Iterator[bytes]:
        """Yield whole lines."""
        return file.blocks(block_bytes)

    def rows_in(self, block: bytes) -> int:
        """Return the number of line ends."""
        return line_ends(block)

    def claims(self, head: bytes) -> float:
        """Return the share, 0 to 1, of the lines in `head` that this format would take for records."""
        lines = head_lines(head)
        if not lines:
            return 0.0
        if self.header:
            # names beyond those required are of no use, or optional
            names = {name.lower() for name in split_line(lines[0])}
            return float(names.issuperset(self.header))
        like = re.compile(self.like, re.IGNORECASE)
        return sum(like.fullmatch(row) is not None for row in with_commas(head)) / len(lines)

    def bind(self, head: bytes, device: str | None) -> Self:
        """Return the format as it is in a file that begins with `head` and of which only `device` is asked for, if any.

        Columns are those that the header names, or the usual ones and perhaps more. Raise a `RowError`.
        """
        first = split_line(next(iter(head_lines(head)), ""))
        if not self.header:
            # further columns are of no use
            columns = self.columns + " _" * (len(first) - len(self._roles))
            place = self._roles.index("time")
            is_decimal = any("." in time for line in head_lines(head) for time in split_line(line)[place : place + 1])
            return attrs.evolve(
                self, columns=columns, decimal_time=self.decimal_time or (self.takes_decimals and is_decimal)
            )
        names = [name.lower() for name in first]
        if missing := [name for name in self.header if name not in names]:
            raise RowError(1, f"the header line lacks {', '.join(missing)}")
        roles = {**self.header, **self.optional}
        return attrs.evolve(self, columns=" ".join(roles.get(name, "_") for name in names))

    def parse(self, block: bytes, first_row: int, devices: dict[str, int]) -> tuple[Records, Counter[str]]:
        """Return the records of a block of whole lines, and how many lines it skipped for which reason."""
        if first_row == 1:  # at the start of the file alone
            block = block.removeprefix(BYTE_ORDER_MARK)
        lines = self.lines(block, first_row)
        if not len(lines.rows):
            empty = np.zeros(0, np.int64)
            return Records(empty, empty, empty.astype(np.uint8), empty, empty, empty), lines.skipped
        known = len(devices)
        try:
            return self._records(lines, devices), lines.skipped
        except UnreadableError as error:
            before = dict(islice(devices.items(), known))  # devices that were known before the block
            self._find_bad_row(lines, before, error, block.split(b"\n"), first_row)

    def lines(self, block: bytes, first_row: int) -> Lines:
        """Return the records of a block of whole lines that starts with line `first_row` of the file."""
        if self.header and first_row == 1:
            block, first_row = block.partition(b"\n")[2], 2  # the columns have their names there
        separator = "," if b"," in io.BytesIO(block.lstrip()).readline() else " "
        text = single_blanks(block) if separator == " " else block.replace(b"\r", b"")
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))  # a lone carriage return is no line end
        starts = np.append(0, ends + 1)
        is_line = np.append(ends, len(text)) > starts
        return Lines(text, separator, np.flatnonzero(is_line) + first_row, Counter())

    def _records(self, lines: Lines, devices: dict[str, int]) -> Records:
        time, (offset, inexact), (size, inexact_size), columns = self.read(lines)
        if count := int(np.count_nonzero(inexact | inexact_size)):
            lines.skipped[ROUNDED] += count
        op = np.full(len(time), self.every_op, np.uint8)
        if "op" in columns:
            op = self._op_codes(columns["op"][0], lines.skipped)
        device = np.zeros(len(time), np.int64)
        if "device" in columns:
            names, known = joined(columns["device"], self.device_joint), len(devices)
            device = translate(names, lambda name: devices.setdefault(name, len(devices)))
            if len(devices) > MOST_DEVICES:
                raise UnreadableError(f"there are more than {MOST_DEVICES} devices")
            if len(devices) > known and sum(map(len, devices)) > MOST_NAME_BYTES:
                raise UnreadableError(f"the names of devices take more than {MOST_NAME_BYTES} bytes")
        hints = translate(columns["hint"][0], hint_code).astype(np.uint8) if "hint" in columns else None
        fua = translate(columns["fua"][0], fua_code).astype(np.uint8) if "fua" in columns else None
        return self.kept(Records(lines.rows, time, op, device, offset, size, hints, fua), lines.skipped)

    def read(self, lines: Lines) -> tuple[np.ndarray, InBytes, InBytes, dict[str, list[pa.Array]]]:
        """Return times in ticks, addresses, sizes, and the columns of words by role; raise `UnreadableError`."""
        try:
            columns = read_columns(lines.text, lines.separator, self._roles, self._decimals)
        except UnreadableError:
            if not self.takes_rounded:
                raise
            columns = read_columns(lines.text, lines.separator, self._roles, self._decimals, rounded=True)
        time = integers(columns["time"][0], self._decimals)
        if len(time) != len(lines.rows) or time.min() < 0:
            raise UnreadableError("a line is empty, or a time is negative")
        offset = self.in_bytes(*rounded_integers(columns["offset"][0]), self.address_unit_bytes)
        return time, offset, self.in_bytes(*rounded_integers(columns["size"][0]), self.size_unit_bytes), columns

    def in_bytes(self, values: np.ndarray, is_rounded: np.ndarray, unit_bytes: int) -> InBytes:
        """Return addresses or sizes in bytes, and which of them were rounded and are now whole sectors."""
        if values.min() < 0 or values.max() > MAX_BYTES // unit_bytes:
            raise UnreadableError("a number is negative or too large")
        values = values * unit_bytes
        if is_rounded.any():
            # half a sector is rounded up
            values = np.where(is_rounded, (values + SECTOR // 2) // SECTOR * SECTOR, values)
        return values, is_rounded

    def _op_codes(self, column: object, skipped: Counter[str]) -> np.ndarray:
        reasons: list[str] = []

        def code(token: str) -> int:
            meaning = self.ops(token)
            if meaning is None:
                raise UnreadableError(f"operation '{shown(token)}' is unknown")
            if isinstance(meaning, int):
                return meaning
            reasons.append(meaning)
            return SKIP + len(reasons)

        codes = translate(column, code)
        for index, reason in enumerate(reasons, start=1):
            skipped[reason] += int(np.count_nonzero(codes == SKIP + index))
        if reasons:
            codes = np.minimum(codes, SKIP)  # all of them are one code from here on
        return codes.astype(np.uint8)

    def place_of(self, number: int, line: bytes) -> str:
        """Return the place in a line of column `number`, from 0, of its record."""
        return f"column {number + 1}"

    def _find_bad_row(
        self, lines: Lines, devices: dict[str, int], error: UnreadableError, block: list[bytes], first_row: int
    ) -> NoReturn:
        """Raise a `RowError` for the first line, of a `block`, that the vectorised reader could not have read."""
        texts = [line for line in lines.text.split(b"\n") if line]
        for row, text in zip(lines.rows, texts, strict=True):
            fields = [column.strip() for column in text.decode("utf-8", "replace").split(lines.separator)]
            if len(fields) != len(self._roles):
                raise RowError(row, f"it has {len(fields)} columns instead of {len(self._roles)}")
            for number, (role, field) in enumerate(zip(self._roles, fields, strict=True)):
                if complaint := self._complaint(role, field):
                    place = self.place_of(number, block[row - first_row])
                    raise RowError(row, complaint, self._remedy_for(fields, complaint), place)
        # No field is wrong by itself: bisect for the first row that the reader stumbles over.
        first = bisect_left(
            range(len(texts)), True, key=lambda number: not self._reads(lines, texts[: number + 1], devices)
        )
        raise RowError(lines.rows[min(first, len(texts) - 1)], f"it cannot be read ({shown(str(error), 200)})")

    def _reads(self, lines: Lines, texts: list[bytes], devices: dict[str, int]) -> bool:
        """Return whether the vectorised reader can read `texts`, the first of `lines`."""
        part = attrs.evolve(lines, text=b"\n".join(texts), rows=lines.rows[: len(texts)], skipped=Counter())
        try:
            self._records(part, dict(devices))
        except UnreadableError:
            return False
        return True

    def _complaint(self, role: str, field: str) -> str | None:
        """Return the mistake in a field of a record, or None if there is none."""
        units = {"offset": self.address_unit_bytes, "size": self.size_unit_bytes}
        if role == "op" and self.ops(field) is None:
            return f"operation '{shown(field)}' is unknown"
        if role == "hint":
            return _hint_complaint(field)
        if role == "fua" and field not in ("0", "1"):
            return f"fua '{shown(field)}' is neither 0 nor 1"
        if role == "time":
            return _number_complaint(role, field, 1 << 63, self._decimals)
        if role in units:
            decimals = _ROUNDED_DECIMALS if self.takes_rounded else None
            return _number_complaint(role, field, MAX_BYTES // units[role] + 1, decimals)
        return None

    def _remedy_for(self, fields: list[str], complaint: str) -> str:
        """Return the remedy for a number that was rounded, if the complaint is of one; else the usual will do."""
        for role, field in zip(self._roles, fields, strict=False):
            is_rounded = _DECIMAL.fullmatch(field) and not _WHOLE.fullmatch(field)
            if is_rounded and complaint == _number_complaint(role, field, MAX_BYTES, None):
                if role in ("offset", "size"):
                    return "take the file as it was recorded, or set workload.rounded_numbers=nearest_sector"
                if not _EXPONENT.fullmatch(field):
                    return "set workload.time_unit to the unit of its times"
                return "take the file as it was recorded"
        return ""


def hint_code(token: str) -> int:
    """Return the position in `ACCESS_LATENCIES` that a token names, in any case, or is. Raise `UnreadableError`."""
    if complaint := _hint_complaint(token):
        raise UnreadableError(complaint)
    return int(token) if token.isdecimal() else ACCESS_LATENCIES.index(token.lower())


def fua_code(token: str) -> int:
    """Return 1 for a write that forces unit access, 0 for others. Raise `UnreadableError`."""
    if token not in ("0", "1"):
        raise UnreadableError("it is neither 0 nor 1")
    return int(token)


def _hint_complaint(token: str) -> str | None:
    if token.lower() in ACCESS_LATENCIES or token in map(str, range(len(ACCESS_LATENCIES))):
        return None
    return f"access_latency '{shown(token)}' is none of {', '.join(ACCESS_LATENCIES)}, 0 to {len(ACCESS_LATENCIES) - 1}"


def _number_complaint(role: str, field: str, limit: int, decimals: int | None) -> str | None:
    if decimals is None and _EXPONENT.fullmatch(field):
        return f"{role} '{shown(field)}' has been rounded by some program"
    if not (_WHOLE if decimals is None else _DECIMAL).fullmatch(field):
        kind = "whole number" if decimals is None else "number"
        return f"{role} '{shown(field)}' is no {kind}"
    if field.startswith("-"):
        return f"{role} {shown(field)} is negative"
    # a float may be off by a little: the reader is exact, and has refused it
    if float(field) * 10 ** (decimals or 0) >= limit:
        return f"{role} {shown(field)} is too large"
    return None
