"""Everything a trace can have wrong is one sentence that says where, what and what to do."""

import errno
import gzip
import os
import re

import pytest

from ssdsim.config import TraceConfig
from ssdsim.errors import ConfigError, InputError, TraceError
from ssdsim.workload import open_workload
from ssdsim.workload.spool import Spool

MSR = "128166372010000000,demo,0,Write,1048576,4096,2100\n"
DISKSIM = "1.250000 0 90112 63 1\n"

ROUNDED = "has been rounded by some program; take .*, or set workload.rounded_numbers=nearest_sector[.]"
BAD_ROWS = {
    "too few columns": (MSR * 3 + "128166372010250000,demo,0,Re", "row 4: it has 4 columns instead of 7"),
    "another format": (MSR * 3 + DISKSIM, "row 4: it has 1 columns instead of 7"),
    "empty field": (MSR + "128166372010000000,demo,0,Write,,4096,2100\n", "row 2, column 5: offset '' is no whole"),
    "text for a number": (MSR + MSR.replace("4096", "4k"), "row 2, column 6: size '4k' is no whole number"),
    "unknown operation": (MSR + MSR.replace("Write", "Erase"), "row 2, column 4: operation 'Erase' is unknown"),
    "negative offset": (MSR + MSR.replace("1048576", "-512"), "row 2, column 5: offset -512 is negative"),
    "negative size": (MSR + MSR.replace("4096", "-1"), "row 2, column 6: size -1 is negative"),
    "negative time": (DISKSIM + DISKSIM.replace("1.25", "-1.25"), "row 2, column 1: time -1.250000 is negative"),
    "offset of over 64 bits": (MSR + MSR.replace("1048576", "9" * 20), "row 2, column 5: offset 9{20} is too large"),
    "offset of over 8 PiB": (DISKSIM + DISKSIM.replace("90112", "9" * 15), "row 2, column 3: offset 9{15} is too"),
    "time of over 64 bits": (DISKSIM + "9" * 20 + DISKSIM[1:], "row 2, column 1: time 9{20}.* is too large"),
    "time of just 2 ** 64 ns": (DISKSIM + "18446744073709.551616" + DISKSIM[8:], "row 2, column 1: time .* is too"),
    "a century between rows": (MSR + MSR.replace("128", "928"), "row 2: its time is over a century away"),
    "a century back": (MSR.replace("128", "928") + MSR, "row 2: its time is over a century away"),
    "damaged text": (MSR + MSR.replace("demo", "\0"), "binary"),
    "rounded offset": (MSR + MSR.replace("1048576", "1.82083E+11"), f"row 2, column 5: offset '1.82083E.11' {ROUNDED}"),
    "rounded size": (MSR + MSR.replace("4096", "1e5"), f"row 2, column 6: size '1e5' {ROUNDED}"),
    "all offsets rounded": (MSR.replace("1048576", "1.82083E+11"), f"row 1, column 5: offset '1.82083E.11' {ROUNDED}"),
    "rounded time": (
        MSR + MSR.replace("128166372010000000", "1.28166E+17"),
        "row 2, column 1: .* program; take the file as it was recorded[.]",
    ),
    "offset with decimals": (MSR + MSR.replace("1048576", "4096.0"), "'4096.0' is no whole number; .*nearest_sector"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_row_is_named(open_trace, name):
    text, message = BAD_ROWS[name]
    with pytest.raises(TraceError, match=message):
        open_trace(text)


@pytest.mark.parametrize("block_bytes", [1000, None])
def test_a_bad_row_far_into_the_file_is_named_by_its_line(open_trace, block_bytes):
    text = DISKSIM * 5000 + "\n" + DISKSIM * 5000 + "oops\n" + DISKSIM
    with pytest.raises(TraceError, match=r"row 10002: it has 1 columns instead of 5; a disksim row reads like '1\.25"):
        open_trace(text, block_bytes=block_bytes)


@pytest.mark.parametrize("name", ["blkparse", "fio", "fiu", "wiscsee", "etw"])
def test_a_line_of_no_known_kind_is_named(open_trace, name):
    samples = {
        "blkparse": "  8,0    1        1     0.000000000  4001  Q   W 2048 + 8 [demo]\n  8,0  1  Q  W 20",
        "fio": "fio version 3 iolog\n40 /dev/demo write 4096",
        "fiu": f"1 42 demo 2048 8 W 8 0 {'0' * 32}\n1 42 demo 2048 8 W 8 0 00",
        "wiscsee": "42 D read 299008 4096 0.000000000 0 False\n42 D read 299008",
        "etw": "DiskWrite, 5, p (4), 3, 0xf, 0x200, 0x200, 4, 0\nDiskWrite, 5, p (4), 3, 0xf, 0x2",
    }
    with pytest.raises(TraceError, match=f"row 2: .* is no line of this format; a {name} row reads like"):
        open_trace(samples[name])


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("  8,0  1  1  0.000000000  4001  Q  W 2048 + 8 [demo]\n", "\t8,0  1  2  0.5  4001  Q  WS  {} + 8 [demo]\n"),
        ("40 /dev/demo write 4096 4096\n", "41 /dev/d\u00e9mo read {} 4096\n"),
        (f"1 42 demo 2048 8 W 8 0 {'0' * 32}\n", f"2 43 de mo 2048 {{}} W 8 0 {'0' * 32}\n"),
        ("42 D read 299008 4096 0.000000000 0 False\n", "43 D write {} 4096 0.000000000 0 False\n"),
    ],
    ids=["blkparse", "fio", "fiu", "wiscsee"],
)
def test_a_number_in_free_text_is_named_by_where_it_begins(open_trace, good, bad):
    number = "9" * 20
    at = bad.index("{}") + 1
    with pytest.raises(TraceError, match=rf"row 3, character {at}: (offset|size) {number} is too large; a \w+ row"):
        open_trace(good * 2 + bad.format(number) + good)


