"""The trace formats, one declaration each, and how a file's own is told from its content."""

from collections.abc import Callable, Iterable, Mapping

import attrs

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
    meanings = (("D", TRIM), ("W", WRITE), ("R", READ), ("F", FLUSH))
    return next((op for letter, op in meanings if letter in token), "no data")


LETTERS = tokens(r=READ, w=WRITE)
WORDS = tokens(
    read=READ, write=WRITE, trim=TRIM, flush=FLUSH, r=READ, w=WRITE, discard=TRIM, sync=FLUSH, datasync=FLUSH
)
READ_IS_1 = numbers({0: WRITE, 1: READ})

_SSDSIM = TextFormat(
    name="ssdsim",
    columns="time device offset size op",
    example="26214000 0 55296 6 1",
    like=r"\d+,\d+,\d+,\d+,[01]",
    ops=READ_IS_1,
    time_unit="ns",
    address_unit_bytes=SECTOR,
    size_unit_bytes=SECTOR,
)

_DECLARED = (
    TextFormat(
        name="ssdsim_csv",
        columns="time op offset size",
        header={"arrival_ns": "time", "op": "op", "offset_bytes": "offset", "size_bytes": "size"},
        optional={"access_latency": "hint"},
        example="1000,write,4096,8192",
        like="",
        ops=WORDS,
        time_unit="ns",
    ),
    TextFormat(
        name="msr",
        columns="time device device op offset size _",
        example="128166372010000000,demo,0,Write,1048576,4096,2100",
        like=r"\d{15,18},[^,]+,\d+,(Read|Write),\d+,\d+,\d+",
        ops=WORDS,
        time_unit="100ns",
    ),
    TextFormat(
        name="msr_short",
        columns="time op offset size",
        example="128166372010000000 Write 1048576 4096",
        like=r"\d{15,18},(Read|Write),\d+,\d+",
        ops=WORDS,
        time_unit="100ns",
    ),
    TextFormat(
        name="spc",
        columns="device offset size op time",
        example="0,4096,8192,W,0.026214",
        like=r"\d+,\d+,\d+,[RW],\d+(\.\d*)?(,.*)?",
        ops=LETTERS,
        time_unit="s",
        decimal_time=True,
        address_unit_bytes=SECTOR,
    ),
    TextFormat(
        name="disksim",
        columns="time device offset size op",
        example="1.250000 0 90112 64 1",
        like=r"\d*\.\d+,\d+,\d+,\d+,[0-9a-f]+",
        ops=numbers({0: WRITE, 1: READ}, mask=1, base=16),
        time_unit="ms",
        decimal_time=True,
        address_unit_bytes=SECTOR,
        size_unit_bytes=SECTOR,
    ),
    TextFormat(
        name="heimdall",
        columns="time device offset size op",
        example="0.250 0 4096 8192 0",
        like=r"\d*\.\d+,\d+,\d+,\d+,[01]",
        ops=READ_IS_1,
        time_unit="ms",
        decimal_time=True,
    ),
    _SSDSIM,
    attrs.evolve(_SSDSIM, name="mqsim", example="1008000 0 524288 8 1"),
    TextFormat(
        name="systor",
        columns="time _ op device offset size",
        header={"timestamp": "time", "iotype": "op", "lun": "device", "offset": "offset", "size": "size"},
        example="1455592000.000100000,0.000800000,W,0,40960,4096",
        like="",
        ops=lambda token: LETTERS(token) if token else "no response",
        time_unit="s",
        decimal_time=True,
    ),
    TextFormat(
        name="tencent",
        columns="time offset size op device",
        example="1538323200,2048,16,1,1001",
        like=r"\d{10},\d+,\d+,[01],\d+",
        ops=numbers({0: READ, 1: WRITE}),
        time_unit="s",
        address_unit_bytes=SECTOR,
        size_unit_bytes=SECTOR,
    ),
    TextFormat(
        name="alibaba",
        columns="device op offset size time",
        example="7,W,4096,8192,1577808000000100",
        like=r"\d+,[RW],\d+,\d+,\d+",
        ops=LETTERS,
        time_unit="us",
    ),
    TextFormat(
        name="flashnet",
        columns="time _ op size offset _ _",
        example="0.250,120,1,4096,8192,0.301,4096",
        like=r"\d+\.\d+,\d+,[01],\d+,\d+,\d+\.\d+,\d+",
        ops=READ_IS_1,
        time_unit="ms",
        decimal_time=True,
    ),
    TextFormat(
        name="diskmon",
        columns="_ time _ device op offset size",
        example="0 0.016 0.0004 0 Write 2048 8",
        like=r"\d+,\d+\.\d+,[\d.e+-]+,\d+,(Read|Write),\d+,\d+",
        ops=WORDS,
        time_unit="s",
        decimal_time=True,
        address_unit_bytes=SECTOR,
        size_unit_bytes=SECTOR,
    ),
    TextFormat(
        name="biotracer",
        columns="offset _ size op time _ _ _",
        example="2048 8 4096 5 1.250000000 1.250010000 1.250020000 1.250400000",
        like=r"\d+,\d+,\d+,\d+(,\d+\.\d+){4}",
        ops=numbers({0: READ, 1: WRITE}, mask=1),
        time_unit="s",
        decimal_time=True,
        address_unit_bytes=SECTOR,
    ),
    LineFormat(
        name="wiscsee",
        columns="op offset size time",
        example="42 D write 4096 8192 0.000100000 0.000000000 True",
        record=r"\d+ D (\w+) (\d+) (\d+) (\d+\.\d+) .*",
        skips={"completions": r"\d+ C \w+ \d+ \d+ \d+\.\d+ .*"},
        ops=WORDS,
        time_unit="s",
        decimal_time=True,
    ),
    LineFormat(
        name="fiu",
        columns="time offset size op device device",
        example="1000000 42 demo 2048 8 W 8 0 00000000000000000000000000000000",
        record=r"(\d+) \d+ .* (\d+) (\d+) ([RW]) (\d+) (\d+) [0-9a-f]{32}",
        skips={"archive header": r"\d+ [a-z]+=[\d.]+"},
        ops=LETTERS,
        time_unit="ns",
        address_unit_bytes=SECTOR,
        size_unit_bytes=SECTOR,
        device_joint=":",
    ),
    FioFormat(
        name="fio",
        columns="time device op offset size",
        opening="fio version",
        example="40 /dev/demo write 4096 8192",
        record=r"(\d+) (\S+) (read|write|trim|sync|datasync)(?:(?<=sync)| (\d+) (\d+))",
        skips={"file actions": r"\d+ \S+ (add|open|close)", "header": "fio version 3 iolog"},
        ops=WORDS,
        time_unit="us",
    ),
    BlkparseFormat(
        name="blkparse",
        columns="device device time op offset size",
        example="8,0 1 1 0.000000000 4001 Q W 2048 + 8 [demo]",
        ops=rwbs,
        time_unit="s",
        decimal_time=True,
        address_unit_bytes=SECTOR,
        size_unit_bytes=SECTOR,
        device_joint=":",
        record=BlkparseFormat.events("[QD]"),
        skips=BlkparseFormat.no_events("[QD]"),
    ),
    EtwFormat(
        name="etw",
        columns="time device op offset size",
        opening="BeginHeader",
        example="DiskWrite, 1000100, p0 (2004), 3348, 0xfffffadf00000010, 0x0000400000, 0x00002000, 140, 0, 0x000a01",
        record="",
        ops=tokens(diskread=READ, diskwrite=WRITE),
        time_unit="us",
    ),
    TextFormat(
        name="cloudphysics",
        columns="_ time op size offset",
        header={"version": "_", "time": "time", "op": "op", "size": "size", "lbn": "offset"},
        example="1,5633898368802,2a,4096,1000",
        like="",
        ops=scsi,
        time_unit="us",
        address_unit_bytes=SECTOR,
    ),
    VscsiFormat(name="vscsi1", version=1, ops=scsi, time_unit="us", address_unit_bytes=SECTOR),
    VscsiFormat(name="vscsi2", version=2, ops=scsi, time_unit="us", address_unit_bytes=SECTOR),
    OracleGeneralFormat(name="oraclegeneral", every_op=READ, time_unit="s", address_unit_bytes=SECTOR),
)

