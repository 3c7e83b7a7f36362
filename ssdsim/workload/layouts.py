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
from typing import Any, ClassVar, NoReturn, Self

import attrs
import numpy as np
import pyarrow as pa
from pyarrow import csv

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
    finer,
    integers,
    kind_name,
    number_type,
    parsed,
    scaled,
)  # fmt: skip
from ssdsim.workload.records import RECORD, RowError
from ssdsim.workload.tracefile import BYTE_ORDER_MARK

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
    """By what a column may mean (`ROLES`): an expression of columns, or their names, with blanks between several."""

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


@attrs.frozen(kw_only=True)
class Rows(Layout):
    """Columns with something between them: a separator of one's own, commas or blanks in formats that are known."""

    like: str = ""
    """A regular expression for the columns of a record joined by commas, to recognise the format."""

    header: Mapping[str, str] = attrs.field(factory=dict)
    """What the columns mean that the first line names; those with ? may be missing."""

    separator: str = " "
    start: int = 1
    """Number of the first row that is a record."""

    def claims(self, lines: list[bytes]) -> float:
        """Return the share, 0 to 1, of the lines that are like a record; 1 if the first one names the columns."""
        rows = [line for line in lines[rows_before(lines) :] if line.strip()]
        if self.header:
            names = {name.lower().decode("utf-8", "replace") for name in split_line(rows[0])}
            return float(names >= required(self.header))
        like = re.compile(self.like.encode(), re.IGNORECASE)
        return sum(like.fullmatch(b",".join(split_line(row))) is not None for row in rows) / max(len(rows), 1)

    def bind(self, lines: list[bytes], device: str | None, has_unit: bool) -> Self:
        """Return the layout in a file that begins with such lines: find the separator and the names of columns."""
        before = rows_before(lines)
        separator = "," if b"," in lines[before] else " "
        if self.is_own:
            separator = next((mark for mark in SEPARATORS if mark.encode() in lines[before].strip()), " ")
        first = split_line(lines[before], separator)
        is_named = bool(self.header) or (self.is_own and not any(map(_NUMBER.fullmatch, first)))
        names = [f"c{place}" for place in range(1, max(len(first), len(self.names)) + 1)]
        meanings = self.meanings
        if is_named:
            names = [name.strip(b'" ').decode("utf-8", "replace") for name in first]
        if self.header:
            names = [name.lower() for name in names]
            if missing := required(self.header).difference(names):
                raise RowError(before + 1, f"the header line lacks {', '.join(sorted(missing))}")
            named = {role.rstrip("?"): name for name, role in self.header.items() if name in names and role != "_"}
            meanings = {role: name + meanings.get(role, "") for role, name in named.items()}
        elif self.is_own:
            meanings = {role: role for role in ROLES if role in names} | dict(meanings)
        start = before + 1 + is_named
        rows = [split_line(line, separator) for line in lines[start - 1 :] if line.strip()]
        texts = {
            name: [row[place].decode("utf-8", "replace") for row in rows if len(row) > place]
            for place, name in enumerate(names)
        }
        known = attrs.evolve(self, meanings=meanings, separator=separator, start=start)
        return known.bound(names, before + 1, texts, has_unit)

    def cut(self, block: bytes, first_row: int) -> tuple["Text", np.ndarray]:
        """Return the text without blank lines."""
        if first_row < self.start:
            lines = block.split(b"\n", self.start - first_row)
            block, first_row = (lines[-1] if len(lines) > self.start - first_row else b""), self.start
        text = single_blanks(block) if self.separator == " " else block.replace(b"\r", b"")
        ends = np.frombuffer(b"\n" + text, np.uint8) == ord("\n")  # a lone carriage return is no line end
        if not (ends[1:] & ends[:-1]).any():  # as good as always
            return Text(text), np.arange(first_row, first_row + np.count_nonzero(ends) - int(ends[-1]))
        is_line = [bool(line) for line in text.split(b"\n")]
        return Text(text), np.flatnonzero(is_line) + first_row

    def fields(self, record: "Text") -> list[bytes]:
        """Return the columns of a line."""
        return [
            field.strip(b'"' if self.is_own else b" ") for field in split_line(record.text.strip(b"\n"), self.separator)
        ]

    def columns(self, records: "Text", rows: np.ndarray) -> tuple[dict[str, Any], np.ndarray, Counter[str]]:
        """Return the columns by Arrow's reader, which tries once more for decimals that are finer."""
        if records.text.startswith(BYTE_ORDER_MARK):  # which Arrow would leave out at the start of any block
            raise UnreadableError("it begins with a byte-order mark")
        for types in (self.types, {name: finer(kind) for name, kind in self.types.items()}):
            try:
                table = csv.read_csv(
                    pa.BufferReader(records.text),
                    # one block, which no thread cuts up
                    csv.ReadOptions(use_threads=False, block_size=len(records.text) + 1, column_names=list(self.names)),
                    # nothing is quoted in the formats known: a quote is a character like others
                    csv.ParseOptions(delimiter=self.separator, quote_char='"' if self.is_own else False),
                    csv.ConvertOptions(column_types=dict(types), include_columns=list(types), null_values=[""]),
                )
                return {name: table.column(name).combine_chunks() for name in types}, rows, Counter()
            except pa.ArrowException as error:
                problem = str(error)
        raise UnreadableError(problem)


