"""Random requests written in every text format read back as they were."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ssdsim.workload import FLUSH, READ, TRIM, WRITE
from support.workloads import rows

Request = tuple[int, int, int, int, int]
"""Ticks, op, device, offset and size in sectors."""

WORD = {READ: "Read", WRITE: "Write", TRIM: "trim", FLUSH: "sync"}
LETTER = {READ: "R", WRITE: "W", TRIM: "D"}
COMMAND = {READ: "28", WRITE: "8a"}
START = 128166372000000000


def plain(ns: int, decimals: int) -> str:
    """Return `ns` in a unit of 10 ** `decimals` ns, with all decimals."""
    return f"{ns // 10**decimals}.{ns % 10**decimals:0{decimals}}"


class Written(NamedTuple):
    """How a format is written, and what of a request it can hold."""

    row: Callable[[int, int, int, int, int], str]
    tick_ns: int = 1
    header: str = ""
    has_devices: bool = True
    ops: Sequence[int] = (READ, WRITE)


def msr(t, op, dev, off, size):
    return f"{START + t},demo,{dev},{WORD[op]},{off * 512},{size * 512},77"


def etw(t, op, dev, off, size):
    return f" Disk{WORD[op]}, {t + 99}, p0 ( 4), 9, 0xf0, 0x{off * 512:x}, 0x{size * 512:08x}, 99, {dev}, 0x1, 5, 0"


def blkparse(t, op, dev, off, size):
    return f"  8,{dev}    1  7  {plain(t, 9)}  42  Q {LETTER[op]:>3} {off} + {size} [a b]"


def fiu(t, op, dev, off, size):
    return f"{t} 42 a b {off} {size} {LETTER[op]} 8 {dev} {'0a' * 16}"


def fio(t, op, dev, off, size):
    return f"{t} /dev/{dev} {WORD[op].lower()} {off * 512} {size * 512}"


WRITERS = {
    "msr": Written(msr, tick_ns=100),
    "msr_short": Written(
        lambda t, op, _, off, size: f"{START + t} \t{WORD[op]}\t{off * 512} \t{size * 512}", 100, "", False
    ),
    "spc": Written(lambda t, op, dev, off, size: f"{dev},{off},{size * 512},{LETTER[op].lower()},{plain(t, 9)}"),
    "disksim": Written(lambda t, op, dev, off, size: f"{plain(t, 6)} {dev} {off} {size} {1 - op:x}"),
    "heimdall": Written(lambda t, op, dev, off, size: f"{plain(t, 6)} {dev} {off * 512} {size * 512} {1 - op}"),
    "ssdsim": Written(lambda t, op, dev, off, size: f"{t} {dev} {off} {size} {1 - op}"),
    "mqsim": Written(lambda t, op, dev, off, size: f"{t}\t{dev}\t{off}\t{size}\t{1 - op}"),
    "systor": Written(
        lambda t, op, dev, off, size: f"{plain(START * 10 + t, 9)},0.1,{LETTER[op]},{dev},{off * 512},{size * 512}",
        header="Timestamp,Response,IOType,LUN,Offset,Size",
    ),
    "alibaba": Written(lambda t, op, dev, off, size: f"{dev},{LETTER[op]},{off * 512},{size * 512},{START + t}", 1000),
    "flashnet": Written(
        lambda t, op, _, off, size: f"{plain(t, 6)},120,{1 - op},{size * 512},{off * 512},0.1,{size * 512}",
        has_devices=False,
    ),
    "diskmon": Written(lambda t, op, dev, off, size: f"7\t{plain(t, 9)}\t0.1\t{dev}\t{WORD[op]}\t{off}\t{size}\r"),
    "biotracer": Written(
        lambda t, op, _, off, size: f"{off}\t\t{size}\t\t{size * 512}\t\t{4 + op}" + f"\t\t{plain(t, 9)}" * 4,
        has_devices=False,
    ),
    "wiscsee": Written(
        lambda t, op, _, off, size: f"42 D {WORD[op].lower()} {off * 512} {size * 512} {plain(t, 9)} 0 True",
        has_devices=False,
    ),
    "fiu": Written(fiu),
    "fio": Written(fio, 1000, "fio version 3 iolog", ops=(READ, WRITE, TRIM)),
    "blkparse": Written(blkparse, ops=(READ, WRITE, TRIM)),
    "etw": Written(etw, 1000, "BeginHeader\nEndHeader"),
    "cloudphysics": Written(
        lambda t, op, _, off, size: f"1,{START + t},{COMMAND[op]},{size * 512},{off}",
        1000,
        "version,time,op,size,lbn",
        has_devices=False,
    ),
    "ssdsim_csv": Written(
        lambda t, op, _, off, size: f"{t},{WORD[op].lower()},{off * 512},{size * 512}",
        header="arrival_ns,op,offset_bytes,size_bytes",
        has_devices=False,
        ops=(READ, WRITE, TRIM),
    ),
}

REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 10**12), st.sampled_from([READ, WRITE, TRIM]), st.integers(0, 11), st.integers(0, 1 << 30),
        st.integers(1, 1 << 20),
    ),
    min_size=1,
    max_size=30,
)  # fmt: skip


def expected(requests: list[Request], written: Written, page: int) -> list[tuple[int, int, int, int]]:
    """Place devices one after another, each rounded up to a page, and count time from the first request."""
    ends: dict[int, int] = {}
    for _, _, device, offset, size in requests:
        ends[device] = max(ends.get(device, 0), (offset + size) * 512)
    bases, end = {}, 0
    for device in sorted(ends):
        bases[device], end = end, end - (-ends[device] // page * page)
    ordered = sorted(requests, key=lambda request: request[0])
    return [
        ((t - ordered[0][0]) * written.tick_ns, op, bases[device] + offset * 512, size * 512)
        for t, op, device, offset, size in ordered
    ]


@pytest.mark.parametrize("name", WRITERS)
@settings(
    max_examples=settings.default.max_examples // 5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(requests=REQUESTS)
def test_what_was_written_is_read(open_trace, name, requests):
    written = WRITERS[name]
    requests = [
        (t // written.tick_ns, op if op in written.ops else WRITE, device if written.has_devices else 0, offset, size)
        for t, op, device, offset, size in requests
    ]
    lines = [written.header] * bool(written.header) + [written.row(*request) for request in requests]
    workload = open_trace("\n".join(lines), capacity=1 << 50, format=name)
    assert rows(workload) == expected(requests, written, 4096)


@settings(
    max_examples=settings.default.max_examples // 5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    requests=REQUESTS,
    block_bytes=st.integers(1, 500),
    suffix=st.sampled_from(["", ".gz", ".bz2", ".xz", ".zst"]),
    order=st.sampled_from(["sort", "clamp"]),
)
def test_neither_block_size_nor_compression_matters(open_trace, requests, block_bytes, suffix, order):
    """Sorted rows are counted all together, others block by block; of each request there is one of no size, too."""
    both = [(*request, size) for *request, most in requests for size in (most, 0)]
    text = "".join(msr(t, op % 2, dev, off, size) + "\n" for t, op, dev, off, size in both)
    plainly = open_trace(text, order=order)
    assert plainly.describe()["skipped"] == {"zero size": len(requests)}
    expected_rows, expected_report = rows(plainly), plainly.describe()
    otherwise = open_trace(text, block_bytes=block_bytes, suffix=suffix, order=order)
    assert rows(otherwise) == expected_rows
    report = otherwise.describe()
    assert {**report, "path": ""} == {**expected_report, "path": ""}
