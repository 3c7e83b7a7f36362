"""How the rows of a trace are laid out: what its columns are called, what they mean, and how a block of them is read.

A meaning is an expression of columns (`ssdsim.workload.columns`); those of op and device are columns alone. Formats
that are known (`ssdsim.workload.formats`) and those that a user describes are read by the same code.
"""

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn, Self

import attrs
import numpy as np
import pyarrow as pa

from ssdsim.config import ACCESS_LATENCIES
from ssdsim.errors import ConfigError, nearest, shown
from ssdsim.workload.chunk import FLUSH
from ssdsim.workload.columns import (
    DECIMALS,
    WHOLE,
    WORD,
    UnreadableError,
    cast,
    codes,
    evaluated,
    integers,
    kind_name,
    number_type,
    parsed,
    scaled,
)  # fmt: skip
from ssdsim.workload.records import RECORD, RowError

PICOSECONDS = {"s": 10**12, "ms": 10**9, "us": 10**6, "100ns": 10**5, "ns": 1000, "ps": 1}
"""Units of time that a trace may use."""

MAX_BYTES = 1 << 53
"""Addresses and sizes above this (8 PiB) are taken for damage; sums of them stay far from overflow."""

SKIP = 255
"""In place of a `Chunk.op`: the row holds no request."""

COMMENTS = (b"#", b"%", b"//")
"""How lines begin that may come before the first row."""

SEPARATORS = (";", "\t", ",", "|")
NUMBERS = ("arrival", "offset", "size")
ROLES = (*NUMBERS, "op", "device", "access_latency", "fua")
"""What a column may mean."""

Ops = Callable[[str], int | str | None]
"""What an operation's word means: a `Chunk.op`, or a reason to skip the row, or None if the word is unknown."""

_BLANKS = bytes.maketrans(b"\t\r", b"  ")
_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


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


def split_line(line: bytes, separator: str = "") -> list[bytes]:
    """Return the columns of a line, which are separated by commas if it has any, by blanks if not."""
    separator = separator or ("," if b"," in line else " ")
    return line.split() if separator == " " else [field.strip() for field in line.split(separator.encode())]


def rows_before(head: Sequence[bytes]) -> int:
    """Return how many lines without a row the file begins with."""
    return next((place for place, line in enumerate(head) if line.strip() and not line.startswith(COMMENTS)), 0)