def required(header: Mapping[str, str]) -> set[str]:
    """Return the names that a header has to have."""
    return {name for name, role in header.items() if role[-1:] != "?"}


@attrs.frozen
class Text:
    """Lines of text, without blank ones, that are sliced by line."""

    text: bytes

    def __getitem__(self, rows: slice) -> "Text":
        return Text(b"\n".join([line for line in self.text.split(b"\n") if line][rows]))


@attrs.frozen(kw_only=True)
class Lines(Layout):
    """Lines in which a regular expression finds the columns as named groups (RE2, in time linear in the line)."""

    pattern: str
    others: str | None = None
    """What else may stand on a line; None: anything."""

    def claims(self, lines: list[bytes]) -> float:
        """Return the share of records among the lines that are not to be skipped."""
        is_record = self.groups_in(lines).is_valid().to_numpy(zero_copy_only=False)
        unknown = self._unknown([line for line, is_good in zip(lines, is_record, strict=True) if not is_good])
        return float(is_record.sum() / max(1, is_record.sum() + len(unknown)))

    def groups_in(self, lines: list[bytes]) -> pa.StructArray:
        """Return the groups in each line, null in lines without it."""
        import pyarrow.compute as pc  # which takes long to load, and few traces need

        pattern = self.pattern if self.is_own else rf"^\s*(?:{self.pattern})\s*$"
        return pc.extract_regex(pa.array(lines, pa.binary()), pattern=pattern)

    def _unknown(self, lines: list[bytes]) -> np.ndarray:
        """Return the places of lines that should not be there."""
        import pyarrow.compute as pc

        others = ".*" if self.others is None else self.others
        known = pc.match_substring_regex(pa.array(lines, pa.binary()), rf"^\s*(?:{others})?\s*$")
        return np.flatnonzero(~known.to_numpy(zero_copy_only=False))

    def bind(self, lines: list[bytes], device: str | None, has_unit: bool) -> Self:
        """Return the layout in a file that begins with such lines; its columns are the groups."""
        matches = self.groups_in(lines).drop_null()
        names = [field.name for field in matches.type]
        texts = {name: [text.decode("utf-8", "replace") for text in matches.field(name).to_pylist()] for name in names}
        bound = self.bound(names, 1, texts, has_unit)
        if self.is_own and (unused := [name for name in names if name not in bound.types]):
            raise ConfigError(
                f"workload.pattern={self.pattern}: its group {unused[0]} is not used; say in workload.columns what it "
                "means, or write it as (?:...)."
            )
        return bound

    def cut(self, block: bytes, first_row: int) -> tuple[list[bytes], np.ndarray]:
        """Return the lines."""
        lines = block.split(b"\n")
        return lines, np.arange(first_row, first_row + len(lines))

    def fields(self, record: list[bytes]) -> list[bytes] | None:
        """Return the groups of a line."""
        (groups,) = self.groups_in(record).to_pylist()
        return groups and list(groups.values())

    def columns(self, records: list[bytes], rows: np.ndarray) -> tuple[dict[str, Any], np.ndarray, Counter[str]]:
        """Return the groups of the lines that have them; a record without a size has no place and its op ends in -."""
        import pyarrow.compute as pc

        matches = self.groups_in(records)
        is_record = matches.is_valid().to_numpy(zero_copy_only=False)
        rest = [records[place] for place in np.flatnonzero(~is_record)]
        for place in self._unknown(rest):
            text = shown(rest[place].strip().decode("utf-8", "replace"))
            raise RowError(rows[~is_record][place], f"'{text}' is no line of this format")
        matches = matches.drop_null()
        columns = {name: matches.field(name) for name in self.types}
        if not self.is_own and (bare := pc.equal(columns["size"], b"")).true_count:
            columns |= {name: pc.if_else(bare, b"0", columns[name]) for name in ("offset", "size")}
            columns["op"] = pc.binary_join_element_wise(columns["op"], pc.if_else(bare, b"-", b""), b"")
        typed = {name: cast(column, self.types[name]) for name, column in columns.items()}
        return typed, rows[is_record], Counter({"other lines": sum(map(bool, map(bytes.strip, rest)))})


