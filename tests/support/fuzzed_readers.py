"""One reading of a trace of any bytes, as a fuzzer asks for it, and what may come of it."""

import bz2
import gzip
import hashlib
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from ssdsim.config import TraceConfig
from ssdsim.errors import InputError
from ssdsim.workload.formats import FORMATS
from ssdsim.workload.trace import TraceWorkload

HEADS = {
    "ssdsim_csv": "arrival_ns,op,offset_bytes,size_bytes\n",
    "systor": "timestamp,response,iotype,lun,offset,size\n",
    "fio": "fio version 3 iolog\n",
    "cloudphysics": "version,time,op,size,lbn\n",
    "etw": "BeginHeader\n DiskRead, TimeStamp, P, T, I, ByteOffset, IOSize, ElapsedTime, DiskNum\nEndHeader\n",
}

SAMPLES: dict[str, bytes] = {
    name: (HEADS.get(name, "") + 4 * (declared.example + "\n")).encode() for name, declared in FORMATS.items()
}
"""Four records by the name of the format, after what a file of it begins with."""

VARIANTS: dict[str, bytes] = {
    "ssdsim_csv with hints": b"arrival_ns,op,offset_bytes,size_bytes,access_latency\n0,read,0,512,low\n9,sync,0,0,0\n",
    "ssdsim_csv out of order": b"arrival_ns,op,offset_bytes,size_bytes\n900,read,0,512\n5,trim,0,4096\n7,flush,0,0\n",
    "msr with tabs and a byte order mark": b"\xef\xbb\xbf128166372010000000\tdemo\t0\tRead\t1048576\t4096\t1\r\n",
    "msr rounded": b"128166372010000000,demo,0,Write,1.82083E+11,4.096E+3,2100\n",
    "blkparse": (
        b"  8,0    1        1     0.000000000  4001  Q   W 2048 + 8 [demo]\n"
        b"253,0    1        2     0.000001000  4001  Q  FN [demo]\n"
        b"  8,0    1        3     0.000002000  4001  A   W 2048 + 8 <- (253,0) 0\n"
        b"  8,0    1        4     0.000003000  4001  D   D 64 + 8 [demo]\nCPU0 (8,0):\n Reads Queued: 0\n"
    ),
    "fiu header": b"0 t=1.5\n1 42 a demo 2048 8 R 8 0 " + b"0" * 32 + b"\n",
    "fio actions": b"fio version 3 iolog\n0 /dev/x add\n1 /dev/x open\n2 /dev/x sync\n3 /dev/x read 0 512\n",
}
"""Records that reach further parts of the readers."""

COMPRESSIONS = (
    bytes,
    lambda data: gzip.compress(data, mtime=0),
    bz2.compress,
    lambda data: lzma.compress(data, preset=0),
    lambda data: pa.compress(data, codec="zstd", asbytes=True),
)
"""What is done to the bytes before they are written: nothing, as they may be compressed already, or one of these."""

NAMES = ("auto", *FORMATS)
WAYS = (
    {},
    {"device": "0"},
    {"device": "none"},
    {"limit": 2, "skip": 1},
    {"addresses": "wrap"},
    {"addresses": "compact"},
    {"read_op": "2a"},
    {"repeat": 3, "speedup": 0.5},
    {"time_unit": "s"},
)
"""How the trace is read."""

BLOCKS = (1 << 21, 64, 1)
"""Bytes read at a time."""

HEADER = 4
"""Bytes of a case before those of the file: which of `NAMES`, `COMPRESSIONS`, `WAYS` and `BLOCKS`."""

OF_THE_FILE = re.compile(
    "the file is empty|fit no known format|fit several formats|this is binary, no text|"
    "the compressed data|it holds no requests|it has no device|"
    "its requests span|touches|a line is longer than|its addresses reach|a request of .* does not fit"
)
"""Complaints that are of no row."""

CAPACITY, PAGE = 1 << 24, 4096


class FoundError(AssertionError):
    """A reading ended as none may."""


