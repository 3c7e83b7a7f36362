"""The trace formats, one declaration each, and how a file's own is told from its content."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ssdsim.errors import shown
from ssdsim.workload.binaryformat import BinaryFormat, OracleGeneralFormat, VscsiFormat, scsi
from ssdsim.workload.chunk import FLUSH, READ, TRIM, WRITE
from ssdsim.workload.lineformat import BlkparseFormat, EtwFormat, FioFormat, LineFormat
from ssdsim.workload.textformat import TextFormat, head_lines, split_line
from ssdsim.workload.traceformat import SECTOR, Ops, TraceFormat


def tokens(**meanings: int | str) -> Ops:
    """Return the meaning of operations that are words, in any case."""
    return lambda token: meanings.get(token.lower())


def numbers(meanings: Mapping[int, int], mask: int = -1, base: int = 10) -> Ops:
    """Return the meaning of operations that are numbers, of which the bits in `mask` count."""

    def meaning(token: str) -> int | None:
        try:
            return meanings.get(int(token, base) & mask)
        except ValueError:
            return None

    return meaning


def inverted(ops: Ops, read_op: str) -> Ops:
    """Return `ops` with `read_op` for reads, and all other reads and writes for writes."""

    def meaning(token: str) -> int | str | None:
        if token.lower() == read_op.strip().lower():
            return READ
        return WRITE if ops(token) == READ else ops(token)

    return meaning


def rwbs(token: str) -> int | str | None:
    """Return the meaning of blkparse's flags: D discard, W write, R read, F flush; the others only qualify."""
    # The order matters: a discard is flagged W as well, and F beside W is a write with a flush before it.
    meanings = (("D", TRIM), ("W", WRITE), ("R", READ), ("F", FLUSH))
    return next((op for letter, op in meanings if letter in token), "no data")


LETTERS = tokens(r=READ, w=WRITE)
WORDS = tokens(
    read=READ, write=WRITE, trim=TRIM, flush=FLUSH, r=READ, w=WRITE, discard=TRIM, sync=FLUSH, datasync=FLUSH
)
OPS: dict[str, Ops] = {
    "words": WORDS,
    "words_or_numbers": lambda token: WRITE if WORDS(token) is None else WORDS(token),
    "letters": LETTERS,
    "letters_or_none": lambda token: LETTERS(token) if token else "no response",
    "read_is_1": numbers({0: WRITE, 1: READ}),
    "read_is_0": numbers({0: READ, 1: WRITE}),
    "read_is_even": numbers({0: READ, 1: WRITE}, mask=1),
    "hex_read_is_odd": numbers({0: WRITE, 1: READ}, mask=1, base=16),
    "scsi": scsi,
    "rwbs": rwbs,
    "disk_words": tokens(diskread=READ, diskwrite=WRITE),
}
"""The meanings of operations by the names that `formats.tsv` has for them."""


KINDS = {"": TextFormat, "lines": LineFormat, "fio": FioFormat, "blkparse": BlkparseFormat, "etw": EtwFormat}


def _pairs(text: str, separator: str = " ") -> dict[str, str]:
    """Return texts by their names, which are written `name=text`."""
    return {name: value for name, _, value in (pair.partition("=") for pair in text.split(separator) if pair)}


