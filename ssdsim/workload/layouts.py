"""How the rows of a trace are laid out: what its columns are called, what they mean, and how a block of them is read.

A meaning is an expression of columns (`ssdsim.workload.columns`), or the name of one where it is a word. Formats that
are known (`ssdsim.workload.formats`) and those that a user describes are read by the same code.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, Self

import attrs
import numpy as np
import pyarrow as pa
from pyarrow import csv

from ssdsim.config import ACCESS_LATENCIES
from ssdsim.errors import ConfigError, nearest, shown
from ssdsim.workload.chunk import FLUSH, Chunk
from ssdsim.workload.columns import (
    WHOLE,
    WORD,
    Expression,
    RowError,
    cast,
    codes,
    fault,
    integers,
    number_type,
)

TIME_UNITS = {"s": (9, 1000), "ms": (6, 1000), "us": (3, 1000), "100ns": (0, 100_000), "ns": (0, 1000), "ps": (0, 1)}
"""Units of time that a trace may use: the decimals of a time that are kept, and the picoseconds of the last of them."""

MAX_BYTES = 1 << 53
"""Addresses and sizes above this (8 PiB) are taken for damage; sums of them stay far from overflow."""

SKIP = 255
"""In place of a `Chunk.op`: the row holds no request."""

NUMBERS = ("arrival", "offset", "size")
HINTS = {
    "access_latency": {text: place for place, name in enumerate(ACCESS_LATENCIES) for text in (name, str(place))},
    "fua": {"0": 0, "1": 1},
}
"""Words for a hint to the device, by its meaning; a file may lack them."""

ROLES = (*NUMBERS, "op", "device", *HINTS)
"""What a column may mean."""

Ops = Callable[[str], int | None]
"""The meaning of an operation in small letters: a `Chunk.op`, or `SKIP`, or None if it is unknown."""

_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


@attrs.frozen(eq=False)
class Records(Chunk):
    """Requests as a trace has them: their offsets are within their devices, and their times those of its clock."""

    row: np.ndarray = attrs.field(kw_only=True)
    """The line of the file that each stands on, from 1, for messages."""

    device: np.ndarray = attrs.field(kw_only=True)
    """The code of the device's name."""


def rows_before(head: Sequence[bytes]) -> int:
    """Return how many lines without a row, blank ones and comments, the file begins with."""
    comments = (b"#", b"%", b"//")
    return next((place for place, line in enumerate(head) if line.strip() and not line.startswith(comments)), 0)


def split_line(line: bytes, separator: str = "") -> list[bytes]:
    """Return the columns of a line, which are separated by commas if it has any, by blanks if not."""
    separator = separator or ("," if b"," in line else " ")
    return line.split() if separator == " " else [field.strip() for field in line.split(separator.encode())]


def single_blanks(text: bytes) -> bytes:
    """Return `text` with tabs and runs of blanks as one blank, and none at either end of a line."""
    text = text.replace(b"\t", b" ")
    while b"  " in text:  # each time round halves every run of blanks
        text = text.replace(b"  ", b" ")
    return text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


