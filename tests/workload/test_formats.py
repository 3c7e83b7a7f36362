"""Every format by a made-up sample whose requests are worked out by hand."""

import pytest

from ssdsim.workload import FLUSH, READ, TRIM, WRITE
from ssdsim.workload.formats import FORMATS
from support.workloads import rows

MS = 1_000_000

SAMPLES = {
    "msr": (
        """\
128166372010000000,demo,0,Write,1048576,4096,2100
128166372010250000,demo,0,Read,20480,8192,51234
128166372031000000,demo,1,Write,512,512,900
""",
        # Disk 0 ends at 1,052,672 = 257 pages, and disk 1 begins there.
        [(0, WRITE, 1 << 20, 4096), (25 * MS, READ, 20480, 8192), (2100 * MS, WRITE, 257 * 4096 + 512, 512)],
    ),
    "spc": (
        "0,8,8192,W,0.000000\n2, 3, 512, r, 0.013107\n0,1,3584,w,0.026214\n0,1,0,w,0.026215\n",
        # Device 0 ends at 12,288 bytes, three pages; device 2 follows; the row of size 0 is skipped.
        [(0, WRITE, 4096, 8192), (13_107_000, READ, 12288 + 1536, 512), (26_214_000, WRITE, 512, 3584)],
    ),
    "disksim": (
        "0.000000 0 2048 8 0\n1.250000\t0  90112 64 1\n1.300001 0 16 8 3\n",
        [(0, WRITE, 1 << 20, 4096), (1_250_000, READ, 44 << 20, 32768), (1_300_001, READ, 8192, 4096)],
    ),
    "heimdall": ("0.250 0 4096 8192 0\n1.001 0 512 512 1\n", [(0, WRITE, 4096, 8192), (751_000, READ, 512, 512)]),
    "ssdsim": (
        "5 0 303104 8 0\n26214005 0 55296 6 1\n27000005 0 1024 16 0\n",
        [(0, WRITE, 303104 * 512, 4096), (26214000, READ, 55296 * 512, 3072), (27000000, WRITE, 524288, 8192)],
    ),
    "systor": (
        """\
Timestamp,Response,IOType,LUN,Offset,Size
1455592000.000050000,0.000800000,W,0,40960,4096
1455592000.000050001,,,0,0,512
1455592000.000100002,0.002100000,R,0,1052672,32768
""",
        [(0, WRITE, 40960, 4096), (50_002, READ, 1052672, 32768)],
    ),
    "tencent": (
        "1538323200,2048,16,1,1001\n1538323200,8,8,0,1001\n1538323201,4096,128,1,1001\n",
        # Two requests share the first second, and are half a second apart.
        [(0, WRITE, 1 << 20, 8192), (500 * MS, READ, 4096, 4096), (1000 * MS, WRITE, 2 << 20, 65536)],
    ),
    "alibaba": (
        "7,W,4096,8192,1577808000000100\n12,R,0,4096,1577808000000900\n7,R,0,512,1577808000001200\n",
        [(0, WRITE, 4096, 8192), (800_000, READ, 12288, 4096), (1_100_000, READ, 0, 512)],
    ),
    "biotracer": (
        "8\t\t8\t\t4096\t\t5\t\t1.250000000\t\t1.250010000\t\t1.250020000\t\t1.250400000\n"
        "0\t\t2\t\t1024\t\t4\t\t1.250000003\t\t1.250010000\t\t1.250020000\t\t1.250400000\n",
        [(0, WRITE, 4096, 4096), (3, READ, 0, 1024)],
    ),
    "fiu": (
        f"""\
30 atime=1410563628.272753818
1000000 42 demo 2048 8 W 8 0 {"0" * 32}
1000007 42 two words 16 8 R 8 0 {"f" * 32}
""",
        [(0, WRITE, 1 << 20, 4096), (7, READ, 8192, 4096)],
    ),
    "fio": (
        """\
fio version 3 iolog
0 /dev/demo add
12 /dev/demo open
40 /dev/demo write 4096 8192
95 /dev/demo sync
96 /dev/demo datasync 0 0
97 /dev/demo trim 0 65536
99 /dev/demo read 1048576 4096
100 /dev/demo close
""",
        [
            (0, WRITE, 4096, 8192),
            (55_000, FLUSH, 0, 0),
            (56_000, FLUSH, 0, 0),
            (57_000, TRIM, 0, 65536),
            (59_000, READ, 1 << 20, 4096),
        ],
    ),
    "blkparse": (
        """\
  8,0    1        1     0.000000000  4001  Q   W 2048 + 8 [demo]
  8,0    1        2     0.000004100  4001  D  WS 2048 + 8 [demo]
  8,0    1        3     0.000004200  4001  P   N [demo]
  8,0    0        4     0.000180500     0  C  WS 2048 + 8 [0]
  8,0    0        5     0.000200000  4001  Q FWFS 16 + 8 [demo]
  8,0    0        6     0.000200001  4001  Q FWS [demo]
  8,0    0        7     0.000200002  4001  Q  DS 64 + 128 [demo]
  8,0    0        8     0.000200003  4001  Q RAM 32 + 8 [demo]
  8,0    0        9     0.000200004  4001  m   N cfq4001 alloced
CPU0 (8,0):
 Reads Queued:           1,        4KiB

Total (8,0):
 Writes Queued:          2,        8KiB
""",
        [
            (0, WRITE, 1 << 20, 4096),
            (200_000, WRITE, 8192, 4096),
            (200_001, FLUSH, 0, 0),
            (200_002, TRIM, 32768, 65536),
            (200_003, READ, 16384, 4096),
        ],
    ),
    "blkparse_issued": (
        """\
  8,0    1        2     0.000004100  4001  D  WS 2048 + 8 [demo]
  8,0    1        3     0.000004200  4001  P   N [demo]
  8,0    0        4     0.000180500     0  C  WS 2048 + 8 [0]
""",
        [(0, WRITE, 1 << 20, 4096)],
    ),
    "etw": (
        """\
BeginHeader\r
     DiskRead,  TimeStamp,  Process Name ( PID),   ThreadID, IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags\r
    DiskWrite,  TimeStamp,  Process Name ( PID),   ThreadID, IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags\r
EndHeader\r
OS Version: 5.2.3790\r
    DiskWrite,   1000100, p0 (2004), 3348, 0xfffffadf00000010, 0x0000002000, 0x00002000,  140, 0, 0x000a01, "Disk0:\\a"\r
  DiskReadInit,   1000110, p0 (2004), 3348, 0xfffffadf00000010\r
     DiskRead,   1000420, p0 (2004), 3350, 0xfffffadf00000030, 0x0010000000, 0x00010000, 300, 1, 0x000901, "Disk1:\\b"\r
    DiskWrite,   1000425, p0 (2004), 3348, 0xfffffadf00000050, 0x0000004000, 0x00001000,  400, 0, 0x000a01, "x,y"\r
""",  # noqa: E501
        # Arrivals are 999,960, 1,000,120 and 1,000,025 us: the last row comes second. Disk 0 ends at page 5.
        [(0, WRITE, 8192, 8192), (65_000, WRITE, 16384, 4096), (160_000, READ, 5 * 4096 + (1 << 28), 65536)],
    ),
    "ssdsim_csv": (
        "arrival_ns,op,latency_ns,offset_bytes,size_bytes\n10,write,5,4096,8192\n12,flush,7,0,0\n15,trim,7,0,4096\n"
        "16,read,1,512,1\n",
        [(0, WRITE, 4096, 8192), (2, FLUSH, 0, 0), (5, TRIM, 0, 4096), (6, READ, 512, 1)],
    ),
    "cloudphysics": (
        """\
version,time,op,size,lbn
1,5633898368802,2a,4096,1000
1,5633898368803,42,24,0
1,5633898611441,28,512,2048
1,5633898611442,35,0,0
""",
        # UNMAP says nowhere what it unmaps.
        [(0, WRITE, 512_000, 4096), (242_639_000, READ, 1 << 20, 512), (242_640_000, FLUSH, 0, 0)],
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_is_recognised_and_read(open_trace, name):
    text, requests = SAMPLES[name]
    workload = open_trace(text)
    assert workload.describe()["format"] == name
    assert rows(workload) == requests
    assert workload.requests == len(requests)


def test_every_format_has_a_sample_here():
    assert set(SAMPLES) == set(FORMATS)


@pytest.mark.parametrize("name", ["disksim", "ssdsim", "heimdall", "biotracer"])
def test_commas_serve_for_blanks(open_trace, name):
    text, requests = SAMPLES[name]
    with_commas = "\n".join(",".join(line.split()) for line in text.splitlines())
    assert rows(open_trace(with_commas)) == requests


@pytest.mark.parametrize("name", SAMPLES)
def test_blank_lines_line_ends_and_byte_order_marks_do_not_matter(open_trace, name):
    text, requests = SAMPLES[name]
    lines = "\r\n\r\n".join(text.splitlines())
    assert rows(open_trace(b"\xef\xbb\xbf" + lines.encode(), format=name)) == requests


def test_the_flags_of_disksim_are_hexadecimal_and_their_last_bit_is_for_reads(open_trace):
    text = "".join(f"{at}.0 0 {8 * at} 8 {flags}\n" for at, flags in enumerate(("1b", "1a", "F", "10")))
    assert [row[1] for row in rows(open_trace(text, format="disksim"))] == [READ, WRITE, READ, WRITE]


def test_the_last_bit_of_a_biotracer_operation_is_for_writes(open_trace):
    text = "".join(f"{8 * at} 8 4096 {op} 1.{at} 1.25 1.25 1.25\n" for at, op in enumerate((0, 1, 12, 13)))
    assert [row[1] for row in rows(open_trace(text))] == [READ, WRITE, READ, WRITE]


def test_the_words_of_ssdsim_csv_may_be_short_or_those_of_others(open_trace):
    ops = ["r", "W", "Read", "WRITE", "discard", "Trim", "sync", "datasync", "flush"]
    text = "arrival_ns,op,offset_bytes,size_bytes\n" + "".join(f"{at},{op},0,512\n" for at, op in enumerate(ops))
    expected = [READ, WRITE, READ, WRITE, TRIM, TRIM, FLUSH, FLUSH, FLUSH]
    assert [row[1] for row in rows(open_trace(text))] == expected


@pytest.mark.parametrize(("name", "device"), [("msr", "demo_1"), ("fiu", "8:0"), ("blkparse", "8:0"), ("etw", "1")])
def test_devices_are_named_as_their_format_has_it(open_trace, name, device):
    assert device in open_trace(SAMPLES[name][0]).describe()["device_names"]
    assert open_trace(SAMPLES[name][0], device=device).requests >= 1


def test_addresses_that_are_no_multiples_of_a_sector_are_disksims(open_trace):
    """Though the sizes could be bytes; those of Heimdall count bytes both."""
    assert open_trace("0.5 0 17 512 0\n1.5 0 1024 512 1\n").describe()["format"] == "disksim"
    assert open_trace("0.5 0 512 512 0\n1.5 0 1024 512 1\n").describe()["format"] == "heimdall"


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_compressed_files_one_after_another_are_one_trace(open_trace, compressions, suffix):
    """As pbzip2 and `cat` make them."""
    name, (text, requests) = "msr", SAMPLES["msr"]
    first, *others = text.splitlines(keepends=True)
    parts = compressions[suffix](first.encode()) + compressions[suffix]("".join(others).encode())
    workload = open_trace(parts)
    assert (workload.describe()["format"], rows(workload)) == (name, requests)


def test_decimals_beyond_the_nanosecond_are_cut_and_exponents_understood(open_trace):
    workload = open_trace("0.0000009 0 0 8 1\n1e-3 0 0 8 1\n2.0000019999999 0 0 8 1\n")
    assert [row[0] for row in rows(workload)] == [0, 1000, 2_000_001]
