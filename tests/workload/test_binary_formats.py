"""vscsi and oracleGeneral: records packed by their published layouts read back, and damage is named by its record."""

import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ssdsim.config import TraceConfig
from ssdsim.errors import ConfigError, TraceError
from ssdsim.workload import FLUSH, READ, WRITE, open_workload
from ssdsim.workload.formats import BINARY
from support.workloads import rows, whole

READS, WRITES = (0x08, 0x28, 0x88, 0xA8), (0x0A, 0x2A, 0x8A, 0xAA)
SYNC, UNMAP, INQUIRY = 0x35, 0x42, 0x12
LAST = (1 << 63) - 1


def vscsi1(us, command, sector, size, serial=7, version=0x0101):
    return struct.pack("<IIIHHQQ", serial, size, 1, command, version, sector, us)


def vscsi2(us, command, sector, size, serial=7, version=0x0203):
    return struct.pack("<HHIIIQQQ", command, version, serial, size, 1, sector, us, 99)


def oracle(second, thing, size, following=-1):
    return struct.pack("<IQIq", second, thing, size, following)


VSCSI = {"vscsi1": vscsi1, "vscsi2": vscsi2}
COMMANDS = st.lists(
    st.tuples(
        st.integers(0, 10**12),
        st.sampled_from([*READS, *WRITES, SYNC, UNMAP, INQUIRY]),
        st.integers(0, 1 << 40),
        st.integers(0, (1 << 32) - 1),
    ),
    min_size=1,
    max_size=30,
).filter(lambda commands: any(command in READS + WRITES and size for _, command, _, size in commands))


def op_of(command):
    return READ if command in READS else WRITE if command in WRITES else FLUSH


@pytest.mark.parametrize("name", VSCSI)
@settings(
    max_examples=settings.default.max_examples // 2,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    commands=COMMANDS,
    block_bytes=st.none() | st.integers(1, 500),
    suffix=st.sampled_from(["", ".gz", ".xz", ".zst"]),
    auto=st.booleans(),
)
def test_commands_read_as_they_were_packed(open_trace, name, commands, block_bytes, suffix, auto):
    data = b"".join(VSCSI[name](*each) for each in commands)
    chosen = "auto" if auto else name
    workload = open_trace(data, capacity=1 << 52, suffix=suffix, block_bytes=block_bytes, format=chosen)
    kept = [each for each in commands if each[1] == SYNC or (each[1] in READS + WRITES and each[3])]
    kept.sort(key=lambda each: each[0])
    assert rows(workload) == [
        ((us - kept[0][0]) * 1000, op_of(command), *((sector * 512, size) if command != SYNC else (0, 0)))
        for us, command, sector, size in kept
    ]
    seen = workload.describe()
    assert seen["format"] == name
    assert seen["skipped"].get("other commands", 0) == sum(each[1] in (UNMAP, INQUIRY) for each in commands)
    assert seen["sha256_of_bytes"] == len(data)


ACCESSES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 1 << 40), st.integers(1, 1 << 30)), min_size=1, max_size=30
)


