"""A small file that stands for a very large one is read in little memory, or refused."""

import lzma
import struct
import tracemalloc
import zlib

import numpy as np
import pytest

from ssdsim.errors import TraceError
from ssdsim.workload import ordering, textformat
from ssdsim.workload.traceformat import Records, RowError

MSR = b"128166372010000000,demo,0,Write,1048576,4096,2100\n"
ORACLE = struct.pack("<IQIq", 5, 8, 4096, 3)


def xz_of_a_large_dictionary(data):
    """Return xz data that say that unpacking takes 4 GiB."""
    packed = bytearray(lzma.compress(data))
    length = (packed[12] + 1) * 4
    at = packed.index(b"\x21\x01", 12) + 2
    packed[at] = 40
    packed[12 + length - 4 : 12 + length] = zlib.crc32(packed[12 : 12 + length - 4]).to_bytes(4, "little")
    return bytes(packed)


def test_xz_that_asks_for_gigabytes_is_refused(open_trace):
    with pytest.raises(TraceError, match=r"takes over 256 MiB to unpack; compress it by xz -9 or less\.$"):
        open_trace(xz_of_a_large_dictionary(MSR * 9))


@pytest.mark.parametrize("between", [b"", b"\0" * 8, lzma.compress(b"")])
def test_xz_of_several_streams_is_read_whole(open_trace, between):
    packed = lzma.compress(MSR * 3)
    assert open_trace(packed + between + packed + b"\0" * 4).requests == 6


def test_what_follows_xz_is_damage(open_trace):
    with pytest.raises(TraceError, match="the compressed data end early or are damaged"):
        open_trace(lzma.compress(MSR * 3) + b"more")


def peak_bytes(work):
    """Return the most memory that Python and NumPy hold at a time in `work`."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("text", [b"\n" * 1000, b"0 0 0 0 1\n" * 100], ids=["blank lines", "requests of no size"])
@pytest.mark.parametrize(
    "suffix", [".xz", *(pytest.param(each, marks=pytest.mark.more) for each in (".gz", ".bz2", ".zst"))]
)
def test_memory_does_not_grow_with_what_is_unpacked(open_trace, compressions, suffix, text):
    files = [compressions[suffix](b"0 0 0 8 1\n" + text * thousands * 1000) for thousands in (4, 10)]
    assert max(map(len, files)) < 100_000
    few, many = (peak_bytes(lambda: open_trace(data)) for data in files)  # noqa: B023 - each is called at once
    assert many < 1.2 * few


def test_names_of_devices_are_kept_up_to_a_limit(open_trace, monkeypatch):
    monkeypatch.setattr(textformat, "MOST_NAME_BYTES", 10_000)
    rows = [MSR.replace(b"demo", b"x" * 1000 + b"%d" % number) for number in range(12)]
    assert open_trace(b"".join(rows[:9])).describe()["devices"] == 9
    with pytest.raises(TraceError, match=r"row 10: it cannot be read \(the names of devices take more than"):
        open_trace(b"".join(rows))


def test_requests_of_a_second_are_held_up_to_a_limit(open_trace, monkeypatch):
    monkeypatch.setattr(ordering, "MOST_AT_A_TICK", 100)
    assert open_trace(ORACLE * 100).requests == 100
    with pytest.raises(TraceError, match=r"record 1: more than 100 rows have its time; set workload\.device or"):
        open_trace(ORACLE * 101)


def test_all_rows_of_a_tick_count(monkeypatch):
    monkeypatch.setattr(ordering, "MOST_AT_A_TICK", 5)

    def blocks(*times):
        for row, time in enumerate(times):
            column = np.full(2, time, np.int64)
            yield Records(np.full(2, row), column, column.astype(np.uint8), column, column, column)

    assert sum(map(len, ordering.spread(blocks(0, 0, 1, 1, 2, 2), 10))) == 12
    with pytest.raises(RowError, match="more than 5 rows"):
        list(ordering.spread(blocks(0, 1, 1, 1), 10))


def test_pages_that_are_compacted_are_kept_up_to_those_of_the_device(open_trace, monkeypatch):
    monkeypatch.setattr("ssdsim.workload.addresses.CHUNK_ROWS", 8)
    rows = b"".join(b"%d 0 %d 8 1\n" % (place, place * 1000) for place in range(200))
    with pytest.raises(TraceError, match="it touches 90112 bytes or more in pages of 4096, more than the device"):
        open_trace(rows, capacity=15 * 4096, addresses="compact", order="clamp", block_bytes=64)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (MSR.replace(b"demo", b"\xff"), "it cannot be read [(].*UTF8"),
        (MSR.replace(b"1048576", "\u0661".encode()), "column 5: offset .* is no whole number"),
        (MSR.replace(b"4096", b"+4096"), "it cannot be read [(].*[+]4096"),
    ],
)
@pytest.mark.parametrize("before", [0, 1, 2, 77])
def test_a_row_is_named_that_only_the_reader_finds_wrong(open_trace, row, told, before):
    with pytest.raises(TraceError, match=rf"trace: row {before + 1}(: |, ){told}"):
        open_trace(MSR * before + row + MSR * 20, format="msr")