@attrs.frozen(kw_only=True)
class Layout:
    """The rows of a trace, in columns called `names` of some `types` once it is bound to a file."""

    name: str
    meanings: Mapping[str, str]
    """Expressions of columns, or their names with blanks between several, each under what it means (one of `ROLES`)."""

    time_unit: str
    ops: Ops
    takes_decimals: bool = False
    """Whether times have decimals."""

    joint: str = "_"
    """Text between the parts of a device's name."""

    example: str = ""
    """A made-up record, for messages."""

    is_own: bool = False
    """Whether the user has said what the columns mean."""

    left_out: frozenset[str] = frozenset()
    """Devices whose requests are found with another."""

    names: tuple[str, ...] = ()
    types: Mapping[str, pa.DataType] = attrs.field(factory=dict)
    trees: Mapping[str, ast.expr] = attrs.field(factory=dict)

    @property
    def remedy(self) -> str:
        """What to do about a row that cannot be read."""
        if self.is_own:
            return "mend the file, or workload.columns"
        return f"a {self.name} row reads like '{self.example}': mend the file, or set workload.format"

    def columns_of(self, role: str) -> list[str]:
        """Return the columns that stand in a meaning."""
        if role in NUMBERS:
            parts = [part for part in ast.walk(self.trees[role]) if isinstance(part, ast.Name)]
            return [self.names[int(part.id[1:])] for part in parts]
        return [self.meanings[role]] if self.meanings[role] in self.names else self.meanings[role].split(" ")

    @property
    def time_types(self) -> list[pa.DataType]:
        """The types of the columns that times are made of."""
        return [self.types[name] for name in self.columns_of("arrival")]

    @property
    def _decimals(self) -> int:
        """Decimals of a time down to the nanosecond: a unit is 10 ** (digits - 1) ps."""
        return max(len(str(PICOSECONDS[self.time_unit])) - 4, 0)

    @property
    def _digits(self) -> int:
        """Decimals of a time that are kept; without any it stays in its unit, and those of a coarse one are spread."""
        return self._decimals if any(map(pa.types.is_decimal, self.time_types)) else 0

    @property
    def tick_ps(self) -> int:
        """The unit of the times that `parse` returns, in picoseconds; dates need none."""
        if any(map(pa.types.is_timestamp, self.time_types)):
            return PICOSECONDS["ns"]
        return PICOSECONDS[self.time_unit] // 10**self._digits

    def bound(self, names: Sequence[str], row: int, texts: Mapping[str, list[str]], has_unit: bool) -> Self:
        """Return the layout in a file with such columns, of which `texts` has the first values; `row` has their names.

        Where the unit of time was given (`has_unit`), times may have decimals in any format.
        """
        if lacking := [role for role in (*NUMBERS, "op") if role not in self.meanings]:
            raise ConfigError(
                f"workload.columns={dict(self.meanings)}: lacks {' and '.join(lacking)}, as {{arrival: t, op: rw, "
                "offset: lba*512, size: n*512}; arrival may be 0, and op read or write, for all."
            )
        trees = {role: parsed(role, self.meanings[role], names) for role in NUMBERS}
        named = attrs.evolve(self, names=tuple(names), trees=trees)
        used = {part.id for tree in trees.values() for part in ast.walk(tree) if isinstance(part, ast.Name)}
        words = {name for role in self.meanings if role not in NUMBERS for name in named.columns_of(role)}
        if self.is_own:
            words -= {"read", "write"} - set(names)
        if missing := sorted(used.difference(f"_{place}" for place in range(len(names))) | words.difference(names)):
            listed = ", ".join(map(shown, names))
            raise RowError(row, f"there is no column {missing[0]}, but {listed}{nearest(missing[0], names)}")
        twice = words.union(*map(named.columns_of, NUMBERS)).intersection(
            name for name in names if names.count(name) > 1
        )
        if twice:
            raise RowError(row, f"there are several columns {shown(min(twice))}", "give them names that differ")
        types: dict[str, pa.DataType] = {}
        for role in NUMBERS:
            decimals = self._decimals if role == "arrival" else DECIMALS
            for name in named.columns_of(role):
                values = texts.get(name, [])
                is_decimal = self.takes_decimals or (has_unit and any("." in value for value in values))
                usual = pa.decimal128(38, decimals) if is_decimal and role == "arrival" else WHOLE
                types.setdefault(name, number_type(values, decimals) if self.is_own else usual)
        return attrs.evolve(named, types=types | dict.fromkeys(words, WORD))

    def cut(self, block: Any, first_row: int) -> tuple[Any, np.ndarray]:
        """Return the records of a block, which can be sliced, and the number of each."""
        raise NotImplementedError

    def columns(self, records: Any, rows: np.ndarray) -> tuple[dict[str, Any], np.ndarray, Counter[str]]:
        """Return the columns of records, the rows that they are of, and how many others were skipped for a reason."""
        raise NotImplementedError

    def fields(self, record: Any) -> list[bytes] | None:
        """Return the columns of one record as they stand in the file; None if it has no text."""

    def parse(self, block: Any, first_row: int, devices: dict[str, int]) -> tuple[np.ndarray, Counter[str]]:
        """Return the requests of a block, and how many rows it skipped for which reason.

        Add the devices not seen before to `devices`. Raise a `RowError` for the first row that is wrong.
        """
        records, rows = self.cut(block, first_row)
        known = dict(devices)
        try:
            return self.read(records, rows, devices)
        except UnreadableError:
            self._find(records, rows, known)

    def read(self, records: Any, rows: np.ndarray, devices: dict[str, int]) -> tuple[np.ndarray, Counter[str]]:
        """Return the requests among records; raise `UnreadableError` if any of them is wrong."""
        columns, rows, skipped = self.columns(records, rows) if len(rows) else ({}, rows, Counter())
        requests = np.zeros(len(rows), RECORD)
        if not len(rows):
            return requests, skipped
        if any(len(column) != len(rows) for column in columns.values()):
            raise UnreadableError("a line is empty")
        requests["row"] = rows
        numbers = {name: columns[name] for role in NUMBERS for name in self.columns_of(role)}
        values = {f"_{self.names.index(name)}": integers(column, self.types[name]) for name, column in numbers.items()}
        for role, field, digits in zip(NUMBERS, ("time", "offset", "size"), (self._digits, 0, 0), strict=True):
            number, places = evaluated(self.trees[role], values)
            number = scaled(number, digits - places)
            is_free = role == "arrival" and not isinstance(self.trees[role], ast.Name)
            if (least := np.min(number)) < 0 and not is_free:
                raise UnreadableError(f"{role} {least} is negative")
            if role != "arrival" and (most := np.max(number)) > MAX_BYTES:
                raise UnreadableError(f"{role} of {most} bytes is too large")
            requests[field] = number
        requests["op"] = self._op_codes(columns, skipped)
        for role in {"device", *HINTS}.intersection(self.meanings):
            is_device, parts = role == "device", [columns[name] for name in self.columns_of(role)]
            code = (lambda name: devices.setdefault(name, len(devices))) if is_device else partial(hint_code, role)
            requests[role] = codes(parts, self.joint, code)
        is_flush = requests["op"] == FLUSH
        requests["size"][is_flush] = requests["offset"][is_flush] = 0  # whatever stands there in the file
        is_request = requests["op"] != SKIP
        if self.left_out:
            is_remapped = np.isin(requests["device"], [devices.get(name, -1) for name in self.left_out]) & is_request
            skipped["remapped"] += int(np.count_nonzero(is_remapped))
            is_request &= ~is_remapped
        keep = is_request & ((requests["size"] != 0) | is_flush)
        skipped["zero size"] += int(np.count_nonzero(is_request & ~keep))
        return requests if keep.all() else requests[keep], +skipped

    def _op_codes(self, columns: Mapping[str, Any], skipped: Counter[str]) -> Any:
        word = self.meanings["op"]
        if word not in columns:  # one for all
            return self.ops(word)
        reasons: list[str] = []

        def code(token: str) -> int:
            meaning = self.ops(token)
            if meaning is None:
                raise UnreadableError(f"operation '{shown(token.removesuffix('-'))}' is unknown")
            if isinstance(meaning, int):
                return meaning
            reasons.append(meaning)
            return SKIP + len(reasons)

        op_codes = codes([columns[word]], "", code)
        for number, reason in enumerate(reasons, start=SKIP + 1):
            skipped[reason] += int(np.count_nonzero(op_codes == number))
        return np.minimum(op_codes, SKIP)  # all of them are one code from here on

    def _find(self, records: Any, rows: np.ndarray, devices: dict[str, int]) -> NoReturn:
        """Raise a `RowError` for the first of the records that cannot be read, and say which column is wrong."""

        def problem(first: int, last: int) -> str:
            try:
                self.read(records[first:last], rows[first:last], dict(devices))
            except UnreadableError as error:
                return str(error)
            return ""

        bad = bisect_left(range(len(rows) - 1), True, key=lambda place: bool(problem(0, place + 1)))
        fields = self.fields(records[bad : bad + 1]) or []
        if fields and len(fields) != len(self.names):
            raise RowError(rows[bad], f"it has {len(fields)} columns instead of {len(self.names)}")
        for name, field in zip(self.names, fields, strict=False):
            if (kind := self.types.get(name)) is None:
                continue
            try:
                column = cast(pa.array([field], pa.binary()), kind)
                if kind != WORD:
                    integers(column, kind)
            except UnreadableError:
                role = next(role for role in self.meanings if name in self.columns_of(role))
                text = shown(field.decode("utf-8", "replace"))
                needs_unit = role == "arrival" and kind == WHOLE and _NUMBER.fullmatch(field)
                remedy = "set workload.time_unit to the unit of its times" if needs_unit else ""
                raise RowError(
                    rows[bad], f"column {shown(name)}: {role} '{text}' is no {kind_name(kind)}", remedy
                ) from None
        raise RowError(rows[bad], problem(bad, bad + 1) or "it cannot be read")