def test_a_number_of_a_disk_event_is_named_by_its_column(open_trace):
    event = "DiskWrite, 5, p (4), 3, 0xf, {}, 0x200, 4, 0\n"
    with pytest.raises(TraceError, match="row 2, column 6: offset 1208925819614629174706175 is too large"):
        open_trace(event.format("0x200") + event.format("0x" + "f" * 20))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_compressed_file_cut_short_is_refused(open_trace, folder, suffix):
    text = "".join(f"{i * 7919 % 65536} 0 {i * 104729 % 99991} 8 1\n" for i in range(20000))
    path = folder / f"cut{suffix}"
    open_trace(text, suffix=suffix)
    path.write_bytes((folder / f"trace{suffix}").read_bytes()[:-100])
    with pytest.raises(TraceError, match=f"cut{suffix}: the compressed data end early"):
        open_workload(TraceConfig(path=str(path)), 1 << 40, 4096, seed=1)


@pytest.mark.parametrize("data", [b"", b"\n \n\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(open_trace, data):
    with pytest.raises(TraceError, match="the file is empty"):
        open_trace(data)


def test_a_file_without_requests_is_refused(open_trace):
    with pytest.raises(TraceError, match=r"holds no requests \(skipped: 1 zero size\)"):
        open_trace("0 0 0 0 1\n")


def test_a_binary_file_is_refused(open_trace):
    with pytest.raises(TraceError, match="this is no text, and fits no binary format"):
        open_trace(bytes(range(256)) * 100)


def test_a_line_without_end_is_refused(open_trace):
    with pytest.raises(TraceError, match="a line is longer than"):
        open_trace("1" * 5_000_000)


def test_an_unknown_content_is_refused_with_the_formats(open_trace):
    with pytest.raises(TraceError, match=r"such as 'once upon a time', fit no known format; set .* to alibaba, .* or"):
        open_trace("once upon a time\n" * 3)


def test_a_content_of_several_formats_is_refused_with_those(open_trace):
    with pytest.raises(TraceError, match=r"fit several formats; set .* to mqsim, ssdsim or tencent"):
        open_trace("1538323200,8,16,1,1\n")


def test_an_unknown_format_is_refused_with_the_nearest(open_trace):
    with pytest.raises(ConfigError, match=r"workload.format=diskim: must be auto, .* \(did you mean 'disksim'\?\)"):
        open_trace(DISKSIM, format="diskim")


def test_a_missing_file_is_refused_with_the_nearest(open_trace, folder):
    (folder / "prxy_0.csv").write_text(MSR)
    with pytest.raises(TraceError, match=r"there is no such file; did you mean .*prxy_0\.csv\?"):
        open_workload(TraceConfig(path=str(folder / "prxy0.csv")), 1 << 40, 4096, seed=1)


def test_a_path_may_begin_at_home(monkeypatch, folder):
    monkeypatch.setenv("HOME", str(folder))
    (folder / "prxy_0.csv").write_text(MSR)
    assert open_workload(TraceConfig(path="~/prxy_0.csv"), 1 << 40, 4096, seed=1).requests == 1


def test_a_folder_is_no_trace(folder):
    with pytest.raises(TraceError, match="this is a folder"):
        open_workload(TraceConfig(path=str(folder)), 1 << 40, 4096, seed=1)
    with pytest.raises(TraceError, match="there is no folder"):
        open_workload(TraceConfig(path=str(folder / "none" / "x.csv")), 1 << 40, 4096, seed=1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read any file")
def test_a_file_that_may_not_be_read_is_refused(folder):
    path = folder / "locked.csv"
    path.write_text(MSR)
    path.chmod(0)
    with pytest.raises(TraceError, match="Permission denied; make it a file that can be read"):
        open_workload(TraceConfig(path=str(path)), 1 << 40, 4096, seed=1)


def test_an_unknown_device_is_refused_with_those_present(open_trace):
    with pytest.raises(TraceError, match=r"no device 'demo_1' \(did you mean 'demo_0'\?\); .* to one of demo_0"):
        open_trace(MSR, device="demo_1")
    with pytest.raises(TraceError, match="its rows name no devices"):
        open_trace("128166372010000000 Write 0 4096\n", device="0")


def test_disorder_is_refused_when_asked(open_trace):
    with pytest.raises(TraceError, match="row 3: it is earlier than the row before it; set workload"):
        open_trace("1 0 0 8 0\n5 0 0 8 0\n4 0 0 8 0\n", order="refuse")


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("refuse", r"reach to 40960 bytes, beyond the device's 32768; set workload\.addresses"),
        ("compact", r"touches 40960 bytes or more in pages of 4096, more than the device's 32768; take a larger"),
        ("wrap", r"a request of 40960 bytes does not fit into the device's 32768; take a larger"),
    ],
)
def test_what_does_not_fit_the_device_is_refused_with_the_numbers(open_trace, policy, message):
    with pytest.raises(TraceError, match=message):
        open_trace("0 0 0 80 0\n", capacity=32768, addresses=policy)


def test_more_time_than_can_be_simulated_is_refused(open_trace):
    with pytest.raises(TraceError, match=r"span 198 days, more than the 104 that can be simulated; set"):
        open_trace("".join(f"{day * 86400}.0 0 0 9 0\n" for day in range(11)), time_unit="s", repeat=18)


def test_twice_the_speed_takes_half_of_the_time_that_can_be_simulated(open_trace):
    text = "".join(f"{day * 86400}.0 0 0 9 0\n" for day in range(11))
    assert open_trace(text, time_unit="s", repeat=18, speedup=2.0).requests == 18 * 11


@pytest.mark.parametrize("kept", [0, 2, 9])
def test_a_file_that_changes_later_is_taken_as_it_was(open_trace, folder, monkeypatch, kept):
    monkeypatch.setattr("ssdsim.workload.trace.KEPT", kept)
    workload = open_trace(DISKSIM * 3)
    (folder / "trace").unlink()
    assert sum(map(len, workload.chunks())) == 3


def test_no_room_for_the_requests_of_a_long_trace_is_told(open_trace, monkeypatch):
    def full(spool, records):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Spool, "append", full)
    with pytest.raises(
        TraceError, match=r"no room to keep its requests in /.* \(No space left on device\); set .* TMPDIR"
    ):
        open_trace(DISKSIM)


def test_all_of_these_are_one_sentence(open_trace):
    for text, _ in BAD_ROWS.values():
        with pytest.raises(InputError) as caught:
            open_trace(text)
        assert re.fullmatch(r"[^\n]+\.", str(caught.value))