FORMATS: dict[str, TraceFormat] = {declared.name: declared for declared in _DECLARED}
"""All trace formats by name, the value of `workload.format`."""


def _counts_bytes(head: bytes) -> bool:
    """Tell whether all of a DiskSim-like file's addresses and sizes are multiples of 512, as bytes would be."""
    rows = [split_line(line) for line in head_lines(head)]
    numbers = [number for row in rows if len(row) == 5 for number in row[2:4] if len(number) < 20]
    return all(int(number) % SECTOR == 0 for number in numbers if number.isdecimal())


BINARY = [name for name, declared in FORMATS.items() if isinstance(declared, BinaryFormat)]
"""Names of the formats that are no text."""

TIES: dict[frozenset[str], Callable[[bytes], str]] = {
    frozenset({"ssdsim", "mqsim"}): lambda head: "ssdsim",
    frozenset({"disksim", "heimdall"}): lambda head: "heimdall" if _counts_bytes(head) else "disksim",
    frozenset({"oraclegeneral", "vscsi1"}): lambda head: "vscsi1",
    frozenset({"oraclegeneral", "vscsi2"}): lambda head: "vscsi2",
}
"""How to choose between formats whose records look alike. SSDSim's and MQSim's read the same in every respect; a vscsi
record has its version in it, while a single one of oracleGeneral may be anything.
"""


def recognise(head: bytes) -> TraceFormat:
    """Return the format that most of the records in `head` fit. Raise a `ValueError` that says why none does."""
    claims = {name: FORMATS[name].claims(head) for name in FORMATS if (name in BINARY) == (b"\0" in head)}
    best = max(claims.values())
    fitting = frozenset(name for name, claim in claims.items() if claim == best)
    if best < 0.5 and b"\0" in head:
        raise ValueError(f"this is no text, and fits no binary format; set workload.format to {listed(BINARY)}")
    if best < 0.5:
        first = shown(head.strip().partition(b"\n")[0].decode("utf-8", "replace"))
        raise ValueError(f"its rows, such as '{first}', fit no known format; set workload.format to {listed(FORMATS)}")
    if len(fitting) == 1:
        return FORMATS[next(iter(fitting))]
    if fitting not in TIES:
        raise ValueError(f"its rows fit several formats; set workload.format to {listed(fitting)}")
    return FORMATS[TIES[fitting](head)]


def listed(names: Iterable[str]) -> str:
    """Return names as in `a, b or c`."""
    *others, last = sorted(names)
    return f"{', '.join(others)} or {last}" if others else last
