"""The tables of requests and commands, written as the run goes."""

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import HardwareConfig
from ssdsim.flash.transactions import Transactions
from ssdsim.host.request import Request
from ssdsim.metrics.logs import CommandLog, RequestLog
from ssdsim.metrics.recorder import PARTS
from ssdsim.metrics.result import Result
from support.transactions import taken

PARTS_NS = [f"{part}_ns" for part in PARTS]
FIELDS = ("stream", "arrival_ns", "op", "offset_bytes", "size_bytes", *PARTS_NS[1:], "admitted_ns", "buffer_pages")


def with_fields(record, **fields):
    for name, value in fields.items():
        setattr(record, name, value)
    return record


def request(number):
    return with_fields(Request(), id=number, **{name: number % (2 + at) for at, name in enumerate(FIELDS)})


def request_log(path=None, rows=4):
    """Return a log that writes after so many rows."""
    log = RequestLog(path)
    log.rows.most = rows
    log.rows.begin()
    return log


@given(order=st.permutations(range(30)), rows=st.sampled_from([1, 4, 1000]))
def test_requests_come_in_the_order_of_their_numbers(order, rows):
    log = request_log(rows=rows)
    for number in order:
        log.add(request(number), 1000 + number)
    table = log.rows.close()
    assert table["id"].to_pylist() == list(range(30))
    assert table["response_ns"].to_pylist() == list(range(1000, 1030))
    assert table["op"].to_pylist() == [("read", "write", "trim", "flush")[n % 4] for n in range(30)]
    assert table["gc_ns"].to_pylist() == [n % 9 for n in range(30)]
    parts = sum(table[name].to_numpy() for name in PARTS_NS if name != "urgent_gc_ns")
    assert (parts == table["response_ns"].to_numpy()).all()


def test_no_row_waits_in_memory_for_a_request_that_starves(tmp_path):
    log = request_log(tmp_path / "requests.parquet")
    order = [*range(1, 40), 0]
    for number in order:
        log.add(request(number), 1)
        assert log.rows.place < 4 * log.rows.width
    log.rows.close()
    assert pq.read_table(tmp_path / "requests.parquet")["id"].to_pylist() == order


def test_what_is_read_from_the_file_is_what_the_memory_would_hold(tmp_path):
    in_memory, on_disk = request_log(), request_log(tmp_path / "requests.parquet")
    for log in (in_memory, on_disk):
        for number in (1, 0, 3, 2, 5, 6, 4):
            log.add(request(number), number)
    table = in_memory.rows.close()
    assert on_disk.rows.close() is None
    assert Result({}, tmp_path).requests.to_pylist() == table.to_pylist()
    assert table["id"].to_pylist() == list(range(7))


def test_a_command_says_where_it_was():
    hardware = HardwareConfig(channels=2, chips_per_channel=3, dies_per_chip=2, planes_per_die=2, blocks_per_plane=10)
    log, transactions = CommandLog(None, hardware), Transactions()
    times = {"queued_ns": 1, "bus_start_ns": 2, "array_start_ns": 3, "array_end_ns": 4, "data_start_ns": 5}
    die, plane = 9, 19  # channel 1, its chip 1, its die 1, plane 1
    rest = {"request_number": -1, "bytes": 4096, "valid_pages": 3, "specified_type": 1}
    rest |= {"line_ns": 40, "held_ns": 2, "gc_ns": 50}
    for op, request in ((0, with_fields(Request(), id=17)), (2, None)):
        there = {"die": die, "plane": plane, "block": 197, "page": 5, "page_type": 2, "lpa": 8, "request": request}
        log.done(transactions, taken(transactions, op=op, source=1, **there, **times, **rest), 9)
    where = {"channel": 1, "chip": 1, "die": 1, "plane": 1, "block": 7, "page": 5, "page_type": 2, "lpa": 8}
    row = where | times | {"copied_from": -1, "source": "gc", "end_ns": 9, "content": "none", "specified_type": 1}
    row |= {"waited_ns": 42, "gc_ns": 50}
    read = {"op": "read", "request": 17, "bytes": 4096, "valid_pages": -1}
    erase = {"op": "erase", "request": -1, "bytes": 0, "valid_pages": 3, "data_start_ns": -1}
    assert log.rows.close().to_pylist() == [row | read, row | erase]
