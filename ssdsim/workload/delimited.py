"""Formats of rows with separators or blanks between their columns, read block by block with `pyarrow.csv`."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Self

import attrs
import numpy as np
import pyarrow as pa
from pyarrow import csv

from ssdsim.workload.columns import (
    UnreadableError,
    finer,
)  # fmt: skip
from ssdsim.workload.layouts import _NUMBER, ROLES, SEPARATORS, Layout, required, rows_before, single_blanks, split_line
from ssdsim.workload.records import RowError
from ssdsim.workload.tracefile import BYTE_ORDER_MARK


@attrs.frozen
class Text:
    """Lines of text, without blank ones, that are sliced by line."""

    text: bytes

    def __getitem__(self, rows: slice) -> "Text":
        return Text(b"\n".join([line for line in self.text.split(b"\n") if line][rows]))


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

    def cut(self, block: bytes, first_row: int) -> tuple[Text, np.ndarray]:
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

    def fields(self, record: Text) -> list[bytes]:
        """Return the columns of a line."""
        return [
            field.strip(b'"' if self.is_own else b" ") for field in split_line(record.text.strip(b"\n"), self.separator)
        ]

    def columns(self, records: Text, rows: np.ndarray) -> tuple[dict[str, Any], np.ndarray, Counter[str]]:
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