@settings(
    max_examples=settings.default.max_examples // 2,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(accesses=ACCESSES, suffix=st.sampled_from(["", ".zst"]), op=st.sampled_from([None, "read", "write"]))
def test_accesses_are_spread_over_their_second_and_read_or_written_as_told(open_trace, accesses, suffix, op):
    accesses.sort(key=lambda access: access[0])
    data = b"".join(oracle(1_600_000_000 + second, *rest) for second, *rest in accesses)
    workload = open_trace(data, capacity=1 << 52, suffix=suffix, every_op=op)
    chunk = whole(workload)
    assert workload.describe()["format"] == "oraclegeneral"
    assert chunk.offset_bytes.tolist() == [thing * 512 for _, thing, _ in accesses]
    assert chunk.size_bytes.tolist() == [size for *_, size in accesses]
    assert set(chunk.op.tolist()) == {WRITE if op == "write" else READ}
    first = accesses[0][0]
    of_second = [[s for s, *_ in accesses].count(second) for second in range(4)]
    place = [[s for s, *_ in accesses[:index]].count(second) for index, (second, *_) in enumerate(accesses)]
    assert chunk.arrival_ns.tolist() == [
        (second - first) * 10**9 + at * 10**9 // of_second[second]
        for at, (second, *_) in zip(place, accesses, strict=True)
    ]


GOOD = {
    "vscsi1": vscsi1(5, 0x2A, 8, 4096),
    "vscsi2": vscsi2(5, 0x2A, 8, 4096),
    "oraclegeneral": oracle(5, 8, 4096, following=3),
}
BAD = {
    "vscsi1: another version": ("vscsi1", vscsi1(5, 0x2A, 8, 4096, version=0x0201), "its version is 2 instead of 1"),
    "vscsi2: another version": ("vscsi2", vscsi2(5, 0x2A, 8, 4096, version=0x0101), "its version is 1 instead of 2"),
    "vscsi1: no command": ("vscsi1", vscsi1(5, 0x12A, 8, 4096), "command 0x12a is no SCSI operation code"),
    "vscsi2: beyond 8 PiB": ("vscsi2", vscsi2(5, 0x2A, 1 << 45, 4096), f"block number {1 << 45} is too large"),
    "vscsi1: time of 64 bits": ("vscsi1", vscsi1(1 << 63, 0x28, 8, 4096), f"time {1 << 63} is too large"),
    "vscsi2: a century": ("vscsi2", vscsi2(1 << 53, 0x28, 8, 4096), "its time is over a century away .* first record"),
    "oracle: beyond 8 PiB": ("oraclegeneral", oracle(5, 1 << 63, 4096), f"object {1 << 63} is too large"),
    "oracle: no next": ("oraclegeneral", oracle(5, 8, 4096, -7), "its next access, -7, is none"),
}


@pytest.mark.parametrize("place", BAD)
@pytest.mark.parametrize("block_bytes", [100, None])
def test_damage_is_named_by_its_record(open_trace, place, block_bytes):
    name, record, message = BAD[place]
    with pytest.raises(TraceError, match=rf"record 12: {message}; fetch the file again, or set workload\.format\.$"):
        open_trace(GOOD[name] * 11 + record + GOOD[name], block_bytes=block_bytes)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("missing", [1, 23])
@pytest.mark.parametrize("block_bytes", [100, None])
def test_a_file_that_ends_within_a_record_is_refused(open_trace, name, missing, block_bytes):
    length = len(GOOD[name])
    message = f"record 9: the file ends {length - missing} bytes into its {length}"
    with pytest.raises(TraceError, match=message):
        open_trace((GOOD[name] * 9)[:-missing], block_bytes=block_bytes)


def test_memory_does_not_grow_with_the_file(open_trace):
    chunks = list(open_trace(GOOD["vscsi1"] * 200_000).chunks())
    assert max(map(len, chunks)) <= 1 << 16
    assert sum(map(len, chunks)) == 200_000


def test_text_and_binary_are_not_taken_for_each_other(open_trace):
    with pytest.raises(TraceError, match=r"this is text; set workload\.format=vscsi2 to another"):
        open_trace("0 0 0 8 1\n", format="vscsi2")
    with pytest.raises(TraceError, match=r"this is binary, no text; set workload\.format=msr to another"):
        open_trace(GOOD["vscsi2"] * 3, format="msr")
    with pytest.raises(TraceError, match=r"fits no binary format; set .* to oraclegeneral, vscsi1 or vscsi2"):
        open_trace("0 0 0 8 1\n".encode("utf-16") * 100)


def test_an_operation_for_all_is_refused_where_records_name_theirs(open_trace):
    with pytest.raises(ConfigError, match=r"workload\.every_op=read: the records of vscsi1 say themselves"):
        open_trace(GOOD["vscsi1"], every_op="read")
    with pytest.raises(ConfigError, match=r"workload\.every_op=trim"):
        TraceConfig(path="x", every_op="trim")


def test_reads_may_be_another_command(open_trace):
    assert rows(open_trace(GOOD["vscsi1"], read_op="2a")) == [(0, READ, 4096, 4096)]


def test_an_unknown_file_is_refused_without_reading_it_whole(folder):
    path = folder / "long"
    path.write_bytes(bytes(range(256)) * 40_000)
    with pytest.raises(TraceError, match="fits no binary format"):
        open_workload(TraceConfig(path=str(path)), 1 << 40, 4096, seed=1)


def test_every_binary_format_is_here():
    assert set(BINARY) == set(GOOD)