HINTS = {
    "access_latency": {text: place for place, name in enumerate(ACCESS_LATENCIES) for text in (name, str(place))},
    "fua": {"0": 0, "1": 1},
}
"""What stands for a hint to the device, by its meaning."""


def hint_code(role: str, token: str) -> int:
    """Return the hint that a token names, in any case, or is."""
    if token.lower() not in HINTS[role]:
        raise UnreadableError(f"{role} '{shown(token)}' is none of {', '.join(HINTS[role])}")
    return HINTS[role][token.lower()]


def required(header: Mapping[str, str]) -> set[str]:
    """Return the names that a header has to have."""
    return {name for name, role in header.items() if role[-1:] != "?"}


@attrs.frozen(kw_only=True)
class Table(Layout):
    """A Parquet file, read batch by batch; its columns have types of their own."""

    header: Mapping[str, str] = attrs.field(factory=dict)
    """Columns whose meaning is known."""

    def bind_to(self, schema: pa.Schema) -> Self:
        """Return the layout with the columns of the file."""
        usual = {role: role for role in ROLES if role in schema.names}
        if required(self.header).issubset(schema.names):
            usual = {role.rstrip("?"): name for name, role in self.header.items() if name in schema.names}
        bound = attrs.evolve(self, meanings=usual | dict(self.meanings)).bound(schema.names, 1, {}, False)
        types = dict(bound.types)
        for name in types.keys() - {name for name, kind in types.items() if kind == WORD}:
            kind, is_time = schema.field(name).type, name in bound.columns_of("arrival")
            is_decimal = pa.types.is_floating(kind) or pa.types.is_decimal(kind)
            types[name] = pa.decimal128(38, self._decimals if is_time else DECIMALS) if is_decimal else kind
        return attrs.evolve(bound, types=types, is_own="arrival_ns" not in bound.columns_of("arrival"))

    def cut(self, block: pa.RecordBatch, first_row: int) -> tuple[pa.RecordBatch, np.ndarray]:
        """Return the batch."""
        return block, np.arange(first_row, first_row + len(block))

    def columns(self, records: pa.RecordBatch, rows: np.ndarray) -> tuple[dict[str, Any], np.ndarray, Counter[str]]:
        """Return the columns."""
        return {name: records.column(name) for name in self.types}, rows, Counter()