@attrs.frozen(kw_only=True)
class Layout:
    """The rows of a trace, in columns of some `types` once it is bound to a file."""

    name: str
    meanings: Mapping[str, str]
    """Expressions of columns, or their names with blanks between several, each under what it means (one of `ROLES`)."""

    time_unit: str
    ops: Ops
    example: str = ""
    """A made-up record, for messages."""

    is_own: bool = False
    """Whether the user has said what the columns mean."""

    names: tuple[str, ...] = ()
    types: Mapping[str, pa.DataType] = attrs.field(factory=dict)
    """The types of those columns that are of use."""

    numbers: Mapping[str, Expression] = attrs.field(factory=dict)
    words: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    """The columns that make up a meaning that is a word."""

    joint: ClassVar[str] = "_"
    """Text between the parts of a device's name."""

    @property
    def remedy(self) -> str:
        """What to do about a row that cannot be read."""
        if self.is_own:
            return "mend the file, or workload.columns"
        return f"a {self.name} row reads like '{self.example}': mend the file, or set workload.format"

    @property
    def has_whole_seconds(self) -> bool:
        """Whether times are whole seconds, over which requests are to be spread."""
        times = [self.types[name] for name in self.numbers["arrival"].columns]
        return self.time_unit == "s" and bool(times) and all(map(pa.types.is_integer, times))

    def bound(self, names: Sequence[str], row: int, texts: Callable[[str], list[bytes]]) -> Self:
        """Return the layout in a file with such columns; `row` names them, and `texts` returns the first of one."""
        # columns that have the names of meanings need no mention
        meanings = {**{role: role for role in ROLES if role in names}, **self.meanings}
        if lacking := [role for role in (*NUMBERS, "op") if role not in meanings]:
            raise ConfigError(
                f"workload.columns={dict(self.meanings)}: lacks {' and '.join(lacking)}, as {{arrival: t, op: rw, "
                "offset: lba*512, size: n*512}; arrival may be 0, and op read or write, for all."
            )
        numbers = {role: Expression.parsed(role, meanings.pop(role), names) for role in NUMBERS}
        words = {role: [text] if text in names else text.split(" ") for role, text in meanings.items()}
        if meanings["op"] in {"read", "write"}.difference(names):
            del words["op"]  # one for all rows
        types: dict[str, pa.DataType] = {}
        for role, columns in ({role: list(numbers[role].columns) for role in NUMBERS} | words).items():
            for name in columns:
                if name not in names:
                    listed = ", ".join(map(shown, names))
                    raise RowError(f"there is no column {shown(name)}, but {listed}{nearest(name, names)}", row)
                if names.count(name) > 1:
                    raise RowError(f"there are several columns {shown(name)}", row, "give them names that differ")
                is_whole = not self.is_own and role != "arrival"
                known = WORD if role in words else WHOLE if is_whole else number_type(texts(name))
                types.setdefault(name, known)
        times = list(numbers["arrival"].columns)
        unit = self.time_unit
        if not times or times == ["arrival_ns"] or any(pa.types.is_timestamp(types[name]) for name in times):
            unit = "ns"
        if not unit:
            raise ConfigError("workload.time_unit=null: must be given with columns or a pattern, as us.")
        return attrs.evolve(
            self, meanings=meanings, names=tuple(names), time_unit=unit, types=types, numbers=numbers, words=words
        )

    def bind(self, head: Any) -> Self:
        """Return the layout in a file that begins with such lines, or such a batch."""
        raise NotImplementedError

    def columns(self, block: Any, first_row: int, rows: int) -> tuple[dict[str, Any], np.ndarray, Counter[str]]:
        """Return the columns of a block, the rows that they are of, and how many others were skipped for a reason."""
        raise NotImplementedError

    def parse(
        self, block: Any, first_row: int, rows: int, devices: dict[str, int]
    ) -> tuple[Records | None, Counter[str]]:
        """Return the requests of a block of so many rows, if any, and how many rows it skipped for which reason.

        Add the devices not seen before to `devices`. Raise a `RowError` for the first row that is wrong.
        """
        with suppress(RowError, pa.ArrowException):
            return self.requests(block, first_row, rows, devices)

        def fault_of(count: int) -> str:
            part = b"\n".join(block.split(b"\n")[:count]) if isinstance(block, bytes) else block.slice(0, count)
            try:
                self.requests(part, first_row, count, devices)
            except RowError as error:
                return error.reason
            except pa.ArrowException as error:
                return fault(error, self.names)
            return ""

        # it is the last of the fewest rows that cannot be read
        count = 1 + bisect_left(range(1, rows), True, key=lambda count: fault_of(count) != "")
        raise RowError(fault_of(count), first_row + count - 1)

    def requests(
        self, block: Any, first_row: int, rows: int, devices: dict[str, int]
    ) -> tuple[Records | None, Counter[str]]:
        """Return the requests of a block; raise `RowError`, or an error of Arrow, if any row is wrong."""
        columns, places, skipped = self.columns(block, first_row, rows)
        if not len(places):
            return None, skipped
        arrival, offset, size = (self._number(role, columns, len(places)) for role in NUMBERS)
        words = {
            role: codes([columns[name] for name in names], self.joint, partial(self._meaning, role, devices))
            for role, names in self.words.items()
        }
        op = words["op"] if "op" in words else np.full(len(places), self.ops(self.meanings["op"]))
        is_flush, is_request = op == FLUSH, op != SKIP
        if is_flush.any():  # whatever stands there in the file
            offset, size = np.where(is_flush, 0, offset), np.where(is_flush, 0, size)
        keep = is_request & ((size > 0) | is_flush)
        skipped |= {"no request": int((~is_request).sum()), "zero size": int((is_request & ~keep).sum())}
        device = words.get("device", np.zeros(len(places), np.int32))
        hints = {role: words[role].astype(np.uint8) for role in HINTS if role in words}
        records = Records(arrival, op.astype(np.uint8), offset, size, row=places, device=device, **hints)
        return records if keep.all() else records[keep], +skipped

    def _number(self, role: str, columns: Mapping[str, Any], count: int) -> np.ndarray:
        expression, is_time = self.numbers[role], role == "arrival"
        decimals = TIME_UNITS[self.time_unit][0] if is_time else 9
        values = {name: integers(name, columns[name], decimals) for name in expression.columns}
        number = np.broadcast_to(expression.evaluated(values, decimals if is_time else 0), count)
        if (least := number.min()) < 0 and (not is_time or expression.is_column):
            raise RowError(f"{role} {least} is negative")
        if not is_time and (most := number.max()) > MAX_BYTES:
            raise RowError(f"{role} of {most} bytes is too large")
        return number

    def _meaning(self, role: str, devices: dict[str, int], word: str) -> int:
        """Return the code of a word; add a device that is not known yet."""
        if role == "device":
            return devices.setdefault(word, len(devices))
        code = self.ops(word.lower()) if role == "op" else HINTS[role].get(word.lower())
        if code is None:
            raise RowError(f"{'operation' if role == 'op' else role} '{shown(word)}' is unknown")
        return code