@attrs.frozen(kw_only=True)
class Blkparse(Lines):
    """The text output of blkparse.

    Of the events of a request one is taken: Q (queued) where the start of the file has any, else D (issued). A request
    remapped from one device to another (as dm and md do) is queued twice if both were traced; it is taken where it
    arrives, unless a device is chosen. Remaps, too, are looked for at the start of the file.
    """

    def bind(self, lines: list[bytes], device: str | None, has_unit: bool) -> Self:
        """Choose the event, and the devices to leave out."""
        head = b"\n".join(lines)
        queued = set(re.findall(rb"^ *(\d+),(\d+) +\d+ +\d+ +\d+\.\d+ +\d+ +Q ", head, re.MULTILINE))
        remaps = re.findall(rb"^ *(\d+),(\d+) [^<\n]*<- \((\d+),(\d+)\)", head, re.MULTILINE)
        # requests of these are queued once more, by the device that they are mapped to
        sources = queued & {remap[2:] for remap in remaps if remap[:2] in queued}
        chosen = attrs.evolve(
            self,
            pattern=self.pattern.replace("[QD]", "Q" if queued else "D"),
            others=(self.others or "").replace("^QD", "^Q" if queued else "^D"),
            left_out=frozenset() if device else frozenset(b":".join(name).decode() for name in sources),
        )
        return Lines.bind(chosen, lines, device, has_unit)


@attrs.frozen(kw_only=True)
class Etw(Lines):
    """Event Tracing for Windows as xperf dumps it, with the columns that its own header gives.

    A disk event is stamped when it completes: it arrives its elapsed time earlier.
    """

    wanted: ClassVar[dict[str, str]] = {
        "TimeStamp": "end", "ByteOffset": "offset", "IOSize": "size", "ElapsedTime": "elapsed", "DiskNum": "device",
    }  # fmt: skip

    def claims(self, lines: list[bytes]) -> float:
        """Return 1 for a file that begins with its header, else the share of records."""
        return 1.0 if lines[rows_before(lines)].strip() == b"BeginHeader" else super().claims(lines)

    def bind(self, lines: list[bytes], device: str | None, has_unit: bool) -> Self:
        """Find the columns in the header, if the file has one."""
        is_header = re.compile(rb"\s*DiskRead\s*,\s*TimeStamp\s*,")
        for row, line in enumerate(lines, start=1):
            if is_header.match(line):
                names = [name.decode("utf-8", "replace") for name in split_line(line, ",")]
                if missing := [name for name in self.wanted if name not in names]:
                    raise RowError(row, f"the header of disk events lacks {', '.join(missing)}")
                last = max(map(names.index, self.wanted))
                groups = (
                    rf"(?P<{self.wanted[name]}>\d[^,]*?)" if name in self.wanted else "[^,]*"
                    for name in names[1 : last + 1]
                )
                pattern = "(?P<op>Disk(?:Read|Write))" + "".join(rf",\s*{group}\s*" for group in groups) + "(?:,.*)?"
                return Lines.bind(attrs.evolve(self, pattern=pattern), lines, device, has_unit)
        return Lines.bind(self, lines, device, has_unit)


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
