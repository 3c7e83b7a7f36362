"""What the options of a trace do, by small samples."""

import pytest

from ssdsim.workload import FLUSH, READ, TRIM, WRITE
from ssdsim.workload.chunk import CHUNK_ROWS
from support.workloads import rows, whole

THREE = "0 0 0 8 1\n100 1 0 8 0\n400 0 16 8 0\n"
"""Two requests to device 0, which ends at 12 KiB, and one to device 1."""


def column(workload, index):
    return [row[index] for row in rows(workload)]


def test_devices_lie_one_after_another_in_natural_order(open_trace):
    workload = open_trace("0 10 0 8 1\n1 2 8 9 1\n2 10 8 8 1\n")
    # Device 2 ends within its third page, so device 10 begins at the fourth.
    assert column(workload, 2) == [3 * 4096, 4096, 4 * 4096]
    assert workload.describe()["device_names"] == ["2", "10"]


@pytest.mark.parametrize("block_bytes", [12, 1000])
def test_requests_are_skipped_before_the_limit_counts(open_trace, block_bytes):
    workload = open_trace(THREE, skip=1, limit=1, block_bytes=block_bytes)
    assert rows(workload) == [(0, WRITE, 0, 4096)]
    assert len(rows(open_trace(THREE, device="0", skip=1))) == 1


@pytest.mark.parametrize("limit", range(1, 9))
@pytest.mark.parametrize("block_bytes", [None, 30])
def test_a_limit_holds_wherever_blocks_end(open_trace, limit, block_bytes):
    """Blocks of 30 bytes hold two or three rows, of which each second one is for the other device."""
    text = "".join(f"{at} {at % 2} {8 * at} 8 1\n" for at in range(12))
    workload = open_trace(text, device="0", limit=limit, block_bytes=block_bytes)
    assert column(workload, 0) == list(range(0, 12, 2))[:limit]


def test_repetitions_follow_after_the_mean_time_between_arrivals(open_trace):
    workload = open_trace(THREE, repeat=3)
    assert column(workload, 0) == [0, 100, 400, 600, 700, 1000, 1200, 1300, 1600]
    assert workload.requests == 9


def test_speedup_divides_all_times(open_trace):
    assert column(open_trace(THREE, repeat=2, speedup=2.0), 0) == [0, 50, 200, 300, 350, 500]
    assert column(open_trace(THREE, speedup=0.5), 0) == [0, 200, 800]


@pytest.mark.parametrize(
    ("unit", "last"),
    [("s", 400 * 10**9), ("ms", 400 * 10**6), ("us", 400_000), ("100ns", 40_000), ("ns", 400), ("ps", 0)],
)
def test_time_units(open_trace, unit, last):
    assert column(open_trace(THREE, time_unit=unit), 0)[-1] == last


def test_read_op_may_be_in_any_case_and_leaves_trims_and_flushes(open_trace):
    ops = ["write", "READ", "trim", "flush", "Write"]
    text = "arrival_ns,op,offset_bytes,size_bytes\n" + "".join(f"{at},{op},0,512\n" for at, op in enumerate(ops))
    assert column(open_trace(text, read_op=" wRITE "), 1) == [READ, WRITE, TRIM, FLUSH, READ]


def test_rows_out_of_order_are_sorted_and_counted(open_trace):
    text = "100 0 0 8 0\n300 0 8 8 0\n200 0 16 8 0\n400 0 24 8 0\n"
    in_order = open_trace(text)
    assert rows(in_order) == [(0, 1, 0, 4096), (100, 1, 8192, 4096), (200, 1, 4096, 4096), (300, 1, 12288, 4096)]
    assert in_order.describe()["reordered_rows"] == 1


def test_a_jump_of_the_clock_takes_no_time(open_trace):
    workload = open_trace("0.0 0 0 9 0\n5.0 0 0 9 0\n9000000.0 0 0 9 0\n9000001.0 0 0 9 0\n", time_unit="s")
    assert column(workload, 0) == [0, 5 * 10**9, 5 * 10**9, 6 * 10**9]
    assert workload.describe()["clock_jumps"] == 1


def test_addresses_beyond_the_device_wrap_and_still_fit(open_trace):
    workload = open_trace("0 0 8 8 0\n1 0 72 8 0\n2 0 60 8 0\n", capacity=8 * 4096, addresses="wrap")
    # The second is 9 pages in: 1 page in. The third would end half a page beyond the end: one page back.
    assert column(workload, 2) == [4096, 4096, int(6.5 * 4096)]
    assert workload.describe()["addresses"]["moved_requests"] == 2


def test_chunks_are_bounded_and_passes_equal(open_trace):
    count = 3 * CHUNK_ROWS + 5
    workload = open_trace("".join(f"{i} 0 {8 * (i % 999)} 8 {i % 2}\n" for i in range(count)))
    sizes = [len(chunk) for chunk in workload.chunks()]
    assert sum(sizes) == count == workload.requests
    assert max(sizes) <= CHUNK_ROWS
    first, second = whole(workload), whole(workload)
    assert (first.arrival_ns == range(count)).all()
    assert (first.offset_bytes == second.offset_bytes).all()
    assert first.op.dtype == "uint8"
    assert all(column.dtype == "int64" for column in (first.arrival_ns, first.offset_bytes, first.size_bytes))


@pytest.mark.parametrize("block_bytes", [None, 13])
def test_the_report_counts_what_was_read(open_trace, block_bytes):
    """All at once, and row by row."""
    report = open_trace(THREE + "500 0 0 0 0\n", block_bytes=block_bytes).describe()
    assert report["skipped"] == {"zero size": 1}
    assert (report["rows"], report["requests"], report["reads"], report["writes"]) == (3, 3, 1, 2)
    assert report["bytes"] == {"read": 4096, "write": 8192, "trim": 0, "flush": 0}
    assert report["devices"] == 2
    assert report["span_s"] == 400e-9