@attrs.frozen(kw_only=True)
class Rows(Layout):
    """Columns with something between them: a separator of one's own, commas or blanks in formats that are known."""

    like: str = ""
    """A regular expression for the columns of a record joined by commas; none: the first line names the columns."""

    separator: str = " "
    start: int = 1
    """Number of the first row that is a record."""

    def claims(self, head: list[bytes]) -> float:
        """Return the share, 0 to 1, of the lines that are like a record; 1 if the first one names the columns."""
        rows = [line for line in head[rows_before(head) :] if line.strip()]
        if not self.like:
            needed = {text.partition("*")[0] for text in self.meanings.values()}
            return float(needed.issubset(name.lower().decode("utf-8", "replace") for name in split_line(rows[0])))
        like = re.compile(self.like.encode(), re.IGNORECASE)
        return sum(like.fullmatch(b",".join(split_line(row))) is not None for row in rows) / len(rows)

    def bind(self, head: list[bytes]) -> Self:
        """Return the layout in a file that begins with such lines: find the separator and the names of columns."""
        before = rows_before(head)
        separator = "," if b"," in head[before] else " "
        if self.is_own:
            separator = next((mark for mark in ";\t,|" if mark.encode() in head[before].strip()), " ")
        first = split_line(head[before], separator)
        names = [f"c{place}" for place in range(1, len(first) + 1)]
        has_names = not self.like and not (self.is_own and any(map(_NUMBER.fullmatch, first)))
        if has_names:
            names = [name.strip(b'" ').decode("utf-8", "replace") for name in first]
            names = names if self.is_own else [name.lower() for name in names]
        start = before + 1 + has_names
        rows = [split_line(line, separator) for line in head[start - 1 :] if line.strip()]
        layout = attrs.evolve(self, separator=separator, start=start)
        return layout.bound(
            names, before + 1, lambda name: [row[names.index(name)] for row in rows if len(row) > names.index(name)]
        )

    def columns(self, block: bytes, first_row: int, rows: int) -> tuple[dict[str, Any], np.ndarray, Counter[str]]:
        """Return the columns by Arrow's reader."""
        before = max(self.start - first_row, 0)
        if before:
            block = b"".join(block.split(b"\n", before)[before:])
        text = block.replace(b"\r", b"")  # a lone carriage return is no line end
        if self.separator == " ":
            text = single_blanks(text)
        if not text.strip(b"\n"):
            return {}, np.zeros(0, np.int64), Counter()
        table = csv.read_csv(
            pa.BufferReader(text),
            # one block, which no thread cuts up
            csv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=list(self.names)),
            # nothing is quoted in the formats known: a quote is a character like others
            csv.ParseOptions(delimiter=self.separator, quote_char='"' if self.is_own else False),
            csv.ConvertOptions(column_types=dict(self.types), include_columns=list(self.types), null_values=[""]),
        )
        places = np.arange(before, rows)
        if len(places) != table.num_rows:  # there are blank lines, which are no rows
            places = before + np.flatnonzero([bool(line) for line in text.split(b"\n")])
        columns = {name: table.column(name).combine_chunks() for name in self.types}
        return columns, first_row + places, Counter()