def _of_text() -> Iterator[TextFormat]:
    """Yield the formats of text, which are declared in `formats.tsv`; units are in bytes, 1 if nothing is said."""
    with Path(__file__).with_name("formats.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""):
            given: dict[str, Any] = {key: row[key] for key in ("name", "columns", "like", "example", "time_unit")}
            given |= {key: row[key] for key in ("record", "opening") if row[key]}
            given |= {"skips": _pairs(row["skips"], "; ")} if row["skips"] else {}
            yield KINDS[row["kind"]](
                **given,
                ops=OPS[row["ops"]],
                decimal_time=bool(row["decimal_time"]),
                address_unit_bytes=int(row["address_unit_bytes"] or 1),
                size_unit_bytes=int(row["size_unit_bytes"] or 1),
                header=_pairs(row["header"]),
                optional=_pairs(row["optional"]),
                device_joint=row["joint"] or "_",
            )


_DECLARED = (
    *_of_text(),
    VscsiFormat(name="vscsi1", version=1, ops=scsi, time_unit="us", address_unit_bytes=SECTOR),
    VscsiFormat(name="vscsi2", version=2, ops=scsi, time_unit="us", address_unit_bytes=SECTOR),
    OracleGeneralFormat(name="oraclegeneral", every_op=READ, time_unit="s", address_unit_bytes=SECTOR),
)

FORMATS: dict[str, TraceFormat] = {declared.name: declared for declared in _DECLARED}
"""All trace formats by name, the value of `workload.format`."""


def _counts_bytes(head: bytes) -> bool:
    """Tell whether all of a DiskSim-like file's addresses and sizes are multiples of 512, as bytes would be."""
    rows = [split_line(line) for line in head_lines(head)]
    # longer ones are no addresses
    numbers = [number for row in rows if len(row) == 5 for number in row[2:4] if len(number) < 20]
    return all(int(number) % SECTOR == 0 for number in numbers if number.isdecimal())


_IN_MS = "its times are taken for ms: set workload.format=mqsim workload.time_unit=s if they are MQSim's in seconds"

BINARY = [name for name, declared in FORMATS.items() if isinstance(declared, BinaryFormat)]
"""Names of the formats that are no text."""

TIES: dict[frozenset[str], Callable[[bytes], tuple[str, str]]] = {
    frozenset({"ssdsim", "mqsim"}): lambda head: ("ssdsim", "mqsim reads the same"),
    frozenset({"disksim", "heimdall"}): lambda head: (
        ("heimdall", f"all numbers are of whole sectors in bytes, so it is not disksim; {_IN_MS}")
        if _counts_bytes(head)
        else ("disksim", f"numbers are no multiples of 512, so it is not heimdall; {_IN_MS}")
    ),
    frozenset({"oraclegeneral", "vscsi1"}): lambda head: ("vscsi1", "records have its version in them"),
    frozenset({"oraclegeneral", "vscsi2"}): lambda head: ("vscsi2", "records have its version in them"),
}
"""How to choose between formats whose records look alike, and why. SSDSim's and MQSim's read the same in every respect;
a vscsi record has its version in it, while a single one of oracleGeneral may be anything.
"""


def recognise(head: bytes) -> tuple[TraceFormat, str]:
    """Return the format that most of the records in `head` fit, and why it is taken.

    Raise a `ValueError` that says why none does.
    """
    # a byte of 0 is in no text
    claims = {name: FORMATS[name].claims(head) for name in FORMATS if (name in BINARY) == (b"\0" in head)}
    best = max(claims.values())
    fitting = frozenset(name for name, claim in claims.items() if claim == best)
    # A format claims half of the records at least.
    if best < 0.5 and b"\0" in head:
        raise ValueError(f"this is no text, and fits no binary format; set workload.format to {listed(BINARY)}")
    if best < 0.5:
        first = shown(head.strip().partition(b"\n")[0].decode("utf-8", "replace"))
        raise ValueError(f"its rows, such as '{first}', fit no known format; set workload.format to {listed(FORMATS)}")
    reason = f"{best:.0%} of its first records fit"
    if len(fitting) == 1:
        (name,) = fitting
        second = max((claim, other) for other, claim in claims.items() if other != name)
        reason += f", the next being {second[1]} with {second[0]:.0%}" if second[0] else ", and no other format"
        return FORMATS[name], reason
    if fitting not in TIES:
        raise ValueError(f"its rows fit several formats; set workload.format to {listed(fitting)}")
    name, why = TIES[fitting](head)
    return FORMATS[name], f"{reason}, and {why}"


def listed(names: Iterable[str]) -> str:
    """Return names as in `a, b or c`."""
    *others, last = sorted(names)
    return f"{', '.join(others)} or {last}" if others else last
