"""Whatever a file holds, it is replayed or refused in one printable sentence that says where, what and what to do."""

import gzip
import hashlib
import re

import pytest

from ssdsim.config import TraceConfig
from ssdsim.errors import InputError, TraceError, shown
from ssdsim.workload import open_workload
from ssdsim.workload.tracefile import file_sha256

MSR = "128166372010000000,demo,0,Write,1048576,4096,2100\n"
DISKSIM = "1.250000 0 90112 63 1\n"

BAD_ROWS = {
    "too few columns": (MSR * 3 + "128166372010250000,demo,0,Re", "row 4: it has 4 columns instead of 7"),
    "empty field": (MSR + "128166372010000000,demo,0,Write,,4096,2100\n", "row 2: column c5: a value is missing"),
    "text for a number": (MSR + MSR.replace("4096", "4k"), "row 2: column c6: '4k' is no whole number"),
    "unknown operation": (MSR + MSR.replace("Write", "Erase"), "row 2: operation 'Erase' is unknown"),
    "negative offset": (MSR + MSR.replace("1048576", "-512"), "row 2: offset -512 is negative"),
    "offset of over 64 bits": (MSR + MSR.replace("1048576", "9" * 20), "row 2: column c5: '9{20}' is no whole"),
    "offset of over 8 PiB": (DISKSIM + DISKSIM.replace("90112", "9" * 15), "row 2: offset of .* bytes is too large"),
    "a century between rows": (MSR + MSR.replace("128", "928"), "row 2: its time is over a century away"),
    "no text": (MSR + MSR.replace("demo", "\udcff"), "row 2: column c2: its text is not in UTF-8"),
    "longer": (DISKSIM * 9 + "1" * 5_000_000, "a line is longer than 1048576 bytes; this is no text trace"),
    "a missing column": ("Timestamp,IOType,LUN,Offset\n", "fit no known format; .* by workload.columns, of a log by"),
    "no format": ("once upon a time\n" * 3, "its rows, such as 'once upon a time', fit no known format; say"),
    "binary": ("\0\1\2" * 100, "this is binary, no text; convert it to text or Parquet"),
    "nothing": ("", "the file is empty"),
    "a terminal's colours": (
        MSR * 9 + MSR.replace("Write", "\x1b[31mErase\u202e"),
        r"operation '\\x1b\[31mErase\\u202e'",
    ),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_row_is_named(open_trace, name):
    text, message = BAD_ROWS[name]
    with pytest.raises(InputError, match=message) as caught:
        open_trace(text.encode("utf-8", "surrogateescape"))
    assert str(caught.value).isprintable() and str(caught.value).endswith(".")


@pytest.mark.parametrize("block_bytes", [1000, None])
def test_a_bad_row_far_into_the_file_is_named_by_its_line(open_trace, block_bytes):
    text = DISKSIM * 5000 + "\n" + DISKSIM * 5000 + "oops\n" + DISKSIM
    with pytest.raises(TraceError, match=r"row 10002: it has 1 columns instead of 5; a disksim row reads like '1\.25"):
        open_trace(text, block_bytes=block_bytes)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_compressed_file_cut_short_is_refused(open_trace, folder, suffix):
    text = "".join(f"{i * 7919 % 65536} 0 {i * 104729 % 99991} 8 1\n" for i in range(20000))
    path = folder / f"cut{suffix}"
    open_trace(text, suffix=suffix)
    path.write_bytes((folder / f"trace{suffix}").read_bytes()[:-100])
    with pytest.raises(TraceError, match=f"cut{suffix}: the compressed data end early"):
        open_workload(TraceConfig(path=str(path)), 1 << 40, 4096, seed=1)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(TraceError, match="is no whole file of Parquet"):
        open_workload(TraceConfig(path=str(path)), 1 << 40, 4096, seed=1)


def test_a_path_that_cannot_be_read_is_refused(monkeypatch, folder):
    def opened(path):
        return open_workload(TraceConfig(path=str(path)), 1 << 40, 4096, seed=1)

    (folder / "prxy_0.csv").write_text(MSR)
    with pytest.raises(TraceError, match=r"prxy0\.csv: No such file"):
        opened(folder / "prxy0.csv")
    with pytest.raises(TraceError, match="Is a directory"):
        opened(folder)
    with pytest.raises(TraceError, match="No such file"):
        opened(folder / "none" / "trace")
    monkeypatch.setenv("HOME", str(folder))
    assert opened("~/prxy_0.csv").requests == 1


def test_an_unknown_device_is_refused_with_those_present(open_trace):
    with pytest.raises(TraceError, match=r"no device 'demo_1' \(did you mean 'demo_0'\?\); .* to demo_0"):
        open_trace(MSR, device="demo_1")
    with pytest.raises(TraceError, match="to null, as its rows name none"):
        open_trace("arrival_ns,op,offset_bytes,size_bytes\n0,read,0,512\n", device="0")
    with pytest.raises(TraceError, match=re.escape(r"to \x1b]0;me\x07_0")):
        open_trace(MSR.replace("demo", "\x1b]0;me\x07"), device="x")
    assert shown("a\nb" + "c" * 100) == r"a\nb" + "c" * 57 + "..."


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("compact", r"touches 40960 bytes in pages of 4096, more than the device's 32768; take a larger"),
        ("wrap", r"a request of 40960 bytes does not fit into the device's 32768; take a larger"),
    ],
)
def test_what_does_not_fit_the_device_is_refused_with_the_numbers(open_trace, policy, message):
    with pytest.raises(TraceError, match=message):
        open_trace("0 0 0 80 0\n", capacity=32768, addresses=policy)


def test_more_time_than_can_be_simulated_is_refused(open_trace):
    text = "".join(f"{day * 86400}.0 0 0 9 0\n" for day in range(11))
    with pytest.raises(TraceError, match=r"span 198 days, more than the 104 that can be simulated; set"):
        open_trace(text, time_unit="s", repeat=18)
    assert open_trace(text, time_unit="s", repeat=18, speedup=2.0).requests == 18 * 11


def test_a_file_that_changes_later_is_taken_as_it_was(open_trace, folder):
    workload = open_trace(DISKSIM * 3)
    (folder / "trace").unlink()
    assert sum(map(len, workload.chunks())) == 3


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_is_hashed_as_it_is_now(tmp_path, pack):
    path = tmp_path / "trace.csv"
    for text in (pack(MSR.encode()), pack(MSR.encode() * 2)):
        path.write_bytes(text)
        assert file_sha256(path) == hashlib.sha256(text).hexdigest()
    path.unlink()
    assert file_sha256(path) is None