@attrs.frozen(kw_only=True)
class Lines(Layout):
    """Lines in which a regular expression finds the columns as named groups (RE2, in time linear in the line)."""

    like: str
    joint = ":"

    def claims(self, head: list[bytes]) -> float:
        """Return the share of records among the lines."""
        return 1 - self.groups_in(head).null_count / len(head)

    def groups_in(self, lines: list[bytes]) -> pa.StructArray:
        """Return the groups in each line, null in lines without it."""
        import pyarrow.compute as pc  # which takes long to load, and few traces need

        like = self.like if self.is_own else rf"^\s*(?:{self.like})\s*$"
        try:
            return pc.extract_regex(pa.array(lines, pa.binary()), pattern=like)
        except ValueError as error:
            raise ConfigError(
                f"workload.pattern={self.like}: is no regular expression of RE2 with named groups alone: {error}; "
                "other groups are written (?:...), and there is no looking around."
            ) from None

    def bind(self, head: list[bytes]) -> Self:
        """Return the layout in a file that begins with such lines; its columns are the groups."""
        matches = self.groups_in(head).drop_null()
        names = [field.name for field in matches.type]
        bound = self.bound(names, 1, lambda name: matches.field(name).to_pylist())
        if self.is_own and (unused := [name for name in names if name not in bound.types]):
            raise ConfigError(
                f"workload.pattern={self.like}: its group {unused[0]} is not used; say in workload.columns what it "
                "means, or write it as (?:...)."
            )
        return bound

    def columns(self, block: bytes, first_row: int, rows: int) -> tuple[dict[str, Any], np.ndarray, Counter[str]]:
        """Return the groups of the lines that have them."""
        import pyarrow.compute as pc

        lines = block.split(b"\n")
        matches = self.groups_in(lines)
        is_record = matches.is_valid().to_numpy(zero_copy_only=False)
        matches = matches.drop_null()
        skipped = Counter({"other lines": sum(bool(line.strip()) for line in lines) - len(matches)})
        columns = {name: matches.field(name) for name in self.types}
        if not self.is_own:  # a number that a line lacks is 0
            columns = {name: pc.if_else(pc.equal(column, b""), b"0", column) for name, column in columns.items()}
        typed = {name: cast(column, self.types[name]) for name, column in columns.items()}
        return typed, np.flatnonzero(is_record) + first_row, skipped


@attrs.frozen(kw_only=True)
class Table(Layout):
    """A Parquet file, read batch by batch; its columns have types of their own."""

    usual: Mapping[str, str]
    """Meanings of columns whose names are known, in a file that has them all."""

    def bind(self, head: pa.RecordBatch) -> Self:
        """Return the layout with the columns of the file."""
        names = head.schema.names
        usual = self.usual if {*self.usual.values()}.issubset(names) else {}
        layout = attrs.evolve(self, meanings={**usual, **self.meanings})
        return layout.bound(
            names, 1, lambda name: head.column(name).cast(pa.string()).drop_null().cast(pa.binary()).to_pylist()
        )

    def columns(
        self, block: pa.RecordBatch, first_row: int, rows: int
    ) -> tuple[dict[str, Any], np.ndarray, Counter[str]]:
        """Return the columns."""
        columns = {name: cast(block.column(name), kind) for name, kind in self.types.items()}
        return columns, np.arange(first_row, first_row + len(block)), Counter()