def cases() -> Iterator[bytes]:
    """Yield the cases to begin with: each format, named or not, in each compression, put in before and behind."""
    for name, text in {**SAMPLES, **VARIANTS}.items():
        place = NAMES.index(name) if name in NAMES else 0
        for number, compress in enumerate(COMPRESSIONS):
            yield bytes([0, number, 0, 0]) + text
            yield bytes([place, 0, number, number % len(BLOCKS)]) + compress(text)
    for way in range(len(WAYS)):
        yield bytes([0, 0, way, 0]) + VARIANTS["ssdsim_csv out of order"]


def read(case: bytes, path: Path) -> str:
    """Write the file of `case` to `path`, read it whole, and return why it was refused, nothing if it was not.

    Raise `FoundError` for a refusal that does not say where, and for requests that no device could be sent.
    """
    name, compression, way, block = case[:HEADER].ljust(HEADER, b"\0")
    data = case[HEADER:]
    path.write_bytes(COMPRESSIONS[compression % len(COMPRESSIONS)](data))
    chosen = NAMES[name % len(NAMES)]
    ends = []
    for block_bytes in {BLOCKS[0], BLOCKS[block % len(BLOCKS)]}:
        try:
            config = TraceConfig(path=str(path), format=chosen, **WAYS[way % len(WAYS)])
            workload = TraceWorkload(config, CAPACITY, PAGE, block_bytes=block_bytes)
            ends.append(check_chunks(workload))
            repr(workload.describe())
            refusal = ""
        except InputError as error:
            refusal = str(error)
            check_refusal(refusal, path, data)
            ends.append("refused")
    if len(set(ends)) > 1 and "limit" not in WAYS[way % len(WAYS)]:  # past which the rest of a block is read as well
        raise FoundError(f"differs with the bytes read at a time: {ends}")
    return refusal


def check_chunks(workload: TraceWorkload) -> str:
    """Return what tells the requests from others; raise `FoundError` unless all lie on the device, in order of time."""
    last, count, found = 0, 0, tuple(hashlib.sha1() for _ in range(4))
    for chunk in workload.chunks():
        arrivals = chunk.arrival_ns
        if not len(chunk) or arrivals[0] < last or (np.diff(arrivals) < 0).any():
            raise FoundError("an empty chunk, or arrivals out of order")
        if (chunk.offset_bytes < 0).any() or (chunk.size_bytes < 0).any():
            raise FoundError("a negative place")
        if (chunk.offset_bytes + chunk.size_bytes > CAPACITY).any():
            raise FoundError("a request beyond the device")
        last = int(arrivals[-1])
        count += len(chunk)
        for seen, column in zip(found, (arrivals, chunk.op, chunk.offset_bytes, chunk.size_bytes), strict=True):
            seen.update(column.tobytes())
    if count != workload.requests:
        raise FoundError(f"{count} requests instead of {workload.requests}")
    return " ".join(seen.hexdigest() for seen in found)


def check_refusal(message: str, path: Path, data: bytes) -> None:
    """Raise `FoundError` unless `message` is a printable sentence that names the file, and the row if it is of one."""
    if not (message.isprintable() and message.endswith(".")):
        raise FoundError(f"no printable sentence: {message!r}")
    if message.startswith("workload."):
        return  # a key of the configuration, of which the sentence is
    if not message.startswith(f"{path}: "):
        raise FoundError(f"does not name the file: {message!r}")
    complaint = message.removeprefix(f"{path}: ")
    found = re.match(r"(row|record) (\d+)[,:]", complaint)
    if found is None and not OF_THE_FILE.search(complaint):
        raise FoundError(f"does not name the row: {message!r}")
    if found and found[1] == "row" and not 1 <= int(found[2]) <= data.count(b"\n") + 1 and not is_compressed(data):
        raise FoundError(f"names a row beyond the file: {message!r}")


def is_compressed(data: bytes) -> bool:
    """Return whether `data` begin as a compressed file does."""
    return data.startswith((b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00"))


def dictionary() -> list[bytes]:
    """Return the words that files of the formats are made of."""
    texts = b" ".join({**SAMPLES, **VARIANTS}.values())
    return sorted(set(re.split(rb"[\s,]+", texts)) - {b""})
