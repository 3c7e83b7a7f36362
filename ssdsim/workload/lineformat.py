"""Formats that take a look at each line: records among other events, free text between columns, hexadecimal numbers.

They turn their records into plain columns, which the shared reader of `TextFormat` then parses.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Self

import attrs
import numpy as np

from ssdsim.errors import shown
from ssdsim.workload.textformat import Lines, TextFormat
from ssdsim.workload.traceformat import RowError


@attrs.frozen(kw_only=True)
class LineFormat(TextFormat):
    """A format whose records are the lines that match `record`, with one group a column."""

    like: str = ""

    record: str = ""

    skips: Mapping[str, str] = attrs.field(factory=dict)
    """What else may stand on a line, by the reason for skipping it."""

    opening: str = ""
    """How every file of the format begins, if there is such a thing."""

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[bytes], dict[str, re.Pattern[bytes]]]:
        skips = {reason: re.compile(pattern.encode()) for reason, pattern in self.skips.items()}
        return re.compile(self.record.encode()), skips

    def fields(self, lines: list[bytes]) -> Iterator[Sequence[bytes] | str | None]:
        """Yield the columns of each line, or the reason to skip it, or None if it should not be there."""
        record, skips = self._patterns
        for line, match in zip(lines, map(record.fullmatch, lines), strict=True):
            if match:
                yield self.complete(match.groups(b""))
            else:
                yield next((reason for reason, pattern in skips.items() if pattern.fullmatch(line)), None)

    def complete(self, fields: tuple[bytes, ...]) -> Sequence[bytes] | str:
        """Return the columns of a record, given its groups, of which some may be empty; or the reason to skip it."""
        return fields

    def claims(self, head: bytes) -> float:
        """Return the share of the lines not to be skipped that are records; 1 for a file that opens as it should."""
        if self.opening and head.lstrip().startswith(self.opening.encode()):
            return 1.0
        parsed = list(self.fields([line.strip() for line in head.splitlines() if line.strip()]))
        records = sum(not isinstance(fields, str | None) for fields in parsed)
        return records / max(1, records + parsed.count(None))  # lines to skip speak neither for it nor against

    def bind(self, head: bytes, device: str | None) -> Self:
        """Return the format as it is."""
        return self

    def place_of(self, number: int, line: bytes) -> str:
        """Return at which character of a line, from 1, column `number` begins."""
        record, _ = self._patterns
        text = line.strip()
        match = record.fullmatch(text)
        assert match  # it is of a record that was read
        before = line[: line.index(text) + match.start(number + 1)]
        return f"character {len(before.decode('utf-8', 'replace')) + 1}"

    def lines(self, block: bytes, first_row: int) -> Lines:
        """Return the records as columns separated by tabs."""
        skipped: Counter[str] = Counter()
        rows, records = [], []
        lines = list(map(bytes.strip, block.split(b"\n")))
        for row, fields in enumerate(self.fields(lines), start=first_row):
            if not (line := lines[row - first_row]):
                continue
            if fields is None:
                raise RowError(row, f"'{shown(line.decode('utf-8', 'replace'))}' is no line of this format")
            if isinstance(fields, str):
                skipped[fields] += 1
            else:
                rows.append(row)
                records.append(b"\t".join(fields))
        return Lines(b"\n".join(records), "\t", np.array(rows, np.int64), skipped)


@attrs.frozen(kw_only=True)
class FioFormat(LineFormat):
    """The I/O log that fio writes."""

    def complete(self, fields: tuple[bytes, ...]) -> Sequence[bytes] | str:
        """Return the columns of a record; a sync may lack offset and size."""
        # no sectors are a sync of everything
        return fields if fields[-1] else (*fields[:3], b"0", b"0")

    def bind(self, head: bytes, device: str | None) -> Self:
        """Refuse the versions without time stamps."""
        first = head.lstrip().partition(b"\n")[0].strip().decode("utf-8", "replace")
        if first.startswith("fio version") and first != "fio version 3 iolog":
            raise RowError(1, f"'{shown(first)}' has no time stamps; only version 3 has")
        return self


_EVENT = r"(\d++),(\d++) ++\d++ ++\d++ ++(\d++\.\d++) ++\d++ ++"
"""Device, time and what stands between them, up to the action of an event of blkparse."""


def _events(action: str) -> str:
    """Return the pattern of the events taken."""
    return _EVENT + action + r" ++([A-Z]++)(?: ++(\d++) \+ (\d++))?(?: .*)?"


def _no_events(action: str) -> dict[str, str]:
    """Return the patterns of all other lines."""
    return {"other events": _EVENT + rf"(?!{action} )[A-Za-z]++ .*", "text": "[A-Za-z].*"}


@attrs.frozen(kw_only=True)
class BlkparseFormat(LineFormat):
    """The text output of blkparse.

    Of the events of a request one is taken: Q (queued) where the start of the file has any, else D (issued). A request
    remapped from one device to another (as dm and md do) is queued twice if both were traced; it is taken where it
    arrives, unless a device is chosen. Remaps, too, are looked for at the start of the file.
    """

    record: str = _events("[QD]")
    skips: Mapping[str, str] = attrs.field(factory=lambda: _no_events("[QD]"))
    remapped: frozenset[tuple[bytes, bytes]] = frozenset()

    def bind(self, head: bytes, device: str | None) -> Self:
        """Choose the event, and the devices to leave out."""
        lines = [line.strip() for line in head.split(b"\n")]
        events = re.compile((_EVENT + "Q ").encode())
        # devices with requests that were queued
        queued = {(match[1], match[2]) for match in map(events.match, lines) if match}
        if not queued:
            return attrs.evolve(self, record=_events("D"), skips=_no_events("D"))
        remaps = re.compile(rb"(\d++),(\d++) [^<]*+<- \((\d++),(\d++)\)")
        matches = [match for match in map(remaps.match, lines) if match]
        # requests of these are queued once more, by the device that they are mapped to
        sources = {(match[3], match[4]) for match in matches if (match[1], match[2]) in queued}
        remapped = frozenset() if device else frozenset(sources & queued)
        return attrs.evolve(self, record=_events("Q"), skips=_no_events("Q"), remapped=remapped)

    def complete(self, fields: tuple[bytes, ...]) -> Sequence[bytes] | str:
        """Return the columns of a record; an event without sectors is a flush if it says so."""
        if self.remapped and fields[:2] in self.remapped:
            return "remapped"
        if fields[-1]:
            return fields
        *head, flags, _, _ = fields
        return (*head, b"F", b"0", b"0") if b"F" in flags else "no data"


@attrs.frozen(kw_only=True)
class EtwFormat(LineFormat):
    """Event Tracing for Windows as xperf dumps it, with the columns that its own header gives.

    A disk event is stamped when it completes: it arrives its elapsed time earlier (at 0 if that is before the start).
    """

    places: tuple[int, ...] = (1, 5, 6, 7, 8)
    """Where to find TimeStamp, ByteOffset, IOSize, ElapsedTime and DiskNum."""

    def place_of(self, number: int, line: bytes) -> str:
        """Return the column of the file that holds column `number`, from 0, of the record."""
        time, offset, size, _, disk = self.places
        # the third column of a record is the op, which begins the line
        return f"column {(time, disk, 0, offset, size)[number] + 1}"

    def bind(self, head: bytes, device: str | None) -> Self:
        """Find the columns in the header, if the file has one."""
        wanted = (b"TimeStamp", b"ByteOffset", b"IOSize", b"ElapsedTime", b"DiskNum")
        for row, line in enumerate(head.split(b"\n"), start=1):
            names = [name.strip() for name in line.split(b",")]
            if names[0] == b"DiskRead" and names[1:2] == [b"TimeStamp"]:
                if missing := [name.decode() for name in wanted if name not in names]:
                    raise RowError(row, f"the header of disk events lacks {', '.join(missing)}")
                return attrs.evolve(self, places=tuple(map(names.index, wanted)))
        return self

    def fields(self, lines: list[bytes]) -> Iterator[Sequence[bytes] | str | None]:
        """Yield the columns of each line; those of a disk event are time, device, op, offset and size."""
        return map(self.fields_of, lines)

    def fields_of(self, line: bytes) -> Sequence[bytes] | str | None:
        """Return the columns of one line."""
        if not line.startswith((b"DiskRead,", b"DiskWrite,")):
            return "other events"
        columns = [column.strip() for column in line.split(b",")]
        if columns[1] == b"TimeStamp":  # the header of disk events begins as they do
            return "other events"
        try:
            time, offset, size, elapsed, disk = (columns[place] for place in self.places)
            numbers = max(int(time) - int(elapsed), 0), int(offset, 16), int(size, 16)  # stamped at completion
            arrival, offset, size = (b"%d" % number for number in numbers)
        except (ValueError, IndexError):
            return None
        return arrival, disk, columns[0], offset, size
