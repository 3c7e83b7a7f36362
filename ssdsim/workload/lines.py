"""Formats whose records are lines of free text, taken apart by a pattern: logs, blkparse's and Windows' events."""

import re
from collections import Counter
from typing import Any, ClassVar, Self

import attrs
import numpy as np
import pyarrow as pa

from ssdsim.errors import ConfigError, shown
from ssdsim.workload.columns import (
    cast,
)  # fmt: skip
from ssdsim.workload.layouts import Layout, rows_before, split_line
from ssdsim.workload.records import RowError


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
